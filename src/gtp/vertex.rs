//! GTP vertices: a column letter (I is skipped) and a row number from the bottom.

use super::Failure;
use crate::game::BoardSize;
use crate::record::Vertex;

/// Column letters, from the left.
pub(super) const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Parses a vertex in any case, or `pass`.
///
/// # Errors
/// [`Failure::Syntax`] if it is not a vertex of any board, [`Failure::IllegalMove`] if it is off
/// this board.
pub fn parse_vertex(text: &str, size: BoardSize) -> Result<Vertex, Failure> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(Vertex::Pass);
    }
    let wrong = || Failure::wrong(text, "vertex, such as D4 (there is no column I) or pass");
    let (column, row) = text.split_at_checked(1).ok_or_else(wrong)?;
    let x = COLUMNS
        .iter()
        .position(|letter| column.as_bytes().eq_ignore_ascii_case(&[*letter]))
        .ok_or_else(wrong)?;
    if !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let row: u8 = row.parse().map_err(|_| wrong())?;
    if row == 0 || usize::from(row) > COLUMNS.len() {
        return Err(wrong());
    }
    match u8::try_from(x) {
        Ok(x) if x < size.width && row <= size.height => Ok(Vertex::Point(size.point(x, row - 1))),
        _ => {
            let text = text.to_ascii_uppercase();
            Err(Failure::IllegalMove(format!(
                "{text} is not on a board of {size}"
            )))
        }
    }
}

/// Writes a vertex of a board of up to 25 columns.
#[must_use]
pub fn format_vertex(vertex: Vertex, size: BoardSize) -> String {
    match vertex {
        Vertex::Pass => "pass".to_owned(),
        Vertex::Point(point) => {
            let (x, y) = size.column_row(point);
            let column = COLUMNS.get(usize::from(x)).copied().unwrap_or(b'?');
            format!("{}{}", char::from(column), y + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;

    #[test]
    fn every_point_is_read_as_it_is_written() {
        for size in [
            BoardSize::square(9),
            BoardSize::square(25),
            BoardSize::new(13, 2),
        ] {
            for point in 0..size.area() as u16 {
                let vertex = Vertex::Point(Move(point));
                let text = format_vertex(vertex, size);
                assert!(!text.contains('I'), "{text}");
                assert_eq!(parse_vertex(&text, size), Ok(vertex));
                assert_eq!(parse_vertex(&text.to_lowercase(), size), Ok(vertex));
            }
        }
        assert_eq!(parse_vertex("PASS", BoardSize::square(9)), Ok(Vertex::Pass));
    }

    #[test]
    fn corners() {
        let size = BoardSize::square(9);
        let check = |text, x, y| {
            assert_eq!(
                parse_vertex(text, size),
                Ok(Vertex::Point(size.point(x, y))),
                "{text}"
            );
        };
        check("A1", 0, 0);
        check("J1", 8, 0);
        check("h9", 7, 8);
        check("A09", 0, 8);
    }

    #[test]
    fn what_is_no_vertex() {
        let size = BoardSize::square(9);
        for text in [
            "", "A", "1", "I5", "i1", "A0", "A26", "A-1", "A+1", "AA1", "A1x", "é1", "盤",
        ] {
            let wrong = parse_vertex(text, size);
            assert!(
                matches!(wrong, Err(Failure::Syntax(_))),
                "{text}: {wrong:?}"
            );
        }
        for text in ["K1", "A10", "z25"] {
            let off = parse_vertex(text, size);
            assert!(
                matches!(off, Err(Failure::IllegalMove(_))),
                "{text}: {off:?}"
            );
        }
    }
}
