//! Self-play: [`generate`] has the players of a [`generator`] play games and writes them as shards.
//!
//! Players are random playouts ([`selfplay`]) or a network ([`network_game`] on the small trees of
//! [`mcts`], many games per batch by [`eval_batch`]). [`adjudicator`] and [`corrector`] put exact results
//! in place of estimates; [`mod@matches`] compares players.

pub mod adjudicator;
pub mod correction;
pub mod corrector;
pub mod eval_batch;
pub mod generate;
pub mod generator;
pub mod komi;
pub mod matches;
pub mod mcts;
pub mod network_game;
pub mod runtime;
pub mod selfplay;
pub mod settings;
