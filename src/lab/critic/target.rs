//! Training targets of the network, and its training steps.
//!
//! Both targets are one: rewards r with a discount g, and the game's result at its end. Heuristic
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
}

impl Target {
    pub(super) fn check(self) -> Result<(), String> {
        let (name, value) = match self {
            Target::Hdp { gamma } => ("gamma", gamma),
            Target::Td { lambda } => ("lambda", lambda),
        };
        let fits = (0.0..=1.0).contains(&value);
        fits.then_some(())
            .ok_or_else(|| format!("{name} {value} is not from 0 to 1"))
    }

    /// Short description, such as `TD(0.5)`.
    pub fn text(self) -> String {
        match self {
            Target::Hdp { gamma } => format!("HDP, gamma {gamma}"),
            Target::Td { lambda } => format!("TD({lambda})"),
        }
    }
}

/// Trains a network on the successive boards of a game.
#[derive(Debug)]
pub struct Learner {
    target: Target,
    rate: f64,
    /// The last board and the reward of the step to it.
    last: Option<(Board, f64)>,
    trace: Vec<f64>,
}

impl Learner {
    /// A learner before its first game; the learning rate is above 0.
    pub fn new(target: Target, rate: f64) -> Learner {
        Learner {
            target,
            rate,
            last: None,
            trace: Vec::new(),
        }
    }

    /// Forgets the last game's boards.
    pub fn begin(&mut self) {
        self.last = None;
        self.trace.clear();
    }

    /// Adds a board of the game; `utility` is U(t) of the step to it.
    pub fn see(&mut self, network: &mut Network, board: &Board, utility: f64) {
        let (reward, discount) = match self.target {
            Target::Hdp { gamma } => (utility, gamma),
            Target::Td { .. } => (0.0, 1.0),
        };
        if let Some((last, its_reward)) = self.last.replace((board.clone(), reward)) {
            let now = network.value(board);
            self.learn(network, &last, its_reward + discount * now);
        }
    }

    /// Ends the game with `result`, in 0..=1 (8), for the last board.
    pub fn end(&mut self, network: &mut Network, result: f64) {
        if let Some((board, _)) = self.last.take() {
            self.learn(network, &board, result);
        }
    }

    /// Moves a board's value towards `wanted`, and earlier ones according to their trace.
    fn learn(&mut self, network: &mut Network, board: &Board, wanted: f64) {
        let (value, gradient) = network.differentiate(board);
        let by = self.rate * (wanted - value);
        match self.target {
            Target::Td { lambda } if lambda > 0.0 => {
                self.trace.resize(gradient.len(), 0.0);
                for (trace, derivative) in self.trace.iter_mut().zip(&gradient) {
                    *trace = lambda * *trace + derivative;
                }
                network.step(by, &self.trace);
            }
            _ => network.step(by, &gradient),
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
    fn teach(target: Target, rate: f64) -> Network {
        let (mut network, mut learner) = (network(), Learner::new(target, rate));
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
    fn by_hand(steps: &[Step<'_>], rate: f64) -> Network {
        let mut network = network();
        for (board, wanted) in steps {
            let wanted = wanted(&network);
            let (value, gradient) = network.differentiate(&boards()[*board]);
            network.step(rate * (wanted - value), &gradient);
        }
        network
    }

    #[test]
    fn hdp_moves_towards_utility_and_what_comes_then() {
        let [_, second, third] = boards();
        let expected = by_hand(
            &[
                (0, &|n| 0.1 + 0.7 * n.value(&second)),
                (1, &|n| 0.7 * n.value(&third)),
                (2, &|_| 1.0),
            ],
            0.2,
        );
        assert_eq!(teach(Target::Hdp { gamma: 0.7 }, 0.2), expected);
    }

    #[test]
    fn temporal_differences_know_the_result_alone() {
        let [_, second, third] = boards();
        let expected = by_hand(
            &[
                (0, &|n| n.value(&second)),
                (1, &|n| n.value(&third)),
                (2, &|_| 1.0),
            ],
            0.2,
        );
        assert_eq!(teach(Target::Td { lambda: 0.0 }, 0.2), expected);
        // With small steps TD(1) moves all boards towards the result (Sutton 1988), and TD(0) does not.
        let rate = 1e-6;
        let result = by_hand(&[(2, &|_| 1.0), (1, &|_| 1.0), (0, &|_| 1.0)], rate);
        let distance = |lambda| {
            let other = teach(Target::Td { lambda }, rate);
            let pairs = result.weights().iter().zip(other.weights());
            pairs.map(|(a, b)| (a - b).abs() / rate).fold(0.0, f64::max)
        };
        assert!(distance(1.0) < 1e-5);
        assert!(distance(0.0) > 1e-2);
    }

    #[test]
    fn a_game_knows_nothing_of_the_one_before() {
        let new = || Learner::new(Target::Td { lambda: 0.9 }, 0.1);
        let (mut network, mut learner) = (network(), new());
        learner.begin();
        learner.see(&mut network, &boards()[0], 0.0);
        learner.see(&mut network, &boards()[1], 0.0);
        let mut fresh = (network.clone(), new());
        for (network, learner) in [(&mut network, &mut learner), (&mut fresh.0, &mut fresh.1)] {
            learner.begin();
            learner.see(network, &boards()[2], 0.0);
            learner.end(network, 0.0);
        }
        assert_eq!(network, fresh.0);
    }
}
