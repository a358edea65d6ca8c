//! Go solved by brute force with full history, as reference for proofs. It knows only the rules.

use std::collections::HashMap;

use crate::game::{Bounds, Game, GameState, Move, Proof, Superko as _};
use crate::games::go::SmallGo;

/// Results of positions with their histories, and the remaining node budget.
pub(super) struct Brute {
    /// Keyed by the position, the set of positions before it, and the requested result.
    known: HashMap<(u128, u128, Proof), bool>,
    left: u64,
}

/// Hash of a set of positions with one more added; independent of their order.
fn with(past: u128, position: &SmallGo) -> u128 {
    let key = position.repetition_key();
    let mixed = (key ^ key >> 67).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    past.wrapping_add(mixed ^ mixed >> 61)
}

impl Brute {
    /// A solver with a budget of `positions`.
    pub(super) fn new(positions: u64) -> Brute {
        Brute {
            known: HashMap::new(),
            left: positions,
        }
    }

    /// Whether the side to move gets at least this result; `None` when the budget is exhausted.
    /// `past` is the hash of the positions so far.
    fn gets(&mut self, game: &GameState<SmallGo>, past: u128, wanted: Proof) -> Option<bool> {
        let position = game.position();
        if let Some(outcome) = position.outcome() {
            return Some(outcome.proof_for(position.to_move()) >= wanted);
        }
        let case = (position.key(), past, wanted);
        if let Some(&known) = self.known.get(&case) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        // Achieving a win denies the opponent a draw; achieving a draw denies a win.
        let other = match wanted {
            Proof::Win => Proof::Draw,
            Proof::Draw | Proof::Loss => Proof::Win,
        };
        let mut moves: Vec<Move> = game.legal_moves().collect();
        // A pass ends games, and short lines are the quickest to try.
        moves.rotate_right(1);
        let mut found = false;
        for mv in moves {
            let mut next = game.clone();
            next.play(mv);
            let past = with(past, next.position());
            if !self.gets(&next, past, other)? {
                found = true;
                break;
            }
        }
        self.known.insert(case, found);
        Some(found)
    }

    /// The result for the side to move; `None` when the budget is exhausted.
    pub(super) fn result(&mut self, game: &GameState<SmallGo>) -> Option<Proof> {
        Some(if self.gets(game, 0, Proof::Win)? {
            Proof::Win
        } else if self.gets(game, 0, Proof::Draw)? {
            Proof::Draw
        } else {
            Proof::Loss
        })
    }

    /// Whether bounds are true of the position, given its history; `None` when the budget is
    /// exhausted.
    pub(super) fn confirms(&mut self, game: &GameState<SmallGo>, bounds: Bounds) -> Option<bool> {
        let low = match bounds.low() {
            Proof::Loss => true,
            low => self.gets(game, 0, low)?,
        };
        let high = match bounds.high() {
            Proof::Win => true,
            Proof::Draw => !self.gets(game, 0, Proof::Win)?,
            Proof::Loss => !self.gets(game, 0, Proof::Draw)?,
        };
        Some(low && high)
    }
}
