//! Papers that are reproduced: what nothing else needs.
//!
//! This module uses the others, and none uses it: methods that choose moves are registered in
//! [`crate::registry`], commands in `tengen-train`.

#[cfg(feature = "train")]
pub mod ablate;
pub mod critic;
#[cfg(feature = "train")]
pub mod mucgo;
