//! Nakade: eye spaces that one stone decides, and sacrifices that kill: captured stones leave a
//! space that is one eye only, if its vital point is played.

use super::field::Field;
use crate::game::{Bits, Frame, Move};

/// The largest eye space considered.
const LARGEST: usize = 6;

/// Whether a chain of the side to move, if captured, leaves a space in which the opponent cannot
/// make two eyes. Larger or living shapes are sekis or wasted stones.
pub(super) fn is_worth_losing<const WORDS: usize>(
    frame: &Frame<WORDS>,
    chain: Bits<WORDS>,
) -> bool {
    chain.count() <= 3 || center(frame, chain).is_some()
}

/// The vital point of a space of 3 to 6 points.
fn center<const WORDS: usize>(frame: &Frame<WORDS>, hole: Bits<WORDS>) -> Option<Move> {
    let size = hole.count();
    if !(3..=LARGEST).contains(&size) {
        return None;
    }
    let (mut links, mut most, mut middle) = (0, 0, None);
    for point in hole.iter() {
        let number = (frame.neighbors(Bits::point(point)) & hole).count();
        links += number;
        if number > most {
            (most, middle) = (number, Some(point));
        }
    }
    match (size, links / 2, most) {
        // Three in a row or a corner; a square and a pyramid; a bulky five and a cross; a rabbity six.
        (3, ..) | (4, 4, _) | (4, _, 3) | (5, 5, _) | (5, _, 4) | (6, 6, 4) => middle,
        _ => None,
    }
}

/// Vital points of eye spaces next to the last move, of either side.
pub(super) fn vital<const CELLS: usize, const WORDS: usize>(
    field: &Field<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let (frame, empty) = (field.frame(), field.empty());
    let mut found = Bits::EMPTY;
    let mut near = frame.neighbors(Bits::point(last)) & empty;
    while let Some(first) = near.lowest() {
        let mut hole = Bits::point(first);
        loop {
            let next = hole | frame.neighbors(hole) & empty;
            if next == hole || next.count() > LARGEST {
                hole = next;
                break;
            }
            hole = next;
        }
        near.remove_all(hole);
        // A square is dead already.
        if hole.count() > LARGEST || (hole.count() == 4 && is_square(frame, hole)) {
            continue;
        }
        if let Some(point) = center(frame, hole) {
            let around = frame.neighbors(hole) & !hole;
            let enclosed = crate::game::Color::BOTH
                .into_iter()
                .any(|color| around & !field.stones(color) == Bits::EMPTY);
            if enclosed {
                found.insert(point);
            }
        }
    }
    found
}

fn is_square<const WORDS: usize>(frame: &Frame<WORDS>, hole: Bits<WORDS>) -> bool {
    hole.iter()
        .all(|point| (frame.neighbors(Bits::point(point)) & hole).count() == 2)
}
