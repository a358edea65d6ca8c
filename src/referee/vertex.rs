//! Board points as GTP writes them.

use crate::game::{BoardSize, Move};

/// Column letters; I is left out.
const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// A move as text: `D4`, or `PASS` for the index after the last point.
#[must_use]
pub(super) fn to_text(size: BoardSize, mv: Move) -> String {
    if mv.index() >= size.area() {
        return "PASS".to_owned();
    }
    let (x, y) = size.column_row(mv);
    format!("{}{}", char::from(COLUMNS[usize::from(x)]), y + 1)
}

/// The move that a vertex names, in either case; `None` when it is not on this board. `pass` is
/// the index after the last point.
#[must_use]
pub(super) fn from_text(size: BoardSize, text: &str) -> Option<Move> {
    if text.eq_ignore_ascii_case("pass") {
        return Some(Move(size.area() as u16));
    }
    let (letter, digits) = text.split_at_checked(1)?;
    let letter = letter.as_bytes()[0].to_ascii_uppercase();
    let x = COLUMNS.iter().position(|&column| column == letter)? as u8;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let row: u8 = digits.parse().ok()?;
    (x < size.width && (1..=size.height).contains(&row)).then(|| size.point(x, row - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_survives_the_round_trip() {
        let size = BoardSize::new(13, 9);
        for index in 0..=size.area() as u16 {
            let text = to_text(size, Move(index));
            assert_eq!(from_text(size, &text), Some(Move(index)), "{text}");
            assert_eq!(from_text(size, &text.to_lowercase()), Some(Move(index)));
        }
        assert_eq!(to_text(size, size.point(8, 0)), "J1");
    }

    #[test]
    fn what_is_not_on_the_board_is_not_a_move() {
        for text in ["", "I5", "J0", "K1", "A10", "A+1", "AA", "5", "ä1", "A1 "] {
            assert_eq!(from_text(BoardSize::square(9), text), None, "{text}");
        }
    }
}
