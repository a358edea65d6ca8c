//! Encoding `tictactoe-1`, for tests: my stones, their stones, ones.

use super::TicTacToe;
use crate::encode::{Encode, Encoding};
use crate::game::Game;

const V1: Encoding<TicTacToe> = Encoding {
    cache_key: |position| position.key(),
    ..Encoding::new("tictactoe-1", 3, |position, row| {
        let area = position.size().area();
        for point in position.size().points() {
            if let Some(color) = position.stone(point) {
                let plane = usize::from(color != position.to_move());
                row[plane * area + point.index()] = 1.0;
            }
        }
        row[2 * area..].fill(1.0);
    })
};

impl Encode for TicTacToe {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        &[&V1]
    }
}
