//! The encodings of NoGo, from the side to move's view. There is no colour plane: the rules are the same for both
//! colours.

use super::NoGo;
use crate::encode::{Encode, Encoding, show_sets};
use crate::game::{Bits, Color, Game};

impl<const WORDS: usize> Encode for NoGo<WORDS> {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        const { &[&Self::AZ, &Self::ASF, &Self::V2, &Self::V1] }
    }
}

/// Number of planes of one side's stones in `nogo-2`.
const SIDE: usize = 6;

/// The first two are those compared by Gao & Wu 2021, to reproduce their tables. For playing strength use `nogo-1` or
/// `nogo-2`.
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

    /// `nogo-1`, in order: my stones, theirs; ones; what is legal for me, for them; liberties of my blocks with one
    /// liberty, with two, and of theirs; the last move; what is legal for me only; what is empty and legal for neither
    /// side.
    ///
    /// Planes 5 to 8 are the four liberty planes of Gao & Wu 2021, 3.2.4, as above; planes 3, 4, 10 and 11 use NoGo's
    /// monotone legality (docs/methods.md#nogo).
    pub const V1: Encoding<Self> = Encoding::new("nogo-1", 12, |position, row| {
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
    });

    /// `nogo-2`, in order: ones; what is legal for me, for them; what is empty and legal for neither side; my stones,
    /// those in blocks with one liberty, with two, in immortal blocks; the liberties of my blocks with one liberty, with
    /// two; the same six of theirs.
    ///
    /// A convolution sees a point's neighbourhood; it needs many layers to learn how many liberties a
    /// long block has, and whether one of them can never be filled by either side. So each stone shows
    /// how few liberties its block has, and whether the block can never lose its last one
    /// (docs/methods.md#endings: a point closed to both sides is a permanent liberty, which makes the
    /// adjacent blocks immortal and walls between regions).
    ///
    /// The order of moves is irrelevant in NoGo (docs/methods.md#nogo), so there is no last move: a
    /// position reached in two ways is one input. Sixteen planes are also fast: ONNX Runtime computes
    /// the first convolution in whole vector registers.
    const V2: Encoding<Self> = Encoding {
        cache_key: |position| position.key(),
        ..Encoding::new("nogo-2", 4 + 2 * SIDE, |position, row| {
            let area = position.size().area();
            let (me, them) = (position.to_move(), position.to_move().opponent());
            let (mine, theirs) = (position.legal(me), position.legal(them));
            let closed = position.empty() & !(mine | theirs);
            let (points, stones) = row.split_at_mut(4 * area);
            let board = position.frame().board();
            show_sets(points, area, [board, mine, theirs, closed]);
            let (own, other) = stones.split_at_mut(SIDE * area);
            show_sets(own, area, blocks_of(position, me, closed));
            show_sets(other, area, blocks_of(position, them, closed));
        })
    };
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

/// Liberties of one colour's blocks that have one liberty, and of those that have two.
fn scarce_liberties<const WORDS: usize>(position: &NoGo<WORDS>, color: Color) -> [Bits<WORDS>; 2] {
    let mut scarce = [Bits::EMPTY; 2];
    for liberties in position.blocks(color) {
        let count = liberties.count();
        if let Some(set) = scarce.get_mut(count - 1) {
            *set |= liberties;
        }
    }
    scarce
}

/// One side's planes of `nogo-2`. `closed` are the empty points that are legal for neither side.
fn blocks_of<const WORDS: usize>(
    position: &NoGo<WORDS>,
    color: Color,
    closed: Bits<WORDS>,
) -> [Bits<WORDS>; SIDE] {
    let all = position.stones(color);
    let [mut one, mut two, mut immortal, mut last, mut last_two] = [Bits::EMPTY; 5];
    for stone in all.iter() {
        let (here, liberties) = (Bits::point(stone), position.liberties(stone));
        match liberties.count() {
            1 => {
                one |= here;
                last |= liberties;
            }
            2 => {
                two |= here;
                last_two |= liberties;
            }
            _ => {}
        }
        if !(liberties & closed).is_empty() {
            immortal |= here;
        }
    }
    [all, one, two, immortal, last, last_two]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::nogo::SmallNoGo;
    use crate::games::nogo::tests::from_stones;

    fn played(size: BoardSize, moves: &[u16]) -> SmallNoGo {
        let mut position = SmallNoGo::new(size).unwrap();
        moves.iter().for_each(|&mv| position.play(Move(mv)));
        position
    }

    fn row(encoding: &Encoding<SmallNoGo>, position: &SmallNoGo) -> Vec<f32> {
        let mut row = vec![0.0; encoding.planes() * position.size().area()];
        encoding.encode(position, &mut row);
        row
    }

    /// The points of a plane.
    fn plane(encoding: &Encoding<SmallNoGo>, position: &SmallNoGo, number: usize) -> Vec<usize> {
        let (area, row) = (position.size().area(), row(encoding, position));
        let plane = &row[number * area..][..area];
        (0..area).filter(|&point| plane[point] == 1.0).collect()
    }

    /// Both are selections of the planes of `nogo-1`.
    #[test]
    fn the_planes_of_the_paper_are_among_those_of_nogo_1() {
        let position = played(BoardSize::new(5, 4), &[7, 3, 8, 2, 12, 4, 0]);
        let row = |encoding| row(&encoding, &position);
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

    const ROWS: [&str; 5] = [".....", ".....", "O....", "XO...", ".X..."];

    /// The position of [`ROWS`], from the top: X mine (Black), O theirs, lower left is A1.
    fn drawn(last: Option<Move>) -> SmallNoGo {
        let size = BoardSize::square(5);
        let points = |mark: char| -> Bits<2> {
            let on_row = |(y, row): (usize, &&str)| {
                let found = row.chars().enumerate().filter(move |(_, c)| *c == mark);
                found
                    .map(move |(x, _)| size.point(x as u8, 4 - y as u8))
                    .collect::<Vec<_>>()
            };
            ROWS.iter().enumerate().flat_map(on_row).collect()
        };
        let empty = SmallNoGo::new(size).unwrap();
        let stones = [points('X'), points('O')];
        from_stones(&empty, stones, Color::Black, last).unwrap()
    }

    #[test]
    fn the_planes_of_nogo_1_show_what_they_say() {
        // A1 is point 0, E5 is point 24.
        let position = drawn(Some(Move(6)));
        let show = |number| plane(&SmallNoGo::V1, &position, number);
        assert_eq!(show(0), [1, 5]);
        assert_eq!(show(1), [6, 10]);
        assert_eq!(show(2).len(), 25);
        // A1 is the last liberty of A2: Black may fill it, because B1 has C1 as well.
        assert_eq!(show(5), [0]);
        assert_eq!(show(6), [0, 2]);
        assert!(show(7).is_empty());
        assert_eq!(show(8), [7, 11, 15]);
        assert_eq!(show(9), [6], "the last move");
        assert_eq!(show(10), [0], "legal for me only");
        assert!(!show(4).contains(&0));
        assert!(show(11).is_empty());
    }

    #[test]
    fn the_cache_key_tells_rows_apart() {
        let [first, second, none] = [Some(Move(6)), Some(Move(10)), None].map(drawn);
        let key = |position: &SmallNoGo| SmallNoGo::V1.cache_key(position);
        assert_eq!(first.key(), second.key());
        assert_ne!(key(&first), key(&second));
        assert_ne!(key(&first), key(&none));
        assert_eq!(key(&first), key(&first.clone()));
    }

    #[test]
    fn stones_show_the_liberties_of_their_block() {
        // XX.O on a board of four points: White has no legal move; the point is closed to both.
        let position = played(BoardSize::new(4, 1), &[0, 3, 1]);
        let show = |number| plane(&SmallNoGo::V2, &position, number);
        assert_eq!(show(11), [0, 1]);
        assert_eq!(show(13), [0, 1]);
        assert_eq!(show(7), [3]);
        assert_eq!(show(3), [2]);
        assert!(show(6).is_empty());
        assert_eq!(show(14), [2]);
        let corner = played(BoardSize::square(5), &[2, 24]);
        let show = |number| plane(&SmallNoGo::V2, &corner, number);
        assert_eq!(show(12), [24]);
        assert!(show(7).is_empty());
        assert_eq!(show(0).len(), 25);
    }

    /// The planes shared with `nogo-1` are the same, and two orders of moves give the same planes.
    #[test]
    fn what_both_show_is_equal_and_order_is_not_seen() {
        let size = BoardSize::new(5, 4);
        let position = played(size, &[7, 3, 8, 2, 12, 4, 0]);
        let old = |number| plane(&SmallNoGo::V1, &position, number);
        let new = |number| plane(&SmallNoGo::V2, &position, number);
        for (old_index, new_index) in [(0, 4), (1, 10), (2, 0), (3, 1), (4, 2), (11, 3)] {
            assert_eq!(old(old_index), new(new_index));
        }
        for (old_index, new_index) in [(5, 8), (6, 9), (7, 14), (8, 15)] {
            assert_eq!(old(old_index), new(new_index));
        }
        let other_way = played(size, &[0, 4, 12, 2, 7, 3, 8]);
        let [one, other] = [&position, &other_way].map(|position| {
            (
                row(&SmallNoGo::V2, position),
                SmallNoGo::V2.cache_key(position),
            )
        });
        assert_eq!(one, other);
    }
}
