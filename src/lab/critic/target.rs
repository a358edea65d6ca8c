//! Training targets of the network, and its training steps.
//!
//! All targets are one: rewards r with a discount g, and the game's result at its end. Heuristic
//! dynamic programming (HDP) has utilities for rewards (5); temporal differences (TD) have none and no
//! discount (1), so that only the result is predicted.

use serde::{Deserialize, Serialize};

use crate::critic::{Board, Network};

/// What each board's value is moved towards; numbers are equations of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Target {
    /// `U(t) + gamma J(t + 1)`, held fixed while J(t) moves towards it (5).
    Hdp {
        /// Discount, in 0..=1.
        gamma: f64,
    },
    /// The mean of later values that TD(lambda) uses (1), online.
    Td {
        /// Lambda, in 0..=1: 0 uses the next board only.
        lambda: f64,
    },
    /// The game's result, used when it is over.
    MonteCarlo,
}

impl Target {
    pub(super) fn check(self) -> Result<(), String> {
        let (name, value) = match self {
            Target::Hdp { gamma } => ("gamma", gamma),
            Target::Td { lambda } => ("lambda", lambda),
            Target::MonteCarlo => return Ok(()),
        };
        let fits = (0.0..=1.0).contains(&value);
        fits.then_some(())
            .ok_or_else(|| format!("{name} {value} is not from 0 to 1"))
    }

    /// Whether utilities count, and the discount per step.
    fn rewards_and_discount(self) -> (bool, f64) {
        match self {
            Target::Hdp { gamma } => (true, gamma),
            Target::Td { .. } | Target::MonteCarlo => (false, 1.0),
        }
    }

    /// Short description, such as `TD(0.5)`.
    pub fn text(self) -> String {
        match self {
            Target::Hdp { gamma } => format!("HDP, gamma {gamma}"),
            Target::Td { lambda } => format!("TD({lambda})"),
            Target::MonteCarlo => "Monte-Carlo".to_owned(),
        }
    }
}

/// Training target and learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingTarget {
    /// The target that values are moved towards.
    pub target: Target,
    /// Learning rate, above 0.
    pub rate: f64,
    /// Whether utilities and values may be negative: an output y then means 2 y - 1.
    pub signed: bool,
}

/// Trains a network on the successive boards of a game.
#[derive(Debug)]
pub struct Learner {
    teaching: TrainingTarget,
    /// The last board and the reward before it; all of the game for Monte Carlo.
    seen: Vec<(Board, f64)>,
    trace: Vec<f64>,
    gradient: Vec<f64>,
}

impl Learner {
    /// A learner before its first game.
    pub fn new(teaching: TrainingTarget) -> Learner {
        Learner {
            teaching,
            seen: Vec::new(),
            trace: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Forgets the last game's boards.
    pub fn begin(&mut self) {
        self.seen.clear();
        self.trace.clear();
    }

    /// Adds a board of the game; `utility` is U(t) of the step to it.
    pub fn see(&mut self, network: &mut Network, board: &Board, utility: f64) {
        let (rewards, discount) = self.teaching.target.rewards_and_discount();
        if self.teaching.target != Target::MonteCarlo
            && let Some((last, its_reward)) = self.seen.pop()
        {
            let now = self.meant(network.value(board));
            self.learn(network, &last, its_reward + discount * now);
        }
        let reward = if rewards { utility } else { 0.0 };
        self.seen.push((board.clone(), reward));
    }

    /// Ends the game with `result`, in 0..=1 (8), for the last board.
    pub fn end(&mut self, network: &mut Network, result: f64) {
        for (board, _) in std::mem::take(&mut self.seen).iter().rev() {
            self.learn(network, board, result);
        }
    }

    /// Moves a board's value towards `wanted`, and earlier ones according to their trace.
    fn learn(&mut self, network: &mut Network, board: &Board, wanted: f64) {
        let value = network.differentiate(board, &mut self.gradient);
        let scale = if self.teaching.signed { 2.0 } else { 1.0 };
        let by = scale * self.teaching.rate * (wanted - self.meant(value));
        match self.teaching.target {
            Target::Td { lambda } if lambda > 0.0 => {
                self.trace.resize(self.gradient.len(), 0.0);
                for (trace, derivative) in self.trace.iter_mut().zip(&self.gradient) {
                    *trace = lambda * *trace + derivative;
                }
                network.step(by, &self.trace);
            }
            _ => network.step(by, &self.gradient),
        }
    }

    fn meant(&self, output: f64) -> f64 {
        if self.teaching.signed {
            2.0 * output - 1.0
        } else {
            output
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn network() -> Network {
        Network::new(4, 3, &mut Xoshiro256PlusPlus::seed_from_u64(5))
    }

    fn boards() -> [Board; 3] {
        [vec![1, 0, 0, 0], vec![1, -1, 0, 0], vec![1, -1, 1, 0]]
    }

    /// A game of three boards with utilities 0.1, 0, 0.3 and a result of 1.
    fn teach(teaching: TrainingTarget) -> Network {
        let (mut network, mut learner) = (network(), Learner::new(teaching));
        learner.begin();
        for (board, utility) in boards().iter().zip([0.1, 0.0, 0.3]) {
            learner.see(&mut network, board, utility);
        }
        learner.end(&mut network, 1.0);
        network
    }

    /// A board, and the target of its value.
    type Step<'a> = (usize, &'a dyn Fn(&Network) -> f64);

    /// The same steps by hand: the target of each board, in order.
    fn by_hand(steps: &[Step<'_>], rate: f64, scale: f64) -> Network {
        let (mut network, mut gradient) = (network(), Vec::new());
        for (board, wanted) in steps {
            let wanted = wanted(&network);
            let output = network.differentiate(&boards()[*board], &mut gradient);
            let value = if scale > 1.0 {
                2.0 * output - 1.0
            } else {
                output
            };
            network.step(rate * scale * (wanted - value), &gradient);
        }
        network
    }

    #[test]
    fn hdp_moves_towards_utility_and_what_comes_then() {
        let teaching = TrainingTarget {
            target: Target::Hdp { gamma: 0.7 },
            rate: 0.2,
            signed: false,
        };
        let [_, second, third] = boards();
        let expected = by_hand(
            &[
                (0, &|n| 0.1 + 0.7 * n.value(&second)),
                (1, &|n| 0.7 * n.value(&third)),
                (2, &|_| 1.0),
            ],
            0.2,
            1.0,
        );
        assert_eq!(teach(teaching), expected);
        let signed = TrainingTarget {
            signed: true,
            ..teaching
        };
        let expected = by_hand(
            &[
                (0, &|n| 0.1 + 0.7 * (2.0 * n.value(&second) - 1.0)),
                (1, &|n| 0.7 * (2.0 * n.value(&third) - 1.0)),
                (2, &|_| 1.0),
            ],
            0.2,
            2.0,
        );
        assert_eq!(teach(signed), expected);
    }

    #[test]
    fn temporal_differences_and_monte_carlo_know_the_result_alone() {
        let of = |target, rate| {
            teach(TrainingTarget {
                target,
                rate,
                signed: false,
            })
        };
        let [_, second, third] = boards();
        let expected = by_hand(
            &[
                (0, &|n| n.value(&second)),
                (1, &|n| n.value(&third)),
                (2, &|_| 1.0),
            ],
            0.2,
            1.0,
        );
        assert_eq!(of(Target::Td { lambda: 0.0 }, 0.2), expected);
        let expected = by_hand(&[(2, &|_| 1.0), (1, &|_| 1.0), (0, &|_| 1.0)], 0.2, 1.0);
        assert_eq!(of(Target::MonteCarlo, 0.2), expected);
        // With small steps TD(1) equals Monte Carlo (Sutton 1988), and TD(0) does not.
        let small = |target| of(target, 1e-6);
        let change = |taught: &Network| -> Vec<f64> {
            let before = network();
            let pairs = taught.weights().iter().zip(before.weights());
            pairs
                .map(|(after, before)| (after - before) / 1e-6)
                .collect()
        };
        let monte_carlo = change(&small(Target::MonteCarlo));
        let distance = |target| {
            let other = change(&small(target));
            let pairs = monte_carlo.iter().zip(&other);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(distance(Target::Td { lambda: 1.0 }) < 1e-5);
        assert!(distance(Target::Td { lambda: 0.0 }) > 1e-2);
    }

    #[test]
    fn a_game_knows_nothing_of_the_one_before() {
        let teaching = TrainingTarget {
            target: Target::Td { lambda: 0.9 },
            rate: 0.1,
            signed: false,
        };
        let (mut network, mut learner) = (network(), Learner::new(teaching));
        learner.begin();
        learner.see(&mut network, &boards()[0], 0.0);
        learner.see(&mut network, &boards()[1], 0.0);
        let mut fresh = (network.clone(), Learner::new(teaching));
        for (network, learner) in [(&mut network, &mut learner), (&mut fresh.0, &mut fresh.1)] {
            learner.begin();
            learner.see(network, &boards()[2], 0.0);
            learner.end(network, 0.0);
        }
        assert_eq!(network, fresh.0);
    }
}
