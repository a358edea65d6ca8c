//! The moves of recorded games, one game at a time and without shards.

use std::collections::HashSet;
use std::path::PathBuf;

use super::game::read_moves;
use super::{game, source};
use crate::TrainError;
use tengen::game::{Game, Move};

/// Passes the moves of each game on the board of `start` to `take`, until it returns false. Twins,
/// games with handicap and those with an illegal move are left out. Returns their number.
///
/// # Errors
/// [`TrainError`] names an input that is missing or damaged.
pub fn each_game<G: Game>(
    start: &G,
    inputs: &[PathBuf],
    mut take: impl FnMut(Vec<Move>) -> bool,
) -> Result<u64, TrainError> {
    let sources = source::list(inputs, |_| false)?;
    let (mut seen, mut left_out) = (HashSet::new(), 0);
    for path in sources.units.iter().flat_map(|unit| &unit.files) {
        for text in source::texts(path, &sources.index)? {
            match read_moves(start, &text.form) {
                Ok(moves) if seen.insert(game::key(start.size(), &moves)) => {
                    if !take(moves) {
                        return Ok(left_out);
                    }
                }
                _ => left_out += 1,
            }
        }
    }
    Ok(left_out)
}
