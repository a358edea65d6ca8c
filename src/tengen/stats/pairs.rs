//! A match as colour-swapped pairs: counts, the score and its interval.
//!
//! The two games of a pair share their opening and so are not independent. A pair is therefore the
//! unit of every interval here; single games only ever add to the score. Source:
//! docs/methods.md#match-statistics; the "pentanomial" model of fishtest.

use super::elo::{Interval, elo_from_score, wilson};

/// Pseudo-count added to each of the five classes when a variance is estimated, so that it is never
/// zero. Five equal classes have the variance 1/8 of a pair of independent even games without
/// draws, so the prior alone already describes an undecided match. Source:
/// docs/methods.md#match-statistics.
const PRIOR_PER_CLASS: f64 = 0.5;

/// Result of one game, from the first engine's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// The first engine won.
    Win,
    /// A draw.
    Draw,
    /// The second engine won.
    Loss,
}

impl GameResult {
    /// 1, 0.5 or 0.
    pub fn points(self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }

    /// The result from the other engine's view.
    #[must_use]
    pub fn reversed(self) -> GameResult {
        match self {
            GameResult::Win => GameResult::Loss,
            GameResult::Draw => GameResult::Draw,
            GameResult::Loss => GameResult::Win,
        }
    }

    fn half_points(self) -> u8 {
        match self {
            GameResult::Win => 2,
            GameResult::Draw => 1,
            GameResult::Loss => 0,
        }
    }
}

/// Pairs by the first engine's points in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PairCounts {
    /// Number of pairs with 0, 0.5, 1, 1.5 and 2 points.
    pub by_half_points: [u32; 5],
}

impl PairCounts {
    /// Counts one finished pair.
    pub fn add(&mut self, first: GameResult, second: GameResult) {
        self.by_half_points[usize::from(first.half_points() + second.half_points())] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u32 {
        self.by_half_points.iter().sum()
    }

    /// Mean score per game in 0..=1; one half when there is no pair.
    pub fn mean(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        moments(self.by_half_points.map(f64::from)).0
    }

    /// Mean square distance of a pair's mean score from `centre`, with the prior.
    pub fn variance_about(&self, centre: f64) -> f64 {
        let (mean, variance) = self.regularised();
        variance + (mean - centre).powi(2)
    }

    /// The same pairs from the other engine's view.
    #[must_use]
    pub fn reversed(&self) -> PairCounts {
        let mut by_half_points = self.by_half_points;
        by_half_points.reverse();
        PairCounts { by_half_points }
    }

    /// Share of pairs in which each engine won once or both games were drawn. Near 1, the openings
    /// decide the games and the match yields no information.
    pub fn split_share(&self) -> f64 {
        f64::from(self.by_half_points[2]) / f64::from(self.pairs().max(1))
    }

    /// Variance of the score per game relative to independent games of the same mean: below 1 when
    /// pairing helps, 1 without a pair.
    fn design_effect(&self) -> f64 {
        let (mean, variance) = self.regularised();
        2.0 * variance / (mean * (1.0 - mean))
    }

    /// Mean and variance of a pair's mean score, with the prior: the variance is positive also without a
    /// pair.
    fn regularised(&self) -> (f64, f64) {
        moments(
            self.by_half_points
                .map(|count| f64::from(count) + PRIOR_PER_CLASS),
        )
    }
}

/// Mean and variance of the pair score (0, 1/4, .. 1) under these weights, not all zero.
fn moments(weights: [f64; 5]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let average = |value: &dyn Fn(f64) -> f64| {
        let terms = weights.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]);
        terms
            .map(|(weight, score)| weight * value(score))
            .sum::<f64>()
            / total
    };
    let mean = average(&|score| score);
    (mean, average(&|score| (score - mean).powi(2)))
}

/// All counts of a match between two engines, from the first engine's view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct MatchScore {
    /// Games won by the first engine.
    pub wins: u32,
    /// Number of drawn games.
    pub draws: u32,
    /// Games won by the second engine.
    pub losses: u32,
    /// The pairs of which both games are finished.
    pub pairs: PairCounts,
}

impl MatchScore {
    /// Adds one game, from the first player's view.
    pub fn add(&mut self, score: GameResult) {
        match score {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    /// The games of both.
    #[must_use]
    pub fn and(mut self, other: &MatchScore) -> MatchScore {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        let pairs = self.pairs.by_half_points.iter_mut();
        pairs
            .zip(other.pairs.by_half_points)
            .for_each(|(sum, more)| *sum += more);
        self
    }

    /// The same match from the other engine's view.
    #[must_use]
    pub fn reversed(&self) -> MatchScore {
        MatchScore {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            pairs: self.pairs.reversed(),
        }
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Wins and half the draws.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// The first engine's mean score in 0..=1; one half before the first game.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.points() / f64::from(games),
        }
    }

    /// 95% interval of the score: Wilson's, with the number of games divided by the design effect
    /// of the pairs (the usual correction of a proportion for clustered samples: Kish, Survey
    /// Sampling, 1965). Without a finished pair the games count as independent.
    pub fn interval(&self) -> Interval {
        let independent = f64::from(self.games()) / self.pairs.design_effect();
        wilson(self.score(), independent)
    }

    /// Score, rating difference and their 95% intervals in one line.
    pub fn summary(&self) -> String {
        let interval = self.interval();
        let elo = interval.to_elo();
        format!(
            "{:.1}% [{:.1}, {:.1}], Elo {:+.0} [{:+.0}, {:+.0}]",
            100.0 * self.score(),
            100.0 * interval.low,
            100.0 * interval.high,
            self.elo(),
            elo.low,
            elo.high,
        )
    }

    /// Rating difference (Elo) that explains the score.
    pub fn elo(&self) -> f64 {
        elo_from_score(self.score())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::simulate::{Pairing, simulations};

    fn counts(by_half_points: [u32; 5]) -> PairCounts {
        PairCounts { by_half_points }
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut pairs = PairCounts::default();
        pairs.add(GameResult::Win, GameResult::Loss);
        pairs.add(GameResult::Draw, GameResult::Draw);
        pairs.add(GameResult::Win, GameResult::Draw);
        pairs.add(GameResult::Loss, GameResult::Loss);
        assert_eq!(pairs, counts([1, 0, 2, 1, 0]));
        assert_eq!(pairs.split_share(), 0.5);
    }

    #[test]
    fn mean_and_variance_agree_with_a_hand_computed_case() {
        // By hand: scores 0, .5, .5, 1, 1 have the mean 0.6. With 0.5 in each class the weights are
        // 1.5 .5 2.5 .5 2.5 (sum 7.5): mean 4.25/7.5 = 0.56667, mean square 3.4375/7.5 = 0.45833,
        // variance 0.45833 - 0.32111 = 0.13722.
        let pairs = counts([1, 0, 2, 0, 2]);
        assert!((pairs.mean() - 0.6).abs() < 1e-12);
        assert!((pairs.regularised().1 - 0.13722).abs() < 1e-5);
    }

    #[test]
    fn independent_games_have_the_known_width() {
        // docs/methods.md#match-statistics: 400 games without draws at 50% have a 95% half-width of 34 Elo.
        let score = MatchScore {
            wins: 200,
            draws: 0,
            losses: 200,
            pairs: counts([50, 0, 100, 0, 50]),
        };
        let elo = score.interval().to_elo();
        assert!((elo.high - 34.0).abs() < 1.0, "{elo:?}");
        assert!((elo.low + 34.0).abs() < 1.0, "{elo:?}");
    }

    #[test]
    fn extreme_matches_have_honest_intervals() {
        let mut all_won = MatchScore::default();
        assert!(all_won.interval().contains(0.5));
        for _ in 0..60 {
            all_won.add(GameResult::Win);
            all_won.add(GameResult::Win);
            all_won.pairs.add(GameResult::Win, GameResult::Win);
        }
        let interval = all_won.interval();
        assert!(interval.low > 0.9 && interval.low < 0.99, "{interval:?}");
        assert_eq!(interval.high, 1.0);
    }

    /// 1,000 matches of 200 pairs between engines of known strength, with and without draws, on
    /// openings that favour a colour (TENGEN_SIMULATIONS sets another number).
    #[test]
    fn intervals_cover_the_truth_in_95_percent_of_simulated_matches() {
        for pairing in [
            Pairing {
                elo: 0.0,
                draws: 0.0,
                opening_bias_elo: 0.0,
            },
            Pairing {
                elo: 30.0,
                draws: 0.0,
                opening_bias_elo: 150.0,
            },
            Pairing {
                elo: -120.0,
                draws: 0.3,
                opening_bias_elo: 80.0,
            },
            Pairing {
                elo: 380.0,
                draws: 0.0,
                opening_bias_elo: 50.0,
            },
        ] {
            let mut rng = pairing.rng();
            let truth = pairing.expected_score();
            let covered = (0..simulations())
                .filter(|_| pairing.play(200, &mut rng).interval().contains(truth))
                .count();
            let share = covered as f64 / simulations() as f64;
            assert!((0.93..=0.97).contains(&share), "{pairing:?}: {share}");
        }
    }
}
