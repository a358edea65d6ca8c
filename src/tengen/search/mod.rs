//! PUCT search over one shared graph: many threads, virtual loss, tree reuse, proven results.
//!
//! A playout is *gathered* (a descent to a leaf, whose planes go into a batch), *evaluated* by the
//! thread's own [`tengen_nn::eval::Evaluator`], and *applied* (expansion and backup). Threads share
//! only the tree's atomics, the number of remaining playouts and a stop flag; a lock is taken only to get memory.
//! When memory is full the threads stop, the least visited parts of the tree are pruned, and they
//! continue. [`StepSearch`] is the same search on one thread, over a small tree, leaf by leaf, for
//! self-play. This module knows no rules of any game, no backend and no protocol, and prints
//! nothing.

mod arena;
mod backup;
mod bias;
mod control;
mod edge;
mod leaf;
mod memory;
mod mirror;
mod node;
mod params;
mod playout;
mod points;
mod pool;
mod request;
mod reuse;
mod root;
mod searcher;
mod select;
mod step_search;
mod tree;
mod worker;

pub use crate::report::{MoveReport, Observer, SearchReport};
pub use mirror::{MIRRORED_ANSWERS, is_mirrored};
pub use params::{SearchParams, add_root_noise};
pub use pool::{EvaluatorMaker, ProberMaker};
pub use request::{
    ASK_AGAIN, AnalysisOptions, Limits, OpponentModel, PointsByMove, ProbeContext, Prober, Purpose,
    SearchError, SearchRequest, StopFlag, VisitAdvantage,
};
pub(crate) use root::choose;
pub use searcher::{Searcher, SearcherOptions};
pub use step_search::{RootMove, RootMoves, StepSearch};

#[cfg(test)]
#[cfg(loom)]
mod loom_tests;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;
