//! The encodings of NoGo: those of others here, Tengen's own in files.

mod v1;
mod v2;

use super::NoGo;
use crate::encode::{Encode, Encoding, show_sets};
use crate::game::Game;
use v1::scarce_liberties;

impl<const WORDS: usize> Encode for NoGo<WORDS> {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        const { &[&Self::AZ, &Self::ASF, &Self::V2, &Self::V1] }
    }
}

/// Those compared by Gao & Wu 2021, to reproduce their tables. For playing strength use `nogo-1` or `nogo-2`.
impl<const WORDS: usize> NoGo<WORDS> {
    /// `nogo-az` has the stones alone, as AlphaZero's input: my stones, theirs, ones, last move. The paper adds stones of
    /// earlier moves and does not say how many; here the last move represents them, since in NoGo the order of moves is
    /// irrelevant (docs/methods.md#nogo).
    pub const AZ: Encoding<Self> = Encoding::new("nogo-az", 4, encode_az);

    /// `nogo-asf` adds the paper's four advanced state features, interpreted as liberty *points*: liberties of my blocks
    /// with one liberty, of my blocks with two, of their blocks with one, of their blocks with two.
    const ASF: Encoding<Self> = Encoding::new("nogo-asf", 8, |position, row| {
        let area = position.size().area();
        let (stones, liberties) = row.split_at_mut(4 * area);
        encode_az(position, stones);
        let [my_last, my_two] = scarce_liberties(position, position.to_move());
        let [their_last, their_two] = scarce_liberties(position, position.to_move().opponent());
        show_sets(liberties, area, [my_last, my_two, their_last, their_two]);
    });
}

fn encode_az<const WORDS: usize>(position: &NoGo<WORDS>, row: &mut [f32]) {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let planes = [
        position.stones(me),
        position.stones(them),
        position.frame().board(),
        position.last_move().into_iter().collect(),
    ];
    show_sets(row, position.size().area(), planes);
}

#[cfg(test)]
mod tests {
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
        let row = |encoding: Encoding<SmallNoGo>| {
            let mut row = vec![0.0; encoding.planes() * 20];
            encoding.encode(&position, &mut row);
            row
        };
        let whole = row(SmallNoGo::V1);
        let pick = |planes: &[usize]| -> Vec<f32> {
            let planes = planes.iter().map(|&plane| &whole[plane * 20..][..20]);
            planes.flatten().copied().collect()
        };
        assert_eq!(row(SmallNoGo::AZ), pick(&[0, 1, 2, 9]));
        assert_eq!(row(SmallNoGo::ASF), pick(&[0, 1, 2, 9, 5, 6, 7, 8]));
        let ids = [SmallNoGo::AZ, SmallNoGo::ASF].map(|encoding| encoding.id());
        assert_eq!(ids, ["nogo-az", "nogo-asf"]);
        assert_eq!(
            SmallNoGo::AZ.cache_key(&position),
            SmallNoGo::V1.cache_key(&position)
        );
    }
}
