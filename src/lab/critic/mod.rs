//! Training of adaptive critics as in 1997: a network of one hidden layer learns the values of
//! boards from games against a weak program, online, board by board.
//!
//! A [`plan`] defines arms and seeds. [`run()`] lets each play its games ([`lesson`]) on its own
//! thread: the critic chooses by its values, an opponent with simple rules answers, and the game's
//! utilities ([`taught`]) move the network towards a [`target`]. Between games its strength may be
//! measured. A run produces a [`record`] and a file with the [`network`]; at the end tables
//! (`tables.rs`) compare all runs.
//!
//! A critic plays the move to the board that it values most ([`ByCritic`](crate::methods::ByCritic)); there is no search. Source: Zaman,
//! Prokhorov, Wunsch, "Adaptive critic design in learning to play game of Go", ICNN 1997;
//! docs/papers.md#adaptive-critic lists its gaps and how they are filled.

mod file;
pub mod lesson;
pub mod network;
pub mod plan;
pub mod record;
pub mod run;
mod tables;
pub mod target;
pub mod taught;

pub use file::{Critic, CriticError, CriticInfo};
pub use network::{Board, Network, read};
pub use plan::CriticPlan;
pub use run::{CriticEvent, all_games, run};

/// As [`with_game!`](tengen::with_game), for the games that a critic can learn: those that
/// are [`Taught`](crate::critic::taught::Taught).
#[macro_export]
macro_rules! with_taught_game {
    ($name:expr, $size:expr, rules: $rules:expr, |$start:ident| $work:expr) => {
        ::tengen::first_that_fits! { ($name, $size, $rules, $start, $work)
            [::tengen::games::nogo::SmallNoGo, ::tengen::games::nogo::LargeNoGo]
            [::tengen::games::go::SmallGo, ::tengen::games::go::LargeGo]
        }
    };
}
