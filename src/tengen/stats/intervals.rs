//! Intervals of ratings: the profile of the penalised likelihood, corrected for pairs of games.
//!
//! The 95% interval of a rating holds the values at which the penalised likelihood, maximised over
//! all other unknowns, is close to its maximum (Heinze and Schemper, Statistics in Medicine 21,
//! 2002). It is asymmetric where the games are: a sweep bounds a difference well from below and
//! hardly from above. A bootstrap of the games cannot produce results that did not occur: after 4-0
//! every resample is 4-0, and the interval was a point.
//!
//! The two games of a pair share their opening and so are not independent. The likelihood is that
//! of independent games, and its scale is corrected by the observed scatter of the pairs (Chandler
//! and Bate, Biometrika 94, 2007): [`dispersion`].

use std::collections::BTreeMap;

use super::elo::{Interval, Z_95};
use super::ratings::{Meeting, Model};

/// Pairs of independent, even games added to those played when the scatter is estimated: a few
/// pairs that happen to agree are no proof that pairs agree. In simulated matches of 2 to 100
/// pairs, 0 to 500 Elo apart, with balanced and unbalanced openings, 5 cover the truth in 91.5% to
/// 100%, and 2.5 in 87.2% to 99.7%.
const PRIOR_PAIRS: f64 = 5.0;

/// An end (Elo) farther than this from the rating counts as infinite: no game bounds it.
const FARTHEST_ELO: f64 = 5000.0;

/// Tolerance of an end, as a share of a standard deviation.
const CLOSE_ENOUGH: f64 = 0.001;

/// Maximum number of steps for one end of an interval; six are usual.
const MAX_STEPS: usize = 60;

/// The games of one pair, one or two, each with `games` of 1: same engines, same opening, colours swapped.
pub type RatedPair = Vec<Meeting>;

/// Ratings with 95% intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingsWithIntervals {
    /// Each engine's rating in Elo; the anchor's is 0.
    pub elo: Vec<f64>,
    /// The interval of each rating; the anchor's is a point. An end may be infinite.
    pub intervals: Vec<Interval>,
}

/// Ratings of all games, with 95% intervals.
pub fn fit_with_intervals(
    engines: usize,
    anchor: usize,
    pairs: &[RatedPair],
) -> RatingsWithIntervals {
    let meetings = collect(pairs);
    let model = Model::new(engines, anchor, &meetings);
    let elo = model.maximum(vec![0.0; engines], None);
    let dispersion = dispersion(pairs, &elo);
    let profile = Profile {
        highest: model.log_likelihood(&elo),
        model: &model,
        best: &elo,
    };
    let interval = |engine| match engine == anchor {
        true => Interval {
            low: 0.0,
            high: 0.0,
        },
        false => profile.interval(engine, dispersion),
    };
    RatingsWithIntervals {
        intervals: (0..engines).map(interval).collect(),
        elo,
    }
}

/// All games of the pairs, added up by the two engines.
fn collect(pairs: &[RatedPair]) -> Vec<Meeting> {
    let mut sums: BTreeMap<[usize; 2], Meeting> = BTreeMap::new();
    for game in pairs.iter().flatten() {
        let empty = Meeting {
            points: 0.0,
            games: 0.0,
            ..*game
        };
        let sum = sums.entry([game.first, game.second]).or_insert(empty);
        sum.points += game.points;
        sum.games += game.games;
    }
    sums.into_values().collect()
}

/// Variance of the engines' points in a pair relative to two independent games.
///
/// With an opening that favours a colour, or a game that does, pairs are split: such a pair says little about strength,
/// so the variance is smaller. Openings come from one source, so the pairs of all meetings are pooled.
fn dispersion(pairs: &[RatedPair], elo: &[f64]) -> f64 {
    let (mut of_pairs, mut independent) = (0.0, 0.0);
    for pair in pairs {
        let mut of_first = 0.0;
        for game in pair {
            let expected = game.expected(elo);
            let surplus = game.points - expected;
            of_first += if game.first == pair[0].first {
                surplus
            } else {
                -surplus
            };
            independent += expected * (1.0 - expected);
        }
        of_pairs += of_first * of_first;
    }
    // Variance in a pair of independent even games.
    let prior = 0.5 * PRIOR_PAIRS;
    let played = pairs.len() as f64;
    // The fitted values lie closer to the games than the true ones do.
    let fitted = elo.len() as f64 - 1.0;
    let free = (played - fitted).max(0.0) / played.max(1.0);
    (of_pairs + prior) / (independent * free + prior)
}

/// The penalised likelihood seen from its maximum.
struct Profile<'a> {
    model: &'a Model<'a>,
    best: &'a [f64],
    /// Its logarithm at the maximum.
    highest: f64,
}

impl Profile<'_> {
    fn interval(&self, unknown: usize, dispersion: f64) -> Interval {
        let drop = Z_95 * dispersion.sqrt();
        let step = drop * self.model.deviation(self.best, unknown);
        Interval {
            low: self.end(unknown, drop, -step),
            high: self.end(unknown, drop, step),
        }
    }

    /// Point at which the square root of the deviance (twice the logarithm of the likelihood ratio)
    /// reaches `drop`. It grows about linearly: `step` is a good initial guess, refined by false
    /// position.
    fn end(&self, unknown: usize, drop: f64, step: f64) -> f64 {
        let best = self.best[unknown];
        let mut others = self.best.to_vec();
        let (mut inside, mut outside) = ((0.0, -drop), None);
        let mut at = step;
        for _ in 0..MAX_STEPS {
            if at.abs() > FARTHEST_ELO {
                return step.signum() * f64::INFINITY;
            }
            others[unknown] = best + at;
            others = self.model.maximum(others, Some(unknown));
            let deviance = 2.0 * (self.highest - self.model.log_likelihood(&others));
            let excess = deviance.max(0.0).sqrt() - drop;
            if excess.abs() < CLOSE_ENOUGH {
                break;
            }
            if excess < 0.0 {
                inside = (at, excess);
            } else {
                outside = Some((at, excess));
            }
            at = match outside {
                None => 1.6 * at,
                Some((far, above)) => {
                    let share = inside.1 / (inside.1 - above);
                    inside.0 + share.clamp(0.1, 0.9) * (far - inside.0)
                }
            };
        }
        best + at
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::stats::elo::tests::near;
    use crate::stats::simulate::{Pairing, simulations};
    use crate::stats::{GameResult, MatchScore, elo_from_score};

    fn pair(first: usize, second: usize, points: (f64, f64)) -> RatedPair {
        let game = |first, second, points| Meeting {
            first,
            second,
            points,
            games: 1.0,
        };
        vec![
            game(first, second, points.0),
            game(second, first, 1.0 - points.1),
        ]
    }

    /// Coverage of the intervals of all but the first of these engines, each meeting each in
    /// `games` pairs.
    fn covered(truth: &[f64], opening_bias_elo: f64, pairs: u32) -> f64 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(pairs));
        let mut covered = 0;
        for _ in 0..simulations() {
            let mut played = Vec::new();
            for (first, elo) in truth.iter().enumerate() {
                for (second, other) in truth.iter().enumerate().skip(first + 1) {
                    let pairing = Pairing {
                        elo: elo - other,
                        draws: 0.0,
                        opening_bias_elo,
                    };
                    let points = (0..pairs).map(|_| pairing.play_pair(&mut rng));
                    played
                        .extend(points.map(|(a, b)| pair(first, second, (a.points(), b.points()))));
                }
            }
            let fitted = fit_with_intervals(truth.len(), 0, &played);
            assert_eq!(fitted.intervals[0].low, fitted.intervals[0].high);
            let of_biased = |elo: f64| {
                let pairing = Pairing {
                    elo,
                    draws: 0.0,
                    opening_bias_elo,
                };
                elo_from_score(pairing.expected_score())
            };
            let engines = 1..truth.len();
            covered += engines
                .filter(|&engine| fitted.intervals[engine].contains(of_biased(truth[engine])))
                .count();
        }
        covered as f64 / (simulations() * (truth.len() - 1)) as f64
    }

    /// 1,000 tournaments of each kind (TENGEN_SIMULATIONS overrides the number), many of them short
    /// or sweeps: at 500 Elo the stronger engine wins ten games in a row in 58 of 100.
    #[test]
    fn intervals_cover_the_true_ratings() {
        let cases: [(&[f64], f64); 6] = [
            (&[0.0, 0.0], 0.0),
            (&[0.0, 150.0], 300.0),
            (&[0.0, 300.0], 0.0),
            (&[0.0, 500.0], 0.0),
            (&[0.0, 150.0, 60.0], 0.0),
            (&[0.0, 400.0, 800.0], 0.0),
        ];
        for (truth, bias) in cases {
            for pairs in [2, 5, 10, 30, 100] {
                let ratings = covered(truth, bias, pairs);
                // Few pairs have few possible results, so no interval is exact.
                let (least, most) = if pairs < 30 { (0.9, 1.0) } else { (0.92, 0.98) };
                assert!(
                    (least..=most).contains(&ratings),
                    "{truth:?}, {pairs} pairs: {ratings}"
                );
            }
        }
    }

    #[test]
    fn where_white_always_wins_the_other_pairs_decide_as_in_the_score() {
        let mut played = vec![pair(0, 1, (0.0, 1.0)); 45];
        played.extend(vec![pair(0, 1, (1.0, 1.0)); 5]);
        let fitted = fit_with_intervals(2, 1, &played);
        let mut score = MatchScore::default();
        for games in &played {
            let result = |points: f64| match points > 0.5 {
                true => GameResult::Win,
                false => GameResult::Loss,
            };
            let results = [result(games[0].points), result(1.0 - games[1].points)];
            results.into_iter().for_each(|result| score.add(result));
            score.pairs.add(results[0], results[1]);
        }
        let (of_score, interval) = (score.interval().to_elo(), fitted.intervals[0]);
        near(fitted.elo[0], score.elo(), 1.0);
        near(interval.low, of_score.low, 3.0);
        near(interval.high, of_score.high, 3.0);
    }

    #[test]
    fn a_sweep_bounds_from_below_and_has_doubts_above() {
        let fitted = fit_with_intervals(2, 0, &[pair(1, 0, (1.0, 1.0)), pair(1, 0, (1.0, 1.0))]);
        // By hand: 4-0 counts as 4.5-0.5, so p = 0.9, and the penalised likelihood of p is
        // p^4.5 (1 - p)^0.5 up to a constant.
        assert!((fitted.elo[1] - elo_from_score(0.9)).abs() < 0.01);
        let log = |p: f64| 4.5 * p.ln() + 0.5 * (1.0 - p).ln();
        // Surplus 0.1 a game; 4 games of variance 0.09, half of which the one difference takes.
        let dispersion = (0.08 + 2.5) / (0.18 + 2.5);
        for end in [fitted.intervals[1].low, fitted.intervals[1].high] {
            let p = crate::stats::score_from_elo(end);
            let deviance = 2.0 * (log(0.9) - log(p)) / dispersion;
            assert!((deviance - Z_95 * Z_95).abs() < 0.01, "{fitted:?}");
        }
        assert!(fitted.intervals[1].low < 50.0 && fitted.intervals[1].high > 700.0);
        let longer = fit_with_intervals(2, 0, &vec![pair(1, 0, (1.0, 1.0)); 30]);
        assert!(longer.intervals[1].low > 400.0 && longer.intervals[1].high.is_finite());
    }

    #[test]
    fn pairs_that_always_split_scatter_less() {
        let by_opening = [pair(0, 1, (1.0, 0.0)), pair(0, 1, (0.0, 1.0))];
        let independent = [pair(0, 1, (1.0, 1.0)), pair(0, 1, (0.0, 0.0))];
        let width = |two: &[RatedPair; 2]| {
            let pairs: Vec<RatedPair> = std::iter::repeat_n(two, 15).flatten().cloned().collect();
            let fitted = fit_with_intervals(2, 0, &pairs);
            fitted.intervals[1].high - fitted.intervals[1].low
        };
        assert!(width(&by_opening) < 0.5 * width(&independent));
    }

    #[test]
    fn what_no_game_speaks_of_has_no_bounds() {
        let everything = Interval {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        };
        let none = fit_with_intervals(2, 0, &[]);
        assert_eq!((none.elo[1], none.intervals[1]), (0.0, everything));
    }
}
