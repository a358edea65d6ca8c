//! Training of adaptive critics as in 1997: a network of one hidden layer learns the values of
//! boards from games against a weak program, online, board by board.
//!
//! A [`plan`] defines arms and seeds. [`run()`] lets each play its games ([`lesson`]) on its own
//! thread: the critic chooses by its values, an [`opponent`] with simple rules answers, and the
//! game's utilities ([`taught`]) move the network towards a [`target`]. Between games its strength
//! may be measured against each [`anchor`]. A run produces a [`record`] and a file for the engine
//! (`papers::critic`); a page (`page.rs`) shows all runs with their tables. Source: docs/papers.md#adaptive-critic.

pub mod anchor;
pub mod lesson;
pub mod opponent;
mod page;
pub mod plan;
pub mod record;
mod results;
pub mod run;
mod tables;
pub mod target;
pub mod taught;

pub use plan::CriticPlan;
pub use run::{CriticEvent, all_games, run};

/// As [`with_game!`](crate::with_game), for the games that a critic can learn: those with an
/// [`Opponent`](crate::papers::critic::training::opponent::Opponent).
#[macro_export]
macro_rules! with_taught_game {
    ($name:expr, $size:expr, rules: $rules:expr, |$start:ident| $work:expr) => {
        $crate::first_that_fits! { ($name, $size, $rules, $start, $work)
            [$crate::games::nogo::SmallNoGo, $crate::games::nogo::LargeNoGo]
            [$crate::games::go::SmallGo, $crate::games::go::LargeGo]
            [$crate::games::gomoku::Gomoku]
        }
    };
}
