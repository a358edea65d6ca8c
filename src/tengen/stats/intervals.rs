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
//! and Bate, Biometrika 94, 2007): [`Dispersion`].

use std::collections::BTreeMap;

use super::elo::{Interval, Z_95};
use super::ratings::{Meeting, Model, Ratings};

/// Pairs of independent, even games added to those played when the scatter is estimated: a few
/// pairs that happen to agree are no proof that pairs agree. In simulated matches of 2 to 100
/// pairs, 0 to 500 Elo apart, with balanced and unbalanced openings, 5 cover the truth in 93.3% to
/// 100%, and 2.5 in 91.6% to 100%.
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
    /// Ratings in Elo.
    pub ratings: Ratings,
    /// The interval of each rating; the anchor's is a point. An end may be infinite.
    pub elo: Vec<Interval>,
    /// The interval of the first player's advantage.
    pub black_advantage: Interval,
}

/// Ratings of all games, with 95% intervals.
pub fn fit_with_intervals(
    engines: usize,
    anchor: usize,
    pairs: &[RatedPair],
) -> RatingsWithIntervals {
    let meetings = collect(pairs);
    let model = Model::new(engines, anchor, &meetings);
    let best = model.maximum(vec![0.0; engines + 1], None);
    let ratings = model.ratings(best.clone());
    let dispersion = Dispersion::of(pairs, &ratings);
    let profile = Profile {
        highest: model.log_likelihood(&best),
        model: &model,
        best,
    };
    let interval = |engine| match engine == anchor {
        true => Interval {
            low: 0.0,
            high: 0.0,
        },
        false => profile.interval(engine, dispersion.strength),
    };
    RatingsWithIntervals {
        elo: (0..engines).map(interval).collect(),
        black_advantage: profile.interval(engines, dispersion.black),
        ratings,
    }
}

/// All games of the pairs, added up by Black and White.
fn collect(pairs: &[RatedPair]) -> Vec<Meeting> {
    let mut sums: BTreeMap<[usize; 2], Meeting> = BTreeMap::new();
    for game in pairs.iter().flatten() {
        let empty = Meeting {
            black_points: 0.0,
            games: 0.0,
            ..*game
        };
        let sum = sums.entry([game.black, game.white]).or_insert(empty);
        sum.black_points += game.black_points;
        sum.games += game.games;
    }
    sums.into_values().collect()
}

/// Variance of a pair's result relative to two independent games.
///
/// With an opening that favours a colour, pairs are split: such a pair says little about strength,
/// so the variance of the engines' points is smaller and that of Black's points larger. Openings
/// come from one source, so the pairs of all meetings are pooled.
struct Dispersion {
    /// For the points of one engine.
    strength: f64,
    /// For the points of Black.
    black: f64,
}

impl Dispersion {
    fn of(pairs: &[RatedPair], ratings: &Ratings) -> Dispersion {
        let (mut of_engines, mut of_black, mut independent) = (0.0, 0.0, 0.0);
        for pair in pairs {
            let (mut engine, mut black) = (0.0, 0.0);
            for game in pair {
                let expected = ratings.expected(game.black, game.white);
                let surplus = game.black_points - expected;
                black += surplus;
                engine += if game.black == pair[0].black {
                    surplus
                } else {
                    -surplus
                };
                independent += expected * (1.0 - expected);
            }
            of_engines += engine * engine;
            of_black += black * black;
        }
        // Variance of the engines' or of Black's points in a pair of independent even games.
        let prior = 0.5 * PRIOR_PAIRS;
        let played = pairs.len() as f64;
        let relative = |seen: f64, fitted: usize| {
            // The fitted values lie closer to the games than the true ones do.
            let free = (played - fitted as f64).max(0.0) / played.max(1.0);
            (seen + prior) / (independent * free + prior)
        };
        Dispersion {
            strength: relative(of_engines, ratings.elo.len() - 1),
            black: relative(of_black, 1),
        }
    }
}

/// The penalised likelihood seen from its maximum.
struct Profile<'a> {
    model: &'a Model<'a>,
    best: Vec<f64>,
    /// Its logarithm at the maximum.
    highest: f64,
}

impl Profile<'_> {
    fn interval(&self, unknown: usize, dispersion: f64) -> Interval {
        let drop = Z_95 * dispersion.sqrt();
        let step = drop * self.model.deviation(&self.best, unknown);
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
        let mut others = self.best.clone();
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
    use crate::stats::elo_from_score;
    use crate::stats::simulate::{Pairing, simulations};

    fn pair(first: usize, second: usize, points: (f64, f64)) -> RatedPair {
        let game = |black, white, black_points| Meeting {
            black,
            white,
            black_points,
            games: 1.0,
        };
        vec![
            game(first, second, points.0),
            game(second, first, 1.0 - points.1),
        ]
    }

    /// Coverage of the intervals of all but the first of these engines, each meeting each in
    /// `games` pairs; and of those of Black's advantage, which is zero.
    fn covered(truth: &[f64], opening_bias_elo: f64, pairs: u32) -> [f64; 2] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(pairs));
        let (mut ratings, mut advantages) = (0, 0);
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
            assert_eq!(fitted.elo[0].low, fitted.elo[0].high);
            let of_biased = |elo: f64| {
                let pairing = Pairing {
                    elo,
                    draws: 0.0,
                    opening_bias_elo,
                };
                elo_from_score(pairing.expected_score())
            };
            let engines = 1..truth.len();
            ratings += engines
                .filter(|&engine| fitted.elo[engine].contains(of_biased(truth[engine])))
                .count();
            advantages += usize::from(fitted.black_advantage.contains(0.0));
        }
        let simulations = simulations() as f64;
        [
            ratings as f64 / (simulations * (truth.len() - 1) as f64),
            advantages as f64 / simulations,
        ]
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
                let [ratings, advantage] = covered(truth, bias, pairs);
                // Few pairs have few possible results, so no interval is exact.
                let most = if pairs < 30 { 1.0 } else { 0.98 };
                assert!(
                    (0.92..=most).contains(&ratings) && (0.92..=1.0).contains(&advantage),
                    "{truth:?}, {pairs} pairs: {ratings} {advantage}"
                );
            }
        }
    }

    #[test]
    fn a_sweep_bounds_from_below_and_has_doubts_above() {
        let fitted = fit_with_intervals(2, 0, &[pair(1, 0, (1.0, 1.0)), pair(1, 0, (1.0, 1.0))]);
        // By hand, for 4-0: with two unknowns each colour counts as 2.5-0.5, so p = 5/6 for both.
        // With f = 0 by symmetry the penalised likelihood of p is p^5 (1 - p) up to a constant.
        assert!((fitted.ratings.elo[1] - elo_from_score(5.0 / 6.0)).abs() < 0.01);
        let log = |p: f64| 5.0 * p.ln() + (1.0 - p).ln();
        // Surplus 1/6 a game; 4 games of variance 5/36, half of which the one difference takes.
        let dispersion = (2.0 / 9.0 + 2.5) / (10.0 / 36.0 + 2.5);
        for end in [fitted.elo[1].low, fitted.elo[1].high] {
            let p = crate::stats::score_from_elo(end);
            let deviance = 2.0 * (log(5.0 / 6.0) - log(p)) / dispersion;
            assert!((deviance - Z_95 * Z_95).abs() < 0.01, "{fitted:?}");
        }
        assert!(fitted.elo[1].low < 0.0 && fitted.elo[1].high > 700.0);
        let longer = fit_with_intervals(2, 0, &vec![pair(1, 0, (1.0, 1.0)); 30]);
        assert!(longer.elo[1].low > 400.0 && longer.elo[1].high.is_finite());
    }

    #[test]
    fn pairs_that_always_split_scatter_less() {
        let by_opening = [pair(0, 1, (1.0, 0.0)), pair(0, 1, (0.0, 1.0))];
        let independent = [pair(0, 1, (1.0, 1.0)), pair(0, 1, (0.0, 0.0))];
        let width = |two: &[RatedPair; 2]| {
            let pairs: Vec<RatedPair> = std::iter::repeat_n(two, 15).flatten().cloned().collect();
            let fitted = fit_with_intervals(2, 0, &pairs);
            fitted.elo[1].high - fitted.elo[1].low
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
        assert_eq!((none.ratings.elo[1], none.elo[1]), (0.0, everything));
        // One game may have been won by strength or by colour.
        let mut one = pair(0, 1, (1.0, 1.0));
        one.truncate(1);
        assert_eq!(fit_with_intervals(2, 0, &[one]).elo[1], everything);
    }
}
