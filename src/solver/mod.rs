//! Exact results of NoGo endings: who wins with best play, and by which move.
//!
//! NoGo's endings are countable: points only one side can still play are its spare moves, and
//! walls that cannot be captured cut the board into independent games. [`Solver`] combines a
//! boolean alpha-beta search over one position in memory with sound bounds on both sides' remaining
//! moves, exact values of small parts, and a table of proven positions that outlives a call: a
//! search that was stopped goes on where it was, and the next move's search knows the last one's
//! results. [`LeafSolver`] is the small one, for many positions and few nodes each.
//!
//! This room knows rules only: no clock (whoever calls says when to stop), no network, no search
//! tree, no text.

mod advice;
mod board;
mod bounds;
mod hash;
mod parts;
mod search;
mod table;
mod values;

pub use advice::{Advice, RatedMove};

use crate::game::nogo::NoGo;
use crate::game::{Bounds, Game, Move, Proof};
use board::Board;
use parts::PartValues;
use search::{Halted, Search, Shared};
use table::{LocalTable, ProofTable};

/// Points of the largest part that gets an exact value. Larger ones take fewer nodes and more time:
/// 4,272,759 nodes and 11.2 s with 6, 4,751,140 and 8.9 s with 5, 5,197,293 and 8.1 s with 4 (40
/// positions at ply 54 of RAVE games).
const LARGEST_PART: usize = 5;

/// Entries of one thread's table of parts: about 50 bytes each.
const PARTS: usize = 1 << 20;

/// What a search may spend.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Positions that may be visited, by all threads together.
    pub nodes: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Asked every few hundred positions, by every thread, whether to stop; it is told how many
    /// positions all threads have visited.
    pub halt: &'a (dyn Fn(u64) -> bool + Sync),
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveResult {
    /// What the side to move can get; open as far as the effort was not enough.
    pub bounds: Bounds,
    /// A move that keeps the result, where it is known and not all moves do.
    pub best: Option<Move>,
    /// Positions visited.
    pub nodes: u64,
}

impl SolveResult {
    /// The result for the side to move, where it is known.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        self.bounds.proof()
    }

    /// Whether the side to move wins, where that is known.
    #[must_use]
    pub fn wins(&self) -> Option<bool> {
        wins(self.bounds)
    }
}

/// Whether a side with these bounds wins, where that is known: with a draw for certain it does not.
fn wins(bounds: Bounds) -> Option<bool> {
    match (bounds.low(), bounds.high()) {
        (Proof::Win, _) => Some(true),
        (_, Proof::Loss | Proof::Draw) => Some(false),
        _ => None,
    }
}

/// The bounds of a game without draws.
fn decided(wins: Option<bool>) -> Bounds {
    match wins {
        Some(true) => Bounds::exactly(Proof::Win),
        Some(false) => Bounds::exactly(Proof::Loss),
        None => Bounds::OPEN,
    }
}

/// Says what the side to move can get, as far as so many nodes are enough to say; `None` where
/// there was nothing to find out.
pub type LeafProbe<G> = Box<dyn FnMut(&G, u64) -> Option<Bounds> + Send>;

/// A game, and whatever can prove results of it: nothing, unless it says otherwise.
pub trait Solvable: Game {
    /// A solver that takes about so many bytes for proven positions.
    #[must_use]
    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        let _ = bytes;
        None
    }

    /// Says for many positions, with so many nodes each, what the side to move can get. Its word
    /// depends on nothing that came before.
    #[must_use]
    fn leaf_probe() -> Option<LeafProbe<Self>> {
        None
    }
}

/// Solves positions of one game on one board.
pub trait Solve<G>: Send {
    /// Searches a position.
    fn solve(&mut self, position: &G, effort: &Effort<'_>) -> SolveResult;

    /// Rates the moves of a position that was solved: `proof` and `best` as found.
    fn advise(
        &mut self,
        position: &G,
        proof: Proof,
        best: Option<Move>,
        effort: &Effort<'_>,
    ) -> Advice;

    /// A line of best play from a solved position, as far as the effort reaches: the winner plays
    /// moves that win, the loser those that are the hardest to refute.
    fn line(&mut self, position: &G, effort: &Effort<'_>) -> Vec<Move>;

    /// Forgets all proven positions.
    fn clear(&mut self);
}

#[cfg(test)]
impl Solvable for crate::game::tictactoe::TicTacToe {}

impl<const W: usize> Solvable for NoGo<W> {
    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(Solver::new(bytes)))
    }

    fn leaf_probe() -> Option<LeafProbe<Self>> {
        let mut solver = LeafSolver::default();
        Some(Box::new(move |position, nodes| {
            solver.wins(position, nodes).map(|wins| decided(Some(wins)))
        }))
    }
}

/// Solves NoGo positions on one board. With one thread equal calls in equal order find the same.
#[derive(Debug)]
pub struct Solver<const W: usize> {
    table: ProofTable,
    /// One for each thread.
    part_values: Vec<PartValues<W>>,
}

impl<const W: usize> Solver<W> {
    /// A solver with about so many bytes for proven positions, at least 4 MiB.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Solver {
            table: ProofTable::new(bytes),
            part_values: Vec::new(),
        }
    }
}

impl<const W: usize> Solve<NoGo<W>> for Solver<W> {
    fn clear(&mut self) {
        self.table.clear();
    }

    fn solve(&mut self, position: &NoGo<W>, effort: &Effort<'_>) -> SolveResult {
        let threads = effort.threads.max(1);
        while self.part_values.len() < threads {
            self.part_values.push(PartValues::new(LARGEST_PART, PARTS));
        }
        let shared = Shared::new(effort);
        let (table, board) = (&self.table, Board::new(position));
        let run = |part_values| Search::new(board.clone(), table, part_values, &shared).run();
        let result = match &mut self.part_values[..threads] {
            [alone] => run(alone),
            all => std::thread::scope(|scope| {
                let threads: Vec<_> = all
                    .iter_mut()
                    .map(|part_values| scope.spawn(|| run(part_values)))
                    .collect();
                let results = threads.into_iter().filter_map(|thread| thread.join().ok());
                results.fold(Err(Halted), Result::or)
            }),
        };
        let known = result.ok();
        SolveResult {
            bounds: decided(known.map(|known| known.wins)),
            best: known.and_then(|known| known.best),
            nodes: shared.nodes(),
        }
    }

    fn advise(
        &mut self,
        position: &NoGo<W>,
        proof: Proof,
        best: Option<Move>,
        effort: &Effort<'_>,
    ) -> Advice {
        advice::advise(self, position, proof, best, effort)
    }

    fn line(&mut self, position: &NoGo<W>, effort: &Effort<'_>) -> Vec<Move> {
        advice::line(self, position, effort)
    }
}

/// Solves many positions with few nodes each. What it finds for a position depends on nothing that
/// came before.
#[derive(Debug)]
pub struct LeafSolver<const W: usize> {
    local_table: LocalTable,
    part_values: PartValues<W>,
}

impl<const W: usize> Default for LeafSolver<W> {
    fn default() -> Self {
        LeafSolver {
            local_table: LocalTable::default(),
            part_values: PartValues::new(LARGEST_PART, PARTS / 4),
        }
    }
}

impl<const W: usize> LeafSolver<W> {
    /// Whether the side to move wins, if so many nodes are enough to say.
    pub fn wins(&mut self, position: &NoGo<W>, nodes: u64) -> Option<bool> {
        self.local_table.clear();
        let shared = Shared::new(&Effort {
            nodes,
            threads: 1,
            halt: &|_| false,
        });
        let board = Board::new(position);
        let mut search = Search::new(board, &self.local_table, &mut self.part_values, &shared);
        search.wins().ok()
    }
}

#[cfg(test)]
mod tests;
