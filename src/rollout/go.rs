//! Go's random playouts: no own eye is filled, and near the last move tactics come first.

use std::sync::LazyLock;

use rand::Rng;

use super::playout::below;
use super::{Played, Playout, PlayoutPolicy};
use crate::game::go::Go;
use crate::game::{Bits, Color, Game, Move, Outcome};

/// A playout ends after so many plies for each point, as the board then stands: only rings of kos
/// last so long.
const MOST_PLIES_A_POINT: u32 = 3;

impl<const CELLS: usize, const WORDS: usize> Playout for Go<CELLS, WORDS> {
    /// Its own policy first takes the stone just played, or saves what it put in atari; then plays
    /// shapes beside it (`SHAPES`); else anywhere. What counts in the end is area, also where
    /// territory does: the two differ by a point at most once all is played out.
    fn finish<R: Rng>(
        &mut self,
        policy: PlayoutPolicy,
        rng: &mut R,
        played: &mut Played,
    ) -> Outcome {
        let last = self.ply() + MOST_PLIES_A_POINT * self.size().area() as u32;
        while self.passes() < 2 && self.ply() < last {
            let mv = match policy {
                PlayoutPolicy::Uniform => None,
                PlayoutPolicy::Own => near_the_last(self, rng),
            };
            let mv = mv.or_else(|| anywhere(self, policy, rng));
            if let Some(point) = mv {
                played.add(self.to_move(), point);
            }
            self.play(mv.unwrap_or(self.pass()));
        }
        Outcome::by_points(self.area_score())
    }

    /// Everything but filling an own eye.
    fn is_sensible(&self, mv: Move) -> bool {
        !self.is_eye(self.to_move(), mv)
    }
}

/// One of the points, all of them alike.
fn any<const WORDS: usize, R: Rng>(points: Bits<WORDS>, rng: &mut R) -> Option<Move> {
    match points.count() {
        0 => None,
        count => points.nth(below(rng, count)),
    }
}

/// A legal point that fills no own eye and, under [`PlayoutPolicy::Own`], gives no stones away.
fn anywhere<const CELLS: usize, const WORDS: usize, R: Rng>(
    position: &Go<CELLS, WORDS>,
    policy: PlayoutPolicy,
    rng: &mut R,
) -> Option<Move> {
    let (mut left, mut poor) = (position.empty(), None);
    while let Some(point) = any(left, rng) {
        if position.is_legal(point) && !position.is_eye(position.to_move(), point) {
            if policy == PlayoutPolicy::Uniform || !position.is_self_atari(point) {
                return Some(point);
            }
            poor = Some(point);
        }
        left.remove(point);
    }
    poor
}

/// An answer to the last move, if it asks for one.
fn near_the_last<const CELLS: usize, const WORDS: usize, R: Rng>(
    position: &Go<CELLS, WORDS>,
    rng: &mut R,
) -> Option<Move> {
    let last = position.last_move()?;
    if last == position.pass() || position.stone(last).is_none() {
        return None;
    }
    if let Some(point) = any(tactics(position, last), rng) {
        return Some(point);
    }
    any(shapes(position, last), rng)
}

/// Points that take the chain of the last stone, or save one that it has put in atari.
fn tactics<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let (own, mut found) = (position.to_move(), Bits::<WORDS>::EMPTY);
    let takes = position.last_liberty(last);
    takes.iter().for_each(|&point| found.insert(point));
    for friend in (position.around(last) & position.stones(own)).iter() {
        let Some(liberty) = position.last_liberty(friend) else {
            continue;
        };
        if position.is_legal(liberty) && !position.is_self_atari(liberty) {
            found.insert(liberty);
        }
        let chain = position.chain(friend);
        let enemies = position.next_to(chain) & position.stones(own.opponent());
        let prey = enemies
            .iter()
            .filter_map(|enemy| position.last_liberty(enemy));
        prey.for_each(|point| found.insert(point));
    }
    found
        .iter()
        .filter(|&point| position.is_legal(point))
        .collect()
}

/// Points beside and across from the last stone that make a shape.
fn shapes<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let mover = position.to_move();
    let side = position.around(last);
    let near = (side | position.next_to(side)) & position.empty();
    let good = |&point: &Move| {
        position.touches(point, last)
            && SHAPES.has(mover, position.neighborhood(point))
            && position.is_legal(point)
            && !position.is_self_atari(point)
    };
    near.iter().filter(good).collect()
}

/// The 3x3 shapes of MoGo (Gelly et al. 2006) in whose middle a stone of either colour is worth
/// playing: hane, cuts, and at the edge of the board. `X` and `O` are the colours, `x` and `o` all
/// but that colour, `?` anything; blanks are off the board.
const MOGO: [&str; 13] = [
    "XOX...???",
    "XO....?.?",
    "XO?X..x.?",
    ".O.X.....",
    "XO?O.o?o?",
    "XO?O.X???",
    "?X?O.Oooo",
    "OX?o.O???",
    "X.?O.?   ",
    "OX?X.O   ",
    "?X?x.O   ",
    "?XOx.x   ",
    "?OXX.O   ",
];

/// Which neighbourhoods are worth a stone.
static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);

/// A bit for each of all 4^8 neighbourhoods, for each mover.
struct Shapes([Vec<u64>; 2]);

impl Shapes {
    fn new() -> Shapes {
        let mut shapes = Shapes([vec![0; 1 << 10], vec![0; 1 << 10]]);
        for shape in MOGO {
            for symmetry in 0..8 {
                for mover in Color::BOTH {
                    shapes.add(shape.as_bytes(), symmetry, mover, 0, 0);
                    let swapped = shape.bytes().map(|content| match content {
                        b'X' => b'O',
                        b'O' => b'X',
                        b'x' => b'o',
                        b'o' => b'x',
                        other => other,
                    });
                    shapes.add(&swapped.collect::<Vec<u8>>(), symmetry, mover, 0, 0);
                }
            }
        }
        shapes
    }

    /// Adds all that a shape says, from neighbour number `from` on, those before being `code`.
    fn add(&mut self, shape: &[u8], symmetry: u8, mover: Color, from: usize, code: u16) {
        /// Columns and rows of the neighbours, in the order of their bits.
        const PLACES: [(usize, usize); 8] = [
            (0, 1),
            (2, 1),
            (1, 0),
            (1, 2),
            (0, 0),
            (2, 0),
            (0, 2),
            (2, 2),
        ];
        let Some(&(mut x, mut y)) = PLACES.get(from) else {
            self.0[mover.index()][usize::from(code / 64)] |= 1 << (code % 64);
            return;
        };
        if symmetry & 1 != 0 {
            x = 2 - x;
        }
        if symmetry & 2 != 0 {
            y = 2 - y;
        }
        if symmetry & 4 != 0 {
            (x, y) = (y, x);
        }
        // Black, White, empty, border: as the position numbers them.
        let fits: &[u16] = match shape[3 * y + x] {
            b'X' => &[0],
            b'O' => &[1],
            b'.' => &[2],
            b' ' => &[3],
            b'x' => &[1, 2, 3],
            b'o' => &[0, 2, 3],
            _ => &[0, 1, 2, 3],
        };
        for content in fits {
            self.add(
                shape,
                symmetry,
                mover,
                from + 1,
                code | content << (2 * from),
            );
        }
    }

    fn has(&self, mover: Color, code: u16) -> bool {
        self.0[mover.index()][usize::from(code / 64)] >> (code % 64) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::{Rave, RaveParams};
    use super::*;
    use crate::game::BoardSize;
    use crate::game::go::SmallGo;

    fn diagram(text: &str, to_move: Color) -> SmallGo {
        crate::game::go::tests::diagram(text, "chinese komi0.5", to_move)
    }

    #[test]
    fn playouts_end_with_nothing_left_but_eyes() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for policy in [PlayoutPolicy::Uniform, PlayoutPolicy::Own] {
            for side in [1, 2, 3, 5, 9] {
                for _ in 0..50 {
                    let mut position = SmallGo::new(BoardSize::square(side)).unwrap();
                    let mut played = Played::of(&position);
                    let outcome = position.finish(policy, &mut rng, &mut played);
                    if position.passes() < 2 {
                        continue;
                    }
                    assert_eq!(position.outcome(), Some(outcome), "{policy:?} on {side}");
                    let sensible = position
                        .empty()
                        .iter()
                        .filter(|&point| position.is_legal(point) && position.is_sensible(point));
                    assert_eq!(sensible.count(), 0);
                }
            }
        }
    }

    #[test]
    fn what_was_played_first_is_known_whoever_was_taken() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        let mut played = Played::of(&position);
        position.finish(PlayoutPolicy::Own, &mut rng, &mut played);
        for point in 0..25 {
            let [black, white] = Color::BOTH.map(|color| played.by(color)[point]);
            assert!(black + white <= 1.0, "one side is the first");
            let stands = position.stone(Move(point as u16)).is_some();
            assert!(!stands || black + white == 1.0);
        }
        played.add_earlier(Color::White, Move(3));
        assert_eq!(Color::BOTH.map(|color| played.by(color)[3]), [0.0, 1.0]);
    }

    #[test]
    fn the_last_stone_is_answered() {
        // White has put b3 in atari with c3: Black runs, or takes it.
        let mut position = diagram("..... .O... .X... .O... .....", Color::White);
        position.play(Move(12));
        let answers: Bits<2> = tactics(&position, Move(12));
        assert_eq!(
            answers.iter().collect::<Vec<_>>(),
            [Move(10)],
            "only a3 is left to run to"
        );
        let mut taking = diagram("..X.. .XOX. ..... ..... .....", Color::White);
        taking.play(Move(0));
        assert!(tactics(&taking, Move(0)).is_empty(), "elsewhere");
        let mut itself = diagram("..X.. .X.X. ..... ..... .....", Color::White);
        itself.play(Move(17));
        assert_eq!(tactics(&itself, Move(17)).lowest(), Some(Move(12)));
    }

    #[test]
    fn shapes_are_told_apart() {
        // Black's hane at the head of White's stone: X O X above an empty row.
        let hane = diagram("..... .XOX. ..... ..... .....", Color::Black);
        assert!(SHAPES.has(Color::Black, hane.neighborhood(Move(12))));
        assert!(
            !SHAPES.has(Color::Black, hane.neighborhood(Move(2))),
            "far away"
        );
        let edge = diagram("..... ..... ..... .X... .O...", Color::Black);
        assert!(
            SHAPES.has(Color::White, edge.neighborhood(Move(2))),
            "chase along the edge"
        );
    }

    #[test]
    fn who_is_ahead_and_is_offered_the_end_takes_it() {
        let rows = ".X.O. .X.O. XX.O. .X.O. .X.O.";
        let mut position = diagram(rows, Color::Black);
        position.play(position.pass());
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < 100);
        assert_eq!(
            report.moves[0].mv,
            position.pass(),
            "White is ahead by its komi"
        );
        // Black is not, and takes the middle.
        let mut position = diagram(rows, Color::White);
        position.play(position.pass());
        let report = rave.search(&position, |done| done < 100);
        assert_ne!(report.moves[0].mv, position.pass());
    }

    #[test]
    fn it_finds_the_stones_that_can_be_taken() {
        // Whoever takes the other's four stones has won.
        let position = diagram("XXXXX XOOOX XO.OX X.X.X XXXXX", Color::Black);
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < 2000);
        assert!(report.moves[0].value > 0.5, "{:?}", report.moves[0]);
    }
}
