//! A game as it was recorded, before its moves are tried, and why one is left out.

use super::analysis::Analysis;
use tengen::game::{Color, HalfPoints, Move, Outcome};

/// How a game was decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// One side resigned.
    Resigned(Color),
    /// By points: by how much Black was ahead, komi included, in half points.
    Counted(HalfPoints),
    /// One side lost on time or left.
    OnTime(Color),
    /// By the rules on the board, or drawn.
    Played(Outcome),
}

/// A game as it was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    /// Moves from an empty board.
    pub(super) moves: Vec<Move>,
    /// How many of them are no choice of the players: handicap, an opening.
    pub(super) placed: usize,
    /// What the players' searches said, from the move after these on; shorter or empty where nothing is known.
    pub(super) analyses: Vec<Option<Analysis>>,
    pub(super) komi: Option<HalfPoints>,
    pub(super) end: End,
}

/// Why a game is left out: a short reason to count, and more about this game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) reason: &'static str,
    pub(super) details: String,
}

pub(super) fn left_out<T>(reason: &'static str, details: impl ToString) -> Result<T, LeftOut> {
    Err(LeftOut {
        reason,
        details: details.to_string(),
    })
}
