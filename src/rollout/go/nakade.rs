//! Stones given away to kill: what is taken leaves a hole that is one eye only, if it is filled again
//! in its middle.

use crate::game::go::Go;
use crate::game::{Bits, Game, Move};

/// Whether a stone of the side to move on `point`, after which its chain can be taken, leaves a hole
/// of a shape that the other side cannot make two eyes of. What is larger, or would live, is what
/// stands in seki or gives up stones for nothing.
pub(super) fn is_worth_losing<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    point: Move,
) -> bool {
    let mut chain = Bits::point(point);
    let friends = position.around(point) & position.stones(position.to_move());
    chain |= position.connected(friends);
    is_one_eye(position, chain)
}

/// Whether a hole of this shape is one eye, if whoever does not own it plays first.
fn is_one_eye<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    hole: Bits<WORDS>,
) -> bool {
    let size = hole.count();
    if size <= 3 {
        return true;
    }
    if size > 6 {
        return false;
    }
    let neighbors = |point: Move| (position.around(point) & hole).count();
    let (mut links, mut most) = (0, 0);
    for point in hole.iter() {
        let number = neighbors(point);
        links += number;
        most = most.max(number);
    }
    match (size, links / 2, most) {
        // A square and a pyramid; a bulky five and a cross; a rabbity six.
        (4, 4, _) | (4, _, 3) | (5, 5, _) | (5, _, 4) | (6, 6, 4) => true,
        _ => false,
    }
}
