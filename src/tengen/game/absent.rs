//! How a game says that it lacks a capability.

/// Stands for a capability that a game does not have: `None::<&Absent>`. It has no values, so that
/// nothing is left of such a question in compiled code.
#[derive(Debug, Clone, Copy)]
pub enum Absent {}
