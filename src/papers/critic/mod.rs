//! The adaptive critic of 1997: a network of one hidden layer that values a board for the side that
//! has just moved, and plays the move to the board with the highest value. There is no search.
//!
//! What is needed to play is the network, its input, its file and the thinker that asks it; training
//! is in `training`. Source: Zaman, Prokhorov, Wunsch, "Adaptive critic design in learning to
//! play game of Go", ICNN 1997; docs/papers.md#adaptive-critic lists its gaps and how they are filled.

mod file;
mod network;
mod registered;
mod thinker;
#[cfg(feature = "train")]
pub mod training;
mod view;

pub use file::{Critic, CriticError, CriticInfo};
pub use network::{Board, Network};
pub use registered::{checked, thinkers};
pub use thinker::CriticThinker;
pub use view::{Judge, read};
