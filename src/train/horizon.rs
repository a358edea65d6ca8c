//! Value targets from later in the game.
//!
//! A game's result is far away and says as much of all blunders after a position as of the position; what its own
//! search thought says little that the network did not know. What searches of the plies after it thought is in
//! between: TD(lambda) of Sutton 1988.

use super::row::Row;
use crate::game::Color;

/// Replaces each row's root value by the mean of those from it on, weighted so that the mean weight lies `plies`
/// later: `v[t] = (1 - lambda) value[t] + lambda v[t + 1]` with `lambda = plies / (plies + 1)`, after the last row
/// the result. 0 leaves all as they are. Rows lie game by game.
pub(super) fn look_ahead(rows: &mut [Row], plies: f32) {
    if plies <= 0.0 {
        return;
    }
    let lambda = plies / (plies + 1.0);
    for game in rows.chunk_by_mut(Row::is_followed_by) {
        // Black's view, in which all rows of a game can be added up.
        let mut ahead = game
            .last()
            .map_or(0.0, |last| sign(last) * f32::from(last.result));
        for row in game.iter_mut().rev() {
            ahead = (1.0 - lambda) * sign(row) * row.root_value + lambda * ahead;
            row.root_value = sign(row) * ahead;
        }
    }
}

fn sign(row: &Row) -> f32 {
    match row.to_move {
        Color::Black => 1.0,
        Color::White => -1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game as _, Move, Outcome};
    use crate::train::finish::finish;
    use crate::train::row::Target;

    /// A game that Black wins, with what its searches thought.
    fn game(number: u64, values: &[f32]) -> Vec<Row> {
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let mut position = empty.clone();
        let moves: Vec<Move> = (0..).map(|n| Move(2 * n)).take(values.len()).collect();
        let mut rows = Vec::new();
        for (&mv, &value) in moves.iter().zip(values) {
            let target = Target::new(vec![(mv, 1.0)], value);
            rows.push(Row::record(number, &position, &target));
            position.play(mv);
        }
        finish(&mut rows, &empty, &moves, Outcome::win(Color::Black));
        rows
    }

    fn values(rows: &[Row]) -> Vec<f32> {
        rows.iter().map(|row| row.root_value).collect()
    }

    #[test]
    fn values_are_of_the_plies_to_come_from_each_side() {
        let mut rows = [game(0, &[0.0, -0.4, 0.8]), game(1, &[0.0])].concat();
        look_ahead(&mut rows, 1.0);
        // Black thinks 0, 0.4, 0.8, and wins: halves of each and of what comes then.
        let expected = [0.425, -0.65, 0.9, 0.5];
        for (value, expected) in values(&rows).iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{:?}", values(&rows));
        }
    }

    #[test]
    fn the_horizon_goes_from_the_own_value_to_the_result() {
        let rows = game(0, &[0.1, 0.2, -0.3]);
        let mut same = rows.clone();
        look_ahead(&mut same, 0.0);
        assert_eq!(same, rows);
        let mut far = rows;
        look_ahead(&mut far, 1e6);
        for (value, expected) in values(&far).iter().zip([1.0, -1.0, 1.0]) {
            assert!((value - expected).abs() < 1e-3, "{:?}", values(&far));
        }
    }
}
