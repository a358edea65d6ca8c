//! The positions of a game so far, for rules that forbid to bring one back (superko).

use super::{Game, Move};

/// The positions that led to the present one, and the present one: as much of each as a rule against
/// repetition looks at. A game is hundreds of positions, so they stand in a row and are looked
/// through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past(Vec<u128>);

impl Past {
    /// The past of a game that begins with this position.
    #[must_use]
    pub fn of<G: Game>(start: &G) -> Past {
        Past(vec![start.repetition_key()])
    }

    /// Adds the position that a move has led to.
    pub fn push<G: Game>(&mut self, position: &G) {
        self.0.push(position.repetition_key());
    }

    /// Takes the last position back.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all positions but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Whether a move that is legal in the last of these positions may be played, given the others.
    /// A pass always may.
    #[must_use]
    pub fn allows<G: Game>(&self, position: &G, mv: Move) -> bool {
        if !position.forbids_repetition() || mv.index() >= position.size().area() {
            return true;
        }
        let mut next = position.clone();
        next.play(mv);
        self.is_new(&next)
    }

    /// Whether a position that a move has led to was not there before.
    #[must_use]
    pub fn is_new<G: Game>(&self, position: &G) -> bool {
        !self.0.contains(&position.repetition_key())
    }
}
