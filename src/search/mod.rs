//! PUCT search over one shared graph: many threads, virtual loss, tree reuse, proven results.

mod limits;
mod params;
mod report;

pub use limits::{Limits, StopFlag};
pub use params::{MoveChoice, ParamInfo, SearchParams, SetError};
pub use report::{MoveReport, Proof, SearchReport};
