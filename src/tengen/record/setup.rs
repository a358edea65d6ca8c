//! Stones that a record adds or removes during the game.

use std::collections::BTreeMap;

use crate::game::{Color, Game, IllegalSetup, Move};

/// A change of the position other than a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaterSetup {
    /// Number of plays before it.
    pub after: usize,
    /// The changed points, with their new content.
    pub changes: BTreeMap<Move, Option<Color>>,
    /// The side to move afterwards, if given.
    pub to_move: Option<Color>,
}

impl LaterSetup {
    /// Applies the change to a position; the result has no history, so earlier captures do not
    /// count.
    ///
    /// # Errors
    /// [`IllegalSetup`] when the stones cannot stand together.
    pub fn on<G: Game>(&self, position: &G) -> Result<G, IllegalSetup> {
        let to_move = self.to_move.unwrap_or(position.to_move());
        position.set_up(&self.stones(position), to_move)
    }

    /// All stones of the resulting position, by point.
    #[must_use]
    pub fn stones<G: Game>(&self, position: &G) -> Vec<(Move, Color)> {
        let points = (0..position.size().area()).filter_map(|point| u16::try_from(point).ok());
        let changed = |point| self.changes.get(&point).copied();
        points
            .map(Move)
            .filter_map(|point| {
                let stone = changed(point).unwrap_or_else(|| position.stone(point));
                Some((point, stone?))
            })
            .collect()
    }
}
