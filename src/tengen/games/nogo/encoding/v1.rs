//! Encoding `nogo-1`: twelve planes for NoGo, from the side to move's view.
//!
//! Planes 5 to 8 are the four liberty planes of Gao & Wu 2021, 3.2.4, interpreted as liberty
//! *points*; planes 3, 4, 10 and 11 use NoGo's monotone legality (docs/methods.md#nogo). There is
//! no colour plane: the rules are the same for both colours.

use crate::encode::{Encoding, show_sets};
use crate::game::{Bits, Color, Game};
use crate::games::nogo::NoGo;

/// Number of planes, in order: my stones, theirs; ones; what is legal for me, for them; liberties of my blocks with one
/// liberty, with two, and of theirs; the last move; what is legal for me only; what is empty and legal for neither
/// side.
const PLANES: usize = 12;

impl<const WORDS: usize> NoGo<WORDS> {
    /// `nogo-1`.
    pub const V1: Encoding<Self> = Encoding::new("nogo-1", PLANES, encode);
}

fn encode<const WORDS: usize>(position: &NoGo<WORDS>, row: &mut [f32]) {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let (my_legal, their_legal) = (position.legal(me), position.legal(them));
    let [my_last, my_two] = scarce_liberties(position, me);
    let [their_last, their_two] = scarce_liberties(position, them);
    let planes = [
        position.stones(me),
        position.stones(them),
        position.frame().board(),
        my_legal,
        their_legal,
        my_last,
        my_two,
        their_last,
        their_two,
        position.last_move().into_iter().collect(),
        my_legal & !their_legal,
        position.empty() & !(my_legal | their_legal),
    ];
    show_sets(row, position.size().area(), planes);
}

/// Liberties of one colour's blocks that have one liberty, and of those that have two.
pub(super) fn scarce_liberties<const WORDS: usize>(
    position: &NoGo<WORDS>,
    color: Color,
) -> [Bits<WORDS>; 2] {
    let mut scarce = [Bits::EMPTY; 2];
    for liberties in position.blocks(color) {
        let count = liberties.count();
        if let Some(set) = scarce.get_mut(count - 1) {
            *set |= liberties;
        }
    }
    scarce
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::nogo::SmallNoGo;
    use crate::games::nogo::tests::from_stones;

    /// Encodes a diagram with rows from the top: X mine (Black), O theirs, lower left is A1.
    fn encode(rows: [&str; 5], last: Option<Move>) -> (SmallNoGo, Vec<f32>) {
        let size = BoardSize::square(5);
        let points = |mark: char| -> Bits<2> {
            let on_row = |(y, row): (usize, &&str)| {
                let found = row.chars().enumerate().filter(move |(_, c)| *c == mark);
                found
                    .map(move |(x, _)| size.point(x as u8, 4 - y as u8))
                    .collect::<Vec<_>>()
            };
            rows.iter().enumerate().flat_map(on_row).collect()
        };
        let empty = SmallNoGo::new(size).unwrap();
        let stones = [points('X'), points('O')];
        let position = from_stones(&empty, stones, Color::Black, last).unwrap();
        let mut row = vec![0.0; PLANES * size.area()];
        SmallNoGo::V1.encode(&position, &mut row);
        (position, row)
    }

    fn plane(row: &[f32], number: usize) -> Vec<usize> {
        let plane = &row[number * 25..][..25];
        (0..25).filter(|&point| plane[point] == 1.0).collect()
    }

    #[test]
    fn the_planes_show_what_they_say() {
        // A1 is point 0, E5 is point 24.
        let rows = [".....", ".....", "O....", "XO...", ".X..."];
        let (_, row) = encode(rows, Some(Move(6)));
        assert_eq!(plane(&row, 0), [1, 5]);
        assert_eq!(plane(&row, 1), [6, 10]);
        assert_eq!(plane(&row, 2).len(), 25);
        // A1 is the last liberty of A2: Black may fill it, because B1 has C1 as well.
        assert_eq!(plane(&row, 5), [0]);
        assert_eq!(plane(&row, 6), [0, 2]);
        assert!(plane(&row, 7).is_empty());
        assert_eq!(plane(&row, 8), [7, 11, 15]);
        assert_eq!(plane(&row, 9), [6], "the last move");
        assert_eq!(plane(&row, 10), [0], "legal for me only");
        assert!(!plane(&row, 4).contains(&0));
        assert!(plane(&row, 11).is_empty());
    }

    #[test]
    fn the_cache_key_tells_rows_apart() {
        let rows = [".....", ".....", "O....", "XO...", ".X..."];
        let (first, _) = encode(rows, Some(Move(6)));
        let (second, _) = encode(rows, Some(Move(10)));
        let (none, _) = encode(rows, None);
        assert_eq!(first.key(), second.key());
        assert_ne!(
            SmallNoGo::V1.cache_key(&first),
            SmallNoGo::V1.cache_key(&second)
        );
        assert_ne!(
            SmallNoGo::V1.cache_key(&first),
            SmallNoGo::V1.cache_key(&none)
        );
        assert_eq!(
            SmallNoGo::V1.cache_key(&first),
            SmallNoGo::V1.cache_key(&first.clone())
        );
    }
}
