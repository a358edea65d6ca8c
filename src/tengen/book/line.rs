//! Lines of play in a book.

use super::{Book, Images};
use crate::game::{Game, Move};

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
