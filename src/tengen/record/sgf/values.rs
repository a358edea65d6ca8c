//! Values of properties, as text and parsed.

use super::{MAX_SIDE, SgfError};
use crate::game::{BoardSize, Color, Move, short};
use crate::record::Vertex;

/// The largest board on which the old pass `tt` is not a point.
const OLD_PASS_MAX_SIDE: u8 = 19;

/// Properties that set up points, with what is there then.
pub(super) const SETUP: [(&str, Option<Color>); 3] = [
    ("AB", Some(Color::Black)),
    ("AW", Some(Color::White)),
    ("AE", None),
];

pub(super) fn bad_value(property: &str, value: &str, expected: &str) -> SgfError {
    let value = short(value);
    let what = format!("SGF property {property} has the value {value:?}");
    SgfError::Unreadable(format!("{what}: expected {expected}"))
}

/// `9` or `9:13` (columns, then rows).
pub(super) fn board_size(value: &str) -> Result<BoardSize, SgfError> {
    let side = |text: &str| match text.trim().parse::<u8>() {
        Ok(side) if (1..=MAX_SIDE).contains(&side) => Ok(side),
        _ => Err(bad_value(
            "SZ",
            value,
            "a size from 1 to 52, or two with a colon",
        )),
    };
    let (width, height) = value.split_once([':', 'x']).unwrap_or((value, value));
    Ok(BoardSize::new(side(width)?, side(height)?))
}

pub(super) fn player(value: &str) -> Option<Color> {
    match value.trim() {
        "B" | "b" | "black" | "Black" | "1" => Some(Color::Black),
        "W" | "w" | "white" | "White" | "2" => Some(Color::White),
        _ => None,
    }
}

pub(super) fn vertex(name: &str, value: &str, size: BoardSize) -> Result<Vertex, SgfError> {
    let value = value.trim();
    let small = size.width <= OLD_PASS_MAX_SIDE && size.height <= OLD_PASS_MAX_SIDE;
    if value.is_empty() || (value == "tt" && small) {
        return Ok(Vertex::Pass);
    }
    let (x, y) = column_row(name, value, size)?;
    Ok(Vertex::Point(size.point(x, y)))
}

/// Column and row from the lower left corner; SGF counts rows from the top.
pub(super) fn column_row(name: &str, value: &str, size: BoardSize) -> Result<(u8, u8), SgfError> {
    let off_board = || bad_value(name, value, "a point on the board");
    let [column, row] = value.trim().as_bytes() else {
        return Err(off_board());
    };
    let (x, from_top) = (letter(*column), letter(*row));
    match (x, from_top) {
        (Some(x), Some(from_top)) if x < size.width && from_top < size.height => {
            Ok((x, size.height - 1 - from_top))
        }
        _ => Err(off_board()),
    }
}

/// Points that values name, each once, however often and in however large rectangles.
pub(super) struct Points {
    size: BoardSize,
    named: Vec<bool>,
}

impl Points {
    /// None yet.
    pub(super) fn new(size: BoardSize) -> Points {
        let named = vec![false; size.area()];
        Points { size, named }
    }

    /// Adds one point, or all of a rectangle given by two corners (`cc:ee`).
    pub(super) fn add(&mut self, name: &str, value: &str) -> Result<(), SgfError> {
        let (first, last) = value.split_once(':').unwrap_or((value, value));
        let (left, top) = column_row(name, first, self.size)?;
        let (right, bottom) = column_row(name, last, self.size)?;
        for y in bottom.min(top)..=bottom.max(top) {
            let [from, to] = [left.min(right), left.max(right)].map(|x| self.size.point(x, y));
            if let Some(row) = self.named.get_mut(from.index()..=to.index()) {
                row.fill(true);
            }
        }
        Ok(())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> {
        let named = self.size.points().zip(&self.named);
        named.filter_map(|(point, is_named)| is_named.then_some(point))
    }
}

/// A point as two letters, column from the left and row from the top.
pub(super) fn coordinates(point: Move, size: BoardSize) -> Option<String> {
    if point.index() >= size.area() {
        return None;
    }
    let (x, y) = size.column_row(point);
    let letters = [x, size.height - 1 - y].map(|index| match index {
        0..=25 => Some(char::from(b'a' + index)),
        26..=51 => Some(char::from(b'A' + index - 26)),
        _ => None,
    });
    letters.into_iter().collect()
}

/// `a`..`z` are 0..25, `A`..`Z` 26..51.
fn letter(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b'A'..=b'Z' => Some(byte - b'A' + 26),
        _ => None,
    }
}

/// SGF `Text`: escapes resolved, escaped line breaks removed, other white space made blanks.
pub(super) fn text(value: &str) -> String {
    let unified = value
        .replace("\r\n", "\n")
        .replace("\n\r", "\n")
        .replace('\r', "\n");
    let mut out = String::with_capacity(unified.len());
    let mut characters = unified.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(control) if control.is_control() => out.push(' '),
                Some(escaped) => out.push(escaped),
            },
            '\n' => out.push('\n'),
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out
}

/// SGF `SimpleText`: as [`text`], on one line.
pub(super) fn simple_text(value: &str) -> String {
    text(value).replace('\n', " ")
}

/// Escapes characters that would end a value; control characters other than line breaks become
/// blanks.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            ']' | '\\' => out.extend(['\\', character]),
            '\n' => out.push('\n'),
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out
}
