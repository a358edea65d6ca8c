//! The positions of a game so far, for repetition rules (superko).

use super::{Game, Move};

/// All positions of a game up to the current one, as repetition keys. A game has hundreds of
/// positions, so a list with linear search suffices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PositionHistory(Vec<u128>);

impl PositionHistory {
    /// The history of a game that begins with this position; empty in games without a repetition
    /// rule.
    pub fn of<G: Game>(start: &G) -> PositionHistory {
        let mut past = PositionHistory::default();
        past.push(start);
        past
    }

    /// Adds the position after a move.
    pub fn push<G: Game>(&mut self, position: &G) {
        if let Some(rule) = position.superko() {
            self.0.push(rule.repetition_key());
        }
    }

    /// Removes the last position.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Number of positions held, the current one included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of positions added since an `earlier` state of the same game; `None` if that is
    /// another game, or later.
    pub fn since(&self, earlier: &PositionHistory) -> Option<usize> {
        let later = self.0.strip_prefix(&earlier.0[..])?;
        Some(later.len())
    }

    /// Drops all positions but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Whether a move that is legal in the last of these positions is allowed, given the earlier
    /// ones. A pass always is.
    pub fn allows<G: Game>(&self, position: &G, mv: Move) -> bool {
        let in_force = position.superko().filter(|rule| rule.is_in_force());
        in_force.is_none_or(|rule| {
            mv.index() >= position.size().area() || !self.0.contains(&rule.repetition_key_after(mv))
        })
    }

    /// Whether the position after a move is not a repetition.
    pub fn is_new<G: Game>(&self, position: &G) -> bool {
        let rule = position.superko();
        rule.is_none_or(|rule| !self.0.contains(&rule.repetition_key()))
    }
}

/// A position with its history, which may forbid some of its moves.
#[derive(Debug, Clone)]
pub struct GameState<G> {
    position: G,
    past: PositionHistory,
}

/// A game that begins with this position.
impl<G: Game> From<G> for GameState<G> {
    fn from(start: G) -> Self {
        GameState {
            past: PositionHistory::of(&start),
            position: start,
        }
    }
}

impl<G: Game> GameState<G> {
    /// A position with its history. The side to move may differ from the one that the rules imply.
    pub fn new(position: G, past: PositionHistory) -> Self {
        GameState { position, past }
    }

    /// Another position with the same history.
    #[must_use]
    pub fn with(&self, position: G) -> Self {
        GameState::new(position, self.past.clone())
    }

    /// The position.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The positions up to this one.
    pub fn past(&self) -> &PositionHistory {
        &self.past
    }

    /// Whether a legal move is allowed, given the history.
    pub fn allows(&self, mv: Move) -> bool {
        self.past.allows(&self.position, mv)
    }

    /// The legal moves that the history allows, ascending.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.position.legal_moves().filter(|&mv| self.allows(mv))
    }

    /// Number of legal moves that the history allows.
    pub fn legal_count(&self) -> usize {
        if self.position.forbids_repetition() {
            self.legal_moves().count()
        } else {
            self.position.legal_count()
        }
    }

    /// Plays a move that is legal and allowed.
    pub fn play(&mut self, mv: Move) {
        self.position.play(mv);
        self.past.push(&self.position);
    }
}
