//! Tuning by games: simultaneous perturbation stochastic approximation.
//!
//! Each step perturbs all parameters at once, each up or down at random, plays the perturbed values
//! against their opposites, and moves the parameters towards the winner. Source: Spall 1998,
//! *Implementation of the simultaneous perturbation algorithm*; its gains are given for the last
//! step rather than for the first, as in Stockfish's fishtest.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Decay of the step sizes (alpha of Spall 1998, III).
const STEP_DECAY: f64 = 0.602;

/// Decay of the perturbation (gamma of Spall 1998, III).
const REACH_DECAY: f64 = 0.101;

/// Stability constant as a share of the steps (A of Spall 1998, III).
const HELD_BACK: f64 = 0.1;

/// A parameter to tune.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedParameter {
    /// Name of the setting.
    pub name: String,
    /// Initial value.
    pub start: f64,
    /// Smallest value that may be tried.
    pub least: f64,
    /// Largest value that may be tried.
    pub most: f64,
    /// Perturbation of both sides from the middle in the last step.
    pub reach: f64,
    /// Whether it is rounded to a whole number when used.
    pub whole: bool,
}

/// Error: an invalid parameter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0}: the start must lie between the bounds, and the reach above 0 and below their distance"
)]
pub struct BadTunedParameter(String);

/// A tuning with a fixed number of steps.
#[derive(Debug, Clone)]
pub struct Spsa {
    parameters: Vec<TunedParameter>,
    steps: u32,
    /// In the last step a parameter moves by this times its reach for each game that one side wins more than the other.
    rate: f64,
    seed: u64,
}

impl Spsa {
    /// A tuning of these parameters by this many pairs of games in all.
    ///
    /// Games without any effect move a parameter by about three quarters of its reach (standard deviation): half of it
    /// if moves were always as large as in the last step.
    ///
    /// # Errors
    /// [`BadTunedParameter`] when bounds, start and reach of one are inconsistent.
    pub fn new(
        parameters: Vec<TunedParameter>,
        steps: u32,
        pairs: u32,
        seed: u64,
    ) -> Result<Spsa, BadTunedParameter> {
        let wrong = parameters.iter().find(|parameter| {
            let inside = (parameter.least..=parameter.most).contains(&parameter.start);
            let apart = parameter.most - parameter.least;
            !(inside && apart.is_finite() && parameter.reach > 0.0 && parameter.reach < apart)
        });
        match wrong {
            Some(parameter) => Err(BadTunedParameter(parameter.name.clone())),
            None => Ok(Spsa {
                parameters,
                steps,
                rate: 0.5 / (2.0 * f64::from(pairs.max(1))).sqrt(),
                seed,
            }),
        }
    }

    /// Initial values of the parameters.
    pub fn start(&self) -> Vec<f64> {
        self.parameters
            .iter()
            .map(|parameter| parameter.start)
            .collect()
    }

    /// Parameter values of the two sides of a step, counted from 1, when the parameters are `at`.
    pub fn sides(&self, step: u32, at: &[f64]) -> [Vec<f64>; 2] {
        let reach = self.steps_left(step).powf(REACH_DECAY);
        let turned = |sign: f64| {
            let parameters = self.parameters.iter().zip(at).zip(self.turns(step));
            let turned = parameters.map(|((parameter, at), turn)| {
                let value = at + sign * turn * reach * parameter.reach;
                let value = match parameter.whole {
                    true => value.round(),
                    false => value,
                };
                value.clamp(parameter.least, parameter.most)
            });
            turned.collect()
        };
        [turned(1.0), turned(-1.0)]
    }

    /// Moves the parameters after a step, counted from 1, in which the first side has won this many
    /// games more than it has lost.
    pub fn learn(&self, step: u32, at: &mut [f64], won: f64) {
        let back = HELD_BACK * f64::from(self.steps);
        let gain = ((back + f64::from(self.steps)) / (back + f64::from(step))).powf(STEP_DECAY)
            / self.steps_left(step).powf(REACH_DECAY);
        for ((parameter, at), turn) in self.parameters.iter().zip(at).zip(self.turns(step)) {
            let moved = *at + self.rate * gain * parameter.reach * won * turn;
            *at = moved.clamp(parameter.least, parameter.most);
        }
    }

    /// Ratio of all steps to those made including this one.
    fn steps_left(&self, step: u32) -> f64 {
        f64::from(self.steps) / f64::from(step.max(1))
    }

    /// Direction in which the first side perturbs each parameter: 1 or -1.
    fn turns(&self, step: u32) -> impl Iterator<Item = f64> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // Far apart in the generator's sequence, so that no step uses another's numbers.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(rng.random::<u64>() ^ u64::from(step));
        std::iter::repeat_with(move || if rng.random() { 1.0 } else { -1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::score_from_elo;

    /// A tuning that is continued goes on with the numbers that it had.
    #[test]
    fn numbers_come_back_from_a_file_to_the_last_bit() {
        for text in ["0.24294426266348518", "3.6798499453426166"] {
            let number: f64 = serde_json::from_str(text).unwrap();
            assert_eq!(number.to_string(), text);
        }
    }

    fn parameter(name: &str, start: f64, reach: f64) -> TunedParameter {
        TunedParameter {
            name: name.to_owned(),
            start,
            least: 0.0,
            most: 4.0,
            reach,
            whole: false,
        }
    }

    /// The parameters after a tuning on pairs of games in which each is worth 200 Elo minus the
    /// square of its distance from 1.
    fn tuned(steps: u32, seed: u64, elo_of_a_square: f64) -> Vec<f64> {
        let parameters = vec![parameter("a", 2.0, 0.3), parameter("b", 0.2, 0.3)];
        let spsa = Spsa::new(parameters, steps, steps, seed).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let elo = |side: &[f64]| -> f64 {
            let lost = side.iter().map(|at| (at - 1.0) * (at - 1.0));
            -elo_of_a_square * lost.sum::<f64>()
        };
        let mut at = spsa.start();
        for step in 1..=steps {
            let [first, second] = spsa.sides(step, &at);
            let chance = score_from_elo(elo(&first) - elo(&second));
            let games = (0..2).map(|_| if rng.random_bool(chance) { 1.0 } else { -1.0 });
            spsa.learn(step, &mut at, games.sum());
        }
        at
    }

    #[test]
    fn parameters_move_to_where_games_are_won() {
        let far = |elo_of_a_square: f64| {
            let all = (0..40).flat_map(|seed| tuned(1000, seed, elo_of_a_square));
            let squares = all.map(|at| (at - 1.0) * (at - 1.0));
            (squares.sum::<f64>() / 80.0).sqrt()
        };
        // Both start 0.9 away, as root mean square.
        assert!(far(200.0) < 0.3, "{}", far(200.0));
        assert!(far(0.0) > 0.8, "nothing learned: {}", far(0.0));
    }

    #[test]
    fn sides_are_opposites_within_bounds() {
        let whole = TunedParameter {
            whole: true,
            ..parameter("whole", 2.0, 1.2)
        };
        let spsa = Spsa::new(vec![whole, parameter("edge", 3.9, 0.5)], 100, 100, 1).unwrap();
        let mut seen = [0; 2];
        for step in 1..=100 {
            let [first, second] = spsa.sides(step, &spsa.start());
            assert_eq!(first[0] + second[0], 4.0);
            assert_eq!(first[0].fract(), 0.0);
            assert!(first[1].max(second[1]) == 4.0 && first[1].min(second[1]) < 3.5);
            seen[usize::from((first[0] > 2.0) == (first[1] > 3.9))] += 1;
        }
        assert!(
            seen[0] > 30 && seen[1] > 30,
            "parameters are perturbed independently"
        );
    }

    #[test]
    fn more_pairs_are_smaller_steps() {
        let rate = |pairs| Spsa::new(Vec::new(), 10, pairs, 1).unwrap().rate;
        assert_eq!((rate(2), rate(200)), (0.25, 0.025));
        assert!(rate(u32::MAX) < 1e-5);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let outside = parameter("cpuct", 5.0, 0.1);
        let error = Spsa::new(vec![outside], 10, 10, 1).unwrap_err();
        assert!(error.to_string().starts_with("cpuct: "));
        for reach in [0.0, 4.0, f64::NAN] {
            assert!(Spsa::new(vec![parameter("a", 1.0, reach)], 10, 10, 1).is_err());
        }
    }
}
