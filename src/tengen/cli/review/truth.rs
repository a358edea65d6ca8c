//! Proofs for a game's positions: winners and winning moves.

use anyhow::Context as _;
use tengen::command::positions;
use tengen::game::{Color, Move, Proof};
use tengen::games::{solves, with_game};
use tengen::record::GameRecord;
use tengen::solver::{Solvable, Solve, SolveLimits, Solves};

/// A position is skipped after this many consecutive later ones that could not be solved.
const MAX_IN_VAIN: usize = 2;

/// Proven facts of a position.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// The winner with best play.
    pub(super) winner: Color,
    /// Legal moves, and whether they win for their side, if proven.
    pub(super) moves: Vec<(Move, bool)>,
    /// A line of best play, if the game continued by losing a won position.
    pub(super) line: Vec<Move>,
}

/// Limits of the solver.
#[derive(Clone, Copy)]
pub(super) struct SolverBudget<'a> {
    /// Per position; its moves and a line of play may cost as much again.
    pub(super) effort: SolveLimits<'a>,
    /// Bytes for proven positions.
    pub(super) bytes: usize,
    /// No position before this ply.
    pub(super) from: u32,
}

/// Whether games of this name are solved here, beside the search. Others are proven in the search
/// only.
pub(super) fn is_solved(game: &str) -> bool {
    solves(game) == Solves::Endings
}

/// Proven facts of the positions of a game, to be asked for from the last one back: what is proven of a
/// position helps with those before it. Without any for games that are not [solved](is_solved).
pub(super) type Verdicts<'a> = Box<dyn FnMut(usize) -> Option<Verdict> + 'a>;

/// The verdicts on the positions of a game.
///
/// # Errors
/// If it has an illegal move, or there is no solver.
pub(super) fn verdicts<'a>(
    record: &GameRecord,
    means: SolverBudget<'a>,
) -> anyhow::Result<Verdicts<'a>> {
    if !is_solved(&record.game) {
        return Ok(Box::new(|_| None));
    }
    with_game!(&record.game, record.size, |empty| solve(
        empty, record, means
    ))?
}

/// The same for a game that starts with this empty board.
fn solve<'a, G: Solvable>(
    empty: G,
    record: &GameRecord,
    means: SolverBudget<'a>,
) -> anyhow::Result<Verdicts<'a>> {
    let positions = positions(record, empty)?;
    let mut solver = G::solver(means.bytes).context("cannot create the solver")?;
    let mut after: Option<(usize, Color)> = None;
    let mut in_vain = 0;
    Ok(Box::new(move |index| {
        let position = positions.get(index)?;
        if position.ply() < means.from || in_vain > MAX_IN_VAIN {
            return None;
        }
        let found = verdict(&mut *solver, position, &means, |winner| {
            winner == position.to_move() && after == Some((index + 1, winner.opponent()))
        });
        in_vain = if found.is_some() { 0 } else { in_vain + 1 };
        after = found.as_ref().map(|found| (index, found.winner)).or(after);
        found
    }))
}

/// Proofs for one position, with a line of play if `wants_line` of its winner.
fn verdict<G: Solvable>(
    solver: &mut dyn Solve<G>,
    position: &G,
    means: &SolverBudget<'_>,
    wants_line: impl FnOnce(Color) -> bool,
) -> Option<Verdict> {
    let mover = position.to_move();
    let found = solver.solve(position, &means.effort);
    let wins = found.wins()?;
    let moves = if wins {
        let advice = solver.advise(position, Proof::Win, found.best, &means.effort);
        let rated = advice.moves.iter();
        rated
            .filter_map(|rated| Some((rated.mv, rated.wins()?)))
            .collect()
    } else {
        position.legal_moves().map(|mv| (mv, false)).collect()
    };
    let winner = if wins { mover } else { mover.opponent() };
    let line = if wants_line(winner) {
        solver.line(position, &means.effort)
    } else {
        Vec::new()
    };
    Some(Verdict {
        winner,
        moves,
        line,
    })
}
