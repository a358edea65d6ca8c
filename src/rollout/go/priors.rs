//! What is thought of moves before anything is played out: the knowledge that programs like michi give
//! the nodes of their trees. The numbers are guesses.

use super::shapes::SHAPES;
use crate::game::go::Go;
use crate::game::{Bits, Color, Game, Move};
use crate::rollout::Prior;

/// As how many playouts each opinion counts.
const EVEN: f32 = 10.0;
const TAKES_ONE: f32 = 15.0;
const TAKES_MANY: f32 = 30.0;
const SAVES: f32 = 15.0;
const LOSES_STONES: f32 = 20.0;
const SHAPE: f32 = 10.0;
const OPEN_AREA: f32 = 10.0;
const NEAR_LAST: [f32; 3] = [0.0, 24.0, 12.0];

/// Lines from the edge, from 0, on which a stone in an open area is too low.
const LOW: u8 = 1;
/// Lines up to which it is well placed.
const HIGH: u8 = 3;

/// What is to be known of all moves of a position.
struct View<'a, const CELLS: usize, const WORDS: usize> {
    position: &'a Go<CELLS, WORDS>,
    own: Color,
    last: Option<Move>,
    /// Points with a stone no further than three steps away.
    crowded: Bits<WORDS>,
}

/// Opinions of all moves of a position, the pass aside.
pub(super) fn priors<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    moves: &[Move],
    priors: &mut [Prior],
) {
    let pass = position.pass();
    let mut crowded = position.stones(Color::Black) | position.stones(Color::White);
    for _ in 0..3 {
        crowded |= position.next_to(crowded);
    }
    let view = View {
        position,
        own: position.to_move(),
        last: position.last_move().filter(|&last| last != pass),
        crowded,
    };
    for (&mv, prior) in moves.iter().zip(priors) {
        if mv != pass {
            *prior = view.of(mv);
        }
    }
}

impl<const CELLS: usize, const WORDS: usize> View<'_, CELLS, WORDS> {
    fn of(&self, mv: Move) -> Prior {
        let (for_it, against) = self.tactics(mv);
        let (open, low) = self.place(mv);
        let shape = SHAPES.has(self.own, self.position.neighborhood(mv));
        let shape = if shape { SHAPE } else { 0.0 };
        let good = for_it + open + shape + self.near_last(mv);
        let bad = against + low;
        Prior {
            win: (EVEN / 2.0 + good) / (EVEN + good + bad),
            playouts: EVEN + good + bad,
        }
    }

    /// What the move takes or saves, and what it gives away.
    fn tactics(&self, mv: Move) -> (f32, f32) {
        let position = self.position;
        let around = position.around(mv);
        let (mut takes, mut saves) = (0.0_f32, 0.0);
        for enemy in (around & position.stones(self.own.opponent())).iter() {
            if position.last_liberty(enemy) == Some(mv) {
                let many = !position.chain(enemy).is_single();
                takes = takes.max(if many { TAKES_MANY } else { TAKES_ONE });
            }
        }
        if takes > 0.0 {
            return (takes, 0.0);
        }
        if position.is_self_atari(mv) {
            return (0.0, LOSES_STONES);
        }
        for friend in (around & position.stones(self.own)).iter() {
            if position.last_liberty(friend) == Some(mv) {
                saves = SAVES;
            }
        }
        (saves, 0.0)
    }

    /// Where nobody is near: well placed, or too low.
    fn place(&self, mv: Move) -> (f32, f32) {
        if self.crowded.contains(mv) {
            return (0.0, 0.0);
        }
        let size = self.position.size();
        let (x, y) = size.column_row(mv);
        let line = x.min(y).min(size.width - 1 - x).min(size.height - 1 - y);
        if line <= LOW {
            (0.0, OPEN_AREA)
        } else if line <= HIGH {
            (OPEN_AREA, 0.0)
        } else {
            (0.0, 0.0)
        }
    }

    fn near_last(&self, mv: Move) -> f32 {
        let Some(last) = self.last else {
            return 0.0;
        };
        let size = self.position.size();
        let [(x, y), (u, v)] = [mv, last].map(|point| size.column_row(point));
        let steps = usize::from(x.abs_diff(u).max(y.abs_diff(v)));
        NEAR_LAST.get(steps).copied().unwrap_or(0.0)
    }
}
