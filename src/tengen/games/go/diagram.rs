//! Positions of tests, as text.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use super::SmallGo;
use crate::game::{BoardSize, Color, Game as _};

/// A position from rows, the highest first: X black, O white.
pub fn diagram(text: &str, rules: &str, to_move: Color) -> SmallGo {
    let rows: Vec<&str> = text.split_whitespace().collect();
    let size = BoardSize::new(rows[0].len() as u8, rows.len() as u8);
    let mut stones = Vec::new();
    for (row, y) in rows.iter().zip((0..size.height).rev()) {
        for (stone, x) in row.chars().zip(0..) {
            match stone {
                'X' => stones.push((size.point(x, y), Color::Black)),
                'O' => stones.push((size.point(x, y), Color::White)),
                _ => {}
            }
        }
    }
    let empty = SmallGo::with_rules(size, rules.parse().unwrap()).unwrap();
    empty.set_up(&stones, to_move).unwrap()
}
