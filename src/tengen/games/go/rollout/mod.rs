//! Go's random rollouts: own eyes are never filled, and points are drawn with learned weights.

mod domain;
mod features;
mod field;
mod fit;
mod policy;
mod static_eval;
mod weights;

use field::Field;
pub use fit::{Features, WeightFit};
use policy::play_out;
use rand::Rng;

use super::{Go, REMEMBERED};
use crate::game::{Bits, Color, Frame, Game, HalfPoints, Move, Outcome, Recent, Scored as _};
use crate::rollout::{Played, Prior, Rollout, RolloutPolicy, Tally, any};

/// A rollout ends after this many plies per point and is scored as the board then stands: only
/// cycles of kos last so long.
const MAX_PLIES_A_POINT: u32 = 3;

/// Share of empty points above which a side does not pass first.
const OPEN: f32 = 0.5;

impl<const CELLS: usize, const WORDS: usize> Rollout for Go<CELLS, WORDS> {
    /// The policy draws points with learned weights for the neighbourhood, captures and rescues,
    /// and answers to the last move (docs/methods.md#rollouts). Area is scored, with the position's
    /// komi for it: stones of a rollout cost nothing.
    fn finish<R: Rng>(
        &mut self,
        policy: RolloutPolicy,
        rng: &mut R,
        played: &mut Played,
        tally: &mut Tally,
    ) -> Outcome {
        let most = MAX_PLIES_A_POINT * self.size().area() as u32;
        let komi = self.area_komi();
        let stones = match policy {
            RolloutPolicy::Uniform => {
                play_uniform(self, most, rng, played);
                Color::BOTH.map(|color| self.stones(color))
            }
            RolloutPolicy::Own => {
                let mut field = Field::of(self);
                play_out(&mut field, most, rng, played);
                Color::BOTH.map(|color| field.stones(color))
            }
        };
        count(self.frame(), stones, komi, tally)
    }

    /// Area scoring, where capturing dead stones costs nothing; the last moves are dropped, because
    /// the value of stones does not depend on their order.
    fn as_played_out(&self) -> Self {
        Go {
            recent: Recent::default(),
            captures: [Bits::EMPTY; REMEMBERED],
            ..self.disputed()
        }
    }

    /// Worth 44 of 60 games against none, at 1,000 rollouts a move on 9x9, and 7% more time.
    fn priors(&self, moves: &[Move]) -> Vec<Prior> {
        static_eval::priors(self, moves)
    }

    fn appeal(&self, moves: &[Move]) -> Vec<f32> {
        static_eval::appeal(self, moves)
    }

    fn ranking(&self, moves: &[Move]) -> Vec<f32> {
        domain::ranking(self, moves)
    }

    fn tally(&self, tally: &mut Tally) {
        let stones = Color::BOTH.map(|color| self.stones(color));
        count(self.frame(), stones, self.area_komi(), tally);
    }

    /// Everything but filling an own eye, and a first pass on an open board.
    fn is_sensible(&self, mv: Move) -> bool {
        if mv == self.pass() {
            let open = self.empty().count() as f32 > OPEN * self.size().area() as f32;
            let mut points = self.legal_points().iter();
            return self.passes() > 0
                || !open
                || points.all(|point| self.is_eye(self.to_move(), point));
        }
        !self.is_eye(self.to_move(), mv)
    }
}

/// Plays uniformly random legal points that fill no own eye, until there are none.
fn play_uniform<const CELLS: usize, const WORDS: usize, R: Rng>(
    position: &mut Go<CELLS, WORDS>,
    most: u32,
    rng: &mut R,
    played: &mut Played,
) {
    let last = position.ply() + most;
    while position.passes() < 2 && position.ply() < last {
        let (mut left, mut chosen) = (position.empty(), position.pass());
        while let Some(point) = any(left, rng) {
            if position.is_legal(point) && !position.is_eye(position.to_move(), point) {
                chosen = point;
                played.add(position.to_move(), point);
                break;
            }
            left.remove(point);
        }
        position.play(chosen);
    }
}

/// The result of a finished game with these stones, all alive, which is added to `tally` with its points.
fn count<const WORDS: usize>(
    frame: &Frame<WORDS>,
    stones: [Bits<WORDS>; 2],
    komi: HalfPoints,
    tally: &mut Tally,
) -> Outcome {
    let empty = frame.board() & !(stones[0] | stones[1]);
    let reach = stones.map(|own| frame.flood(own, empty));
    let area = [0, 1].map(|side| reach[side] & !reach[1 - side]);
    let [black, white] = area.map(|points| points.count() as i32);
    let ahead = (2 * (black - white)).saturating_sub(komi.0);
    tally.count(f64::from(ahead) / 2.0);
    for (points, sign) in area.into_iter().zip([1.0, -1.0]) {
        for point in points.iter() {
            tally.owned(point.index(), sign);
        }
    }
    // Points that both sides reach, with the adjacent chains.
    let open = reach[0] & reach[1];
    if !open.is_empty() {
        let beside = stones.map(|own| frame.flood(frame.neighbors(open) & own, own));
        for point in (open | beside[0] | beside[1]).iter() {
            tally.shared(point.index());
        }
    }
    Outcome::by_points(HalfPoints(ahead))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::features::{View, vital};
    use super::weights::Kind;
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;
    use crate::rollout::{Rave, RaveParams};

    fn diagram(text: &str, to_move: Color) -> SmallGo {
        crate::games::go::diagram::diagram(text, "chinese komi0.5", to_move)
    }

    #[test]
    fn rollouts_end_when_neither_side_wants_to_play() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for side in [1, 2, 3, 5, 9] {
            for _ in 0..50 {
                let start = SmallGo::new(BoardSize::square(side)).unwrap();
                let mut played = Played::default();
                played.clear(&start);
                let mut position = start.clone();
                play_uniform(&mut position, 300, &mut rng, &mut played);
                let mut left = position.legal_points().iter();
                assert!(position.passes() < 2 || left.all(|p| !position.is_sensible(p)));

                let mut field = Field::of(&start);
                play_out(&mut field, 300, &mut rng, &mut played);
                let gives_away = |point: Move| {
                    let joined = field.joined(point);
                    joined.liberties.count() < 2
                };
                let own = field.to_move;
                let mut left = field.empty().iter().filter(|&point| {
                    field.sides(point).legal[own.index()]
                        && weights::WEIGHTS.of_shape(field.around(point))[own.index()] > 0
                });
                assert!(field.passes < 2 || left.all(gives_away), "on {side}");
            }
        }
    }

    #[test]
    fn what_becomes_of_the_points_is_what_the_rules_say() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for side in [1, 2, 5, 9] {
            for _ in 0..20 {
                let mut position = SmallGo::new(BoardSize::square(side)).unwrap();
                let mut played = Played::default();
                played.clear(&position);
                play_uniform(&mut position, 300, &mut rng, &mut played);
                let mut tally = Tally::of(&position);
                let stones = Color::BOTH.map(|color| position.stones(color));
                let outcome = count(position.frame(), stones, position.komi(), &mut tally);
                assert_eq!(outcome, Outcome::by_points(position.area_score()));
                let [black, white] = position.area();
                for (point, owner) in tally.expected().expect("one").owner.iter().enumerate() {
                    let point = Move(point as u16);
                    let expected =
                        i8::from(black.contains(point)) - i8::from(white.contains(point));
                    assert_eq!(*owner, f32::from(expected));
                }
            }
        }
    }

    #[test]
    fn what_was_played_first_is_known_whoever_was_taken() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        let mut played = Played::default();
        played.clear(&position);
        let mut tally = Tally::of(&position);
        position.finish(RolloutPolicy::Own, &mut rng, &mut played, &mut tally);
        for point in 0..25 {
            let [black, white] = Color::BOTH.map(|color| played.by(color)[point]);
            assert!(black + white <= 1.0, "one side is the first");
        }
        played.add_earlier(Color::White, Move(3));
        assert_eq!(Color::BOTH.map(|color| played.by(color)[3]), [0.0, 1.0]);
    }

    /// The points of a position with this feature for the side to move.
    fn points(position: &SmallGo, kind: Kind) -> Vec<Move> {
        let field = Field::of(position);
        let view = View::of(&field);
        let mut points = position.legal_points();
        points.remove(position.pass());
        let found = points.iter().filter(|&point| view.kinds(point).has(kind));
        found.collect()
    }

    #[test]
    fn the_last_stone_is_answered() {
        // White has put b3 in atari with c3: Black runs.
        let mut position = diagram("..... .O... .X... .O... .....", Color::White);
        position.play(Move(12));
        assert_eq!(points(&position, Kind::Runs), [Move(10)], "a3");
        assert_eq!(points(&position, Kind::SavesOne), [Move(10)]);
        assert_eq!(points(&position, Kind::TakesToSave), []);
        let mut itself = diagram("..X.. .X.X. ..... ..... .....", Color::White);
        itself.play(Move(17));
        assert_eq!(points(&itself, Kind::TakesLast), [Move(12)]);
        assert_eq!(points(&itself, Kind::TakesOne), [Move(12)]);
        // Moves elsewhere are not answers.
        let mut elsewhere = diagram("..X.. .XOX. ..... ..... .....", Color::White);
        elsewhere.play(Move(0));
        assert_eq!(points(&elsewhere, Kind::TakesLast), []);
        assert_eq!(points(&elsewhere, Kind::ChasesLast), [Move(1), Move(5)]);
        assert_eq!(points(&elsewhere, Kind::Across), [Move(6)]);
        assert_eq!(points(&elsewhere, Kind::TakesOne), [Move(12)]);
    }

    #[test]
    fn taking_saves_too() {
        // White's c3 puts b3 in atari, and b2 is in atari itself.
        let mut position = diagram("..... .O... .X... XOX.. .....", Color::White);
        position.play(Move(12));
        assert_eq!(points(&position, Kind::Runs), [Move(10)]);
        assert_eq!(points(&position, Kind::TakesToSave), [Move(1)]);
        assert_eq!(points(&position, Kind::Strengthens), [Move(2), Move(8)]);
    }

    #[test]
    fn the_middle_of_three_is_vital() {
        let position = diagram("..... XXXXX OOOOX OOOOX ...OX", Color::White);
        let field = Field::of(&position);
        assert_eq!(vital(&field, Move(6)).lowest(), Some(Move(1)));
        assert!(vital(&field, Move(20)).is_empty(), "elsewhere");
    }

    #[test]
    fn who_is_ahead_and_is_offered_the_end_takes_it() {
        let rows = ".X.O. .X.O. XX.O. .X.O. .X.O.";
        let diagram = |rows, to_move| {
            crate::games::go::diagram::diagram(rows, "tromp-taylor komi0.5", to_move)
        };
        let mut position = diagram(rows, Color::Black);
        position.play(position.pass());
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < 100);
        assert_eq!(
            report.moves[0].mv,
            position.pass(),
            "White is ahead by its komi"
        );
        // Black is not, and plays the centre.
        let mut position = diagram(rows, Color::White);
        position.play(position.pass());
        let report = rave.search(&position, |done| done < 100);
        assert_ne!(report.moves[0].mv, position.pass());
    }

    #[test]
    fn a_pass_that_loses_is_seen_to_lose() {
        // The first to play a1 lives or kills: passing loses four points of seven.
        let position = diagram("..... XXXXX OOOOX ...OX", Color::White);
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < 1000);
        let pass = report
            .moves
            .iter()
            .find(|found| found.mv == position.pass());
        let pass = pass.expect("it is legal on a full board");
        assert!(pass.visits < 100, "{pass:?}");
    }

    #[test]
    fn it_finds_the_stones_that_can_be_taken() {
        // The first to capture the four stones has won.
        let position = diagram("XXXXX XOOOX XO.OX X.X.X XXXXX", Color::Black);
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < 2000);
        assert!(report.moves[0].value > 0.5, "{:?}", report.moves[0]);
    }

    #[test]
    fn what_takes_is_tried_first_and_what_is_lost_last() {
        // c3 captures White's two stones; a1 would be captured.
        let position = diagram("..... .XX.. XOO.. .XX.. .O...", Color::Black);
        let moves: Vec<Move> = position.legal_moves().collect();
        let priors = position.priors(&moves);
        let of = |mv: u16| {
            let at = moves.iter().position(|&found| found == Move(mv));
            priors[at.expect("a legal move")]
        };
        let best = priors.iter().map(|prior| prior.win).fold(0.0, f32::max);
        assert_eq!(of(13).win, best);
        assert!(of(0).win < 0.5, "{:?}", of(0));
        assert_eq!(of(25), Prior::default(), "the pass");
    }
}
