//! What several encodings of Gomoku have in common.

use crate::game::{Game, zobrist};
use crate::games::gomoku::{Gomoku, GomokuRules};

/// The cache key of a position whose row shows the last move.
pub(super) fn key_with_last_move(position: &Gomoku) -> u128 {
    let last = position.last_move().map_or(0, zobrist::last_move);
    position.key() ^ last
}

/// Value of the plane that tells the rules.
pub(super) const fn number(rules: GomokuRules) -> f32 {
    match rules {
        GomokuRules::Freestyle => 0.0,
        GomokuRules::Standard => 1.0,
        GomokuRules::Renju => 0.5,
        GomokuRules::Caro => -0.5,
        GomokuRules::StandardCaro => -1.0,
    }
}
