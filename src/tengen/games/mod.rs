//! The games: for each a folder with its rules, its encodings, its rollouts and its solver.
//!
//! A game is one folder here and one line of the list (`list.rs`). Rules know no encodings, encodings
//! no rollouts, and no game another one.

pub mod go;
pub mod gomoku;
mod list;
pub mod nogo;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod tictactoe;

pub use crate::with_game;
pub use list::{
    GAMES, UnknownGame, begin, game_names, info, known_name, solved_games, solves, usual_board,
};
