//! What all searches by rollouts have in common, for the engine: the trait, the end of a descent (a random game from its
//! last position, counted for ownership statistics), and how they report.

use std::cmp::Reverse;

use rand::Rng;

use super::{Played, Rollout, RolloutPolicy, Tally};
use crate::clock::StopReason;
use crate::game::{GameState, Move, Outcome, scoring};
use crate::report::{MoveReport, SearchReport};

/// Standard errors between a move's value and its lower confidence bound.
const LCB_DEVIATIONS: f32 = 2.0;

/// A search by rollouts.
pub trait RolloutSearch<G: Rollout>: Send {
    /// Searches from `start` while `go_on` returns true: without moves that the game's history
    /// forbids, and at the root without those to `avoid`, unless there are no others; with ownership
    /// `by_move` if requested. `go_on` is called before each rollout with the
    /// number of rollouts, reused ones counted, and with the results so far. The best move of the
    /// report comes first; its time and why it ended are the caller's to tell.
    fn watch(
        &mut self,
        start: &GameState<G>,
        avoid: &[Move],
        by_move: bool,
        go_on: &mut dyn FnMut(u64, &dyn Fn() -> SearchReport) -> bool,
    ) -> SearchReport;

    /// A new game begins: drops everything that belongs to the last one.
    fn forget(&mut self);
}

/// Finishes descents, and keeps what their random games say about the owners of points.
#[derive(Debug, Default)]
pub struct Finisher {
    /// Who played where in the last random game.
    pub played: Played,
    /// Owners of points over all of them.
    pub tally: Tally,
    /// The same after each move of the root, by policy index, if requested; else empty.
    after: Vec<Tally>,
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

/// A move of the root: its visits and wins, and its principal variation with the rollouts through each
/// move of it, itself first.
pub type RootStats = ([f32; 2], Vec<(Move, u64)>);

/// The report of this many rollouts, which are added to `reused` ones of earlier searches: the moves, most
/// visited first, with what `finisher` knows of the owners of points.
pub fn report(
    moves: impl ExactSizeIterator<Item = RootStats>,
    rollouts: u64,
    reused: u64,
    finisher: &Finisher,
) -> SearchReport {
    let prior = 1.0 / (moves.len().max(1) as f32);
    let moves = moves.map(|([visits, wins], line)| {
        let value = match visits {
            0.0 => 0.0,
            visits => 2.0 * (wins / visits) - 1.0,
        };
        let variance = (1.0 - value * value).max(0.0);
        let mv = line[0].0;
        let (pv, pv_visits) = line.into_iter().unzip();
        MoveReport {
            visits: visits as u64,
            value,
            lcb: (value - LCB_DEVIATIONS * (variance / visits.max(1.0)).sqrt()).max(-1.0),
            pv,
            pv_visits,
            expected: finisher.after.get(mv.index()).and_then(Tally::expected),
            ..MoveReport::unsearched(mv, prior)
        }
    });
    let mut moves: Vec<MoveReport> = moves.collect();
    moves.sort_by_key(|found| Reverse(found.visits));
    let weighted: f32 = moves.iter().map(|m| m.visits as f32 * m.value).sum();
    let visits = rollouts + reused;
    let value = weighted / (visits.max(1) as f32);
    // Nothing else is known of a move without rollouts.
    let unseen = moves.iter_mut().filter(|found| found.visits == 0);
    unseen.for_each(|found| found.value = value);
    SearchReport {
        value,
        visits,
        reused,
        playouts: rollouts,
        expected: finisher.tally.expected(),
        ..SearchReport::unsearched(moves, StopReason::Visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_without_rollouts_has_the_value_of_all() {
        let line = |mv, visits| vec![(Move(mv), visits)];
        let moves = [([0.0, 0.0], line(0, 0)), ([8.0, 2.0], line(1, 8))];
        let found = report(moves.into_iter(), 8, 0, &Finisher::default());
        let values = found.moves.iter().map(|found| (found.mv, found.value));
        assert_eq!(
            values.collect::<Vec<_>>(),
            [(Move(1), -0.5), (Move(0), -0.5)]
        );
        assert_eq!(found.value, -0.5);
    }
}
