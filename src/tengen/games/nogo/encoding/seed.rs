//! Encodings `nogo-az` and `nogo-asf`: those compared by Gao & Wu 2021, to reproduce their tables.
//!
//! `nogo-az` has the stones alone, as AlphaZero's input. The paper adds stones of earlier moves and
//! does not say how many; here the last move represents them, since in NoGo the order of moves is
//! irrelevant (docs/methods.md#nogo). `nogo-asf` adds the paper's four advanced state features,
//! interpreted as liberty *points*. For playing strength use [`super::NoGoV1`] or
//! [`super::NoGoV2`].

use super::v1::scarce_liberties;
use crate::encode::{Encoding, show_sets};
use crate::game::Game;
use crate::games::nogo::NoGo;

/// Planes: my stones, their stones, ones, last move.
#[derive(Debug, Clone, Copy)]
pub struct NoGoAz;

/// The planes of [`NoGoAz`]; then liberties of my blocks with one liberty, of my blocks with two,
/// of their blocks with one, of their blocks with two.
#[derive(Debug, Clone, Copy)]
pub struct NoGoAsf;

impl<const WORDS: usize> Encoding<NoGo<WORDS>> for NoGoAz {
    fn id(&self) -> &'static str {
        "nogo-az"
    }

    fn planes(&self) -> usize {
        4
    }

    fn encode(&self, position: &NoGo<WORDS>, row: &mut [f32]) {
        let (me, them) = (position.to_move(), position.to_move().opponent());
        let planes = [
            position.stones(me),
            position.stones(them),
            position.blocks().frame().board(),
            position.last_move().into_iter().collect(),
        ];
        show_sets(row, position.size().area(), planes);
    }
}

impl<const WORDS: usize> Encoding<NoGo<WORDS>> for NoGoAsf {
    fn id(&self) -> &'static str {
        "nogo-asf"
    }

    fn planes(&self) -> usize {
        8
    }

    fn encode(&self, position: &NoGo<WORDS>, row: &mut [f32]) {
        let area = position.size().area();
        let (stones, liberties) = row.split_at_mut(4 * area);
        NoGoAz.encode(position, stones);
        let [my_last, my_two] = scarce_liberties(position, position.to_move());
        let [their_last, their_two] = scarce_liberties(position, position.to_move().opponent());
        show_sets(liberties, area, [my_last, my_two, their_last, their_two]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoGoV1;
    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::nogo::SmallNoGo;

    /// Both are selections of the planes of `nogo-1`.
    #[test]
    fn the_planes_are_those_of_nogo_1() {
        let mut position = SmallNoGo::new(BoardSize::new(5, 4)).unwrap();
        for mv in [7, 3, 8, 2, 12, 4, 0].map(Move) {
            position.play(mv);
        }
        let row = |encoding: &dyn Encoding<SmallNoGo>| {
            let mut row = vec![0.0; encoding.planes() * 20];
            encoding.encode(&position, &mut row);
            row
        };
        let whole = row(&NoGoV1);
        let pick = |planes: &[usize]| -> Vec<f32> {
            let planes = planes.iter().map(|&plane| &whole[plane * 20..][..20]);
            planes.flatten().copied().collect()
        };
        assert_eq!(row(&NoGoAz), pick(&[0, 1, 2, 9]));
        assert_eq!(row(&NoGoAsf), pick(&[0, 1, 2, 9, 5, 6, 7, 8]));
        let ids: [&str; 2] = [
            Encoding::<SmallNoGo>::id(&NoGoAz),
            Encoding::<SmallNoGo>::id(&NoGoAsf),
        ];
        assert_eq!(ids, ["nogo-az", "nogo-asf"]);
        assert_eq!(NoGoAz.cache_key(&position), NoGoV1.cache_key(&position));
    }
}
