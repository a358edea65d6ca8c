//! What several encodings of Gomoku have in common.

use crate::game::{Bits, Color, Game, zobrist};
use crate::games::gomoku::{Gomoku, GomokuRules, Points};

/// The cache key of a position whose row shows the last move.
pub(super) fn key_with_last_move(position: &Gomoku) -> u128 {
    let last = position.last_move().map_or(0, zobrist::last_move);
    position.key() ^ last
}

/// Value of the plane that tells the rules.
const fn number(rules: GomokuRules) -> f32 {
    match rules {
        GomokuRules::Freestyle => 0.0,
        GomokuRules::Standard => 1.0,
        GomokuRules::Renju => 0.5,
        GomokuRules::Caro => -0.5,
        GomokuRules::StandardCaro => -1.0,
    }
}

/// The board itself: its points, my stones, theirs, the last move, what is forbidden to me, to them.
pub(super) fn board_sets(position: &Gomoku) -> [Points; 6] {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    [
        Bits::first(position.size().area()),
        position.stones(me),
        position.stones(them),
        position.last_move().into_iter().collect(),
        position.forbidden(me),
        position.forbidden(them),
    ]
}

/// Shows sets of points, each in a plane of this area.
pub(super) fn show_sets(planes: &mut [f32], area: usize, sets: &[Points]) {
    for (plane, points) in planes.chunks_exact_mut(area).zip(sets) {
        points.iter().for_each(|point| plane[point.index()] = 1.0);
    }
}

/// Fills the last two planes: ones if Black is to move, and the number of the rules.
pub(super) fn fill_turn_and_rules(planes: &mut [f32], position: &Gomoku) {
    let (black, rules) = planes.split_at_mut(position.size().area());
    if position.to_move() == Color::Black {
        black.fill(1.0);
    }
    rules.fill(number(position.rules()));
}
