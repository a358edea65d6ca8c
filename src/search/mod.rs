//! PUCT search over one shared graph: many threads, virtual loss, tree reuse, proven results.

mod limits;
mod report;

pub use limits::{Limits, StopFlag};
pub use report::{MoveReport, Proof, SearchReport};
