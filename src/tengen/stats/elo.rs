//! The logistic scale: expected score against rating difference, and the Wilson interval of a score.

/// Natural logarithm of the odds per Elo point: a difference of 400 is odds of ten to one.
pub(super) const LOGIT_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// The two-sided 95% quantile of the standard normal distribution.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

/// Rating difference (Elo) that explains a score in 0..=1; infinite at 0 and at 1.
pub fn elo_from_score(score: f64) -> f64 {
    (score / (1.0 - score)).ln() / LOGIT_PER_ELO
}

/// Expected score in 0..=1 of a player stronger by `elo`.
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * LOGIT_PER_ELO).exp())
}

/// A confidence interval, low end first.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Lower end; negative infinity without evidence.
    pub low: f64,
    /// Upper end; infinity without evidence.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies inside, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same interval on the Elo scale; an end at a score of 0 or 1 is infinite.
    #[must_use]
    pub fn to_elo(self) -> Interval {
        Interval {
            low: elo_from_score(self.low),
            high: elo_from_score(self.high),
        }
    }
}

/// Wilson's 95% interval for a share `score` of `trials` independent trials (not necessarily a whole
/// number); the whole range 0..=1 without trials.
///
/// Source: E. B. Wilson, JASA 22 (1927); unlike the normal interval it stays inside 0..=1 and is
/// sound near its ends.
pub fn wilson(score: f64, trials: f64) -> Interval {
    if trials <= 0.0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let z2 = Z_95 * Z_95 / trials;
    let centre = (score + z2 / 2.0) / (1.0 + z2);
    let half = (z2 * (score * (1.0 - score) + z2 / 4.0)).max(0.0).sqrt() / (1.0 + z2);
    let (low, high) = ((centre - half).max(0.0), (centre + half).min(1.0));
    // Exact at the ends: the rounding error of 1 - 1 would be a bound of thousands of Elo.
    Interval {
        low: if score <= 0.0 { 0.0 } else { low },
        high: if score >= 1.0 { 1.0 } else { high },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[track_caller]
    pub(in crate::stats) fn near(got: f64, expected: f64, tolerance: f64) {
        assert!(
            (got - expected).abs() <= tolerance,
            "{got} is not {expected}"
        );
    }

    #[test]
    fn the_logistic_scale_has_its_textbook_values() {
        // Odds of ten to one are 400 points by definition; 75% is 400 log10(3) = 190.85.
        near(elo_from_score(10.0 / 11.0), 400.0, 1e-9);
        near(elo_from_score(0.75), 190.848, 1e-3);
        // Gao & Wu 2021, 5.1: 81:19 = +252 Elo.
        near(elo_from_score(0.81), 252.0, 0.5);
        near(score_from_elo(-400.0), 1.0 / 11.0, 1e-12);
        near(score_from_elo(elo_from_score(0.3)), 0.3, 1e-12);
        assert_eq!(elo_from_score(1.0), f64::INFINITY);
        assert_eq!(elo_from_score(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn wilson_agrees_with_published_intervals() {
        // Newcombe, Statistics in Medicine 17 (1998), Table I, method 3: 81/263 and 0/20 and 1/29.
        let cases = [
            (81.0, 263.0, 0.2553, 0.3662),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ];
        for (wins, games, low, high) in cases {
            let interval = wilson(wins / games, games);
            near(interval.low, low, 5e-5);
            near(interval.high, high, 5e-5);
        }
        // docs/methods.md#match-statistics: 81:19 has the 95% interval +166..+338 Elo.
        let elo = wilson(0.81, 100.0).to_elo();
        near(elo.low, 166.0, 1.0);
        near(elo.high, 338.0, 1.0);
    }

    #[test]
    fn a_sweep_has_no_bound_on_its_side() {
        for trials in (1..=200).map(|tenths| f64::from(tenths) / 10.0) {
            assert_eq!(wilson(1.0, trials).to_elo().high, f64::INFINITY);
            assert_eq!(wilson(0.0, trials).to_elo().low, f64::NEG_INFINITY);
        }
    }

    #[test]
    fn no_trial_says_nothing() {
        assert_eq!(
            wilson(0.5, 0.0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
    }
}
