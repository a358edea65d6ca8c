//! The board as text, for users and for GoGui; and the owners of its points.

use super::vertex::{column_name, format_vertex};
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move, OwnershipEstimate};

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

/// All points, top row first, as boards are printed.
pub(super) fn points_from_top(size: BoardSize) -> impl Iterator<Item = Move> {
    (0..size.height)
        .rev()
        .flat_map(move |y| (0..size.width).map(move |x| size.point(x, y)))
}

/// Expected owner of each point, top row first: 1 for `color`, -1 for the opponent.
pub(super) fn owners(expected: &OwnershipEstimate, size: BoardSize, color: Color) -> Vec<f32> {
    let owner = |point: Move| expected.owner.get(point.index()).copied().unwrap_or(0.0);
    points_from_top(size)
        .map(|point| color.signed(owner(point)))
        .collect()
}

/// Current owner of each point, top row first: 1 for `color`, -1 for the opponent, 0 for neutral
/// points; at the end of a game that counts points as it is counted. Before, a stone is its owner's; so is an empty point where only one side may play, which in NoGo
/// is permanent.
pub(super) fn ownership(engine: &dyn Engine, color: Color) -> Vec<f32> {
    let as_it_stands = engine.outcome().is_some() && !engine.agrees_on_dead();
    let counted = || engine.settle_as(vec![0.0; engine.size().area()]);
    if let Some(counted) = as_it_stands.then(counted).flatten() {
        let owners = counted.owners(|point| engine.stone(point));
        let owner = |point: Move| {
            let owner = owners.get(point.index()).copied();
            color.signed(owner.unwrap_or_default())
        };
        return points_from_top(engine.size()).map(owner).collect();
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
