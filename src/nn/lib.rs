//! Networks of board games: their files, and how they are computed. Independent of the games.
//!
//! [`onnx`] is the file format; [`eval`] has the backends, tensors in and tensors out.

mod board;
pub mod eval;
pub mod files;
pub mod onnx;

pub use board::{BoardSize, Move, NoBoardSize};
