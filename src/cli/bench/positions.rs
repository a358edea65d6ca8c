//! The positions that are measured: the same in every run and on every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::{BoardSize, Game, UnsupportedSize};

/// A position after so many random plies, or as many as the game has left room for.
pub(super) fn random_position<G: Game>(
    size: BoardSize,
    plies: u32,
    seed: u64,
) -> Result<G, UnsupportedSize> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = G::new(size)?;
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
    Ok(position)
}
