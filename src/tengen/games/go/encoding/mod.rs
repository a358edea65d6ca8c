//! The encodings of Go: that of a paper here, KataGo's and Tengen's own in files.

mod katago;
mod own;

use super::Go;
use crate::encode::{Encode, Encoding, show_sets};
use crate::game::{Bits, Color, Game};

impl<const CELLS: usize, const WORDS: usize> Encode for Go<CELLS, WORDS> {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        const {
            &[
                &Self::KATAGO,
                &Self::KATAGO_BY_SUICIDE,
                &Self::MOBILE,
                &Self::V2,
                &Self::V1,
            ]
        }
    }
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// `go-mobile-2`, the 21 planes of Cazenave 2020 (III and IV-E), to reproduce its networks.
    ///
    /// The paper names stones, liberties, ladder status, that of adjacent strings, the last five states
    /// and the colour to play, and gives only some counts: two planes for the current state, one for
    /// each of four earlier ones. The division of the rest is ours. Planes are from the side to move's
    /// view. Komi, ko and passes are not shown: a network is for one komi only. For playing strength
    /// use `go-1`.
    const MOBILE: Encoding<Self> = Encoding {
        cache_key: |position| position.key_with_last_moves(EARLIER.1) ^ position.captures_key(),
        ..Encoding::new("go-mobile-2", PLANES, encode)
    };
}

/// Number of planes, in order: ones if I am Black; my stones, theirs; the boards one to four moves ago, 1 my stones,
/// -1 theirs; my chains with one liberty, with two, three and more, and theirs; my chains that fall if they move first,
/// in atari or caught ([`Go::laddered`]), theirs that fall if I do; my chains in atari that fall although I move first,
/// theirs although they do; my chains beside one of theirs in a ladder, theirs beside one of mine.
const PLANES: usize = 21;

/// The first plane of an earlier board, and how many there are.
const EARLIER: (usize, usize) = (3, 4);

fn encode<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>, row: &mut [f32]) {
    let area = position.size().area();
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let [mine, theirs] = [me, them].map(|color| position.stones(color));
    let ones = match me {
        Color::Black => position.frame().board(),
        Color::White => Bits::EMPTY,
    };
    let (first, count) = EARLIER;
    let mut sets = vec![ones, mine, theirs];
    sets.resize(first + count, Bits::EMPTY);
    for stones in [mine, theirs] {
        let known = position.by_liberties(stones);
        let more = known.iter().fold(stones, |more, set| more & !*set);
        sets.extend(known);
        sets.push(more);
    }
    sets.extend(ladders(position));
    show_sets(row, area, sets);
    let planes = row.chunks_exact_mut(area).skip(first);
    for (plane, stones) in planes.zip(position.history()) {
        for (color, number) in [(me, 1.0), (them, -1.0)] {
            let points = stones[color.index()].iter();
            points.for_each(|point| plane[point.index()] = number);
        }
    }
}

/// The last six planes.
fn ladders<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
) -> [Bits<WORDS>; 6] {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let caught = position.laddered().stones;
    let falling = |color| {
        let stones = position.stones(color);
        let [atari, ..] = position.by_liberties(stones);
        [atari | (caught & stones), atari & caught]
    };
    let beside =
        |color, enemies| position.connected(position.next_to(enemies) & position.stones(color));
    let ([my_fall, my_lost], [their_fall, their_lost]) = (falling(me), falling(them));
    // What is lost falls, too.
    let (mine, theirs) = (beside(me, their_fall), beside(them, my_fall));
    [my_fall, their_fall, my_lost, their_lost, mine, theirs]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::go::{LargeGo, SmallGo};

    /// The nonzero points of each plane.
    fn shown(position: &SmallGo) -> Vec<Vec<(usize, f32)>> {
        let area = position.size().area();
        let mut row = vec![0.0; PLANES * area];
        SmallGo::MOBILE.encode(position, &mut row);
        let points = |plane: &[f32]| {
            let points = plane.iter().copied().enumerate();
            points.filter(|point| point.1 != 0.0).collect()
        };
        row.chunks_exact(area).map(points).collect()
    }

    fn ones(points: &[usize]) -> Vec<(usize, f32)> {
        points.iter().map(|&point| (point, 1.0)).collect()
    }

    #[test]
    fn planes_show_what_they_say() {
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        // White's A1 is captured by B1 and A2; White answers in the centre. Black to move.
        for mv in [1, 0, 5, 12] {
            position.play(Move(mv));
        }
        let planes = shown(&position);
        assert_eq!(planes[0].len(), 25);
        assert_eq!(planes[1], ones(&[1, 5]));
        assert_eq!(planes[2], ones(&[12]));
        assert_eq!(planes[3], ones(&[1, 5]), "a move ago");
        assert_eq!(planes[4], vec![(0, -1.0), (1, 1.0)], "before A1 was taken");
        assert_eq!(planes[5], ones(&[1]));
        assert_eq!(planes[6], vec![]);
        assert_eq!(planes[7..11], [vec![], vec![], ones(&[1, 5]), vec![]]);
        assert_eq!(planes[14], ones(&[12]));
        assert!(planes[15..].iter().all(Vec::is_empty), "{planes:?}");
        // Another order with the same stones, turn and ko.
        let mut other = SmallGo::new(BoardSize::square(5)).unwrap();
        for mv in [1, 25, 5, 12] {
            other.play(Move(mv));
        }
        assert_eq!(shown(&other)[1..3], planes[1..3]);
        let key = |position: &SmallGo| SmallGo::MOBILE.cache_key(position);
        assert_ne!(key(&other), key(&position));
    }

    #[test]
    fn ladders_and_who_stands_beside_them_are_shown() {
        let rows = "......... ......... ......... ......... ......... ......... .XO...... \
                    ..XX..... .........";
        let of = |to_move| {
            shown(&crate::games::go::diagram::diagram(
                rows, "chinese", to_move,
            ))
        };
        let (stone, black) = (ones(&[20]), ones(&[11, 12, 19]));
        let planes = of(Color::Black);
        assert_eq!(planes[12], stone, "two liberties");
        assert_eq!(planes[16], stone, "Black takes it");
        assert_eq!(planes[19], black);
        assert!(planes[15].is_empty() && planes[17..19].iter().all(Vec::is_empty));
        let planes = of(Color::White);
        assert_eq!((&planes[15], &planes[20]), (&stone, &black));
        assert!(planes[16..20].iter().all(Vec::is_empty) && planes[0].is_empty());
    }

    /// Both position types give the same planes, which transform with the board.
    #[test]
    fn it_does_not_matter_how_the_board_lies() {
        use crate::game::Symmetry;
        let size = BoardSize::square(7);
        let moves = [8, 9, 15, 16, 1, 23, 24, 30, 2, 10, 17, 22];
        let mut large = LargeGo::new(size).unwrap();
        let mut small = SmallGo::new(size).unwrap();
        for mv in moves {
            large.play(Move(mv));
            small.play(Move(mv));
        }
        let planes = shown(&small);
        let mut row = vec![0.0; PLANES * 49];
        LargeGo::MOBILE.encode(&large, &mut row);
        let same = |(plane, numbers): (usize, &[f32])| {
            let points: Vec<_> = planes[plane].clone();
            numbers.iter().sum::<f32>() == points.iter().map(|point| point.1).sum::<f32>()
        };
        assert!(row.chunks_exact(49).enumerate().all(same));
        for symmetry in Symmetry::all(size) {
            let mut turned = SmallGo::new(size).unwrap();
            for mv in moves {
                turned.play(symmetry.apply(size, Move(mv)));
            }
            for (plane, expected) in shown(&turned).into_iter().zip(&planes) {
                let image = |&(point, number): &(usize, f32)| {
                    (symmetry.apply(size, Move(point as u16)).index(), number)
                };
                let mut expected: Vec<_> = expected.iter().map(image).collect();
                expected.sort_by_key(|point| point.0);
                assert_eq!(plane, expected);
            }
        }
    }
}
