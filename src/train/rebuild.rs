//! From a recorded row back to a position, so that encodings are filled by the code that plays.

use super::ending::{self, Ending};
use super::row::Row;
use crate::encode::Encode;
use crate::game::nogo::NoGo;
use crate::game::{Color, Move, Outcome};
use crate::solver::Solvable;

/// A game to learn: its positions come back from their stones, side to move and last move, its
/// endings can be proven, and its ends say something about each point.
pub trait Rebuild: Encode + Solvable {
    /// The position of a row on the board of `empty`.
    ///
    /// # Errors
    /// Says why no game could have led to the row's stones.
    fn rebuild(empty: &Self, row: &Row) -> Result<Self, String>;

    /// How the game `moves` from `start` ended, seen by Black, and who won; `None` when it has not
    /// ended or a move is illegal.
    fn ending(start: &Self, moves: &[Move]) -> Option<(Ending, Outcome)>;
}

impl<const WORDS: usize> Rebuild for NoGo<WORDS> {
    fn rebuild(empty: &Self, row: &Row) -> Result<Self, String> {
        let stones = Color::BOTH.map(|color| row.stones(color).iter().collect());
        NoGo::from_stones(empty, stones, row.to_move, row.last_move)
            .map_err(|error| format!("game {} ply {}: {error}", row.game, row.ply))
    }

    fn ending(start: &Self, moves: &[Move]) -> Option<(Ending, Outcome)> {
        ending::nogo(start, moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game};
    use crate::train::row::Target;

    #[test]
    fn a_game_comes_back_row_by_row() {
        let empty = SmallNoGo::new(BoardSize::new(5, 4)).unwrap();
        let mut position = empty.clone();
        while let Some(mv) = position.legal_moves().last() {
            let row = Row::record(0, &position, &Target::new(vec![(mv, 1.0)], 0.0));
            let again = SmallNoGo::rebuild(&empty, &row).unwrap();
            assert_eq!(again.key(), position.key());
            assert_eq!(again.last_move(), position.last_move());
            assert!(again.legal_moves().eq(position.legal_moves()));
            position.play(mv);
        }
    }
}
