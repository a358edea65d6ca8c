//! Positions for calibration and comparison.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::TrainError;
use crate::play::selfplay::{by_rollouts, play};
use crate::play::settings::SelfPlay;
use crate::shards::row::Row;
use crate::trainable::{Trainable, encoding_of};
use tengen::game::BoardSize;
use tengen::rollout::{Rave, RaveParams};
use tengen_nn::eval::{Batch, ModelInfo};

/// Playouts per move of games generated without other data, and mean positions of such a game, on 81 points. On larger
/// boards games and playouts are longer: games are fewer, and so are playouts.
const PLAYOUTS: usize = 100;
const GAME_POSITIONS: usize = 60;
const POINTS: usize = 81;

/// Fewest playouts per move, and fewest games per board.
const FEWEST_PLAYOUTS: usize = 10;
const FEWEST_GAMES: usize = 4;

/// About `positions` positions of short games by playouts, on all boards together.
pub fn quick_games<G: Trainable>(boards: &[G], positions: usize, seed: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for empty in boards {
        let area = empty.size().area();
        let positions = positions.div_ceil(boards.len());
        let games = (positions * POINTS).div_ceil(GAME_POSITIONS * area);
        let games = games.max(FEWEST_GAMES) as u64;
        let playouts = (PLAYOUTS * POINTS / area).max(FEWEST_PLAYOUTS) as u64;
        let rows_of = |game: u64| {
            let seed = seed.wrapping_mul(games).wrapping_add(game);
            let mut rave = Rave::new(RaveParams::default(), seed);
            let search = |position: &G| by_rollouts(&mut rave, position, playouts);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            play(empty, game, &SelfPlay::default(), search, &mut rng).rows
        };
        rows.par_extend((0..games).into_par_iter().flat_map_iter(rows_of));
    }
    rows
}

/// Encoded positions of one board, and their legal moves.
pub struct Examples {
    /// The board.
    pub size: BoardSize,
    /// The rows of planes.
    pub batch: Batch,
    /// For each row and policy index whether the move is legal.
    pub legal: Vec<Vec<bool>>,
}

impl Examples {
    /// Evenly distributed rows of each board in the data; `wanted` is their total number. The first
    /// half is for calibration, the second for comparison.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the network does not fit the game, or there are no rows.
    pub fn halves<G: Trainable>(
        boards: &[G],
        info: &ModelInfo,
        rows: &[Row],
        wanted: usize,
    ) -> Result<[Vec<Examples>; 2], TrainError> {
        let each = wanted.div_ceil(boards.len().max(1));
        let mut halves = [Vec::new(), Vec::new()];
        for empty in boards {
            let of_board = rows.iter().filter(|row| row.size == empty.size());
            let of_board: Vec<&Row> = of_board.collect();
            let pairs = each.min(of_board.len() / 2);
            if pairs == 0 {
                log::warn!("int8 is made without positions on {}", empty.size());
                continue;
            }
            for (first, half) in halves.iter_mut().enumerate() {
                let places = (first..2 * pairs).step_by(2);
                let rows = places.map(|place| of_board[place * of_board.len() / (2 * pairs)]);
                half.push(Examples::encoded(empty, info, rows)?);
            }
        }
        if halves[0].is_empty() {
            return Err(TrainError::Setting(
                "there are no positions to calibrate an int8 network on".to_owned(),
            ));
        }
        Ok(halves)
    }

    fn encoded<'a, G: Trainable>(
        empty: &G,
        info: &ModelInfo,
        rows: impl Iterator<Item = &'a Row>,
    ) -> Result<Examples, TrainError> {
        let encoding = encoding_of(info, empty)?;
        let mut examples = Examples {
            size: empty.size(),
            batch: Batch::new(encoding.planes() * empty.size().area()),
            legal: Vec::new(),
        };
        for (number, row) in rows.enumerate() {
            let position = row.position(empty).map_err(TrainError::Setting)?;
            encoding.encode(&position, examples.batch.push(number as u128));
            let mut legal = vec![false; empty.policy_len()];
            position
                .legal_moves()
                .for_each(|mv| legal[mv.index()] = true);
            examples.legal.push(legal);
        }
        Ok(examples)
    }
}
