//! Go solved by trying everything, with the whole past: what proofs are compared with. It knows
//! nothing but the rules.

use std::collections::HashMap;

use crate::game::go::SmallGo;
use crate::game::{Bounds, Game, Move, Proof, Reached};

/// What was found of positions with their pasts, and how many may still be looked at.
pub(super) struct Brute {
    /// By the position, the set of positions before it, and the result that was asked for.
    known: HashMap<(u128, u128, Proof), bool>,
    left: u64,
}

/// Another number for a set of positions with one more in it; equal whatever their order.
fn with(past: u128, position: &SmallGo) -> u128 {
    let key = position.repetition_key();
    let mixed = (key ^ key >> 67).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    past.wrapping_add(mixed ^ mixed >> 61)
}

impl Brute {
    /// Looks at so many positions at most.
    pub(super) fn new(positions: u64) -> Brute {
        Brute {
            known: HashMap::new(),
            left: positions,
        }
    }

    /// Whether the side to move of an unfinished or finished game gets this or better; `None` when
    /// that is too much work. `past` stands for the positions so far.
    fn gets(&mut self, game: &Reached<SmallGo>, past: u128, wanted: Proof) -> Option<bool> {
        let position = game.position();
        if let Some(outcome) = position.outcome() {
            return Some(outcome.proof_for(position.to_move()) >= wanted);
        }
        let case = (position.key(), past, wanted);
        if let Some(&known) = self.known.get(&case) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        // Who gets at least a win leaves the other no draw, who gets a draw no win.
        let other = match wanted {
            Proof::Win => Proof::Draw,
            Proof::Draw | Proof::Loss => Proof::Win,
        };
        let mut moves: Vec<Move> = game.legal_moves().collect();
        // A pass ends games, and the shortest way is the quickest to try.
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

    /// What the side to move gets; `None` when that is too much work.
    pub(super) fn result(&mut self, game: &Reached<SmallGo>) -> Option<Proof> {
        Some(if self.gets(game, 0, Proof::Win)? {
            Proof::Win
        } else if self.gets(game, 0, Proof::Draw)? {
            Proof::Draw
        } else {
            Proof::Loss
        })
    }

    /// Whether bounds are true of the position, given its past; `None` when that is too much work.
    pub(super) fn confirms(&mut self, game: &Reached<SmallGo>, bounds: Bounds) -> Option<bool> {
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
