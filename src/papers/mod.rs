//! Papers that are reproduced: what nothing else needs.
//!
//! This module uses the others, and only [`crate::registry`] uses it, where methods that choose moves
//! are registered; commands are in `tengen-train`.

#[cfg(feature = "train")]
pub mod ablate;
pub mod critic;
#[cfg(feature = "train")]
pub mod mucgo;
