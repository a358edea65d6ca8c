//! Gomoku's wins by threats: forced wins and their moves.
//!
//! [`ThreatSolver`] searches for a line of fours, then for a tree of threes and fours with every reply
//! that could stop them, for the side to move and, if that side is threatened, for the opponent. It
//! reports proofs only: not finding a win proves nothing.
//!
//! This module knows the rules and the interface of solvers: no clock, no network, no search tree,
//! no text.
//!
//! Results go into one table, keyed by the whole position, the attacker, the side to move, and the
//! limit on the plies to the win, if any. An entry of an older generation counts as empty, so that
//! the answer of a prober depends on the position alone.

mod advice;
mod board;
mod defences;
mod fours;
mod moves;
mod search;
mod table;
mod zone;

use crate::game::{BoardSize, Bounds, Color, Game, Move, Proof};
use crate::games::gomoku::{Gomoku, GomokuRules};
use crate::solver::{Solvable, Solve, SolveLimits, SolveResult, Solves};
use board::Board;
use fours::{ANY_LENGTH, Finding, Fours, Halt};
use search::{Level, Search};
use table::{Known, Table, Turn};
use zone::Zones;

impl Solvable for Gomoku {
    const SOLVES: Solves = Solves::Threats;

    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(ThreatSolver::new(bytes)))
    }
}

/// Nodes of the first attempt at a win by threes; each later one has four times as many, until a
/// level is complete.
const FIRST: u64 = 500;

/// With fewer nodes only threes and fours are tried: a short probe of a quiet position ends sooner.
const WIDE_FROM: u64 = 200;

/// Maximum nodes for fours alone.
const FOURS: u64 = 50_000;

/// Proves wins on one board. Equal calls in equal order give equal results.
#[derive(Debug)]
pub struct ThreatSolver {
    /// Allocated by the first proof.
    table: Option<Table>,
    zones: Option<Zones>,
    bytes: usize,
    board: Option<(BoardSize, GomokuRules)>,
}

impl ThreatSolver {
    /// A prover with about this many bytes for its table.
    pub fn new(bytes: usize) -> ThreatSolver {
        ThreatSolver {
            table: None,
            zones: None,
            bytes,
            board: None,
        }
    }

    fn attempt<'a>(&'a mut self, position: &Gomoku, effort: &'a SolveLimits<'a>) -> Attempt<'a> {
        let kind = (position.size(), position.rules());
        if self.board.is_some_and(|board| board != kind) {
            self.clear();
        }
        self.board = Some(kind);
        Attempt {
            board: Board::new(position),
            table: self.table.get_or_insert_with(|| Table::new(self.bytes)),
            zones: self.zones.get_or_insert_with(|| Zones::new(self.bytes / 4)),
            mover: position.to_move(),
            effort,
        }
    }

    /// Proves what it can about a position. Uses one thread, independent of the limits.
    pub fn prove(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> SolveResult {
        self.attempt(position, effort).prove()
    }

    /// A quicker win than the one found, as far as this many nodes suffice.
    fn shorten(
        &mut self,
        position: &Gomoku,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> SolveResult {
        let mut found = self.prove(position, effort);
        let mut attempt = self.attempt(position, effort);
        if found.bounds.proof() == Some(Proof::Win) {
            while let Some(shorter) = attempt.within(found.plies.saturating_sub(2)) {
                (found.best, found.plies) = (shorter.best, shorter.plies);
            }
        } else {
            (found.bounds, found.best) = (Bounds::exactly(Proof::Win), best);
        }
        found.nodes += attempt.board.nodes;
        found
    }
}

/// One position with its limits.
struct Attempt<'a> {
    board: Board,
    table: &'a mut Table,
    zones: &'a mut Zones,
    mover: Color,
    effort: &'a SolveLimits<'a>,
}

impl Attempt<'_> {
    /// What was found of the position.
    fn found(&self, bounds: Bounds, best: Option<Move>, plies: u16) -> SolveResult {
        SolveResult {
            bounds,
            best,
            plies,
            nodes: self.board.nodes,
        }
    }

    fn prove(&mut self) -> SolveResult {
        let (mover, other) = (self.mover, self.mover.opponent());
        if let Some(outcome) = self.board.position.outcome() {
            return self.found(Bounds::exactly(outcome.proof_for(mover)), None, 0);
        }
        let room = [mover, other].map(|color| self.board.position.has_room(color));
        let open = match room {
            [true, true] => Bounds::OPEN,
            [false, true] => Bounds::at_most(Proof::Draw),
            [true, false] => Bounds::at_least(Proof::Draw),
            [false, false] => return self.found(Bounds::exactly(Proof::Draw), None, 0),
        };
        let mut sides = vec![];
        if room[0] {
            if let Some(found) = self.fours() {
                return found;
            }
            sides.push((mover, Turn::Attacker));
        }
        if room[1] {
            sides.push((other, Turn::Defender));
        }
        let found = self.threats(sides);
        found.unwrap_or_else(|| self.found(open, None, 0))
    }

    /// A win by fours alone, by the shortest line.
    fn fours(&mut self) -> Option<SolveResult> {
        let mut fours = Fours {
            halt: Some(Halt::new(self.effort.halt, self.board.nodes)),
            board: &mut self.board,
            table: self.table,
            attacker: self.mover,
            left: (self.effort.nodes / 4).min(FOURS),
            line: Vec::new(),
        };
        let Finding::Win(mut plies) = fours.search(ANY_LENGTH) else {
            return None;
        };
        let mut best = fours.line.last().copied();
        while plies > 3
            && let Finding::Win(fewer) = fours.search(plies - 2)
        {
            (plies, best) = (fewer, fours.line.last().copied());
        }
        Some(self.found(Bounds::exactly(Proof::Win), best, plies))
    }

    /// Searches both sides' wins by threats, alternately, with increasing nodes.
    fn threats(&mut self, sides: Vec<(Color, Turn)>) -> Option<SolveResult> {
        for level in Level::ALL {
            let mut open = sides.clone();
            let mut nodes = FIRST;
            while !open.is_empty() {
                let mut still = Vec::new();
                for (attacker, turn) in open {
                    let end = self
                        .effort
                        .nodes
                        .min(self.board.nodes.saturating_add(nodes));
                    let mut search = self.threats_of(attacker, level, ANY_LENGTH, end);
                    let known = search.run(turn).ok();
                    match known {
                        Some(known) if known.is_win() => {
                            let (proof, best) = match turn {
                                Turn::Attacker => (Proof::Win, known.best),
                                Turn::Defender => (Proof::Loss, None),
                            };
                            return Some(self.found(Bounds::exactly(proof), best, known.plies));
                        }
                        Some(_) => {}
                        None if self.board.nodes < end || end == self.effort.nodes => return None,
                        None => still.push((attacker, turn)),
                    }
                }
                open = still;
                nodes = nodes.saturating_mul(4);
            }
        }
        None
    }

    /// Searches the mover's win in this many plies.
    fn within(&mut self, plies: u16) -> Option<Known> {
        let (mover, nodes) = (self.mover, self.effort.nodes);
        let mut search = self.threats_of(mover, Level::ALL[1], plies, nodes);
        let known = search.run(Turn::Attacker).ok();
        known.filter(|known| known.is_win() && plies > 0)
    }

    fn threats_of(&mut self, attacker: Color, level: Level, plies: u16, end: u64) -> Search<'_> {
        let area = self.board.position.size().area();
        Search {
            halt: Halt::new(self.effort.halt, self.board.nodes),
            board: &mut self.board,
            table: self.table,
            zones: self.zones,
            fours: Vec::new(),
            depth: 0,
            wide: self.effort.nodes >= WIDE_FROM,
            wins: vec![0; area],
            attacker,
            level,
            plies,
            end,
        }
    }
}

#[cfg(test)]
mod tests;
