//! Stones that a record puts on the board or takes off it in the middle of a game.

use std::collections::BTreeMap;

use crate::game::{Color, Game, IllegalSetup, Move};

/// A change of the position that is no move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaterSetup {
    /// How many plays of the record come before it.
    pub after: usize,
    /// The points that change, and what is on them then.
    pub changes: BTreeMap<Move, Option<Color>>,
    /// The side to move afterwards, where that is said.
    pub to_move: Option<Color>,
}

impl LaterSetup {
    /// The position that it makes of another one, with no move behind it: what was taken before is
    /// not counted any more.
    ///
    /// # Errors
    /// [`IllegalSetup`] when the stones cannot stand together.
    pub fn on<G: Game>(&self, position: &G) -> Result<G, IllegalSetup> {
        let to_move = self.to_move.unwrap_or(position.to_move());
        position.set_up(&self.stones(position), to_move)
    }

    /// All stones of that position, by point.
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
