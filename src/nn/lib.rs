//! Networks of board games: their files, and how they are computed. Independent of the games.
//!
//! [`onnx`] is the file format; [`eval`] has the backends, tensors in and tensors out. How to use it in a program of
//! your own: docs/library.md.

mod board;
pub mod eval;
pub mod files;
pub mod onnx;

pub use board::{BoardSize, Move, NoBoardSize};
