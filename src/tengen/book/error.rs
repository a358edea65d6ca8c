//! Why a book cannot be used.

use thiserror::Error;

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file is something else.
    #[error("it is not a book of Tengen")]
    NotABook,
    /// A file in which nothing was saved.
    #[error("there is nothing in it yet")]
    Empty,
    /// The file was made by another version.
    #[error(
        "its format is {format}, and this program reads {known}: another version of Tengen made it"
    )]
    Format {
        /// The format's number.
        format: String,
        /// The format of this program.
        known: u32,
    },
    /// It is for another game, board or rules.
    #[error("it is a book of {book}, not of {wanted}")]
    Other {
        /// Game, board and rules of the book.
        book: String,
        /// Those in use.
        wanted: String,
    },
    /// Another process is adding to it.
    #[error("another program is adding to it")]
    InUse,
    /// Its contents contradict each other, or parts of it are missing.
    #[error("it is damaged")]
    Damaged,
    /// Error of the operating system.
    #[error(transparent)]
    Io(std::io::Error),
    /// Any other error of the store.
    #[error(transparent)]
    Store(Box<redb::Error>),
}

impl From<redb::Error> for BookError {
    fn from(error: redb::Error) -> BookError {
        match error {
            redb::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                BookError::NotABook
            }
            redb::Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                BookError::Damaged
            }
            redb::Error::Io(error) => BookError::Io(error),
            redb::Error::Corrupted(_) => BookError::Damaged,
            redb::Error::DatabaseAlreadyOpen => BookError::InUse,
            redb::Error::TableDoesNotExist(_) => BookError::Empty,
            redb::Error::TableTypeMismatch { .. } => BookError::NotABook,
            other => BookError::Store(Box::new(other)),
        }
    }
}
