//! Statistics of matches: pure functions from counted games to scores, intervals, tests and
//! ratings. They depend on no game, clock or file. Source: docs/methods.md#match-statistics.

mod elo;
mod intervals;
mod pairs;
mod ratings;
#[cfg(test)]
mod simulate;
mod sprt;
mod spsa;

pub use elo::{Interval, elo_from_score, score_from_elo, wilson};
pub use intervals::{RatedPair, RatingsWithIntervals, fit_with_intervals};
pub use pairs::{GameResult, MatchScore, PairCounts};
pub use ratings::Meeting;
pub use sprt::{BadBounds, Sprt, Verdict};
pub use spsa::{BadTunedParameter, Spsa, TunedParameter};
