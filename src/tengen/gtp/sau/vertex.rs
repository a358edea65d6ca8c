//! Points in the platform's notation and in the usual one.

use crate::game::{BoardSize, Move};
use crate::gtp::{format_vertex, parse_vertex};
use crate::record::Vertex;

/// Parses two letters, column from the left and row from the top, or a letter and the row's number
/// from the bottom. The usual notation has no column I; on up to nine columns it can only be the
/// ninth, as in the championship's records.
pub(super) fn read_vertex(text: &str, size: BoardSize) -> Option<Move> {
    if let [column, row] = text.as_bytes()
        && row.is_ascii_alphabetic()
    {
        let index = |letter: u8| letter.to_ascii_uppercase().checked_sub(b'A');
        let (x, down) = (index(*column)?, index(*row)?);
        return (x < size.width && down < size.height)
            .then(|| size.point(x, size.height - 1 - down));
    }
    let ninth = text.strip_prefix(['I', 'i']).filter(|_| size.width <= 9);
    let usual = ninth.map_or_else(|| text.to_owned(), |row| format!("J{row}"));
    match parse_vertex(&usual, size) {
        Ok(Vertex::Point(point)) => Some(point),
        _ => None,
    }
}

/// Two letters, for the platform.
pub(super) fn write_vertex(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    [x, size.height - 1 - y]
        .map(|index| char::from(b'A' + index))
        .iter()
        .collect()
}

/// Both notations, for users.
pub(super) fn write_both(point: Move, size: BoardSize) -> String {
    let usual = format_vertex(Vertex::Point(point), size);
    format!("{} = {usual}", write_vertex(point, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_count_from_the_top_and_have_an_i() {
        let size = BoardSize::square(9);
        for (text, usual, x, y) in [
            ("AA", "A9", 0, 8),
            ("II", "J1", 8, 0),
            ("AI", "a1", 0, 0),
            ("IA", "I9", 8, 8),
            ("ED", "E6", 4, 5),
        ] {
            let point = size.point(x, y);
            assert_eq!(read_vertex(text, size), Some(point), "{text}");
            assert_eq!(read_vertex(usual, size), Some(point), "{usual}");
            assert_eq!(write_vertex(point, size), text);
        }
        assert_eq!(write_both(size.point(8, 0), size), "II = J1");
        for text in [
            "", "A", "AJ", "JA", "A0", "A10", "K1", "1A", "AAA", "@@", "盤", "pass",
        ] {
            assert_eq!(read_vertex(text, size), None, "{text}");
        }
        // With ten columns or more, I is ambiguous.
        assert_eq!(read_vertex("I5", BoardSize::square(10)), None);
    }
}
