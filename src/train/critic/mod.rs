//! Teaching an adaptive critic as in 1997: a network of one hidden layer learns from games against a
//! weak program what boards are worth, online, board after board.
//!
//! A [`plan`] names arms and seeds. [`run()`] has each play its games ([`lesson`]) on threads of its own:
//! the critic chooses by its values, an [`opponent`] of simple rules answers, and the game's utilities
//! ([`taught`]) move the network towards a [`target`]. Between games its strength may be measured
//! against each [`anchor`]. What a run leaves is a [`record`] and a file that the engine plays by
//! (`crate::critic`); a page (`page.rs`) shows all runs with their tables. Source: docs/critic.md.

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
