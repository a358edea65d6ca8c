//! The adaptive critic of 1997: a network of one hidden layer that says what a board is worth to the
//! side that has just moved, and plays the move whose board it likes best. There is no search.
//!
//! Here is what it takes to play: the network, what it sees of a board, and its file. How it learns is
//! `train::critic`. Source: Zaman, Prokhorov, Wunsch, "Adaptive critic design in learning to play
//! game of Go", ICNN 1997; docs/critic.md has its gaps and what stands in them.

mod file;
mod network;
mod view;

pub use file::{Critic, CriticError, CriticInfo};
pub use network::{Board, Network};
pub use view::{Judge, read};
