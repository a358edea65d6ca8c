//! GTP vertices: a column letter (I is skipped) and a row number from the bottom. GTP has 25 columns;
//! beyond, for NoGo on long boards, they go on with AA, as in KataGo.

use super::Failure;
use crate::game::BoardSize;
use crate::record::Vertex;

/// Column letters, from the left.
pub(super) const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Rows and columns that have names: A to Z and AA to AZ.
const NAMED: usize = 2 * COLUMNS.len();

/// The name of a column, counted from the left.
pub(super) fn column_name(x: u8) -> String {
    let (turn, letter) = (
        usize::from(x) / COLUMNS.len(),
        usize::from(x) % COLUMNS.len(),
    );
    let first = turn.checked_sub(1).and_then(|first| COLUMNS.get(first));
    let letters = first.into_iter().chain(COLUMNS.get(letter));
    letters.map(|&letter| char::from(letter)).collect()
}

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
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (column, row) = text.split_at_checked(letters).ok_or_else(wrong)?;
    let x = (0..NAMED as u8)
        .find(|&x| column_name(x).eq_ignore_ascii_case(column))
        .ok_or_else(wrong)?;
    if !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let row: u8 = row.parse().map_err(|_| wrong())?;
    if row == 0 || usize::from(row) > NAMED {
        return Err(wrong());
    }
    if x < size.width && row <= size.height {
        return Ok(Vertex::Point(size.point(x, row - 1)));
    }
    let text = text.to_ascii_uppercase();
    Err(Failure::IllegalMove(format!(
        "{text} is not on a board of {size}"
    )))
}

/// Writes a vertex.
#[must_use]
pub fn format_vertex(vertex: Vertex, size: BoardSize) -> String {
    match vertex {
        Vertex::Pass => "pass".to_owned(),
        Vertex::Point(point) => {
            let (x, y) = size.column_row(point);
            format!("{}{}", column_name(x), y + 1)
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
            BoardSize::new(50, 1),
            BoardSize::new(2, 50),
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
            "", "A", "1", "I5", "i1", "A0", "A51", "A-1", "A+1", "AI1", "BA1", "A1x", "é1", "盤",
        ] {
            let wrong = parse_vertex(text, size);
            assert!(
                matches!(wrong, Err(Failure::Syntax(_))),
                "{text}: {wrong:?}"
            );
        }
        for text in ["K1", "A10", "z25", "A50", "az1"] {
            let off = parse_vertex(text, size);
            assert!(
                matches!(off, Err(Failure::IllegalMove(_))),
                "{text}: {off:?}"
            );
        }
    }
}
