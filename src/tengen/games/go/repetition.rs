//! Positional and situational superko.

use super::{Go, KoRule};
use crate::game::{Color, Game as _, Move, Superko, zobrist};

impl<const CELLS: usize, const WORDS: usize> Superko for Go<CELLS, WORDS> {
    /// Under [`KoRule::Positional`] the stones alone; otherwise with the side to move.
    fn repetition_key(&self) -> u128 {
        match (self.rules.ko, self.to_move) {
            (KoRule::Positional, _) | (_, Color::Black) => self.board.key(),
            (_, Color::White) => self.board.key() ^ zobrist::WHITE_TO_MOVE,
        }
    }

    fn is_in_force(&self) -> bool {
        self.rules.ko != KoRule::Simple
    }

    fn repetition_key_after(&self, mv: Move) -> u128 {
        let board = match mv.index() < self.size().area() {
            true => self.board.key_after(self.to_move, mv),
            false => self.board.key(),
        };
        match (self.rules.ko, self.to_move) {
            (KoRule::Positional, _) | (_, Color::White) => board,
            (_, Color::Black) => board ^ zobrist::WHITE_TO_MOVE,
        }
    }
}
