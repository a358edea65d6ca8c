//! Mucgo's search (Li et al., A middle game search algorithm applicable to low-cost personal computer
//! for Go, IEEE Access 2019): UCT whose moves are scored by domain knowledge, pruned in two layers,
//! evaluated by a weighted sum and drawn at random among the best.
//!
//! It repeats the paper; nothing else depends on it. Each part is a pure function:
//!
//! | paper | file |
//! |---|---|
//! | Algorithm 1, the search | `search` |
//! | Algorithm 2, pruning by domain knowledge and by UCB1 (PDKAUCT) | `params` |
//! | equation 9 and Table 1, the evaluation | `params` |
//! | section III.B.3, the interval of the best (RSHQI) | `params` |
//! | equations 6 to 8, the stages of a game | `params` |
//! | not defined: the value of domain knowledge, d | `params` |
//! | equations 1 to 5, the plies at which the middle game begins and ends | `stages` |
//!
//! The last are fitted to recorded games, with a test whether they are normally distributed. The weights of domain scores are fitted by
//! [`tengen::games::go::WeightFit`]. docs/papers.md#mucgo has the results and what the paper leaves open.

mod params;
mod search;
mod stages;
#[cfg(test)]
mod tables;

pub use params::{MucgoParams, Pruning, StageWindow, TargetMove};
pub use search::Mucgo;
pub use stages::{BEGINS, CELLS, ENDS, NormalFit, Proxy};
