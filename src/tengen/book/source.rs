//! Where a book comes from: a file, or the program itself.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::file::{self, Bytes};
use super::{Book, BookError, BookMeta};
use crate::game::BoardSize;

/// The book that is compiled into the program; how it was made stands in `models/recipes/nogo.sh`.
#[cfg(not(feature = "gomocup"))]
const BUILT_IN: Option<&[u8]> = Some(include_bytes!("../../../models/nogo-9x9.book"));
#[cfg(feature = "gomocup")]
const BUILT_IN: Option<&[u8]> = None;

/// Whether the built-in book is for this game and board.
pub(crate) fn is_built_in(game: &str, size: BoardSize) -> bool {
    BUILT_IN.is_some() && game == "nogo" && size == BoardSize::square(9)
}

/// Where a book comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookSource {
    /// No book: `none`.
    None,
    /// The program's own, of NoGo 9x9: `built-in`.
    BuiltIn,
    /// A file of `tengen book`.
    File(PathBuf),
}

impl BookSource {
    /// Reads the whole book.
    ///
    /// # Errors
    /// [`BookError`] if there is none, or it is not one, or damaged.
    pub fn read(&self) -> Result<(BookMeta, Book), BookError> {
        file::contents(self.bytes()?)
    }

    /// What the book is about.
    ///
    /// # Errors
    /// As [`BookSource::read`].
    pub fn read_meta(&self) -> Result<BookMeta, BookError> {
        file::meta(self.bytes()?)
    }

    fn bytes(&self) -> Result<Bytes<'_>, BookError> {
        match self {
            BookSource::None => Err(BookError::None),
            BookSource::BuiltIn => BUILT_IN.map(Bytes::InMemory).ok_or(BookError::None),
            BookSource::File(path) => Ok(Bytes::OfFile(path)),
        }
    }
}

impl FromStr for BookSource {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<BookSource, &'static str> {
        match text {
            "" => Err("a file name, built-in or none"),
            "none" => Ok(BookSource::None),
            "built-in" => Ok(BookSource::BuiltIn),
            path => Ok(BookSource::File(path.into())),
        }
    }
}

impl From<OsString> for BookSource {
    fn from(text: OsString) -> BookSource {
        let named = text.to_str().and_then(|text| text.parse().ok());
        named.unwrap_or_else(|| BookSource::File(text.into()))
    }
}

impl fmt::Display for BookSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookSource::None => f.write_str("none"),
            BookSource::BuiltIn => f.write_str("built-in"),
            BookSource::File(path) => path.display().fmt(f),
        }
    }
}
