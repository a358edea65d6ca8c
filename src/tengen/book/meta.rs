//! What a book is about, how it was made, and why it cannot be used.

use std::io::{self, ErrorKind};

use thiserror::Error;

use super::Images;
use crate::game::{BoardSize, Game};
use tengen_nn::files::OpenError;

/// The format of this program. Others are refused.
pub(super) const FORMAT: u32 = 2;

/// What a book is about, and how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct BookMeta {
    /// Name of the game.
    pub game: String,
    /// The board.
    pub size: BoardSize,
    /// The rules with komi, as the game writes them.
    pub rules: String,
    /// Key after the first legal move: another one shows that keys are computed otherwise.
    pub(super) first_key: u128,
    /// What chose the moves in its searches.
    pub player: String,
    /// Number of searches.
    pub steps: u64,
    /// Their time in seconds.
    pub seconds: f64,
}

impl BookMeta {
    /// Of a book without positions, for games that begin with this empty board.
    pub fn of<G: Game>(empty: &G) -> BookMeta {
        let (images, first) = (Images::of_empty(empty), empty.legal_moves().next());
        BookMeta {
            game: G::NAME.to_owned(),
            size: empty.size(),
            rules: empty.rules().to_string(),
            first_key: first.map_or(images.key(), |mv| images.after(mv).key()),
            player: String::new(),
            steps: 0,
            seconds: 0.0,
        }
    }

    /// Whether it is about the same as another book.
    ///
    /// # Errors
    /// [`BookError::Other`] names both, and [`BookError::Damaged`].
    pub fn check(&self, wanted: &BookMeta) -> Result<(), BookError> {
        self.check_board(wanted)?;
        if self.rules != wanted.rules {
            return Err(self.other(wanted));
        }
        match self.first_key == wanted.first_key {
            true => Ok(()),
            false => Err(BookError::Damaged),
        }
    }

    /// The same under any rules: they may change from game to game.
    ///
    /// # Errors
    /// [`BookError::Other`] names both.
    pub(crate) fn check_board(&self, wanted: &BookMeta) -> Result<(), BookError> {
        match (&self.game, self.size) == (&wanted.game, wanted.size) {
            true => Ok(()),
            false => Err(self.other(wanted)),
        }
    }

    fn other(&self, wanted: &BookMeta) -> BookError {
        BookError::Other {
            book: self.about(),
            wanted: wanted.about(),
        }
    }

    /// Of a book without positions, about the same as this one.
    #[must_use]
    pub fn unsearched(&self) -> BookMeta {
        BookMeta {
            player: String::new(),
            steps: 0,
            seconds: 0.0,
            ..self.clone()
        }
    }

    /// The same, after this share of another book's positions has been added: its searches count by it.
    #[must_use]
    pub fn with(&self, share: f64, other: &BookMeta) -> BookMeta {
        let player = match &*self.player {
            _ if share == 0.0 => self.player.clone(),
            "" => other.player.clone(),
            own if own.contains(&other.player) => self.player.clone(),
            own => format!("{own}, {}", other.player),
        };
        BookMeta {
            player,
            steps: self.steps + (share * other.steps as f64).round() as u64,
            seconds: self.seconds + share * other.seconds,
            ..self.clone()
        }
    }

    /// Game, board and rules, for messages.
    pub fn about(&self) -> String {
        format!("{} {}, rules {}", self.game, self.size, self.rules)
    }
}

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file is something else.
    #[error("it is not a book of Tengen")]
    NotABook,
    /// There is no such book, or another process is adding to it.
    #[error("{0}")]
    Unavailable(&'static str),
    /// A file in which nothing was saved.
    #[error("there is nothing in it yet")]
    Empty,
    /// The file was made by another version.
    #[error(
        "its format is {0}, and this program reads {known}: another version of Tengen made it",
        known = FORMAT
    )]
    Format(String),
    /// It is for another game, board or rules.
    #[error("it is a book of {book}, not of {wanted}")]
    Other {
        /// Game, board and rules of the book.
        book: String,
        /// Those in use.
        wanted: String,
    },
    /// Its contents contradict each other, or parts of it are missing.
    #[error("it is damaged: use a copy of it, or build it again")]
    Damaged,
    /// It cannot be opened.
    #[error(transparent)]
    Open(OpenError),
    /// Error of the operating system.
    #[error(transparent)]
    Io(io::Error),
    /// Any other error of the store.
    #[error(transparent)]
    Store(Box<redb::Error>),
}

/// From reading a book.
impl From<OpenError> for BookError {
    fn from(error: OpenError) -> BookError {
        match error {
            OpenError::Io(error) if error.kind() == ErrorKind::NotFound => {
                BookError::Unavailable("no such file")
            }
            other => BookError::Open(other),
        }
    }
}

/// From opening one for adding to it, which creates a missing file, and from its contents.
impl From<redb::Error> for BookError {
    fn from(error: redb::Error) -> BookError {
        match error {
            redb::Error::Io(error) => match error.kind() {
                ErrorKind::InvalidData => BookError::NotABook,
                ErrorKind::NotFound => BookError::Unavailable("no such folder"),
                // Beyond the end of the file, or of its copy in memory.
                ErrorKind::UnexpectedEof | ErrorKind::InvalidInput => BookError::Damaged,
                _ => BookError::Io(error),
            },
            redb::Error::Corrupted(_) => BookError::Damaged,
            redb::Error::DatabaseAlreadyOpen => {
                BookError::Unavailable("another program is adding to it")
            }
            redb::Error::TableDoesNotExist(_) => BookError::Empty,
            redb::Error::TableTypeMismatch { .. } => BookError::NotABook,
            other => BookError::Store(Box::new(other)),
        }
    }
}
