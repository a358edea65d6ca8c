//! Positions to calibrate and to compare on.

use crate::encode::find;
use crate::eval::{Batch, ModelInfo};
use crate::train::TrainError;
use crate::train::row::Row;
use crate::train::trainable::Trainable;

/// Encoded positions, and their legal moves.
pub struct Examples {
    /// The rows of planes.
    pub batch: Batch,
    /// For each row and policy index whether the move is legal.
    pub legal: Vec<Vec<bool>>,
}

impl Examples {
    /// Evenly spread rows: of two times `wanted` every other one, from number `first` on, 0 or 1,
    /// so that one half can calibrate what the other one examines.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the network does not fit the game, or there are no rows.
    pub fn spread<G: Trainable>(
        empty: &G,
        info: &ModelInfo,
        rows: &[Row],
        (wanted, first): (usize, usize),
    ) -> Result<Examples, TrainError> {
        let encoding =
            find(info, empty).map_err(|mismatch| TrainError::Setting(mismatch.to_string()))?;
        let mut examples = Examples {
            batch: Batch::new(info.row_len()),
            legal: Vec::new(),
        };
        let all = 2 * wanted.min(rows.len() / 2);
        for place in (first..all).step_by(2) {
            let row = &rows[place * rows.len() / all];
            let position = row.position(empty).map_err(TrainError::Setting)?;
            encoding.encode(&position, examples.batch.push(place as u128));
            let mut legal = vec![false; info.policy_len];
            position
                .legal_moves()
                .for_each(|mv| legal[mv.index()] = true);
            examples.legal.push(legal);
        }
        if examples.batch.is_empty() {
            return Err(TrainError::Setting(
                "there are no positions to calibrate an int8 network on".to_owned(),
            ));
        }
        Ok(examples)
    }
}
