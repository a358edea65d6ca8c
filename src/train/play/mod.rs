//! Self-play: [`generate`] has the players of a [`generator`] play games and writes them as shards.
//!
//! Players are random playouts ([`selfplay`]) or a network ([`network_game`] on the small trees of
//! [`mcts`], many games per batch by [`eval_batch`], ended where a solver knows the result).
//! [`mod@matches`] compares players.

pub mod eval_batch;
pub mod generate;
pub mod generator;
pub mod matches;
pub mod mcts;
pub mod network_game;
pub mod runtime;
pub mod selfplay;
pub mod settings;
pub mod threads;

/// The seed of part `number` of a run: the same in every run, independent of the order of parts. An
/// odd multiplier spreads neighbours over the seeds; xoshiro's seeding by SplitMix64 mixes them.
pub fn numbered_seed(seed: u64, number: u64) -> u64 {
    seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
