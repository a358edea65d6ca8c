//! Gomoku's random rollouts: fives and fours are seen, threes are made and stopped, and otherwise
//! stones are placed where rows grow.

use rand::Rng;

use crate::game::{Bits, Color, Game, Move, Outcome};
use crate::games::gomoku::{Direction, Gomoku, Points, Shape, ShapeMap};
use crate::rollout::{Played, Prior, Rollout, RolloutPolicy, Tally, any, below};

impl Rollout for Gomoku {
    /// The policy wins if it can, stops a five, makes a straight four, stops one, makes a double
    /// threat, and otherwise plays the best of a few points near other stones, by their shapes for
    /// both sides.
    fn finish<R: Rng>(
        &mut self,
        policy: RolloutPolicy,
        rng: &mut R,
        played: &mut Played,
        _tally: &mut Tally,
    ) -> Outcome {
        let mut sight = (policy == RolloutPolicy::Own).then(|| VisiblePosition::of(self));
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let mv = match &sight {
                Some(sight) => sight.choose(self, rng),
                None => any(self.legal_points(), rng),
            };
            let Some(mv) = mv else {
                return Outcome::DRAW;
            };
            played.add(self.to_move(), mv);
            self.play(mv);
            if let Some(sight) = &mut sight {
                sight.update(self, mv);
            }
        }
    }

    fn priors(&self, moves: &[Move]) -> Vec<Prior> {
        let sight = VisiblePosition::of(self);
        let urgent = sight.urgent(self);
        let prior = |&mv: &Move| match urgent {
            Some((points, win)) if points.contains(mv) => Prior::new(win, URGENT),
            Some(_) => Prior::new(0.05, URGENT),
            None => Prior::new(sight.promise(self, mv), CALM),
        };
        moves.iter().map(prior).collect()
    }

    /// Forced moves first, and among them the best by shape.
    fn appeal(&self, moves: &[Move]) -> Vec<f32> {
        let sight = VisiblePosition::of(self);
        let urgent = sight.urgent(self);
        let is_urgent = |mv| urgent.is_some_and(|(points, _)| points.contains(mv));
        let appeal = |&mv: &Move| f32::from(u8::from(is_urgent(mv))) + sight.promise(self, mv);
        moves.iter().map(appeal).collect()
    }

    /// By all fives that the two sides can still make.
    fn static_value(&self) -> f32 {
        let us = self.to_move();
        let [own, theirs] = [us, us.opponent()].map(|color| potential(self, color));
        ((TURN * own + STONE_IN_HAND - theirs) / SCALE).tanh()
    }
}

/// Weight in rollouts of what is known of forced moves.
const URGENT: f32 = 100.0;

/// Weight in rollouts of the shapes around a point.
const CALM: f32 = 20.0;

/// Maximum distance from another stone for a sensible move.
const NEAR: u8 = 2;

/// Number of points compared when nothing is forced.
const LOOKS: usize = 4;

/// Value of a stone that makes a shape in one direction, and of one that prevents the opponent's:
/// about three times as much for each step closer to a five.
const WORTH: [(f32, f32); Shape::ALL.len()] = [
    (0.0, 0.0),
    (0.0, 0.0),
    (1.0, 1.0),
    (2.0, 1.5),
    (8.0, 5.0),
    (8.0, 4.0),
    (40.0, 25.0),
    (45.0, 15.0),
    (400.0, 200.0),
    (400.0, 200.0),
    (1000.0, 1000.0),
];

/// A position with its shapes.
struct VisiblePosition {
    map: ShapeMap,
    /// Empty points near stones.
    near: Points,
}

impl VisiblePosition {
    fn of(position: &Gomoku) -> VisiblePosition {
        let mut sight = VisiblePosition {
            map: ShapeMap::of(position),
            near: Bits::EMPTY,
        };
        for color in Color::BOTH {
            let stones = position.stones(color).iter();
            stones.for_each(|stone| sight.add_near(position, stone));
        }
        sight
    }

    fn update(&mut self, position: &Gomoku, mv: Move) {
        self.map.update(position, mv);
        self.add_near(position, mv);
    }

    /// Adds the points around a stone; the caller removes occupied ones.
    fn add_near(&mut self, position: &Gomoku, stone: Move) {
        let size = position.size();
        let (x, y) = size.column_row(stone);
        let span = |at: u8, end: u8| at.saturating_sub(NEAR)..=(at + NEAR).min(end - 1);
        for row in span(y, size.height) {
            for column in span(x, size.width) {
                self.near.insert(size.point(column, row));
            }
        }
    }

    /// The points for the next move if a threat must be executed or answered, and the expected
    /// result; `None` if all of those are forbidden.
    fn urgent(&self, position: &Gomoku) -> Option<(Points, f32)> {
        let (me, them) = (position.to_move(), position.to_move().opponent());
        let open =
            |points: Points| Some(position.allowed(me, points)).filter(|set| !set.is_empty());
        let pairs = |color| {
            let of = |shape| self.map.points(color, shape);
            of(Shape::StraightFour) | of(Shape::TwoFours)
        };
        let mine = |points, win| open(points).map(|points| (points, win));
        mine(self.map.points(me, Shape::Five), 1.0)
            .or_else(|| mine(self.map.points(them, Shape::Five), 0.5))
            .or_else(|| mine(pairs(me), 0.98))
            .or_else(|| {
                let threats = position.allowed(them, pairs(them));
                let fours = self.map.points(me, Shape::Four);
                match threats.is_empty() {
                    true => None,
                    false => mine(self.answers(position, them, threats) | fours, 0.5),
                }
            })
            .or_else(|| mine(self.forks(me), 0.9))
    }

    /// Points where a side stops the straight fours of the other.
    fn answers(&self, position: &Gomoku, them: Color, threats: Points) -> Points {
        let (mut answers, shapes) = (threats, position.shapes(them));
        for threat in threats.iter() {
            let lines = Direction::ALL.into_iter().enumerate();
            for ((line, direction), shape) in lines.zip(self.map.shapes(them, threat)) {
                if shape == Shape::StraightFour || shape == Shape::TwoFours {
                    let window = position.lines().windows(them, threat)[line];
                    let fives = shapes.fives(window).steps();
                    let points = fives.map(|steps| direction.step(position.size(), threat, steps));
                    points.for_each(|point| answers.insert(point));
                }
            }
        }
        answers
    }

    /// Points where a colour makes a four and another four or a three.
    fn forks(&self, color: Color) -> Points {
        let is_fork = |&point: &Move| {
            let shapes = self.map.shapes(color, point).into_iter();
            shapes.filter(|&shape| shape >= Shape::Three).count() > 1
        };
        let fours = self.map.points(color, Shape::Four).iter();
        fours.filter(is_fork).collect()
    }

    fn choose<R: Rng>(&self, position: &Gomoku, rng: &mut R) -> Option<Move> {
        if let Some((points, _)) = self.urgent(position) {
            return any(points, rng);
        }
        let near = position.allowed(position.to_move(), self.near);
        let count = near.count();
        if count == 0 {
            return any(position.legal_points(), rng);
        }
        let looks = (0..LOOKS).filter_map(|_| near.nth(below(rng, count)));
        let me = position.to_move();
        looks.max_by(|&one, &other| self.worth(me, one).total_cmp(&self.worth(me, other)))
    }

    /// Value of a stone on a point for both sides' shapes.
    fn worth(&self, me: Color, point: Move) -> f32 {
        let sum = |color: Color, part: fn((f32, f32)) -> f32| -> f32 {
            let shapes = self.map.shapes(color, point).into_iter();
            shapes.map(|shape| part(WORTH[shape as usize])).sum()
        };
        sum(me, |(makes, _)| makes) + sum(me.opponent(), |(_, spoils)| spoils)
    }

    /// Expected result of a move when nothing is forced, in [0, 1]: higher where rows grow, lower
    /// far from all stones, or from the centre of an empty board.
    fn promise(&self, position: &Gomoku, mv: Move) -> f32 {
        if self.near.is_empty() {
            let size = position.size();
            let (x, y) = size.column_row(mv);
            let off = |at: u8, length: u8| (f32::from(at) - f32::from(length - 1) / 2.0).abs();
            let away = off(x, size.width).max(off(y, size.height));
            return 0.6 - 0.03 * away;
        }
        if !self.near.contains(mv) {
            return 0.3;
        }
        let worth = self.worth(position.to_move(), mv);
        0.4 + 0.5 * worth / (worth + 60.0)
    }
}

/// Value of five points in a row by the number of one side's stones there, with none of the
/// other's.
const FIVE_WORTH: [f32; 6] = [0.0, 1.0, 5.0, 20.0, 100.0, 100.0];

/// The side to move has the next stone: its rows count by this factor, and it gets this in
/// addition. (With these and [`FIVE_WORTH`], 130 of 160 random openings of three and five stones on
/// 15x15 have the sign that a search of 150 visits gives them; weighted by its value, 89%.)
const TURN: f32 = 1.2;
const STONE_IN_HAND: f32 = 15.0;
/// The difference at which a side's winning chance is two thirds.
const SCALE: f32 = 40.0;

/// Total value of all fives that a colour can still make.
fn potential(position: &Gomoku, color: Color) -> f32 {
    let size = position.size();
    let points = size.points();
    let fives = points.flat_map(|point| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let (_, ahead) = direction.room(size, point);
            (ahead >= 4).then_some((point, direction))
        })
    });
    let worth = fives.map(|(point, direction)| {
        let cells = (0..5).map(|steps| position.stone(direction.step(size, point, steps)));
        let mut own = 0;
        for stone in cells.flatten() {
            if stone != color {
                return 0.0;
            }
            own += 1;
        }
        FIVE_WORTH[own]
    });
    worth.sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::BoardSize;
    use crate::games::gomoku::GomokuRules;
    use crate::games::gomoku::tests::diagram;
    use crate::rollout::{Rave, RaveParams};

    fn best(rows: &str, rules: GomokuRules, to_move: Color, rollouts: u64) -> ((u8, u8), f32) {
        let position = diagram(rows, rules, to_move);
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.search(&position, |done| done < rollouts);
        let first = &report.moves[0];
        (position.size().column_row(first.mv), first.value)
    }

    #[test]
    fn rollouts_end_as_the_rules_say() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for policy in [RolloutPolicy::Uniform, RolloutPolicy::Own] {
            for rules in GomokuRules::ALL {
                for (width, height) in [(5, 5), (5, 9), (15, 15)] {
                    let size = BoardSize::new(width, height);
                    for _ in 0..30 {
                        let mut position = Gomoku::with_rules(size, rules).unwrap();
                        let mut played = Played::default();
                        played.clear(&position);
                        let outcome =
                            position.finish(policy, &mut rng, &mut played, &mut Tally::default());
                        assert_eq!(
                            position.outcome(),
                            Some(outcome),
                            "{policy:?} {rules} {size}"
                        );
                        let stones: usize = (0..size.area())
                            .filter(|&point| {
                                Color::BOTH
                                    .iter()
                                    .any(|&side| played.by(side)[point] == 1.0)
                            })
                            .count();
                        assert_eq!(stones, position.ply() as usize);
                    }
                }
            }
        }
    }

    #[test]
    fn fives_are_made_and_stopped() {
        let rows = "......... ......... ..XXXX... ......... ......... ..OOOO... ......... ......... .........";
        let rules = GomokuRules::Freestyle;
        let (point, value) = best(rows, rules, Color::Black, 100);
        assert!(
            [(1, 6), (6, 6)].contains(&point) && value == 1.0,
            "{point:?} {value}"
        );
        let rows = "......... ......... ..XX..... ......... ......... .XOOOO... ......... ......... .........";
        assert_eq!(best(rows, rules, Color::Black, 100).0, (6, 3));
    }

    #[test]
    fn plain_uct_tries_every_move_and_finds_the_five() {
        let rows = "...... ...... .XXXX. ...... .OOOO. ......";
        let position = diagram(rows, GomokuRules::Freestyle, Color::White);
        let mut uct = Rave::new(RaveParams::plain_uct(), 1);
        let report = uct.search(&position, |done| done < 2000);
        assert!(report.moves.iter().all(|found| found.visits > 0));
        let first = &report.moves[0];
        let (_, row) = position.size().column_row(first.mv);
        assert!(row == 1 && first.value == 1.0, "{first:?}");
        assert!(
            first.visits > 500,
            "it comes back to one of two wins: {first:?}"
        );
    }

    #[test]
    fn threes_become_straight_fours_or_are_stopped() {
        let rows = "......... ......... ......... ...XXX... ......... ...OOO... ......... ......... .........";
        let rules = GomokuRules::Freestyle;
        let (point, value) = best(rows, rules, Color::White, 200);
        assert!(
            [(2, 3), (6, 3)].contains(&point) && value > 0.9,
            "{point:?} {value}"
        );
        let rows = "......... ......... ......... ...XXX... ......... ....OO... ......... ......... .........";
        let ((x, y), _) = best(rows, rules, Color::White, 500);
        assert!(y == 5 && [1, 2, 6, 7].contains(&x), "{x} {y}");
    }

    #[test]
    fn black_does_not_play_where_renju_forbids_it() {
        let rows = "......... ......... ...X..... ...X..... ......... ....XX... ......... ..OO..... ..OO.....";
        assert_ne!(best(rows, GomokuRules::Renju, Color::Black, 500).0, (3, 3));
        // White may, and wins by two threes.
        let white = rows.replace('O', ".").replace('X', "O");
        let (point, value) = best(&white, GomokuRules::Renju, Color::White, 500);
        assert!(value > 0.7, "{point:?} {value}");
    }

    #[test]
    fn the_first_stone_goes_to_the_middle() {
        let position = Gomoku::new(BoardSize::new(15, 9)).unwrap();
        let moves: Vec<Move> = position.legal_moves().collect();
        let best = position
            .priors(&moves)
            .into_iter()
            .zip(&moves)
            .max_by(|a, b| a.0.win.total_cmp(&b.0.win));
        assert_eq!(best.map(|(_, &mv)| mv), Some(position.size().point(7, 4)));
    }

    /// 10-0 at 500 rollouts on 15x15.
    #[test]
    fn seeing_rows_beats_uniform_rollouts() {
        let won = |game: u64| {
            let mut position = Gomoku::new(BoardSize::square(9)).unwrap();
            let ours = Color::BOTH[(game % 2) as usize];
            let mut players = Color::BOTH.map(|color| {
                let policy = match color == ours {
                    true => RolloutPolicy::Own,
                    false => RolloutPolicy::Uniform,
                };
                Rave::new(
                    RaveParams {
                        policy,
                        ..RaveParams::default()
                    },
                    game,
                )
            });
            while position.outcome().is_none() {
                let player = &mut players[position.to_move().index()];
                let report = player.search(&position, |done| done < 150);
                position.play(report.moves[0].mv);
            }
            position.outcome() == Some(Outcome::win(ours))
        };
        let wins = (0..10).filter(|&game| won(game)).count();
        assert!(wins >= 7, "{wins} of 10");
    }

    /// The statically preferred move.
    fn preferred(rows: &str, rules: GomokuRules, to_move: Color) -> (u8, u8) {
        let position = diagram(rows, rules, to_move);
        let moves: Vec<Move> = position.legal_moves().collect();
        let appeal = position.appeal(&moves);
        let ranked = moves.iter().zip(appeal);
        let best = ranked.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a move");
        position.size().column_row(*best.0)
    }

    #[test]
    fn the_static_policy_makes_and_stops_fives_and_fours() {
        use Color::{Black, White};
        let fives = "......... ......... ..XXXX... ......... ......... .XOOOO... ......... ......... .........";
        for rules in GomokuRules::ALL {
            assert_eq!(preferred(fives, rules, White), (6, 3), "{rules}: five");
            let (x, y) = preferred(fives, rules, Black);
            assert!(y == 6 && [1, 6].contains(&x), "{rules}: five");
            let stopped = fives.replacen('X', ".", 4);
            assert_eq!(preferred(&stopped, rules, Black), (6, 3), "{rules}: stop");
        }
        let threes = "......... ......... ......... ...XXX... ......... ...OO.... ......... ......... .........";
        let (x, y) = preferred(threes, GomokuRules::Freestyle, White);
        assert!(y == 5 && [1, 2, 6, 7].contains(&x), "{x} {y}");
        // Black may not make two threes; White may.
        let fork = "......... ......... ...X..... ...X..... ......... ....XX... ......... ..OO..... ..OO.....";
        assert_ne!(preferred(fork, GomokuRules::Renju, Black), (3, 3));
    }
}
