//! The board as text, for people.

use super::vertex::{COLUMNS, format_vertex};
use crate::engine::Engine;
use crate::game::Color;

/// A few lines that show the board, the side to move and the last play.
pub(super) fn show(engine: &dyn Engine) -> String {
    let size = engine.size();
    let columns: Vec<String> = COLUMNS[..usize::from(size.width).min(COLUMNS.len())]
        .iter()
        .map(|&letter| char::from(letter).to_string())
        .collect();
    let letters = format!("   {}", columns.join(" "));
    let record = engine.record();
    let last = record.plays.last().map_or_else(String::new, |last| {
        let vertex = format_vertex(last.play.vertex, size);
        format!(", last move {} {vertex}", last.play.color)
    });
    let moves = record.plays.len();
    let mut lines = vec![
        format!(
            "{} {size}, {moves} moves{last}, {} to move",
            record.game,
            engine.to_move()
        ),
        letters.clone(),
    ];
    for y in (0..size.height).rev() {
        let row: Vec<&str> = (0..size.width)
            .map(|x| match engine.stone(size.point(x, y)) {
                Some(Color::Black) => "X",
                Some(Color::White) => "O",
                None => ".",
            })
            .collect();
        let number = y + 1;
        lines.push(format!("{number:2} {} {number}", row.join(" ")));
    }
    lines.push(letters);
    lines.join("\n")
}
