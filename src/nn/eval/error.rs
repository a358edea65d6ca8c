//! Errors of evaluators.

use thiserror::Error;

/// Why an evaluation, or loading a model, failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvalError {
    /// The model file cannot be read or is invalid.
    #[error("cannot load network {path}: {reason}")]
    Load {
        /// File name, or `embedded`.
        path: String,
        /// What is wrong and how to fix it.
        reason: String,
    },
    /// The backend is not available on this machine.
    #[error("backend {backend} is not available: {reason}")]
    Unavailable {
        /// The backend's name.
        backend: &'static str,
        /// What is missing and how to get it.
        reason: String,
    },
    /// The backend failed during evaluation, or another part of the evaluation pipeline is gone.
    #[error("evaluation failed on {backend}: {reason}")]
    Run {
        /// The backend's name.
        backend: &'static str,
        /// The backend's message.
        reason: String,
    },
}
