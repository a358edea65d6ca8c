//! The komi as networks are shown it, after KataGo's inputs (`cpp/neuralnet/nninputs.cpp`).

use crate::game::Game;
use crate::games::go::Go;

/// Points by which a komi that is shown may be larger than the board.
const MAX_KOMI: f32 = 20.0;

/// Points that the side to move gets, or gives where they are negative. Under territory scoring each stone
/// has cost a point, so that the game can be counted by area.
pub(super) fn own_komi<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>) -> f32 {
    let komi = position.area_komi().0 as f32 / 2.0 - hidden_komi(position);
    -position.to_move().signed(komi)
}

/// Points of White's komi that [`own_komi`] leaves out.
pub(super) fn hidden_komi<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
) -> f32 {
    beyond(position, position.size().area() as f32 + MAX_KOMI)
}

/// By how many points White's komi is beyond a limit; negative where it is in Black's favour.
pub(super) fn beyond<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    most: f32,
) -> f32 {
    let komi = position.area_komi().0 as f32 / 2.0;
    komi - komi.clamp(-most, most)
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
}
