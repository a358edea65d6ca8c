//! Encoding `gobang-1`: the four planes of AlphaGobangZero (3.5.1), to reproduce its training.
//!
//! Colours are absolute, as in the paper. For playing strength use `gomoku-2`.

use crate::encode::{Encoding, show_sets};
use crate::game::{Bits, Color, Game};
use crate::games::gomoku::Gomoku;

/// Planes: Black's stones, White's stones, ones if Black is to move, the opponent's last move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gobang;

impl Encoding<Gomoku> for Gobang {
    fn id(&self) -> &'static str {
        "gobang-1"
    }

    fn planes(&self) -> usize {
        4
    }

    fn encode(&self, position: &Gomoku, row: &mut [f32]) {
        let area = position.size().area();
        let planes = [
            position.stones(Color::Black),
            position.stones(Color::White),
            match position.to_move() {
                Color::Black => Bits::first(area),
                Color::White => Bits::EMPTY,
            },
            position.last_move().into_iter().collect(),
        ];
        show_sets(row, area, planes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};

    #[test]
    fn planes_show_colours_the_turn_and_the_last_move() {
        let mut position = Gomoku::new(BoardSize::square(8)).unwrap();
        let shown = |position: &Gomoku| -> Vec<Vec<usize>> {
            let mut row = vec![0.0; 4 * 64];
            Gobang.encode(position, &mut row);
            let planes = row.chunks_exact(64);
            planes
                .map(|plane| (0..64).filter(|&point| plane[point] == 1.0).collect())
                .collect()
        };
        let all: Vec<usize> = (0..64).collect();
        assert_eq!(shown(&position), [vec![], vec![], all.clone(), vec![]]);
        position.play(Move(27));
        assert_eq!(shown(&position), [vec![27], vec![], vec![], vec![27]]);
        position.play(Move(5));
        assert_eq!(shown(&position), [vec![27], vec![5], all, vec![5]]);
    }

    #[test]
    fn the_key_knows_turn_and_last_move() {
        let mut keys = Vec::new();
        for moves in [[27, 5, 30], [30, 5, 27]] {
            let mut position = Gomoku::new(BoardSize::square(8)).unwrap();
            for point in moves {
                position.play(Move(point));
            }
            keys.push(Gobang.cache_key(&position));
            position.set_to_move(Color::Black);
            keys.push(Gobang.cache_key(&position));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4);
    }
}
