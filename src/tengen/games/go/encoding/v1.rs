//! Encoding `go-1`: a compact encoding for Go under area scoring, from the side to move's view.
//! Under territory scoring it shows the komi that area scoring would need ([`Go::area_komi`]).

use super::komi;
use crate::encode::Encoding;
use crate::game::{Bits, Game, HalfPoints, Recent, Scored as _, zobrist};
use crate::games::go::Go;

/// Implementation of `go-1`.
pub(super) struct V1;

/// Planes of points: my stones, their stones, ones; my and their chains with one, two, three
/// liberties; the ko; points secured for me and for them by pass-alive stones; the last five moves.
/// Three constant planes follow: komi from my view, whether the last move was a pass, and my area
/// lead if two passes ended the game now.
const SETS: usize = 17;

/// All of them.
pub(super) const PLANES: usize = SETS + 3;

/// Points per unit of a plane, which is clamped to [`MAX_UNITS`].
const POINTS_SCALE: f32 = 20.0;

/// Largest number of units.
const MAX_UNITS: f32 = 2.0;

impl<const CELLS: usize, const WORDS: usize> Encoding<Go<CELLS, WORDS>> for V1 {
    fn id(&self) -> &'static str {
        "go-1"
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn encode(&self, position: &Go<CELLS, WORDS>, row: &mut [f32]) {
        let (me, area) = (position.to_move(), position.size().area());
        let (mine, theirs) = (position.stones(me), position.stones(me.opponent()));
        let [my_one, my_two, my_three] = position.by_liberties(mine);
        let [their_one, their_two, their_three] = position.by_liberties(theirs);
        let ko = position.ko().into_iter().collect();
        let mut sets = vec![mine, theirs, mine | theirs | position.empty()];
        sets.extend([
            my_one,
            my_two,
            my_three,
            their_one,
            their_two,
            their_three,
            ko,
            position.pass_alive(me).secured,
            position.pass_alive(me.opponent()).secured,
        ]);
        let moves = position.recent();
        let shown = moves.iter().take(SHOWN).map(|mv| match mv.index() < area {
            true => Bits::point(mv),
            false => Bits::EMPTY,
        });
        sets.extend(shown);
        for (plane, points) in row.chunks_exact_mut(area).zip(sets) {
            points.iter().for_each(|point| plane[point.index()] = 1.0);
        }
        let mine = |ahead: HalfPoints| {
            let points = ahead.0 as f32 / 2.0 / POINTS_SCALE;
            me.signed(points.clamp(-MAX_UNITS, MAX_UNITS))
        };
        let passed = f32::from(u8::from(position.passes() > 0));
        let numbers = [
            -mine(position.area_komi()),
            passed,
            mine(position.area_score()),
        ];
        for (plane, number) in row[SETS * area..].chunks_exact_mut(area).zip(numbers) {
            plane.fill(number);
        }
    }

    fn hidden_komi(&self, position: &Go<CELLS, WORDS>) -> f32 {
        komi::beyond(position, POINTS_SCALE * MAX_UNITS)
    }

    fn cache_key(&self, position: &Go<CELLS, WORDS>) -> u128 {
        let moves: Recent = position.recent();
        let shown = moves.iter().take(SHOWN).zip(1_u32..);
        shown.fold(position.key(), |key, (mv, place)| {
            key ^ zobrist::last_move(mv).rotate_left(place)
        })
    }
}

/// Number of last moves shown.
const SHOWN: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Color;
    use crate::game::{BoardSize, Move};
    use crate::games::go::SmallGo;

    #[test]
    fn a_komi_beyond_forty_points_is_hidden() {
        for (komi, hidden) in [("7.5", 0.0), ("-40", 0.0), ("100", 60.0), ("-41.5", -1.5)] {
            let position = crate::games::go::diagram::diagram(
                "..... ..... .....",
                &format!("chinese komi{komi}"),
                Color::White,
            );
            assert_eq!(V1.hidden_komi(&position), hidden, "{komi}");
        }
    }

    #[test]
    fn what_is_secured_is_shown() {
        let rows = ".X.X. XXXX. ..... .OOOO .O.O.";
        let position = crate::games::go::diagram::diagram(rows, "chinese", Color::White);
        let mut row = vec![0.0; 20 * 25];
        (&V1 as &dyn Encoding<SmallGo>).encode(&position, &mut row);
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
        let encoding: &dyn Encoding<SmallGo> = &V1;
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
}
