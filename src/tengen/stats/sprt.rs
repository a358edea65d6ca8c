//! The generalised sequential probability ratio test on pairs: stop as soon as the result is
//! significant.

use thiserror::Error;

use super::elo::score_from_elo;
use super::pairs::PairCounts;

/// Chance to accept either hypothesis when the other is true.
const ERROR: f64 = 0.05;

/// Error: invalid hypotheses.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("not a test: elo0 must be below elo1")]
pub struct BadBounds;

/// A test of "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Sprt {
    /// The null hypothesis: the first engine is this much stronger (Elo).
    pub elo0: f64,
    /// The alternative (Elo), above `elo0`.
    pub elo1: f64,
}

/// State of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The difference is `elo0` rather than `elo1`.
    AcceptElo0,
    /// The difference is `elo1` rather than `elo0`.
    AcceptElo1,
    /// Not decided yet.
    Continue,
}

impl Sprt {
    /// A test with these bounds.
    ///
    /// # Errors
    /// [`BadBounds`] when the hypotheses are invalid.
    pub fn new(elo0: f64, elo1: f64) -> Result<Sprt, BadBounds> {
        let is_test = elo0 < elo1 && elo0.is_finite() && elo1.is_finite();
        is_test.then_some(Sprt { elo0, elo1 }).ok_or(BadBounds)
    }

    /// Logarithm of the likelihood ratio of `elo1` against `elo0`.
    ///
    /// `N (s1 - s0) (2 x - s0 - s1) / (2 v)` with `N` pairs of mean `x` (docs/methods.md#match-statistics), the
    /// normal approximation of the generalised ratio. `v` is the pairs' mean square distance from
    /// the middle of the hypotheses instead of from `x`: the same for scores near them, but a
    /// streak of wins cannot make its own variance small. Measured: 30,000 tests of 0 against
    /// 35 Elo without draws accept a true null in 5.4% with the latter and 4.9% with the former.
    pub fn llr(&self, pairs: &PairCounts) -> f64 {
        let (score0, score1) = (score_from_elo(self.elo0), score_from_elo(self.elo1));
        let variance = pairs.variance_about(f64::midpoint(score0, score1));
        f64::from(pairs.pairs()) * (score1 - score0) * (2.0 * pairs.mean() - score0 - score1)
            / (2.0 * variance)
    }

    /// Wald's bounds of the ratio: at or below the first `elo0` is accepted, at or above the second
    /// `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        let bound = ((1.0 - ERROR) / ERROR).ln();
        (-bound, bound)
    }

    /// The verdict on these pairs. Ask after each pair and stop once it is not
    /// [`Verdict::Continue`].
    pub fn verdict(&self, pairs: &PairCounts) -> Verdict {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Verdict::AcceptElo1,
            llr if llr <= lower => Verdict::AcceptElo0,
            _ => Verdict::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::simulate::{Pairing, simulations};

    #[track_caller]
    fn check(sprt: (f64, f64), pairs: [u32; 5], expected: f64, tolerance: f64) {
        let sprt = Sprt::new(sprt.0, sprt.1).unwrap();
        let llr = sprt.llr(&PairCounts {
            by_half_points: pairs,
        });
        assert!(
            (llr - expected).abs() < tolerance,
            "{llr} is not {expected}"
        );
    }

    #[test]
    fn the_ratio_agrees_with_known_numbers() {
        // fastchess, tests/sprt_test.cpp, "logistic pentanomial 1" and "2" (losses first; its third
        // and fourth counts are win-loss and draw-draw pairs, one class here).
        check(
            (0.5, 2.5),
            [223, 9863, 20279 + 1000, 10037, 246],
            -3.07,
            0.01,
        );
        check(
            (0.0, 2.0),
            [871, 26175, 55003 + 980, 26678, 821],
            -4.98,
            0.01,
        );
        // By hand: 10 pairs, all drawn; s0 = 0.5, s1 = 0.5 + d with d = 0.014388 (10 Elo), prior
        // variance (0.625 / 2) / 12.5 = 0.025: LLR = 10 * d * (-d) / 0.05 = -0.0414.
        check((0.0, 10.0), [0, 0, 10, 0, 0], -0.0414, 0.0001);
        check((0.0, 10.0), [0; 5], 0.0, 1e-12);
    }

    #[test]
    fn the_bounds_are_walds() {
        // docs/methods.md#match-statistics: +-2.944 at alpha = beta = 0.05.
        let (lower, upper) = Sprt::new(0.0, 5.0).unwrap().bounds();
        assert!((lower + 2.944).abs() < 1e-3 && (upper - 2.944).abs() < 1e-3);
        for (elo0, elo1) in [(5.0, 5.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
            assert_eq!(Sprt::new(elo0, elo1), Err(BadBounds));
        }
    }

    /// Runs tests to their end and returns the share that accepted `elo1` and the mean number of
    /// games.
    fn run(sprt: Sprt, pairing: Pairing) -> (f64, f64) {
        let mut rng = pairing.rng();
        let (mut accepted, mut games) = (0, 0);
        let runs = 10 * simulations();
        for _ in 0..runs {
            let mut pairs = PairCounts::default();
            while sprt.verdict(&pairs) == Verdict::Continue {
                let (first, second) = pairing.play_pair(&mut rng);
                pairs.add(first, second);
            }
            accepted += usize::from(sprt.verdict(&pairs) == Verdict::AcceptElo1);
            games += 2 * pairs.pairs();
        }
        (
            accepted as f64 / runs as f64,
            f64::from(games) / runs as f64,
        )
    }

    /// 10,000 whole tests per case (ten times TENGEN_SIMULATIONS, if that is set).
    #[test]
    fn error_rates_stay_under_alpha_and_beta() {
        for (draws, opening_bias_elo) in [(0.0, 0.0), (0.3, 100.0)] {
            let pairing = |elo| Pairing {
                elo,
                draws,
                opening_bias_elo,
            };
            // With draws or biased openings, the hypotheses refer to the expected score.
            let truth = |elo| crate::stats::elo_from_score(pairing(elo).expected_score());
            let sprt = Sprt::new(truth(0.0), truth(35.0)).unwrap();
            let (false_accepts, games) = run(sprt, pairing(0.0));
            assert!(false_accepts <= 0.05, "alpha: {false_accepts}");
            let (true_accepts, _) = run(sprt, pairing(35.0));
            assert!(1.0 - true_accepts <= 0.05, "beta: {}", 1.0 - true_accepts);
            if draws == 0.0 && opening_bias_elo == 0.0 {
                // docs/methods.md#match-statistics: about 530 games at E = 35.
                assert!((450.0..620.0).contains(&games), "{games} games");
            }
        }
    }
}
