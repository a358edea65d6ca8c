//! Writes a record as SGF text.

use super::lexer::{self, properties};
use super::tree::SgfNode;
use super::values::{SETUP, coordinates, escape, simple_text};
use super::{MAX_GAMES, SgfError, at_most, game_number};
use crate::game::{BoardSize, Color, Move};
use crate::games::info;
use crate::record::{GameRecord, LaterSetup, Play, Vertex};

/// Moves on one line of the text.
const MOVES_PER_LINE: usize = 8;

/// The record as SGF, ending in a line break. Points that are not on the board, or beyond column or row 52, have no SGF
/// coordinates and are left out; a board with such columns or rows cannot be read back.
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
        push_move(&mut out, recorded.play, &recorded.comment, record.size);
    }
    later.for_each(|setup| push_setup(&mut out, setup, record.size));
    out.push_str(")\n");
    out
}

/// A game with its variations as SGF, ending in a line break. The first node is the root; a parent stands
/// before its children, and the first child is the main line. What the root has kept of a file is written
/// again, with the encoding, the players, the result and the comment of `record`; for one that has kept
/// nothing, the beginning of the game is all of `record` without its plays.
pub fn write_tree(record: &GameRecord, nodes: &[SgfNode]) -> String {
    let begun = match nodes.first() {
        Some(root) if !root.others.is_empty() => kept_header(record, &root.others),
        _ => header(record),
    };
    with_branches(begun, nodes, record.size)
}

/// Appends all nodes but the root, which the text has already.
fn with_branches(mut out: String, nodes: &[SgfNode], size: BoardSize) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        if node.parent < at {
            children[node.parent].push(at);
        }
    }
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
    push_children(&mut todo, children.first().map_or(&[], Vec::as_slice));
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
        push_node(&mut out, &nodes[at], size);
        push_children(&mut todo, &children[at]);
    }
    out.push_str(")\n");
    out
}

/// The properties of the root of a game that has kept nothing of a file, as text: without those that [`write_tree`] adds.
pub fn root_text(record: &GameRecord) -> String {
    let begun = header(&GameRecord {
        black: String::new(),
        white: String::new(),
        result: String::new(),
        comment: String::new(),
        ..record.clone()
    });
    begun.trim_start_matches("(;").to_owned()
}

/// The games of a text, each as a text of its own with all that it has, in UTF-8.
///
/// # Errors
/// [`SgfError::Unreadable`] if there are too many, or one has too many nodes.
pub fn games(mut text: &str) -> Result<Vec<String>, SgfError> {
    let mut games = Vec::new();
    loop {
        let mut nodes: Vec<SgfNode> = Vec::new();
        let read = lexer::tree(text, &mut |parent, properties| {
            let mut others = String::new();
            let kept = properties
                .iter()
                .filter(|found| parent.is_some() || found.name != "CA");
            kept.for_each(|property| property.append_to(&mut others));
            if parent.is_none() {
                push(&mut others, "CA", "UTF-8");
            }
            nodes.push(SgfNode {
                parent: parent.unwrap_or(0),
                others,
                ..SgfNode::default()
            });
        });
        let (notes, rest) = match read {
            Err(SgfError::NoTree) => return Ok(games),
            read => read?,
        };
        match notes {
            Ok(_) => {
                let root = nodes.first().map(|root| &*root.others).unwrap_or_default();
                let begun = format!("(;{root}");
                // Other nodes have their plays as text: no board is needed.
                games.push(with_branches(begun, &nodes, BoardSize::square(1)));
            }
            // Its place stays, so that those after it keep their numbers.
            Err(SgfError::Unexpected { character, .. }) => games.push(format!("(;{character})")),
            // The text ends there.
            Err(_) => {}
        }
        at_most(games.len(), MAX_GAMES, "games")?;
        text = rest;
    }
}

/// Appends a node.
fn push_node(out: &mut String, node: &SgfNode, size: BoardSize) {
    match node.play {
        Some(play) => push_move(out, play, &node.comment, size),
        None => {
            out.push(';');
            push_text(out, "C", &node.comment);
        }
    }
    out.push_str(&node.others);
}

/// The root node as it was, except for what the program has changed.
fn kept_header(record: &GameRecord, others: &str) -> String {
    let mut out = String::from("(;");
    let mut told = [
        ("CA", "UTF-8"),
        ("PB", &*record.black),
        ("PW", &*record.white),
        ("RE", &*record.result),
    ]
    .map(Some);
    for property in properties(others) {
        let mut told = told.iter_mut();
        let own = told.find(|own| own.is_some_and(|(name, _)| name == property.name));
        match own.and_then(Option::take) {
            Some((name, text)) if *text != simple_text(property.values[0]) => {
                push_text(&mut out, name, text);
            }
            // As it was, though it may be written in another way.
            _ => property.append_to(&mut out),
        }
    }
    for (name, text) in told.into_iter().flatten() {
        push_text(&mut out, name, text);
    }
    push_text(&mut out, "C", &record.comment);
    out
}

/// Appends the node of a play.
fn push_move(out: &mut String, play: Play, comment: &str, size: BoardSize) {
    let point = match play.vertex {
        Vertex::Point(point) => coordinates(point, size),
        Vertex::Pass => Some(String::new()),
    };
    out.push(';');
    if let Some(point) = point {
        push(out, play.color.letter(), &point);
    }
    push_text(out, "C", comment);
}

/// Appends a property of text, unless that is empty.
fn push_text(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        push(out, name, &escape(text));
    }
}

/// Appends a node of stones that are no moves.
fn push_setup(out: &mut String, setup: &LaterSetup, size: BoardSize) {
    out.push_str("\n;");
    out.push_str(&setup_text(setup, size));
}

/// The properties of a node that sets up stones, as text: `AB[aa]AE[bb]PL[W]`.
pub fn setup_text(setup: &LaterSetup, size: BoardSize) -> String {
    let mut out = String::new();
    for (name, color) in SETUP {
        let points = setup.changes.iter().filter(|(_, stone)| **stone == color);
        push_points(&mut out, name, points.map(|(point, _)| *point), size);
    }
    push_player(&mut out, setup.to_move);
    out
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
    let size = match width == height {
        true => width.to_string(),
        false => format!("{width}:{height}"),
    };
    push(&mut out, "SZ", &size);
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
        ("PC", &record.place),
        ("EV", &record.event),
        ("TM", &record.main_time),
        ("OT", &record.overtime),
    ] {
        push_text(&mut out, name, text);
    }
    if record.handicap > 1 {
        push(&mut out, "HA", &record.handicap.to_string());
    }
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let stones = record.setup.iter().filter(|(_, stone)| *stone == color);
        push_points(&mut out, name, stones.map(|(point, _)| *point), record.size);
    }
    push_player(&mut out, record.to_move);
    push_text(&mut out, "C", &record.comment);
    out
}

/// Appends a list of points, if there are any.
fn push_points(out: &mut String, name: &str, points: impl Iterator<Item = Move>, size: BoardSize) {
    let points: Vec<String> = points
        .filter_map(|point| coordinates(point, size))
        .collect();
    if !points.is_empty() {
        push(out, name, &points.join("]["));
    }
}

/// Appends the side to move, if given.
fn push_player(out: &mut String, to_move: Option<Color>) {
    if let Some(color) = to_move {
        push(out, "PL", color.letter());
    }
}

/// Appends a property.
fn push(out: &mut String, name: &str, value: &str) {
    out.extend([name, "[", value, "]"]);
}

#[cfg(test)]
mod tests {
    use super::*;

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
