//! What is known of moves without a rollout: the prior values of all, and static preferences: the moves that rollouts
//! prefer among those that are not wasted; a pass if all are.

use super::features::{View, crowded, line};
use super::field::Field;
use super::weights::{Kind, WEIGHTS};
use crate::game::{Bits, BoardSize, Color, Game, Move, Scored as _};
use crate::games::go::Go;
use crate::rollout::Prior;

/// Empty points enclosed by one side are its territory up to a ninth of the board, or [`SMALL`].
const PART: usize = 9;
const SMALL: usize = 8;

/// A pass ranks between useful and wasted moves.
const PASS: f32 = 0.0;
const WASTED: f32 = -2.0;
/// The pass that wins the game at once.
const WINS: f32 = 2.0;

/// Preferences of these moves.
pub(super) fn appeal<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    moves: &[Move],
) -> Vec<f32> {
    let priors = priors(position, moves);
    let waste = WastedStones::of(position);
    let appeal = moves.iter().zip(priors).map(|(&mv, prior)| {
        if mv == position.pass() {
            return if pass_wins(position) { WINS } else { PASS };
        }
        let wasted = if waste.holds(mv) { WASTED } else { 0.0 };
        prior.win + wasted
    });
    appeal.collect()
}

/// Whether a pass ends the game with a win.
fn pass_wins<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>) -> bool {
    let outcome = position.after(position.pass()).outcome();
    outcome.is_some_and(|outcome| outcome.winner == Some(position.to_move()))
}

/// Stones of the side to move that would be wasted.
struct WastedStones<const CELLS: usize, const WORDS: usize> {
    field: Field<CELLS, WORDS>,
    /// Own eyes, and empty points that one side has secured.
    settled: Bits<WORDS>,
    /// Empty points enclosed by one side: a stone there needs a reason.
    enclosed: Bits<WORDS>,
}

impl<const CELLS: usize, const WORDS: usize> WastedStones<CELLS, WORDS> {
    fn of(position: &Go<CELLS, WORDS>) -> Self {
        let own = position.to_move();
        let empty = position.empty();
        let eyes = empty.iter().filter(|&point| position.is_eye(own, point));
        let eyes: Bits<WORDS> = eyes.collect();
        WastedStones {
            field: Field::of(position),
            // Dead stones that count as they stand must be taken.
            settled: position.settled_points(position.agrees_on_dead()) | eyes,
            enclosed: enclosed(position),
        }
    }

    fn holds(&self, point: Move) -> bool {
        if self.settled.contains(point) {
            return true;
        }
        let side = self.field.to_move.index();
        let sides = self.field.sides(point);
        if sides.takes[side] > 0 {
            return false;
        }
        let liberties = self.field.joined(point).liberties.count();
        let gives_away = liberties < 2 && !self.field.is_open(point);
        let saves = sides.saves[side] > 0;
        !sides.legal[side] || gives_away || (self.enclosed.contains(point) && !saves)
    }
}

/// Empty points of regions that touch stones of one side only, unless they are large enough for the
/// opponent to live there.
fn enclosed<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>) -> Bits<WORDS> {
    let (empty, frame) = (position.empty(), position.frame());
    let largest = SMALL.max(position.size().area() / PART);
    let mut found = Bits::EMPTY;
    for region in frame.components(empty) {
        let by =
            Color::BOTH.map(|color| frame.neighbors(region).intersects(position.stones(color)));
        if by[0] != by[1] && region.count() <= largest {
            found |= region;
        }
    }
    found
}

// Prior values: the probability in rollouts, wasted stones, and on an open board the line. The weight of each term was
// found by matches (docs/results/measures.toml).

/// Weight of each term in rollouts.
const EVEN: f32 = 10.0;
/// Multiplied by the square root of a move's probability in rollouts.
const LIKELY: f32 = 100.0;
const LOSES_STONES: f32 = 20.0;
const OPEN_AREA: f32 = 10.0;

/// Highest line on which a stone in an open area is too low.
const LOW: usize = 2;
/// Highest line on which it is well placed.
const HIGH: usize = 4;

/// Priors of all moves of a position, except the pass.
pub(super) fn priors<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    moves: &[Move],
) -> Vec<Prior> {
    let mut priors = vec![Prior::default(); moves.len()];
    let field = Field::of(position);
    let view = View::of(&field);
    let mover = position.to_move().index();
    let crowded = crowded(position);
    let points = || moves.iter().map(|&mv| (mv, mv != position.pass()));
    let mut all = 0.0;
    for ((mv, is_point), prior) in points().zip(&mut priors) {
        if is_point {
            let kinds = view.kinds(mv);
            let weight = WEIGHTS.of_shape(field.around(mv))[mover] as f32 * WEIGHTS.of_all(kinds);
            let loses = kinds.has(Kind::LosesOne) || kinds.has(Kind::LosesMany);
            all += weight;
            *prior = Prior::new(weight, if loses { LOSES_STONES } else { 0.0 });
        }
    }
    for ((mv, is_point), prior) in points().zip(&mut priors) {
        if is_point {
            let chance = prior.win / f32::max(all, 1.0);
            let (open, low) = place(position.size(), crowded.contains(mv), mv);
            let (good, bad) = (LIKELY * chance.sqrt() + open, prior.rollouts + low);
            let rollouts = EVEN + good + bad;
            *prior = Prior::new((EVEN / 2.0 + good) / rollouts, rollouts);
        }
    }
    priors
}

/// Positional value of a point without stones nearby.
fn place(size: BoardSize, is_crowded: bool, point: Move) -> (f32, f32) {
    match line(size, point) {
        _ if is_crowded => (0.0, 0.0),
        line if line <= LOW => (0.0, OPEN_AREA),
        line if line <= HIGH => (OPEN_AREA, 0.0),
        _ => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::GameState;
    use crate::games::go::SmallGo;
    use crate::games::go::diagram::diagram;

    /// The preferred move.
    fn best(start: &GameState<SmallGo>) -> Move {
        let moves: Vec<Move> = start.legal_moves().collect();
        let appeal = appeal(start.position(), &moves);
        let ranked = moves.into_iter().zip(appeal);
        let best = ranked.max_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("a pass at least").0
    }

    fn at(position: &SmallGo, name: &str) -> Move {
        let bytes = name.as_bytes();
        position.size().point(bytes[0] - b'a', bytes[1] - b'1')
    }

    #[track_caller]
    fn check(what: &str, rows: &str, rules: &str, passed: bool, expected: &[&str]) {
        let mut position = diagram(rows, rules, Color::Black);
        if passed {
            position.set_to_move(Color::White);
            position.play(position.pass());
        }
        let found = best(&position.clone().into());
        let names: Vec<Move> = expected
            .iter()
            .map(|name| match *name {
                "pass" => position.pass(),
                name => at(&position, name),
            })
            .collect();
        assert!(names.contains(&found), "{what}: {found:?} in {position:?}");
    }

    #[test]
    fn what_is_urgent_is_seen() {
        let rows = "..... .XX.. XOO.. .XX.. .....";
        check("two stones can be taken", rows, "chinese", false, &["d3"]);
        let rows = "....... ..OO... .OXX... ..OO... ....... ....... .......";
        check("two stones can be saved", rows, "chinese", false, &["e5"]);
    }

    #[test]
    fn a_settled_board_is_passed_on() {
        let walls = ".XXOO XXXO. .XOOO XXO.O .XOO.";
        for rules in ["chinese", "japanese", "tromp-taylor"] {
            for passed in [false, true] {
                check("both live", walls, rules, passed, &["pass"]);
            }
        }
        // Neither side has two eyes for certain, but there is nothing to be gained inside.
        let open = ".XXO. .XXO. .XXO. .XXO. .XXO.";
        check("own territory", open, "chinese", false, &["pass"]);
        // A point between is worth one.
        let dame = ".X.O. .X.O. .XXO. .XXO. .XXO.";
        check("dame", dame, "chinese komi0.5", false, &["c4", "c5"]);
    }

    #[test]
    fn dead_stones_are_taken_where_they_would_count() {
        let rows = "O.X.X XXXXX XXXXX XXXXX .....";
        for passed in [false, true] {
            let (by_playing, agreed) = ("tromp-taylor komi22.5", "chinese komi22.5");
            check("one that stands counts", rows, by_playing, passed, &["b5"]);
            check("one that is agreed on", rows, agreed, passed, &["pass"]);
        }
    }

    #[test]
    fn an_open_board_is_not_passed_on() {
        for side in [5, 7, 9] {
            let empty = SmallGo::new(BoardSize::square(side)).expect("a small board");
            let mut start = GameState::from(empty);
            for _ in 0..6 {
                let found = best(&start);
                let (x, y) = start.position().size().column_row(found);
                let last = side - 1;
                assert!(found != start.position().pass(), "{side}");
                assert!(
                    side < 9 || (x > 0 && y > 0 && x < last && y < last),
                    "{x} {y}"
                );
                start.play(found);
            }
        }
    }

    /// From positions of random games it fills no eye and wastes no stone while it may pass; and
    /// games between two such sides end.
    #[test]
    fn no_stone_is_wasted_from_any_position() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for game in 0..60 {
            let side = [5, 7, 9][game % 3];
            let size = BoardSize::square(side);
            let mut start = GameState::from(SmallGo::new(size).expect("a small board"));
            let random = rng.random_range(0..2 * size.area());
            let mut plies = 0;
            while start.position().outcome().is_none() {
                let position = start.position();
                let found = best(&start);
                if found != position.pass() {
                    assert!(!position.fills_eye(found), "{found:?} in {position:?}");
                    let mut next = position.clone();
                    next.play(found);
                    let own = position.to_move();
                    let taken = next.prisoners(own.opponent()) - position.prisoners(own.opponent());
                    let safe = next.last_liberty(found).is_none() || taken > 0;
                    assert!(safe, "{found:?} gives a stone away in {position:?}");
                }
                let moves: Vec<Move> = start.legal_moves().collect();
                let mv = match plies < random {
                    true => moves[rng.random_range(0..moves.len())],
                    false => found,
                };
                start.play(mv);
                plies += 1;
                assert!(plies < random + 6 * size.area(), "an endless game");
            }
        }
    }
}
