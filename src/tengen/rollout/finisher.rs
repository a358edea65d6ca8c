//! The end of a descent: a random game from its last position, counted for ownership statistics.

use rand::Rng;

use super::{Played, Rollout, RolloutPolicy, Tally};
use crate::game::{Move, Outcome, Scored as _, scoring};

/// Finishes descents, and keeps what their random games say about the owners of points.
#[derive(Debug, Default)]
pub struct Finisher {
    /// Who played where in the last random game.
    pub played: Played,
    /// Owners of points over all of them.
    pub tally: Tally,
    /// The same after each move of the root, by policy index, if requested; else empty.
    pub(super) after: Vec<Tally>,
    /// Those of a single rollout.
    once: Tally,
}

impl Finisher {
    /// Prepares for a search from this position; with ownership statistics `by_move` if requested.
    pub fn begin<G: Rollout>(&mut self, root: &G, by_move: bool) {
        self.tally.clear(root.size().area());
        let moves = if by_move { root.policy_len() } else { 0 };
        self.after = vec![Tally::of(root); moves];
    }

    /// Plays a descent's position to its end and counts the owners of points. The descent began
    /// with the root move `first`.
    pub fn finish<G: Rollout, R: Rng>(
        &mut self,
        position: &mut G,
        first: Option<Move>,
        policy: RolloutPolicy,
        rng: &mut R,
    ) -> Outcome {
        self.played.clear(position);
        let tally = match self.after.is_empty() {
            true => &mut self.tally,
            false => {
                self.once.clear(position.size().area());
                &mut self.once
            }
        };
        let agrees = scoring::agrees_on_dead(position);
        let outcome = match position.outcome() {
            Some(outcome) if !agrees => {
                position.tally(tally);
                outcome
            }
            over => {
                if over.is_some() {
                    // Dead stones are found by playing on.
                    *position = scoring::disputed(position);
                }
                position.finish(policy, rng, &mut self.played, tally)
            }
        };
        if !self.after.is_empty() {
            self.tally.add(&self.once);
            let after = first.and_then(|first| self.after.get_mut(first.index()));
            if let Some(after) = after {
                after.add(&self.once);
            }
        }
        outcome
    }
}

/// Whether a pass wins the game as the board stands: then the game ends.
pub fn wins_at_once<G: Rollout>(position: &G, mv: Move) -> bool {
    let counts = position
        .scored()
        .is_some_and(|scored| !scored.agrees_on_dead());
    if !counts || mv.index() < position.size().area() {
        return false;
    }
    let outcome = position.after(mv).outcome();
    outcome.is_some_and(|outcome| outcome.winner == Some(position.to_move()))
}
