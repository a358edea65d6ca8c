//! Mucgo's search (Li et al., A middle game search algorithm applicable to low-cost personal computer
//! for Go, IEEE Access 2019): UCT whose moves are scored by domain knowledge, pruned in two layers,
//! evaluated by a weighted sum and drawn at random among the best.
//!
//! It repeats the paper; nothing else depends on it. Each part is a pure function in its own file:
//!
//! | paper | file |
//! |---|---|
//! | Algorithm 1, the search | `search` over `tree` |
//! | Algorithm 2, pruning by domain knowledge and by UCB1 (PDKAUCT) | `pruning`, `ucb` |
//! | equation 9 and Table 1, the evaluation | `weighting` |
//! | section III.B.3, the interval of the best (RSHQI) | `interval` |
//! | equations 6 to 8, the stages of a game | `stage` |
//! | not defined: the value of domain knowledge, d | `domain` |
//!
//! docs/papers.md#mucgo has the results and what the paper leaves open.

mod interval;
mod params;
mod search;
#[cfg(test)]
mod tables;
mod tree;
mod ucb;

pub use interval::{IntervalBy, IntervalShare};
pub use params::{DomainScale, MucgoParams, Pruning, StageWindow, TargetMove, Weighting};
pub use search::Mucgo;
