//! Tengen's own encodings of Go, from the side to move's view.

use crate::encode::{Encoding, show_numbers, show_sets};
use crate::game::{Bits, Game, HalfPoints, Scored as _, zobrist};
use crate::games::go::{Go, Scoring};

/// Planes of points of `go-1`: my stones, their stones, ones; my and their chains with one, two, three
/// liberties; the ko; points secured for me and for them by pass-alive stones; the last five moves.
/// Three constant planes follow: komi from my view, whether the last move was a pass, and my area
/// lead if two passes ended the game now.
const SETS: usize = 17;

/// All of them.
const PLANES: usize = SETS + 3;

/// Points per unit of a plane, which is clamped to [`MAX_UNITS`].
const POINTS_SCALE: f32 = 20.0;

/// Largest number of units.
const MAX_UNITS: f32 = 2.0;

/// Number of last moves shown.
const SHOWN: usize = 5;

/// Points by which a komi that later encodings show may be larger than the board.
const MAX_KOMI: f32 = 20.0;

/// Planes of points that `go-2` adds to those of `go-1`: my and their stones that are caught, by a ladder or in an
/// atari without escape, and my moves that catch some ([`Go::laddered`]).
///
/// Three constant planes follow: 1 under territory scoring; under area scoring how near a komi is to
/// one with which games are drawn ([`parity`]); and handicap stones, in units of [`HANDICAP_SCALE`].
const MORE_SETS: usize = 3;

/// Handicap stones that are encoded as 1.
const HANDICAP_SCALE: f32 = 9.0;

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// `go-1`, a compact encoding for area scoring. Under territory scoring it shows the komi that area scoring would
    /// need ([`Go::area_komi`]).
    pub(super) const V1: Encoding<Self> = Encoding {
        cache_key: |position| position.key_with_last_moves(SHOWN),
        hidden_komi: |position| position.komi_beyond(POINTS_SCALE * MAX_UNITS),
        ..Encoding::new("go-1", PLANES, encode_1)
    };

    /// `go-2`: the planes of `go-1`, ladders, and what of the rules a network has to know.
    pub(super) const V2: Encoding<Self> = Encoding {
        id: "go-2",
        planes: PLANES + MORE_SETS + 3,
        encode: encode_2,
        cache_key: |position| {
            let handicap = zobrist::other(zobrist::Kind::Handicap, position.handicap().into());
            Self::V1.cache_key(position) ^ handicap.rotate_left(1)
        },
        knows_passes: true,
        ..Self::V1
    };

    /// Points that the side to move gets, or gives where they are negative, as networks are shown them after
    /// KataGo's inputs (`cpp/neuralnet/nninputs.cpp`). Under territory scoring each stone has cost a point, so that
    /// the game can be counted by area.
    pub(super) fn own_komi(&self) -> f32 {
        -self
            .to_move()
            .signed(self.area_komi().points() as f32 - self.hidden_komi())
    }

    /// Points of White's komi that [`Go::own_komi`] leaves out.
    pub(super) fn hidden_komi(&self) -> f32 {
        self.komi_beyond(self.size().area() as f32 + MAX_KOMI)
    }

    /// By how many points White's komi is beyond a limit; negative where it is in Black's favour.
    fn komi_beyond(&self, most: f32) -> f32 {
        let komi = self.area_komi().points() as f32;
        komi - komi.clamp(-most, most)
    }

    /// The key of a position whose row shows its last moves, this many.
    pub(super) fn key_with_last_moves(&self, count: usize) -> u128 {
        let shown = self.recent().iter().take(count).zip(1_u32..);
        shown.fold(self.key(), |key, (mv, place)| {
            key ^ zobrist::last_move(mv).rotate_left(place)
        })
    }
}

fn encode_1<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>, row: &mut [f32]) {
    let (me, area) = (position.to_move(), position.size().area());
    let (mine, theirs) = (position.stones(me), position.stones(me.opponent()));
    let mut sets = vec![mine, theirs, position.frame().board()];
    sets.extend(position.by_liberties(mine));
    sets.extend(position.by_liberties(theirs));
    sets.push(position.ko().into_iter().collect());
    sets.extend([me, me.opponent()].map(|color| position.pass_alive(color).secured));
    let shown = position
        .recent()
        .iter()
        .take(SHOWN)
        .map(|mv| match mv.index() < area {
            true => Bits::point(mv),
            false => Bits::EMPTY,
        });
    sets.extend(shown);
    show_sets(row, area, sets);
    let mine = |ahead: HalfPoints| {
        let points = ahead.points() as f32 / POINTS_SCALE;
        me.signed(points.clamp(-MAX_UNITS, MAX_UNITS))
    };
    let passed = f32::from(u8::from(position.passes() > 0));
    let numbers = [
        -mine(position.area_komi()),
        passed,
        mine(position.area_score()),
    ];
    show_numbers(&mut row[SETS * area..], area, numbers);
}

fn encode_2<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>, row: &mut [f32]) {
    let (me, area) = (position.to_move(), position.size().area());
    let (first, rest) = row.split_at_mut(PLANES * area);
    Go::<CELLS, WORDS>::V1.encode(position, first);
    let caught = position.laddered();
    let [mine, theirs] = [me, me.opponent()].map(|color| position.stones(color));
    let sets = [caught.stones & mine, caught.stones & theirs, caught.working];
    let (of_points, of_numbers) = rest.split_at_mut(MORE_SETS * area);
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

/// A triangular wave of period 2 and height 1/2 in the komi, which rises through 0 where games can be drawn:
/// there a point more is worth most.
pub(super) fn parity(komi: f32, area: usize) -> f32 {
    let drawable = (area % 2) as f32;
    let above = (komi - drawable).rem_euclid(2.0);
    match above {
        ..0.5 => above,
        ..1.5 => 1.0 - above,
        _ => above - 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color, Move};
    use crate::games::go::diagram::diagram;
    use crate::games::go::{GoRules, SmallGo};

    #[test]
    fn a_komi_beyond_forty_points_is_hidden() {
        for (komi, hidden) in [("7.5", 0.0), ("-40", 0.0), ("100", 60.0), ("-41.5", -1.5)] {
            let position = diagram(
                "..... ..... .....",
                &format!("chinese komi{komi}"),
                Color::White,
            );
            assert_eq!((SmallGo::V1.hidden_komi)(&position), hidden, "{komi}");
        }
    }

    #[test]
    fn what_is_secured_is_shown() {
        let rows = ".X.X. XXXX. ..... .OOOO .O.O.";
        let position = diagram(rows, "chinese", Color::White);
        let mut row = vec![0.0; 20 * 25];
        SmallGo::V1.encode(&position, &mut row);
        let count = |plane: usize| row[25 * plane..25 * (plane + 1)].iter().sum::<f32>();
        assert_eq!([10, 11].map(count), [8.0, 8.0]);
        assert_eq!(row[25 * 10 + 1], 1.0, "White's, at the bottom");
    }

    #[test]
    fn planes_show_what_they_say() {
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        // B1, A2, A1 in atari, a pass: White to move.
        for mv in [0, 5, 12, 6, 25] {
            position.play(Move(mv));
        }
        let encoding = SmallGo::V1;
        let mut row = vec![0.0; encoding.planes() * 25];
        encoding.encode(&position, &mut row);
        let plane = |number: usize| &row[25 * number..25 * (number + 1)];
        let points = |number: usize| -> Vec<usize> {
            (0..25)
                .filter(|&point| plane(number)[point] == 1.0)
                .collect()
        };
        assert_eq!(points(0), [5, 6]);
        assert_eq!(points(1), [0, 12]);
        assert_eq!(points(6), [0], "their chain in atari");
        assert_eq!(points(2).len(), 25);
        assert_eq!(
            [12, 13, 14, 15].map(points),
            [vec![], vec![6], vec![12], vec![5]]
        );
        let all = |number: usize, value: f32| {
            let is = |&found: &f32| (found - value).abs() < 1e-6;
            assert!(
                plane(number).iter().all(is),
                "{number}: {}",
                plane(number)[0]
            );
        };
        all(17, 0.375);
        all(18, 1.0);
        // White is ahead by its komi: two stones each, and only neutral points.
        all(19, 0.375);
        let mut other = SmallGo::new(BoardSize::square(5)).unwrap();
        for mv in [12, 5, 0, 6, 25] {
            other.play(Move(mv));
        }
        assert_eq!(other.key(), position.key());
        assert_ne!(encoding.cache_key(&other), encoding.cache_key(&position));
    }

    #[test]
    fn parity_rises_where_a_draw_is_near() {
        let wave = [0.0, 0.5, 0.0, -0.5, 0.0];
        for (step, wanted) in wave.into_iter().enumerate() {
            let komi = step as f32 / 2.0;
            for even in [-6.0, 0.0, 8.0] {
                assert_eq!(parity(even + komi, 64), wanted);
                assert_eq!(parity(even + 1.0 + komi, 81), wanted);
            }
        }
    }

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
