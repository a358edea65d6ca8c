//! The referee's moves as GTP text. A move is a policy index, in which the index after the last
//! point is the pass; the text format is that of `gtp::vertex`.

use crate::game::{BoardSize, Move};
use crate::gtp::{format_vertex, parse_vertex};
use crate::record::Vertex;

/// A move as text: `D4`, or `pass`.
#[must_use]
pub(super) fn to_text(size: BoardSize, mv: Move) -> String {
    format_vertex(Vertex::of(mv, size), size)
}

/// The move of a text, in either case; `None` if it is not on this board.
#[must_use]
pub(super) fn from_text(size: BoardSize, text: &str) -> Option<Move> {
    let vertex = parse_vertex(text, size).ok()?;
    Some(vertex.index(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_survives_the_round_trip() {
        let size = BoardSize::new(13, 9);
        for index in 0..=size.area() as u16 {
            let text = to_text(size, Move(index));
            assert_eq!(from_text(size, &text), Some(Move(index)), "{text}");
        }
        assert_eq!(from_text(size, "I5"), None);
        assert_eq!(from_text(BoardSize::square(9), "K1"), None);
    }
}
