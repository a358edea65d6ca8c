//! Encoding `nogo-2`: the planes of `nogo-1`, and what a small network cannot see for itself.
//!
//! A convolution sees a point's surroundings; how many liberties a long block has, and whether one
//! of them is a point that nobody may ever fill, it can only learn through many layers. So each
//! stone says how scarce its block's liberties are, and whether the block can never lose its last
//! one (methods §2.4: a point closed to both sides is a liberty for ever, which makes the blocks
//! around it immortal and walls between regions).

use super::nogo_v1::{fill, last_move_key};
use super::{Encoding, NoGoV1};
use crate::game::nogo::NoGo;
use crate::game::{Bits, Color, Game};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct NoGoV2;

/// Planes of `nogo-1`, which come first.
const OLD_PLANES: usize = 12;

/// What each further plane shows, in order.
const NEW_PLANES: [&str; 10] = [
    "my stones in blocks with one liberty",
    "my stones in blocks with two liberties",
    "my stones in blocks with three liberties",
    "my stones in immortal blocks",
    "liberties of my blocks with three liberties",
    "their stones in blocks with one liberty",
    "their stones in blocks with two liberties",
    "their stones in blocks with three liberties",
    "their stones in immortal blocks",
    "liberties of their blocks with three liberties",
];

impl<const WORDS: usize> Encoding<NoGo<WORDS>> for NoGoV2 {
    fn id(&self) -> &'static str {
        "nogo-2"
    }

    fn planes(&self) -> usize {
        OLD_PLANES + NEW_PLANES.len()
    }

    fn encode(&self, position: &NoGo<WORDS>, row: &mut [f32]) {
        let area = position.size().area();
        let (old, new) = row.split_at_mut(OLD_PLANES * area);
        NoGoV1.encode(position, old);
        let (mine, theirs) = new.split_at_mut(new.len() / 2);
        fill(mine, area, blocks_of(position, position.to_move()));
        fill(
            theirs,
            area,
            blocks_of(position, position.to_move().opponent()),
        );
    }

    fn cache_key(&self, position: &NoGo<WORDS>) -> u128 {
        last_move_key(position)
    }
}

/// Stones of one colour in blocks with one, two and three liberties and in immortal blocks; then
/// the liberties of those with three.
fn blocks_of<const WORDS: usize>(position: &NoGo<WORDS>, color: Color) -> [Bits<WORDS>; 5] {
    let open = position.legal(Color::Black) | position.legal(Color::White);
    let closed = position.empty() & !open;
    let mut planes = [Bits::EMPTY; 5];
    for stone in position.stones(color).iter() {
        let liberties = position.blocks().liberties(stone);
        let count = liberties.count();
        if count <= 3 {
            planes[count - 1] |= Bits::point(stone);
        }
        if count == 3 {
            planes[4] |= liberties;
        }
        if !(liberties & closed).is_empty() {
            planes[3] |= Bits::point(stone);
        }
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Move};

    fn row(position: &SmallNoGo) -> Vec<f32> {
        let planes = Encoding::<SmallNoGo>::planes(&NoGoV2);
        let mut row = vec![0.0; planes * position.size().area()];
        NoGoV2.encode(position, &mut row);
        row
    }

    fn plane(row: &[f32], area: usize, name: &str) -> Vec<u16> {
        let index = NEW_PLANES.iter().position(|p| *p == name).unwrap();
        let numbers = row[(OLD_PLANES + index) * area..][..area].iter();
        let marked = numbers.enumerate().filter(|(_, v)| **v == 1.0);
        marked.map(|(point, _)| point as u16).collect()
    }

    #[test]
    fn stones_show_the_liberties_of_their_block() {
        // XX.O on a board of four points: White to move has no move; the point is closed to both.
        let mut position = SmallNoGo::new(BoardSize::new(4, 1)).unwrap();
        for mv in [0, 3, 1].map(Move) {
            position.play(mv);
        }
        let row = row(&position);
        let show = |name| plane(&row, 4, name);
        assert_eq!(show("their stones in blocks with one liberty"), [0, 1]);
        assert_eq!(show("their stones in immortal blocks"), [0, 1]);
        assert_eq!(show("my stones in immortal blocks"), [3]);
        assert!(show("my stones in blocks with two liberties").is_empty());
    }

    #[test]
    fn three_liberties_are_shown_as_points_and_stones() {
        let mut position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        // Black on the lower edge has three liberties, White in the corner two.
        for mv in [2, 24].map(Move) {
            position.play(mv);
        }
        let row = row(&position);
        let show = |name| plane(&row, 25, name);
        assert_eq!(show("my stones in blocks with three liberties"), [2]);
        assert_eq!(
            show("liberties of my blocks with three liberties"),
            [1, 3, 7]
        );
        assert_eq!(show("their stones in blocks with two liberties"), [24]);
        assert!(show("my stones in immortal blocks").is_empty());
        let mut old = vec![0.0; OLD_PLANES * 25];
        NoGoV1.encode(&position, &mut old);
        assert_eq!(row[..old.len()], old);
    }
}
