//! Books of openings: positions that were searched in advance, one joined for all symmetries of the
//! board.
//!
//! What is kept of a position are the facts of its search ([`Searched`]); its value is derived from
//! those of the positions after it ([`Book`]). So a book grows by adding one entry at a time, and two
//! books are merged by taking the entries of both.

// Books are named by users, and played from in games: nothing here may panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable
)]

mod file;
mod growth;
mod meta;
mod searched;
mod source;
mod tree;

pub use file::BookFile;
pub use growth::{Growth, Place};
pub use meta::{BookError, BookMeta};
pub use searched::{Images, LeftOut, Searched, SearchedMove};
pub use source::BookSource;
pub(crate) use source::is_built_in;
pub use tree::{Book, BookLine, BookMove, line};

#[cfg(test)]
mod tests;
