//! Errors of a search.

use thiserror::Error;

use crate::encode::Mismatch;
use tengen_nn::eval::EvalError;

/// Why a search has no report.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The network could not be loaded, or failed on the root itself.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The network is for another game, board or encoding.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The operating system could not create a thread.
    #[error("cannot start a search thread: {0}")]
    Thread(#[from] std::io::Error),
    /// It was stopped before it had a report.
    #[error("it was stopped before {0}")]
    Stopped(&'static str),
    /// A worker panicked or did not end before the root was evaluated.
    #[error("the search broke down: {0}")]
    Broken(String),
}

impl SearchError {
    /// Error for threads that hang in an evaluation.
    pub(super) fn did_not_answer() -> SearchError {
        SearchError::Broken("the evaluator did not answer in time".to_owned())
    }
}
