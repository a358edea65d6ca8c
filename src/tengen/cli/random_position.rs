//! Positions for measurements: the same in every run and on every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::Game;

/// A position after this many random plies, or fewer if the game ends.
pub(super) fn random_position<G: Game>(empty: &G, plies: u32, seed: u64) -> G {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = empty.clone();
    for _ in 0..plies {
        let count = position.legal_count();
        if count <= 2 {
            break;
        }
        let choice = rng.random_range(0..count);
        if let Some(mv) = position.legal_moves().nth(choice) {
            position.play(mv);
        }
    }
    position
}
