//! Error of an estimate of dead stones.

use thiserror::Error;

/// Why dead stones and score are not known: the estimate was stopped, or there was no time for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted before the position was judged")]
pub struct Unjudged;
