//! One game of a critic against its opponent, and matches against random play that measure its strength.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::plan::{Arm, CriticPlan, Measure};
use super::target::{Learner, Target};
use super::taught::{Taught, against_chance, utility};
use crate::critic::{Network, read};
use tengen::game::{Color, Move, ply_cap};
use tengen_train::play::numbered_seed;

/// A finished game: whether it was a test without training (1 or 0), the critic's points, the opponent's, and the
/// moves, passes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played(pub u8, pub u16, pub u16, pub u16);

impl Played {
    /// Whether the critic has won.
    pub fn won(self) -> bool {
        self.1 > self.2
    }

    /// Whether it has lost by less than six points (Table I).
    pub fn narrowly_lost(self) -> bool {
        let behind = i32::from(self.2) - i32::from(self.1);
        (1..6).contains(&behind)
    }
}

/// A critic in training.
#[derive(Debug)]
pub struct CriticTrainee {
    /// Its network.
    pub network: Network,
    learner: Learner,
}

impl CriticTrainee {
    /// A critic before its first game, with its training target and learning rate.
    pub fn new(network: Network, target: Target, rate: f64) -> CriticTrainee {
        CriticTrainee {
            network,
            learner: Learner::new(target, rate),
        }
    }
}

/// Plays game `number` of an arm's curriculum, with all random numbers from `seed`, and learns from it
/// unless it is a test.
pub fn play<G: Taught>(
    start: &G,
    plan: &CriticPlan,
    arm: &Arm,
    number: u32,
    seed: u64,
    trainee: &mut CriticTrainee,
) -> Played {
    let lessons = plan.lessons_of(arm);
    let test = lessons.is_test(number);
    let black = lessons.both_colors && number % 2 == 1;
    let color = if black { Color::Black } else { Color::White };
    let temperature = (!test && number < lessons.sampled_games).then_some(lessons.temperature);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = start.clone();
    let (mut plies, mut before) = (0, utility(start, color));
    let CriticTrainee { network, learner } = trainee;
    learner.begin();
    while plies < ply_cap(start.size()) {
        let ours = position.to_move() == color;
        let mv = if plies < lessons.random_plies {
            position.random_move(&mut rng)
        } else if ours {
            let moves = network.moves(&position, plan.may_fill_eyes(arm));
            choose(&moves, temperature, &mut rng)
        } else {
            position.opponent_move(plan.opponent_rules, &mut rng)
        };
        let Some(mv) = mv else { break };
        position.play(mv);
        plies += 1;
        if !test {
            let now = utility(&position, color);
            // As printed in (6): only an own move is rewarded, and a loss is none.
            let change = if ours { (now - before).max(0.0) } else { 0.0 };
            before = now;
            learner.see(network, &read(&position, color), change);
        }
    }
    if !test {
        learner.end(network, position.worth(color));
    }
    let [own, other] = position.points(color).map(|points| points as u16);
    Played(test.into(), own, other, plies as u16)
}

/// The best move, or at a temperature a random one, with better moves more likely (Gibbs sampling).
fn choose(moves: &[(Move, f64)], temperature: Option<f64>, rng: &mut impl Rng) -> Option<Move> {
    let best = moves.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let Some(temperature) = temperature else {
        return Some(best.0);
    };
    let scale = 1.0 / temperature;
    let weight = |value: f64| ((value - best.1) * scale).exp();
    let total: f64 = moves.iter().map(|found| weight(found.1)).sum();
    let mut rest = rng.random::<f64>() * total;
    let drawn = moves.iter().find(|found| {
        rest -= weight(found.1);
        rest < 0.0
    });
    Some(drawn.unwrap_or(best).0)
}

/// Result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Training games of the critic before.
    pub games: u32,
    /// The critic's points, a draw being half of one.
    pub points: f64,
    /// Games of the match.
    pub of: u32,
}

/// Plays a match of pairs of games with the same random opening and swapped colours.
pub fn measure<G: Taught>(
    start: &G,
    network: &Network,
    fills_eyes: bool,
    measure: &Measure,
    games: u32,
    seed: u64,
) -> Measured {
    let mut points = 0.0;
    for game in 0..2 * measure.pairs {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(numbered_seed(seed, (game / 2).into()));
        let mut position = start.clone();
        for _ in 0..measure.random_plies {
            if let Some(mv) = position.random_move(&mut rng) {
                position.play(mv);
            }
        }
        let color = Color::BOTH[(game % 2) as usize];
        points += against_chance(position, color, &mut rng, |position, rng| {
            choose(&network.moves(position, fills_eyes), None, rng)
        });
    }
    Measured {
        games,
        points,
        of: 2 * measure.pairs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critic::plan::Curriculum;
    use crate::critic::plan::tests::PLAN;
    use tengen::game::{BoardSize, Game};
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    fn lessons() -> Curriculum {
        Curriculum {
            games: 1,
            sampled_games: 20,
            temperature: 0.05,
            test_every: 0,
            test_games: 0,
            random_plies: 0,
            rate: 0.05,
            both_colors: false,
        }
    }

    fn taught<G: Taught>(
        start: &G,
        lessons: &Curriculum,
        games: u32,
    ) -> (CriticTrainee, Vec<Played>) {
        let plan = CriticPlan {
            opponent_rules: 0.0,
            fills_eyes: false,
            lessons: lessons.clone(),
            ..CriticPlan::parse(PLAN).unwrap()
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let network = Network::new(start.size().area(), 8, &mut rng);
        let mut trainee = CriticTrainee::new(network, Target::Hdp { gamma: 0.9 }, lessons.rate);
        let seed = |game: u32| 1000 + u64::from(game);
        let play = |game| play(start, &plan, &plan.arm[0], game, seed(game), &mut trainee);
        let played = (0..games).map(play).collect();
        (trainee, played)
    }

    #[test]
    fn the_same_seed_teaches_the_same_to_the_bit() {
        let start = SmallGo::new(BoardSize::square(5)).unwrap();
        let (one, other) = (
            taught(&start, &lessons(), 40),
            taught(&start, &lessons(), 40),
        );
        assert_eq!(one.0.network, other.0.network);
        assert_eq!(one.1, other.1);
        assert_ne!(one.0.network, taught(&start, &lessons(), 41).0.network);
    }

    #[test]
    fn tests_change_nothing() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let tests = Curriculum {
            test_every: 2,
            test_games: 3,
            ..lessons()
        };
        let (after_two, _) = taught(&start, &tests, 2);
        let (after_five, played) = taught(&start, &tests, 5);
        assert_eq!(after_two.network, after_five.network);
        assert_ne!(taught(&start, &tests, 6).0.network, after_five.network);
        let tests: Vec<bool> = played.iter().map(|played| played.0 == 1).collect();
        assert_eq!(tests, [false, false, true, true, true]);
    }

    #[test]
    fn a_critic_learns_to_beat_chance() {
        let start = SmallGo::new(BoardSize::square(5)).unwrap();
        let lessons = Curriculum {
            sampled_games: 0,
            random_plies: 2,
            ..lessons()
        };
        let (_, played) = taught(&start, &lessons, 1500);
        let wins = |played: &[Played]| played.iter().filter(|played| played.won()).count();
        let (first, last) = (wins(&played[..300]), wins(&played[1200..]));
        assert!(last > first + 60, "{first} {last}");
    }

    #[test]
    fn narrow_losses_are_those_of_one_to_five_points() {
        let of = |own, other| Played(0, own, other, 9);
        assert!(of(38, 43).narrowly_lost() && !of(37, 43).narrowly_lost());
        assert!(!of(40, 40).narrowly_lost() && !of(41, 40).narrowly_lost());
        assert!(of(41, 40).won() && !of(40, 40).won());
    }

    #[test]
    fn better_moves_are_drawn_more_often() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let moves = [(Move(3), 0.5), (Move(4), 0.5 + 0.1 * 3.0_f64.ln())];
        let mut draw = |temperature| {
            let mut drawn = || choose(&moves, temperature, &mut rng);
            (0..4000).filter(|_| drawn() == Some(Move(4))).count()
        };
        assert_eq!(draw(None), 4000);
        // Odds of 3 to 1: four standard errors are 110.
        assert!(draw(Some(0.1)).abs_diff(3000) < 110);
    }

    #[test]
    fn who_knows_nothing_is_even_with_chance() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let network = Network::new(25, 5, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let plan = Measure {
            every: 1,
            pairs: 50,
            random_plies: 2,
        };
        let random = measure(&start, &network, true, &plan, 0, 3);
        assert!((20.0..=80.0).contains(&random.points), "{random:?}");
        assert_eq!(measure(&start, &network, true, &plan, 0, 3), random);
    }

    #[test]
    fn a_match_is_played_as_its_games_were_taught() {
        // Black has the whole board and two eyes, and the network wants as many own stones as possible.
        let stones = (0..16).filter(|point| ![12, 14].contains(point));
        let stones: Vec<_> = stones.map(|point| (Move(point), Color::Black)).collect();
        // It needs the whole board to win.
        let rules = "tromp-taylor komi15.5".parse().unwrap();
        let empty = SmallGo::with_rules(BoardSize::square(4), rules).unwrap();
        let start = empty.set_up(&stones, Color::Black).unwrap();
        let network = Network::of(16, 1, vec![0.1; 19]).unwrap();
        let plan = Measure {
            every: 1,
            pairs: 10,
            random_plies: 0,
        };
        let points = |fills_eyes| measure(&start, &network, fills_eyes, &plan, 0, 3).points;
        assert_eq!(points(false), 10.0, "Black passes, and wins");
        assert!(points(true) < 10.0);
    }
}
