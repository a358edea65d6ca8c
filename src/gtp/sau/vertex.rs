//! Vertices as the platform writes them.

use crate::game::{BoardSize, Move};

/// Reads two letters, column from the left and row from the top.
pub(super) fn read_vertex(text: &str, size: BoardSize) -> Option<Move> {
    let [column, row] = text.as_bytes() else {
        return None;
    };
    let index = |letter: u8| letter.to_ascii_uppercase().checked_sub(b'A');
    let (x, down) = (index(*column)?, index(*row)?);
    (x < size.width && down < size.height).then(|| size.point(x, size.height - 1 - down))
}

pub(super) fn write_vertex(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    [x, size.height - 1 - y]
        .map(|index| char::from(b'A' + index))
        .iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_count_from_the_top_and_have_an_i() {
        let size = BoardSize::square(9);
        for (text, x, y) in [
            ("AA", 0, 8),
            ("II", 8, 0),
            ("AI", 0, 0),
            ("IA", 8, 8),
            ("ED", 4, 5),
        ] {
            let point = size.point(x, y);
            assert_eq!(read_vertex(text, size), Some(point), "{text}");
            assert_eq!(write_vertex(point, size), text);
        }
        for text in ["", "A", "AJ", "JA", "A1", "AAA", "@@", "盤"] {
            assert_eq!(read_vertex(text, size), None, "{text}");
        }
    }
}
