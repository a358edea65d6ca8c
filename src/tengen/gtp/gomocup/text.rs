//! Points, moves and lists in the Gomocup protocol's notation, and help for a user who types commands to a brain.

use crate::game::{BoardSize, Move};
use crate::gtp::short;

/// Parses numbers separated by commas or blanks.
pub(super) fn numbers(text: &str) -> Option<Vec<i64>> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

/// Parses `x,y` of the Gomocup protocol: column from the left and row from the top, both from 0.
pub fn read_point(text: &str, size: BoardSize) -> Option<Move> {
    match numbers(text)?.as_slice() {
        &[x, y] => point(x, y, size),
        _ => None,
    }
}

/// The point in a column from the left and a row from the top, if it is on the board.
pub(super) fn point(x: i64, y: i64, size: BoardSize) -> Option<Move> {
    let (x, down) = (u8::try_from(x).ok()?, u8::try_from(y).ok()?);
    (x < size.width && down < size.height).then(|| size.point(x, size.height - 1 - down))
}

/// Writes `x,y` of the Gomocup protocol.
pub fn write_point(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    format!("{x},{}", size.height - 1 - y)
}

/// Writes points one after the other.
pub(super) fn write_points(points: &[Move], size: BoardSize) -> String {
    let points = points.iter().map(|&point| write_point(point, size));
    points.collect::<Vec<_>>().join(" ")
}

/// The point argument of a command.
pub(super) fn point_of(text: &str, size: BoardSize) -> Result<Move, String> {
    read_point(text, size).ok_or_else(|| {
        let text = short(text);
        format!("{text:?} is not a point X,Y of a {size} board, both counted from 0")
    })
}

/// Commands and descriptions, in the order of a game.
#[rustfmt::skip]
const HELP: [(&str, &str); 12] = [
    ("START 15", "an empty board of 15x15; RECTSTART 20,15 one of 20x15"),
    ("BEGIN", "have the engine make the first move"),
    ("TURN 7,7", "your move: column and row from the upper left, from 0; it answers with its own"),
    ("BOARD", "a position: lines of x,y,1 (its stones) and x,y,2 (yours), then DONE; it moves"),
    ("TAKEBACK 7,7", "take the last stone back"),
    ("RESTART", "a new game on the same board"),
    ("INFO timeout_turn 5000", "milliseconds for each of its moves; 0 is as fast as possible"),
    ("INFO timeout_match 60000", "milliseconds for all of its moves"),
    ("INFO rule 0", "0 freestyle, 1 exactly five, 4 Renju, 8 Caro, 9 Caro with exactly five"),
    ("SWAP2BOARD", "an opening: 0, 3 or 5 lines of x,y, then DONE"),
    ("ABOUT", "name and version"),
    ("END", "end the program"),
];

/// Help as lines that any manager accepts.
pub(super) fn help() -> impl Iterator<Item = String> {
    HELP.iter()
        .map(|(command, what)| format!("MESSAGE {command}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_count_from_the_upper_left_corner() {
        let size = BoardSize::new(20, 15);
        assert_eq!(read_point("0,0", size), Some(size.point(0, 14)));
        assert_eq!(read_point("19, 14", size), Some(size.point(19, 0)));
        assert_eq!(read_point("3 4", size), Some(size.point(3, 10)));
        for point in size.points() {
            let text = write_point(point, size);
            assert_eq!(read_point(&text, size), Some(point), "{text}");
        }
        for wrong in [
            "",
            "3",
            "3,",
            "20,0",
            "0,15",
            "-1,3",
            "a,b",
            "1,2,3",
            "999999999999999999999,1",
        ] {
            assert_eq!(read_point(wrong, size), None, "{wrong}");
        }
    }
}
