//! Papers that are reproduced, and what makes truth sets: nothing that plays or trains needs it.

pub mod ablate;
pub mod cli;
pub mod critic;
pub mod methods;
pub mod mucgo;
mod seeds;

pub use seeds::Estimate;
