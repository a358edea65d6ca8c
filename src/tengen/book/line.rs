//! Lines of play in a book.

use super::{Book, BookMove, Images};
use crate::game::{Game, Move, Proof};

/// What a book knows of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct BookPosition {
    /// Value for the side to move, in [-1, 1].
    pub value: f32,
    /// The result for the side to move, if it is proven.
    pub proof: Option<Proof>,
    /// Its moves, the best first.
    pub lines: Vec<BookLine>,
}

/// A move of a book, and how play goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct BookLine {
    /// The move.
    pub found: BookMove,
    /// The best moves of both sides after it, as far as the book goes.
    pub line: Vec<Move>,
}

/// Moves of a line at most: in games that repeat it might have no end.
const LONGEST: usize = 60;

/// The best moves of both sides from a position, up to the first one that leaves the book.
#[must_use]
pub fn line<G: Game>(book: &Book, from: &Images<G>) -> Vec<Move> {
    let mut images = from.clone();
    let mut line = Vec::new();
    while line.len() < LONGEST {
        let moves = book.moves(images.key());
        let Some(mv) = moves.first().and_then(|best| images.own(best.mv)) else {
            break;
        };
        line.push(mv);
        images = images.after(mv);
    }
    line
}
