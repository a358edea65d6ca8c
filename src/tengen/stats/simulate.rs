//! Simulated engines of known strength, for the tests of this module.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::elo::score_from_elo;
use super::pairs::{GameResult, MatchScore};

/// Number of simulations per test: 1,000, or the environment variable TENGEN_SIMULATIONS.
pub(crate) fn simulations() -> usize {
    let asked = std::env::var("TENGEN_SIMULATIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1000)
}

/// Two engines on openings, each of which favours one colour by a random amount.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairing {
    /// Strength of the first engine over the second.
    pub(crate) elo: f64,
    /// Share of games drawn at any strength.
    pub(crate) draws: f64,
    /// Size of the advantage of an opening, for Black or White with equal probability.
    pub(crate) opening_bias_elo: f64,
}

impl Pairing {
    /// A random number generator that differs between pairings.
    pub(crate) fn rng(&self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.elo.to_bits() ^ self.opening_bias_elo.to_bits())
    }

    /// The true mean score of the first engine.
    pub(crate) fn expected_score(&self) -> f64 {
        let won = |bias: f64| score_from_elo(self.elo + bias);
        let decided = (won(self.opening_bias_elo) + won(-self.opening_bias_elo)) / 2.0;
        self.draws / 2.0 + (1.0 - self.draws) * decided
    }

    /// Plays one colour-swapped pair.
    pub(crate) fn play_pair(&self, rng: &mut Xoshiro256PlusPlus) -> (GameResult, GameResult) {
        let bias = if rng.random_bool(0.5) {
            self.opening_bias_elo
        } else {
            -self.opening_bias_elo
        };
        (self.play_game(bias, rng), self.play_game(-bias, rng))
    }

    /// Plays a match of whole pairs.
    pub(crate) fn play(&self, pairs: u32, rng: &mut Xoshiro256PlusPlus) -> MatchScore {
        let mut score = MatchScore::default();
        for _ in 0..pairs {
            let (first, second) = self.play_pair(rng);
            score.add(first);
            score.add(second);
            score.pairs.add(first, second);
        }
        score
    }

    fn play_game(&self, bias: f64, rng: &mut Xoshiro256PlusPlus) -> GameResult {
        if rng.random_bool(self.draws) {
            GameResult::Draw
        } else if rng.random_bool(score_from_elo(self.elo + bias)) {
            GameResult::Win
        } else {
            GameResult::Loss
        }
    }
}
