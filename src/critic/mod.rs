//! The adaptive critic of 1997: a network of one hidden layer that values a board for the side that
//! has just moved, and plays the move to the board with the highest value. There is no search.
//!
//! This module contains what is needed to play: the network, its input, and its file. Training is
//! in `train::critic`. Source: Zaman, Prokhorov, Wunsch, "Adaptive critic design in learning to
//! play game of Go", ICNN 1997; docs/critic.md lists its gaps and how they are filled.

mod file;
mod network;
mod view;

pub use file::{Critic, CriticError, CriticInfo};
pub use network::{Board, Network};
pub use view::{Judge, read};
