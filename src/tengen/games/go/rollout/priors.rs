//! Prior values of moves before any rollout: the probability in rollouts, wasted stones, and on an
//! open board the line. The weight of each term was found by matches
//! (docs/results/measures.toml).

use super::features::{View, crowded, line};
use super::field::Field;
use super::weights::{Kind, WEIGHTS};
use crate::game::{Bits, Game, Move};
use crate::games::go::Go;
use crate::rollout::Prior;

/// Weight of each term in rollouts.
const EVEN: f32 = 10.0;
/// Multiplied by the square root of a move's probability in rollouts.
const LIKELY: f32 = 100.0;
const LOSES_STONES: f32 = 20.0;
const OPEN_AREA: f32 = 10.0;

/// Highest line on which a stone in an open area is too low.
const LOW: usize = 2;
/// Highest line on which it is well placed.
const HIGH: usize = 4;

/// Priors of all moves of a position, except the pass.
pub(super) fn priors<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    moves: &[Move],
    priors: &mut [Prior],
) {
    let field = Field::of(position);
    let view = View::of(&field);
    let mover = position.to_move().index();
    let crowded = crowded(position);
    let points = || moves.iter().map(|&mv| (mv, mv != position.pass()));
    let mut all = 0.0;
    for ((mv, is_point), prior) in points().zip(&mut *priors) {
        if is_point {
            let kinds = view.kinds(mv);
            let weight = WEIGHTS.of_shape(field.around(mv))[mover] as f32 * WEIGHTS.of_all(kinds);
            let loses = kinds.has(Kind::LosesOne) || kinds.has(Kind::LosesMany);
            all += weight;
            *prior = Prior {
                win: weight,
                rollouts: if loses { LOSES_STONES } else { 0.0 },
            };
        }
    }
    for ((mv, is_point), prior) in points().zip(priors) {
        if is_point {
            let chance = prior.win / f32::max(all, 1.0);
            let (open, low) = place(position, crowded, mv);
            let (good, bad) = (LIKELY * chance.sqrt() + open, prior.rollouts + low);
            *prior = Prior {
                win: (EVEN / 2.0 + good) / (EVEN + good + bad),
                rollouts: EVEN + good + bad,
            };
        }
    }
}

/// Positional value of a point without stones nearby.
fn place<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    crowded: Bits<WORDS>,
    point: Move,
) -> (f32, f32) {
    if crowded.contains(point) {
        return (0.0, 0.0);
    }
    match line(position.size(), point) {
        line if line <= LOW => (0.0, OPEN_AREA),
        line if line <= HIGH => (OPEN_AREA, 0.0),
        _ => (0.0, 0.0),
    }
}
