//! Moves of a threatened side: all others lose.

use super::fours::ANY_LENGTH;
use super::level::Level;
use super::numbers::Turn;
use super::table::Known;
use super::threat_solver::{Attempt, ThreatSolver};
use crate::game::{Bounds, Game, Move, ProbeResult, Proof};
use crate::games::gomoku::{Gomoku, Points};
use crate::solver::SolveLimits;

impl ThreatSolver {
    /// If the side to move is threatened with a five or a line of fours: the only moves that can
    /// stop it. `None` if no such threat was found, or if it wins at once itself.
    pub(super) fn answers(
        &mut self,
        position: &Gomoku,
        effort: &SolveLimits<'_>,
    ) -> Option<Points> {
        match position.outcome() {
            Some(_) => None,
            None => self.attempt(position, effort).answers(Level::ALL[1]),
        }
    }

    /// What it can prove about a position, and if that does not decide it but the side to move is
    /// threatened, the moves that may stop the threat.
    pub(super) fn facts(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> ProbeResult {
        let mut attempt = self.attempt(position, effort);
        let (bounds, ..) = attempt.prove();
        if bounds.proof().is_some() {
            return bounds.into();
        }
        match attempt.open_answers() {
            // A side without any move has not lost.
            Some(open) if open.is_empty() && attempt.has_move() => {
                Bounds::exactly(Proof::Loss).into()
            }
            open => ProbeResult {
                bounds,
                open_moves: open.filter(|open| !open.is_empty()),
            },
        }
    }
}

impl Attempt<'_> {
    /// If the mover is threatened with a five or a line of fours that this level finds: the only
    /// moves that can stop it. `None` if there is no such threat, or if the mover wins at once.
    fn answers(&mut self, level: Level) -> Option<Points> {
        let other = self.mover.opponent();
        if !self.board.fives(self.mover).is_empty() {
            return None;
        }
        if !self.board.fives(other).is_empty() {
            return Some(self.board.answers_to_four(other));
        }
        let mut search = self.threats_of(other, level, ANY_LENGTH, self.effort.nodes);
        search.replies().map(|(points, ..)| points)
    }

    /// Those of the moves that can stop a threat of which no other loss is known; `None` if there is
    /// no threat.
    fn open_answers(&mut self) -> Option<Vec<Move>> {
        let (mover, other) = (self.mover, self.mover.opponent());
        let answers = self.answers(Level::ALL[0])?;
        let keys = |mv| self.board.key_with(mover, mv);
        let answers = answers.iter().map(|mv| (mv, keys(mv))).collect::<Vec<_>>();
        let search = self.threats_of(other, Level::ALL[0], ANY_LENGTH, self.effort.nodes);
        let open = answers.into_iter().filter(|(_, key)| {
            let known = search.lookup(*key, Turn::Attacker);
            !known.is_some_and(Known::is_win)
        });
        Some(open.map(|(mv, _)| mv).collect())
    }

    /// Whether the mover has a legal move.
    fn has_move(&self) -> bool {
        self.board.has_move(self.mover)
    }
}
