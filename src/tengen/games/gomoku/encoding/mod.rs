//! The encodings of Gomoku: those of others here, Tengen's own in files.

mod v1;
mod v2;

use super::Gomoku;
use crate::encode::{Encode, Encoding, show_sets};
use crate::game::{Bits, Color, Game};

impl Encode for Gomoku {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        &[&GOBANG, &v1::V1, &v2::V2]
    }
}

/// `gobang-1`, the four planes of AlphaGobangZero (3.5.1), to reproduce its training: Black's stones, White's stones,
/// ones if Black is to move, the opponent's last move. Colours are absolute, as in the paper. For playing strength use
/// `gomoku-2`.
const GOBANG: Encoding<Gomoku> = Encoding::new("gobang-1", 4, |position, row| {
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
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};

    #[test]
    fn planes_show_colours_the_turn_and_the_last_move() {
        let mut position = Gomoku::new(BoardSize::square(8)).unwrap();
        let shown = |position: &Gomoku| -> Vec<Vec<usize>> {
            let mut row = vec![0.0; 4 * 64];
            GOBANG.encode(position, &mut row);
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
            keys.push(GOBANG.cache_key(&position));
            position.set_to_move(Color::Black);
            keys.push(GOBANG.cache_key(&position));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4);
    }
}
