//! Encoding `go-2`: the planes of `go-1`, ladders, and what of the rules a network has to know.

use super::v1::{PLANES, parity};
use crate::encode::{Encoding, show_numbers, show_sets};
use crate::game::{Game, Scored as _, zobrist};
use crate::games::go::{Go, Scoring};

/// Planes of points after those of `go-1`: my and their stones that are caught, by a ladder or in an
/// atari without escape, and my moves that catch some ([`Go::laddered`]).
///
/// Three constant planes follow: 1 under territory scoring; under area scoring how near a komi is to
/// one with which games are drawn ([`parity`]); and handicap stones, in units of [`HANDICAP_SCALE`].
const SETS: usize = 3;

/// Handicap stones that are encoded as 1.
const HANDICAP_SCALE: f32 = 9.0;

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// `go-2`.
    pub(super) const V2: Encoding<Self> = Encoding {
        id: "go-2",
        planes: PLANES + SETS + 3,
        encode,
        cache_key,
        knows_passes: true,
        ..Self::V1
    };
}

fn encode<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>, row: &mut [f32]) {
    let (me, area) = (position.to_move(), position.size().area());
    let (first, rest) = row.split_at_mut(PLANES * area);
    Go::<CELLS, WORDS>::V1.encode(position, first);
    let caught = position.laddered();
    let [mine, theirs] = [me, me.opponent()].map(|color| position.stones(color));
    let sets = [caught.stones & mine, caught.stones & theirs, caught.working];
    let (of_points, of_numbers) = rest.split_at_mut(SETS * area);
    show_sets(of_points, area, sets);
    let is_territory = position.rules().scoring == Scoring::Territory;
    let numbers = [
        f32::from(u8::from(is_territory)),
        match is_territory {
            true => 0.0,
            false => parity(position.own_komi(), area),
        },
        f32::from(position.handicap()) / HANDICAP_SCALE,
    ];
    show_numbers(of_numbers, area, numbers);
}

fn cache_key<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>) -> u128 {
    let handicap = zobrist::other(zobrist::Kind::Handicap, position.handicap().into());
    Go::<CELLS, WORDS>::V1.cache_key(position) ^ handicap.rotate_left(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color, Move};
    use crate::games::go::diagram::diagram;
    use crate::games::go::{GoRules, SmallGo};

    /// The planes after those of `go-1`.
    fn planes(position: &SmallGo) -> Vec<Vec<f32>> {
        let area = position.size().area();
        let encoding = SmallGo::V2;
        let mut row = vec![0.0; encoding.planes() * area];
        encoding.encode(position, &mut row);
        row.chunks_exact(area)
            .skip(PLANES)
            .map(<[f32]>::to_vec)
            .collect()
    }

    fn points(plane: &[f32]) -> Vec<usize> {
        (0..plane.len())
            .filter(|&point| plane[point] == 1.0)
            .collect()
    }

    #[test]
    fn ladders_are_shown_to_both_sides() {
        let rows = "......... ......... ......... ......... ......... ......... .XO...... \
                    ..XX..... .........";
        let seen = |color| {
            let planes = planes(&diagram(rows, "chinese", color));
            [0, 1, 2].map(|plane| points(&planes[plane]))
        };
        assert_eq!(seen(Color::Black), [vec![], vec![20], vec![29]]);
        assert_eq!(seen(Color::White), [vec![20], vec![], vec![]]);
    }

    #[test]
    fn rules_are_shown() {
        let numbers = |rules: &str| {
            let rules: GoRules = rules.parse().unwrap();
            let empty = SmallGo::with_rules(BoardSize::square(9), rules).unwrap();
            let stones = [(Move(20), Color::Black), (Move(60), Color::Black)];
            let planes = planes(&empty.set_up(&stones, Color::White).unwrap());
            [3, 4, 5].map(|plane| planes[plane][0])
        };
        assert_eq!(numbers("japanese komi0.5"), [1.0, 0.0, 2.0 / 9.0]);
        // 81 points: neither side wins by an even number, so that half a point more than 7 wins a game.
        assert_eq!(numbers("tromp-taylor komi7.5"), [0.0, 0.5, 2.0 / 9.0]);
        assert_eq!(numbers("tromp-taylor komi6.5"), [0.0, -0.5, 2.0 / 9.0]);
    }

    /// The same stones and last moves, once after a handicap.
    #[test]
    fn keys_tell_handicap_apart() {
        // By other rules the komi would tell.
        let rules: GoRules = "tromp-taylor".parse().unwrap();
        let mut even = SmallGo::with_rules(BoardSize::square(5), rules).unwrap();
        let stones = [(Move(0), Color::Black), (Move(1), Color::Black)];
        let mut handicap = even.set_up(&stones, Color::White).unwrap();
        let last = [10, 11, 12, 13, 14];
        let play = |position: &mut SmallGo, moves: &[u16]| {
            let moves = moves.iter().chain(&last);
            moves.for_each(|&mv| position.play(Move(mv)));
        };
        play(&mut even, &[0, 2, 1]);
        play(&mut handicap, &[2, 25]);
        assert_eq!((even.handicap(), handicap.handicap()), (0, 2));
        assert_eq!(even.key(), handicap.key());
        let key = |position: &SmallGo| SmallGo::V2.cache_key(position);
        assert_ne!(key(&even), key(&handicap));
    }
}
