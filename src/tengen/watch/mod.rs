//! Games that are watched in a browser while they are played: by an engine for a controller, or
//! under the referee.
//!
//! Players say what has happened and go on: they wait for no page. What pages see is put into words
//! by the threads of the pages, as often as they ask; without a page nothing is done but keeping
//! the newest state. Pages change nothing.

mod game;
mod games;

pub use game::{ClockView, Eval, MoveView, PlanView, WatchedGame, letter, points};
pub use games::WatchedGames;
