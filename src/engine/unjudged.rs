//! Why a position has no judgement.

use thiserror::Error;

/// Why nothing is known of a position's dead stones and its score: the judgement was told to stop, or
/// there was no time for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted before the position was judged")]
pub struct Unjudged;
