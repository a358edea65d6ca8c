//! Encoding `tictactoe-1`, for tests: my stones, their stones, ones.

use super::TicTacToe;
use crate::encode::{Encode, Encoding};
use crate::game::Game;

struct V1;

impl Encoding<TicTacToe> for V1 {
    fn id(&self) -> &'static str {
        "tictactoe-1"
    }

    fn planes(&self) -> usize {
        3
    }

    fn encode(&self, position: &TicTacToe, row: &mut [f32]) {
        let area = position.size().area();
        for point in position.size().points() {
            if let Some(color) = position.stone(point) {
                let plane = usize::from(color != position.to_move());
                row[plane * area + point.index()] = 1.0;
            }
        }
        row[2 * area..].fill(1.0);
    }

    fn cache_key(&self, position: &TicTacToe) -> u128 {
        position.key()
    }
}

impl Encode for TicTacToe {
    fn encodings() -> &'static [&'static dyn Encoding<Self>] {
        &[&V1]
    }
}
