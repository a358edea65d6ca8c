//! Test positions for networks.

use tengen::encode::{Encode, Mismatch, find};
use tengen::games::with_game;
use tengen_nn::eval::{EvalError, ModelInfo};

use super::super::random_position::random_position;

/// A position of the game and board of a network.
pub(super) struct Sample {
    pub(super) planes: Vec<f32>,
    /// Legal moves.
    pub(super) legal: Vec<bool>,
}

impl Sample {
    /// A middle-game position: int8 networks round positions unlike any game arbitrarily.
    pub(super) fn of(info: &ModelInfo) -> Result<Sample, EvalError> {
        let found = with_game!(&info.game, info.size, |empty| Sample::seen(&empty, info));
        let seen = found.map_err(|error| error.to_string());
        let seen = seen.and_then(|seen| seen.map_err(|error| error.to_string()));
        seen.map_err(|reason| EvalError::Load {
            path: info.network.clone(),
            reason,
        })
    }

    fn seen<G: Encode>(empty: &G, info: &ModelInfo) -> Result<Sample, Mismatch> {
        let plies = info.size.area() as u32 / 3;
        let position = random_position(empty, plies, 0);
        let mut planes = vec![0.0; info.row_len()];
        find(info, &position)?.encode(&position, &mut planes);
        let mut legal = vec![false; info.policy_len];
        let moves = position.legal_moves();
        moves.for_each(|mv| legal[mv.index()] = true);
        Ok(Sample { planes, legal })
    }
}
