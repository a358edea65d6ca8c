//! Properties of a game for critic training: its weak opponent, its utility, and results.

use std::cmp::Ordering;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use tengen::game::{Bits, Color, Game, Move, Outcome, Proof, Scored as _, ply_cap};
use tengen::games::go::{Agreed, Go};
use tengen::games::nogo::NoGo;

/// Weights of the utility (7): of the shares of area and prisoners in Go, as in the paper; in NoGo of the shares of open
/// points and of points that only one side may play.
const WEIGHTS: [f64; 2] = [0.8, 0.2];

/// A side's amount and the opponent's.
pub type Shares = [usize; 2];

/// A game that a critic can learn.
pub trait Taught: Game {
    /// A random legal move that is not obviously bad.
    fn random_move(&self, rng: &mut impl Rng) -> Option<Move> {
        let count = self.legal_count();
        self.legal_moves().nth(rng.random_range(0..count.max(1)))
    }

    /// A move by rules of thumb.
    fn rule_move(&self, rng: &mut impl Rng) -> Option<Move> {
        self.random_move(rng)
    }

    /// A move by rules of thumb in this share of turns, else a random one; `None` only in a
    /// finished game.
    fn opponent_move(&self, rules: f64, rng: &mut impl Rng) -> Option<Move> {
        match rng.random::<f64>() < rules {
            true => self.rule_move(rng),
            false => self.random_move(rng),
        }
    }

    /// Area and prisoners of `color` and of the opponent, or their substitutes.
    fn shares(&self, color: Color) -> [Shares; 2];

    /// Result of a finished game for `color`, in 0..=1 (8).
    fn worth(&self, color: Color) -> f64 {
        let proof = self.outcome().map(|outcome| outcome.proof_for(color));
        f64::from(proof.map_or(0.5, |proof| 0.5 + 0.5 * proof.value()))
    }

    /// Final points of `color` and of the opponent: 1 and 0 if none are counted.
    fn points(&self, color: Color) -> Shares {
        let proof = self.outcome().map(|outcome| outcome.proof_for(color));
        match proof {
            Some(Proof::Win) => [1, 0],
            Some(Proof::Loss) => [0, 1],
            Some(Proof::Draw) | None => [0, 0],
        }
    }
}

/// Area counts with all stones alive, stones included, as in the paper.
impl<const CELLS: usize, const WORDS: usize> Taught for Go<CELLS, WORDS> {
    /// Passes when only own eyes are left.
    fn random_move(&self, rng: &mut impl Rng) -> Option<Move> {
        if self.passes() >= 2 {
            return None;
        }
        let points = self.legal_points().iter();
        let fit: Bits<WORDS> = points.filter(|&point| !self.fills_eye(point)).collect();
        let rank = rng.random_range(0..fit.count().max(1));
        Some(fit.nth(rank).unwrap_or(self.pass()))
    }

    fn rule_move(&self, rng: &mut impl Rng) -> Option<Move> {
        let chosen = RulesOfThumb(self).choose(rng);
        chosen.or_else(|| self.random_move(rng))
    }

    fn shares(&self, color: Color) -> [Shares; 2] {
        // A side's prisoners are the opponent's captured stones.
        let prisoners = [color.opponent(), color].map(|side| self.prisoners(side) as usize);
        [self.points(color), prisoners]
    }

    fn worth(&self, color: Color) -> f64 {
        share(self.points(color)).unwrap_or(0.5)
    }

    fn points(&self, color: Color) -> Shares {
        let owned = self.owned(&Agreed::ALL_ALIVE);
        [color, color.opponent()].map(|side| owned[side.index()].count())
    }
}

/// Open points are a side's area, and those that only it may play its prisoners. There are no rules of thumb.
impl<const WORDS: usize> Taught for NoGo<WORDS> {
    fn shares(&self, color: Color) -> [Shares; 2] {
        let open = [color, color.opponent()].map(|side| self.legal(side));
        let own = [open[0] & !open[1], open[1] & !open[0]];
        [open, own].map(|points| points.map(|points| points.count()))
    }
}

/// Points of the side that plays what `choose` returns, in a game from here against random play: 1 for a win, half of
/// that for a draw or a game without an end.
pub fn against_chance<G: Taught, R: Rng>(
    mut position: G,
    ours: Color,
    rng: &mut R,
    choose: impl Fn(&G, &mut R) -> Option<Move>,
) -> f64 {
    for _ in 0..ply_cap(position.size()) {
        let mv = match position.to_move() == ours {
            true => choose(&position, rng),
            false => position.random_move(rng),
        };
        let Some(mv) = mv else { break };
        position.play(mv);
    }
    let outcome = position.outcome().unwrap_or(Outcome::DRAW);
    f64::midpoint(1.0, outcome.value_for(ours).into())
}

/// Strength of an opponent: its score in this many games against random play, half of them as
/// either colour; a draw is half a point.
pub fn score_against_chance<G: Taught>(start: &G, rules: f64, games: u32) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let points = (0..games).map(|game| {
        let ours = Color::BOTH[(game % 2) as usize];
        against_chance(start.clone(), ours, &mut rng, |position, rng| {
            position.opponent_move(rules, rng)
        })
    });
    points.sum::<f64>() / f64::from(games)
}

/// The utility of a position for `color` (7).
pub fn utility<G: Taught>(position: &G, color: Color) -> f64 {
    let shares = position.shares(color).into_iter().zip(WEIGHTS);
    shares
        .filter_map(|(shares, weight)| Some(weight * share(shares)?))
        .sum()
}

/// The first of two as a share of their sum; `None` if both are 0.
fn share([own, other]: Shares) -> Option<f64> {
    let both = own + other;
    (both > 0).then(|| own as f64 / both as f64)
}

/// Play of Go by rules of thumb, in place of the paper's WALLY, which is not available. In a fixed order it captures stones,
/// saves its own from atari, gives atari, cuts and connects according to the eight points around, and else plays anywhere
/// but into its own eyes. Its strength is measured by its score against random play.
struct RulesOfThumb<'a, const CELLS: usize, const WORDS: usize>(&'a Go<CELLS, WORDS>);

impl<const CELLS: usize, const WORDS: usize> RulesOfThumb<'_, CELLS, WORDS> {
    /// A move by these rules, if one applies.
    fn choose(&self, rng: &mut impl Rng) -> Option<Move> {
        self.capture(rng)
            .or_else(|| self.save(rng))
            .or_else(|| self.atari(rng))
            .or_else(|| self.cut_or_connect(rng))
    }

    /// The chains of a colour, each by one stone and the number of its stones.
    fn chains(&self, color: Color) -> Vec<(Move, usize)> {
        let mut rest = self.0.stones(color);
        let mut chains = Vec::new();
        while let Some(stone) = rest.lowest() {
            let chain = self.0.chain(stone);
            rest.remove_all(chain);
            chains.push((stone, chain.count()));
        }
        chains
    }

    /// Captures the largest chain in atari.
    fn capture(&self, rng: &mut impl Rng) -> Option<Move> {
        let chains = self.chains(self.0.to_move().opponent());
        let last = chains.iter().filter_map(|&(stone, size)| {
            let point = self.0.last_liberty(stone)?;
            self.0.is_legal(point).then_some((point, size))
        });
        best_of(last, rng)
    }

    /// Extends the largest own chain in atari that then has two liberties.
    fn save(&self, rng: &mut impl Rng) -> Option<Move> {
        let chains = self.chains(self.0.to_move());
        let runs = chains.iter().filter_map(|&(stone, size)| {
            let point = self.0.last_liberty(stone)?;
            self.is_safe(point).then_some((point, size))
        });
        best_of(runs, rng)
    }

    /// Gives atari to the largest chain of two liberties.
    fn atari(&self, rng: &mut impl Rng) -> Option<Move> {
        let chains = self.chains(self.0.to_move().opponent());
        let chased = chains
            .iter()
            .map(|&(stone, size)| (self.0.liberties(stone), size));
        let chased = chased.filter(|(liberties, _)| liberties.count() == 2);
        let moves = chased.flat_map(|(liberties, size)| liberties.iter().map(move |p| (p, size)));
        best_of(moves.filter(|&(point, _)| self.is_safe(point)), rng)
    }

    /// Plays where two stones of a colour meet that are not connected around the point, with a stone of
    /// the other colour nearby.
    fn cut_or_connect(&self, rng: &mut impl Rng) -> Option<Move> {
        let points = self.0.legal_points().iter();
        let good = points
            .filter(|&point| !self.0.fills_eye(point) && self.is_cut(point) && self.is_safe(point));
        best_of(good.map(|point| (point, 0)), rng)
    }

    /// Whether stones of one colour at two sides of a point are disconnected, judged by the eight
    /// points around, with a stone of the other colour among these.
    fn is_cut(&self, point: Move) -> bool {
        let size = self.0.size();
        let (x, y) = size.column_row(point);
        let around = AROUND.map(|(dx, dy)| {
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            let on_board = x < size.width && y < size.height;
            on_board.then(|| self.0.stone(size.point(x, y))).flatten()
        });
        Color::BOTH.into_iter().any(|color| {
            let has = |place: usize| around[place % 8] == Some(color);
            // Runs of the colour along the circle that touch the point orthogonally.
            let starts = (0..8).filter(|&place| has(place) && !has(place + 7));
            let runs = starts.filter(|&start| {
                let run = (start..start + 8).take_while(|&place| has(place));
                run.into_iter().any(|place| place % 2 == 0)
            });
            runs.count() >= 2 && around.contains(&Some(color.opponent()))
        })
    }

    /// Whether a point is legal and leaves the stone there with at least two liberties.
    fn is_safe(&self, point: Move) -> bool {
        if !self.0.is_legal(point) {
            return false;
        }
        let mut next = self.0.clone();
        next.play(point);
        next.last_liberty(point).is_none()
    }
}

/// The eight points around, in a circle.
const AROUND: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

/// A random one of the moves that are worth most.
fn best_of(moves: impl Iterator<Item = (Move, usize)>, rng: &mut impl Rng) -> Option<Move> {
    let (mut best, mut most, mut ties) = (None, 0, 0);
    for (mv, worth) in moves {
        match worth.cmp(&most) {
            Ordering::Less => continue,
            Ordering::Equal => ties += 1,
            Ordering::Greater => (most, ties) = (worth, 1),
        }
        if rng.random_range(0..ties) == 0 {
            best = Some(mv);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    /// Black captures a stone in the corner of 3x3 and so owns the point; White has nothing left.
    fn corner() -> SmallGo {
        let mut position = SmallGo::new(BoardSize::square(3)).unwrap();
        // B1, A1; A2 captures A1.
        for mv in [1, 0, 3] {
            position.play(Move(mv));
        }
        position
    }

    #[test]
    fn area_and_prisoners_make_the_utility() {
        let position = corner();
        assert_eq!(position.shares(Color::Black), [[9, 0], [1, 0]]);
        assert_eq!(position.shares(Color::White), [[0, 9], [0, 1]]);
        assert_eq!(utility(&position, Color::Black), 1.0);
        assert_eq!(utility(&position, Color::White), 0.0);
        let empty = SmallGo::new(BoardSize::square(3)).unwrap();
        assert_eq!(utility(&empty, Color::White), 0.0);
        assert_eq!(position.worth(Color::Black), 1.0);
    }

    #[test]
    fn in_nogo_open_points_are_area() {
        // White's eye at A1 on 2x2 plus a column: Black may not play there.
        let mut position = SmallNoGo::new(BoardSize::new(3, 2)).unwrap();
        for (mv, color) in [(1, Color::White), (3, Color::White)] {
            position.set_to_move(color);
            position.play(Move(mv));
        }
        let [open, own] = position.shares(Color::White);
        assert!(open[0] > open[1] && own[0] > 0 && own[1] == 0);
    }

    #[test]
    fn a_win_in_nogo_is_worth_one() {
        let mut position = SmallNoGo::new(BoardSize::new(2, 1)).unwrap();
        position.play(Move(0));
        assert_eq!(position.points(Color::Black), [1, 0]);
        assert_eq!(position.worth(Color::White), 0.0);
    }

    /// The position of rows from above, `x` Black and `o` White, with Black to move.
    fn position(rows: &[&str]) -> SmallGo {
        let size = BoardSize::new(rows[0].len() as u8, rows.len() as u8);
        let mut stones = Vec::new();
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, cell) in row.chars().enumerate() {
                let point = size.point(x as u8, y as u8);
                match cell {
                    'x' => stones.push((point, Color::Black)),
                    'o' => stones.push((point, Color::White)),
                    _ => {}
                }
            }
        }
        let empty = SmallGo::new(size).unwrap();
        empty.set_up(&stones, Color::Black).unwrap()
    }

    /// All moves that it plays in a hundred tries are among these, by column and row from below.
    #[track_caller]
    fn plays(rows: &[&str], expected: &[(u8, u8)]) {
        let position = position(rows);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let expected: Vec<Move> = expected
            .iter()
            .map(|&(x, y)| position.size().point(x, y))
            .collect();
        for _ in 0..100 {
            let mv = position.rule_move(&mut rng).unwrap();
            assert!(
                expected.contains(&mv),
                "{:?}",
                position.size().column_row(mv)
            );
        }
    }

    #[test]
    fn it_takes_before_it_saves_and_the_more_the_better() {
        // White's two stones below are worth more than its one above, or Black's own on the right.
        plays(&["xo...", ".x...", "...o.", "xx.xo", "oo.o."], &[(2, 0)]);
    }

    #[test]
    fn it_runs_when_that_helps_and_gives_atari_else() {
        plays(&[".....", "..o..", ".ox..", "..o..", "....."], &[(3, 2)]);
        plays(
            &[".....", "..x..", ".xo..", ".....", "....."],
            &[(3, 2), (2, 1)],
        );
    }

    #[test]
    fn it_cuts_and_connects() {
        plays(
            &["......", "......", ".xo...", "..x...", "......", "......"],
            &[(1, 2), (2, 4), (3, 3)],
        );
    }

    #[test]
    fn it_fills_no_eye_and_passes_at_last() {
        let position = position(&[".x.x", "xxxx", "xxxx", "xxxx"]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(position.rule_move(&mut rng), Some(position.pass()));
        assert_eq!(position.random_move(&mut rng), Some(position.pass()));
    }

    #[test]
    fn rules_beat_chance() {
        let go = SmallGo::new(BoardSize::square(9)).unwrap();
        assert!(score_against_chance(&go, 1.0, 100) >= 0.9);
        let even = score_against_chance(&go, 0.0, 400);
        assert!((even - 0.5).abs() < 0.1, "{even}");
    }
}
