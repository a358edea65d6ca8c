//! Exact results: the interface of the solvers of games, which stand in the folders of the games.
//!
//! A solver knows rules only: no clock (the caller decides when to stop), no network, no search
//! tree, no text.

mod result;
mod solve;

pub(crate) use result::decided;
pub use result::{Advice, RatedMove, SolveLimits, SolveResult};
pub use solve::{MakeProbe, Probe, Solvable, Solve, Solves};
