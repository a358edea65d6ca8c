//! Errors of training.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use thiserror::Error;

use tengen::games::UnknownGame;
use tengen_nn::eval::EvalError;

/// A request to a store that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{store}: {object}: {reason}")]
pub struct StoreError {
    /// The store, as the user named it.
    pub store: String,
    /// The object or folder.
    pub object: String,
    /// The last failure.
    pub reason: String,
}

/// Why self-play, fitting or exporting failed.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The operating system refused a file operation.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file is damaged, truncated, or not what its name says.
    #[error("{path} is damaged: {reason}; {advice}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
        /// What to do.
        advice: String,
    },
    /// The store of a run refused a request, or stayed silent.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// This program must not work on this run, and trying again will not change that.
    #[error("{0}")]
    Refused(String),
    /// The user has ended the work.
    #[error("interrupted")]
    Interrupted,
    /// Another machine was faster.
    #[error("another machine has done this work")]
    DoneElsewhere,
    /// An invalid setting, or a file or folder that cannot be used with these settings or now.
    #[error("{0}")]
    Setting(String),
    /// Unsupported board.
    #[error(transparent)]
    Size(#[from] UnknownGame),
    /// A network could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl TrainError {
    /// Wraps a failed file operation with the name of the file.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> TrainError {
        let path = path.to_path_buf();
        move |source| TrainError::Io { path, source }
    }

    /// An invalid plan, with the reason.
    pub fn plan(why: impl Display) -> TrainError {
        TrainError::Setting(format!("invalid plan: {why}"))
    }

    /// A damaged file that is made again once it is gone.
    pub fn corrupt(path: &Path, reason: impl ToString) -> TrainError {
        TrainError::Corrupt {
            path: path.to_path_buf(),
            reason: reason.to_string(),
            advice: "delete it and run the command again".to_owned(),
        }
    }

    /// The same error; for a damaged file, which is not made again, with other advice.
    pub(crate) fn advising(self, advice: impl Into<String>) -> TrainError {
        match self {
            TrainError::Corrupt { path, reason, .. } => TrainError::Corrupt {
                path,
                reason,
                advice: advice.into(),
            },
            other => other,
        }
    }

    /// A valid file of other settings, with what differs and what to do.
    pub fn mismatch(path: &Path, reason: impl Display) -> TrainError {
        TrainError::Setting(format!("{} does not fit: {reason}", path.display()))
    }
}
