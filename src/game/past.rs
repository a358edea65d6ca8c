//! The positions of a game so far, for rules that forbid to bring one back (superko).

use super::{Game, Move};

/// The positions that led to the present one, and the present one: as much of each as a rule against
/// repetition looks at. A game is hundreds of positions, so they stand in a row and are looked
/// through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past(Vec<u128>);

impl Past {
    /// The past of a game that begins with this position; nothing in games where none comes back.
    #[must_use]
    pub fn of<G: Game>(start: &G) -> Past {
        let mut past = Past::default();
        past.push(start);
        past
    }

    /// Adds the position that a move has led to.
    pub fn push<G: Game>(&mut self, position: &G) {
        if G::INFO.repeats {
            self.0.push(position.repetition_key());
        }
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

    /// How many positions have come since an `earlier` time of the same game; `None` where that was
    /// another game, or is later.
    #[must_use]
    pub fn since(&self, earlier: &Past) -> Option<usize> {
        let later = self.0.strip_prefix(&earlier.0[..])?;
        Some(later.len())
    }

    /// Forgets all positions but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Whether a move that is legal in the last of these positions may be played, given the others.
    /// A pass always may.
    #[must_use]
    pub fn allows<G: Game>(&self, position: &G, mv: Move) -> bool {
        position.always_allows(mv) || !self.0.contains(&position.repetition_key_after(mv))
    }

    /// Whether a position that a move has led to was not there before.
    #[must_use]
    pub fn is_new<G: Game>(&self, position: &G) -> bool {
        !self.0.contains(&position.repetition_key())
    }
}

/// A position as a game has reached it: with its past, which may forbid some of its moves.
#[derive(Debug, Clone)]
pub struct Reached<G> {
    position: G,
    past: Past,
}

/// A game that begins with this position.
impl<G: Game> From<G> for Reached<G> {
    fn from(start: G) -> Self {
        Reached {
            past: Past::of(&start),
            position: start,
        }
    }
}

impl<G: Game> Reached<G> {
    /// A position with what led to it. Whose turn it is may be another side's than the rules say.
    #[must_use]
    pub fn new(position: G, past: Past) -> Self {
        Reached { position, past }
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The positions up to this one.
    #[must_use]
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// Whether a move that is legal in the position may be played, given its past.
    #[must_use]
    pub fn allows(&self, mv: Move) -> bool {
        self.past.allows(&self.position, mv)
    }

    /// The legal moves that its past allows, ascending.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.position.legal_moves().filter(|&mv| self.allows(mv))
    }

    /// How many those are.
    #[must_use]
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
