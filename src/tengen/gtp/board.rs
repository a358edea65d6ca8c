//! The board as text: GTP vertices, the board for users and for GoGui, and the owners of its points.
//!
//! A vertex is a column letter (I is skipped) and a row number from the bottom. GTP has 25 columns;
//! beyond, for NoGo on long boards, they go on with AA, as in KataGo.

use super::Failure;
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move, OwnershipEstimate};
use crate::program::counted;
use crate::record::Vertex;

/// A move of a search in GTP notation: an index beyond the board is a pass.
pub fn format_move(mv: Move, size: BoardSize) -> String {
    format_vertex(Vertex::of(mv, size), size)
}

/// The names of moves.
pub fn move_names(moves: &[Move], size: BoardSize) -> Vec<String> {
    moves.iter().map(|&mv| format_move(mv, size)).collect()
}

/// Moves of a search, with blanks between them.
pub fn format_moves(moves: &[Move], size: BoardSize) -> String {
    move_names(moves, size).join(" ")
}

/// A word for each point, top row first, as lines.
pub(super) fn rows(words: impl Iterator<Item = String>, size: BoardSize) -> String {
    let words: Vec<String> = words.collect();
    let rows = words.chunks(usize::from(size.width));
    rows.map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

/// A few lines that show the board, the side to move and the last play.
pub(super) fn show(engine: &dyn Engine) -> String {
    let size = engine.size();
    let columns: Vec<String> = (0..size.width).map(column_name).collect();
    let letters = format!("   {}", columns.join(" "));
    let record = engine.record();
    let last = record.plays.last().map_or_else(String::new, |last| {
        let vertex = format_vertex(last.play.vertex, size);
        format!(", last move {} {vertex}", last.play.color)
    });
    let moves = counted(record.plays.len(), "move");
    let (game, mover) = (&record.game, engine.to_move());
    let mut lines = vec![
        format!("{game} {size}, {moves}{last}, {mover} to move"),
        letters.clone(),
    ];
    for y in (0..size.height).rev() {
        let row: Vec<&str> = (0..size.width)
            .map(|x| mark(engine, size.point(x, y)))
            .collect();
        let number = y + 1;
        lines.push(format!("{number:2} {} {number}", row.join(" ")));
    }
    lines.push(letters);
    lines.join("\n")
}

/// A letter for what stands on a point.
pub(super) fn mark(engine: &dyn Engine, point: Move) -> &'static str {
    match engine.stone(point) {
        Some(Color::Black) => "X",
        Some(Color::White) => "O",
        None => ".",
    }
}

/// All points, top row first, as boards are printed.
pub fn points_from_top(size: BoardSize) -> impl Iterator<Item = Move> {
    (0..size.height)
        .rev()
        .flat_map(move |y| (0..size.width).map(move |x| size.point(x, y)))
}

/// Expected owner of each point, top row first: 1 for `color`, -1 for the opponent.
pub(super) fn owners(expected: &OwnershipEstimate, size: BoardSize, color: Color) -> Vec<f32> {
    from_top(&expected.owner, size, color)
}

fn from_top(owners: &[f32], size: BoardSize, color: Color) -> Vec<f32> {
    let owner = |point: Move| owners.get(point.index()).copied().unwrap_or_default();
    let points = points_from_top(size);
    points.map(|point| color.signed(owner(point))).collect()
}

/// Current owner of each point, top row first: 1 for `color`, -1 for the opponent, 0 for neutral
/// points; at the end of a game that counts points as it is counted. Before, a stone is its owner's; so is an empty
/// point where only one side may play, which in NoGo is permanent.
pub(super) fn ownership(engine: &dyn Engine, color: Color) -> Vec<f32> {
    let as_it_stands = engine.outcome().is_some() && !engine.agrees_on_dead();
    let counted = || engine.settle_as(vec![0.0; engine.size().area()]);
    if let Some(counted) = as_it_stands.then(counted).flatten() {
        let owners = counted.owners(|point| engine.stone(point));
        return from_top(&owners, engine.size(), color);
    }
    let [own, theirs] = [color, color.opponent()].map(|side| engine.legal_moves(side));
    let owner = |point: Move| match engine.stone(point) {
        Some(stone) if stone == color => 1.0,
        Some(_) => -1.0,
        None => match (own.contains(&point), theirs.contains(&point)) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => 0.0,
        },
    };
    points_from_top(engine.size()).map(owner).collect()
}

/// Column letters, from the left.
pub(super) const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Rows and columns that have names: A to Z and AA to AZ.
const NAMED: usize = 2 * COLUMNS.len();

/// The name of a column, counted from the left.
fn column_name(x: u8) -> String {
    let (x, letters) = (usize::from(x), COLUMNS.len());
    let (turn, letter) = (x / letters, x % letters);
    let first = turn.checked_sub(1).and_then(|first| COLUMNS.get(first));
    let letters = first.into_iter().chain(COLUMNS.get(letter));
    letters.map(|&letter| char::from(letter)).collect()
}

/// A colour in any of GTP's spellings.
///
/// # Errors
/// [`Failure::Syntax`] if it is none.
pub fn parse_color(text: &str) -> Result<Color, Failure> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(Failure::wrong(text, "colour: b or w")),
    }
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

/// Writes a vertex of this board.
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

    #[test]
    fn every_point_is_read_as_it_is_written() {
        for size in [
            BoardSize::square(9),
            BoardSize::square(25),
            BoardSize::new(13, 2),
            BoardSize::new(50, 1),
            BoardSize::new(2, 50),
        ] {
            for point in size.points() {
                let vertex = Vertex::Point(point);
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
