//! Statistics of matches: pure functions from counted games to scores, intervals, tests and
//! ratings. They depend on no game, clock or file. Source: docs/methods.md#match-statistics.

mod elo;
mod intervals;
mod inverse;
#[cfg(feature = "train")]
mod normal;
mod online;
mod pairs;
mod ratings;
#[cfg(feature = "train")]
mod seeds;
#[cfg(test)]
mod simulate;
mod sprt;
mod spsa;

pub use elo::{Interval, Z_95, elo_from_score, score_from_elo, wilson};
pub use intervals::{RatedPair, RatingsWithIntervals, fit_with_intervals};
#[cfg(feature = "train")]
pub use normal::NormalFit;
pub use online::online_elo;
pub use pairs::{GameResult, MatchScore, PairCounts};
pub use ratings::{Meeting, Ratings, fit};
#[cfg(feature = "train")]
pub use seeds::{Estimate, holm};
pub use sprt::{BadBounds, Sprt, Verdict};
pub use spsa::{BadTunedParameter, Spsa, TunedParameter};
