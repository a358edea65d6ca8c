//! Intervals of ratings by drawing whole pairs of games again, with replacement.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::elo::Interval;
use super::ratings::{Meeting, Ratings, fit};

/// The games of one pair: same engines, same opening, colours swapped. The games of a pair are not
/// independent, so they are drawn together.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedPair {
    /// One or two games, each with `games` of 1.
    pub games: Vec<Meeting>,
}

/// Ratings with 95% intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingsWithIntervals {
    /// The most likely ratings.
    pub ratings: Ratings,
    /// The interval of each rating; the anchor's is a point.
    pub elo: Vec<Interval>,
    /// The interval of the first player's advantage.
    pub black_advantage: Interval,
}

/// Ratings of all games, with percentile intervals from `samples` repeated draws. Pairs are drawn
/// separately for each two engines, so that every draw has the schedule of the original.
#[must_use]
pub fn fit_with_intervals(
    engines: usize,
    anchor: usize,
    pairs: &[RatedPair],
    samples: usize,
    seed: u64,
) -> RatingsWithIntervals {
    let mut strata: BTreeMap<[usize; 2], Vec<&RatedPair>> = BTreeMap::new();
    for pair in pairs {
        if let Some(game) = pair.games.first() {
            let key = [game.black.min(game.white), game.black.max(game.white)];
            strata.entry(key).or_default().push(pair);
        }
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draws: Vec<Vec<f64>> = vec![Vec::with_capacity(samples); engines + 1];
    for _ in 0..samples {
        let drawn = strata.values().flat_map(|stratum| {
            let draw = |_| stratum[rng.random_range(0..stratum.len())];
            (0..stratum.len()).map(draw).collect::<Vec<_>>()
        });
        let Ratings {
            elo,
            black_advantage,
        } = fit(engines, anchor, &collect(drawn));
        let values = elo.into_iter().chain([black_advantage]);
        draws
            .iter_mut()
            .zip(values)
            .for_each(|(draws, value)| draws.push(value));
    }
    let ratings = fit(engines, anchor, &collect(pairs));
    let point = |value| Interval {
        low: value,
        high: value,
    };
    let mut intervals: Vec<Interval> = draws
        .iter_mut()
        .zip(ratings.elo.iter().chain([&ratings.black_advantage]))
        .map(|(draws, &value)| percentiles(draws).unwrap_or(point(value)))
        .collect();
    let black_advantage = intervals.pop().unwrap_or(point(ratings.black_advantage));
    RatingsWithIntervals {
        ratings,
        elo: intervals,
        black_advantage,
    }
}

/// All games of the pairs, added up by Black and White.
fn collect<'a>(pairs: impl IntoIterator<Item = &'a RatedPair>) -> Vec<Meeting> {
    let mut sums: BTreeMap<[usize; 2], Meeting> = BTreeMap::new();
    for game in pairs.into_iter().flat_map(|pair| &pair.games) {
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

/// The 2.5% and 97.5% points of the values.
fn percentiles(values: &mut [f64]) -> Option<Interval> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| values[(share * last as f64).round() as usize];
    Some(Interval {
        low: at(0.025),
        high: at(0.975),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::stats::simulate::{Pairing, simulations};

    fn game(black: usize, white: usize, black_points: f64) -> Meeting {
        Meeting {
            black,
            white,
            black_points,
            games: 1.0,
        }
    }

    /// A round robin of three simulated engines.
    fn tournament(truth: [f64; 3], pairs: u32, rng: &mut Xoshiro256PlusPlus) -> Vec<RatedPair> {
        let mut played = Vec::new();
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            let elo = truth[first] - truth[second];
            let pairing = Pairing {
                elo,
                draws: 0.0,
                opening_bias_elo: 0.0,
            };
            for _ in 0..pairs {
                let (one, two) = pairing.play_pair(rng);
                let games = vec![
                    game(first, second, one.points()),
                    game(second, first, two.reversed().points()),
                ];
                played.push(RatedPair { games });
            }
        }
        played
    }

    /// 1,000 tournaments (TENGEN_SIMULATIONS sets another number).
    #[test]
    fn intervals_cover_the_true_ratings() {
        let truth = [0.0, 150.0, 60.0];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut covered = 0;
        for seed in 0..simulations() as u64 {
            let pairs = tournament(truth, 100, &mut rng);
            let fitted = fit_with_intervals(3, 0, &pairs, 200, seed);
            assert_eq!(
                fitted.elo[0],
                Interval {
                    low: 0.0,
                    high: 0.0
                }
            );
            covered += (1..3)
                .filter(|&engine| fitted.elo[engine].contains(truth[engine]))
                .count();
        }
        let share = covered as f64 / (2 * simulations()) as f64;
        assert!((0.93..=0.97).contains(&share), "{share}");
    }

    #[test]
    fn pairs_that_always_split_leave_no_doubt() {
        let pairs = vec![
            RatedPair {
                games: vec![game(0, 1, 1.0), game(1, 0, 1.0)]
            };
            30
        ];
        let fitted = fit_with_intervals(2, 0, &pairs, 50, 1);
        assert!(fitted.elo[1].low.abs() < 1e-6 && fitted.elo[1].high.abs() < 1e-6);
        assert!(fitted.black_advantage.low > 400.0);
    }

    #[test]
    fn without_games_everybody_is_equal() {
        let fitted = fit_with_intervals(2, 0, &[], 10, 1);
        assert_eq!(fitted.ratings.elo, [0.0, 0.0]);
    }
}
