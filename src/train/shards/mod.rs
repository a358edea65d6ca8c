//! What training learns from: recorded positions, in files of whole games.
//!
//! A position is a [`row`]; rows stand in [`shard`]s, which self-play, matches of people
//! ([`import`]) and programs fill; [`dataset`] reads them and holds out whole games; [`ending`] says
//! what became of each point, of which [`row::finish`] makes targets.

pub mod dataset;
pub mod ending;
pub mod import;
pub(crate) mod merge;
pub mod row;
pub mod shard;
pub mod training_game;
