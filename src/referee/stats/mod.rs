//! The statistics of matches: pure functions from counted games to scores, intervals, tests and
//! ratings. No game, no clock, no file is known here. Source: methods.md section 6.

mod elo;
mod pairs;
#[cfg(test)]
mod simulate;
mod sprt;

pub use elo::{Interval, Z_95, elo_from_score, score_from_elo, wilson};
pub use pairs::{MatchScore, PairCounts, Score};
pub use sprt::{BadBounds, Sprt, Verdict};
