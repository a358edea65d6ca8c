//! Writes a record as SGF text.

use super::game_number;
use crate::game::{BoardSize, Color, Move};
use crate::games::info;
use crate::record::{GameRecord, LaterSetup, RecordedPlay, Vertex};

/// Moves on one line of the text.
const MOVES_PER_LINE: usize = 8;

/// The record as SGF, ending in a line break. Points beyond column or row 52 have no SGF
/// coordinates and are left out.
#[must_use]
pub fn write(record: &GameRecord) -> String {
    let mut out = header(record);
    let mut later = record.later.iter().peekable();
    for (index, recorded) in record.plays.iter().enumerate() {
        while let Some(setup) = later.next_if(|setup| setup.after <= index) {
            push_setup(&mut out, setup, record.size);
        }
        if index % MOVES_PER_LINE == 0 {
            out.push('\n');
        }
        push_play(&mut out, recorded, record.size);
    }
    later.for_each(|setup| push_setup(&mut out, setup, record.size));
    out.push_str(")\n");
    out
}

/// A play in a tree of variations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The play before it, by its place in the list; `None` for a first play of the game.
    pub parent: Option<usize>,
    /// The play.
    pub recorded: RecordedPlay,
}

/// A game with its variations as SGF, ending in a line break: what `record` says of the game and its
/// beginning, and these plays in place of its own. A parent stands before its children; the first child is
/// the main line.
#[must_use]
pub fn write_tree(record: &GameRecord, plays: &[Branch]) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); plays.len() + 1];
    for (at, branch) in plays.iter().enumerate() {
        let parent = branch.parent.filter(|&parent| parent < at);
        children[parent.map_or(0, |parent| parent + 1)].push(at);
    }
    let mut out = header(record);
    // What is yet to be written, the next last. A bracket is `None`.
    let mut todo: Vec<Option<(usize, bool)>> = Vec::new();
    let push_children = |todo: &mut Vec<Option<(usize, bool)>>, of: &[usize]| {
        let branches = of.len() > 1;
        for &child in of.iter().rev() {
            if branches {
                todo.push(None);
            }
            todo.push(Some((child, branches)));
        }
    };
    push_children(&mut todo, &children[0]);
    let mut on_line = 0;
    while let Some(next) = todo.pop() {
        let Some((at, opens)) = next else {
            out.push(')');
            continue;
        };
        if opens || on_line % MOVES_PER_LINE == 0 {
            out.push('\n');
            on_line = 0;
        }
        on_line += 1;
        if opens {
            out.push('(');
        }
        push_play(&mut out, &plays[at].recorded, record.size);
        push_children(&mut todo, &children[at + 1]);
    }
    out.push_str(")\n");
    out
}

/// Appends the node of a play.
fn push_play(out: &mut String, recorded: &RecordedPlay, size: BoardSize) {
    let name = match recorded.play.color {
        Color::Black => "B",
        Color::White => "W",
    };
    let point = match recorded.play.vertex {
        Vertex::Point(point) => coordinates(point, size),
        Vertex::Pass => String::new(),
    };
    out.push(';');
    push(out, name, &point);
    if !recorded.comment.is_empty() {
        push(out, "C", &escape(&recorded.comment));
    }
}

/// Appends a node of stones that are no moves.
fn push_setup(out: &mut String, setup: &LaterSetup, size: BoardSize) {
    out.push_str("\n;");
    for (name, color) in [
        ("AB", Some(Color::Black)),
        ("AW", Some(Color::White)),
        ("AE", None),
    ] {
        let points = setup.changes.iter().filter(|(_, stone)| **stone == color);
        push_points(out, name, points.map(|(point, _)| *point), size);
    }
    push_player(out, setup.to_move);
}

/// The root node.
fn header(record: &GameRecord) -> String {
    let mut out = String::from("(;FF[4]CA[UTF-8]");
    push(
        &mut out,
        "AP",
        concat!("Tengen:", env!("CARGO_PKG_VERSION")),
    );
    push(&mut out, "GM", &game_number(&record.game).to_string());
    let BoardSize { width, height } = record.size;
    if width == height {
        push(&mut out, "SZ", &width.to_string());
    } else {
        push(&mut out, "SZ", &format!("{width}:{height}"));
    }
    let info = info(&record.game);
    if let Some(rules) = info.and_then(|info| info.sgf.1) {
        push(&mut out, "RU", rules);
    } else if !record.rules.is_empty() {
        push(&mut out, "RU", &escape(&record.rules));
    }
    if let Some(komi) = record.komi {
        push(&mut out, "KM", &komi.to_string());
    }
    for (name, text) in [
        ("PB", &record.black),
        ("PW", &record.white),
        ("RE", &record.result),
        ("DT", &record.date),
        ("C", &record.comment),
    ] {
        if !text.is_empty() {
            push(&mut out, name, &escape(text));
        }
    }
    if record.handicap > 1 {
        push(&mut out, "HA", &record.handicap.to_string());
    }
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let stones = record.setup.iter().filter(|(_, stone)| *stone == color);
        push_points(&mut out, name, stones.map(|(point, _)| *point), record.size);
    }
    push_player(&mut out, record.to_move);
    out
}

/// Appends a list of points, if there are any.
fn push_points(out: &mut String, name: &str, points: impl Iterator<Item = Move>, size: BoardSize) {
    let points: Vec<String> = points.map(|point| coordinates(point, size)).collect();
    if !points.is_empty() {
        push(out, name, &points.join("]["));
    }
}

/// Appends the side to move, if given.
fn push_player(out: &mut String, to_move: Option<Color>) {
    match to_move {
        Some(Color::Black) => push(out, "PL", "B"),
        Some(Color::White) => push(out, "PL", "W"),
        None => {}
    }
}

/// Appends a property.
fn push(out: &mut String, name: &str, value: &str) {
    out.extend([name, "[", value, "]"]);
}

/// A point as two letters, column from the left and row from the top.
fn coordinates(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    let letters = [x, size.height.saturating_sub(1).saturating_sub(y)].map(|index| match index {
        0..=25 => Some(char::from(b'a' + index)),
        26..=51 => Some(char::from(b'A' + index - 26)),
        _ => None,
    });
    letters
        .into_iter()
        .collect::<Option<String>>()
        .unwrap_or_default()
}

/// Escapes characters that would end a value; control characters other than line breaks become
/// blanks.
fn escape(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Play;

    #[test]
    fn a_short_game() {
        let size = BoardSize::square(9);
        let mut record = GameRecord::new("nogo", size);
        record.black = "Tengen [x]".to_owned();
        record.setup = vec![(size.point(0, 0), Color::White)];
        for (color, vertex) in [
            (Color::Black, Vertex::Point(size.point(4, 4))),
            (Color::White, Vertex::Point(size.point(0, 8))),
            (Color::White, Vertex::Pass),
        ] {
            record.push(Play { color, vertex });
        }
        let expected = concat!(
            "(;FF[4]CA[UTF-8]AP[Tengen:",
            env!("CARGO_PKG_VERSION"),
            "]GM[1]SZ[9]RU[NoGo]PB[Tengen [x\\]]AW[ai]\n;B[ee];W[aa];W[])\n",
        );
        assert_eq!(write(&record), expected);
    }
}
