//! A finished generation: its figures, also those of its network on held-out games, and the continuation of the run.

use serde::{Deserialize, Serialize};

use super::plan::CyclePlan;
use crate::TrainError;
use crate::fit::held_out::HeldOutLosses;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use tengen::encode::find;
use tengen_nn::eval::{Batch, EvaluatorFactory, Outputs};

/// A finished generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// Player of its games: a network's name, `nothing` or `rollouts`.
    pub players: String,
    /// Playouts for a move of its games.
    pub visits: u64,
    /// The network that was fitted.
    pub network: String,
    /// Number of the generation whose network plays next: this one's, unless it failed the gate.
    pub plays_next: u32,
    /// Share of the points that this network scored in the gate, if it met one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
    /// Games of this generation.
    pub games: u64,
    /// Games of all generations so far.
    pub games_so_far: u64,
    /// Recorded positions of this generation.
    pub rows: u64,
    /// Recorded positions so far.
    pub rows_so_far: u64,
    /// White's share of the wins in these games.
    pub white_share: f64,
    /// Games per second in the last session.
    pub games_per_second: f64,
    /// Evaluations per second in the last session.
    pub evaluations_per_second: f64,
    /// Samples per second of the fit in the last session.
    pub samples_per_second: f64,
    /// Steps of the optimiser for this network so far.
    pub steps: u64,
    /// Losses of the network on held-out games.
    pub held_out: Option<HeldOutLosses>,
    /// Further measurements on them.
    pub measures: Measures,
    /// Time of the run in seconds when it was finished.
    pub seconds: f64,
}

impl Generation {
    /// The verdict of the gate, with the score, if there was one.
    pub fn verdict(&self) -> Option<String> {
        let passed = match self.plays_next == self.number {
            true => "passed",
            false => "refused",
        };
        let score = 100.0 * self.gate?;
        Some(format!("{passed}, {score:.0}%"))
    }
}

/// The stage of a generation, or `None` after the last one; a warm-up comes before the first stage's own.
pub(super) fn stage_of(plan: &CyclePlan, number: u32) -> Option<usize> {
    let mut left = number.saturating_sub(u32::from(plan.warm_up.is_some()));
    for (index, stage) in plan.stage.iter().enumerate() {
        if left < stage.generations {
            return Some(index);
        }
        left -= stage.generations;
    }
    None
}

/// The number of games of a generation.
pub(super) fn games_of(plan: &CyclePlan, number: u32) -> u64 {
    match &plan.warm_up {
        Some(warm_up) if number == 0 => warm_up.games,
        _ => stage_of(plan, number).map_or(0, |stage| plan.stage[stage].games),
    }
}

/// Equal parts of the value's range.
const BINS: usize = 10;

/// Rows of a batch.
const BATCH: usize = 64;

/// Rows that are measured, at most.
const MOST: usize = 4096;

/// Measurements of a network on held-out positions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Number of positions measured.
    pub rows: u64,
    /// Mean entropy of the network's policy over legal moves in nats, where there is a target.
    pub policy_entropy: f64,
    /// Mean probability of a win, predicted and actual, and the number of positions, by tenths of
    /// the prediction.
    pub calibration: Vec<(f64, f64, u64)>,
}

/// Measures a network on the rows that are of the size of `empty`.
///
/// # Errors
/// [`TrainError`] when the network does not fit or fails, or a row is not a position.
pub fn measure<G: Trainable>(
    empty: &G,
    network: &EvaluatorFactory,
    rows: &[Row],
) -> Result<Measures, TrainError> {
    let encoding = find(network.info(), empty)
        .map_err(|mismatch| TrainError::Setting(mismatch.to_string()))?;
    let mut evaluator = network.make()?;
    let (mut batch, mut out) = (Batch::new(network.info().row_len()), Outputs::new());
    let mut bins = [(0.0, 0.0, 0_u64); BINS];
    let (mut measures, mut taught) = (Measures::default(), 0_u32);
    let of_size = rows.iter().filter(|row| row.size == empty.size());
    let of_size: Vec<&Row> = of_size.collect();
    let stride = of_size.len().div_ceil(MOST).max(1);
    let rows: Vec<&Row> = of_size.into_iter().step_by(stride).collect();
    for rows in rows.chunks(BATCH) {
        batch.clear();
        let mut positions = Vec::with_capacity(rows.len());
        for row in rows {
            let position = row.position(empty).map_err(TrainError::Setting)?;
            encoding.encode(&position, batch.push(0));
            positions.push(position);
        }
        evaluator.evaluate(&batch, &mut out)?;
        for (index, (row, position)) in rows.iter().zip(&positions).enumerate() {
            let win = f64::midpoint(f64::from(out.value(index)), 1.0);
            let came = f64::midpoint(f64::from(row.result), 1.0);
            let bin = &mut bins[((win * BINS as f64) as usize).min(BINS - 1)];
            *bin = (bin.0 + win, bin.1 + came, bin.2 + 1);
            measures.rows += 1;
            // A proven position has no policy target.
            if row.policy.is_empty() {
                continue;
            }
            taught += 1;
            let legal = position.legal_moves();
            let logits = legal.map(|mv| f64::from(out.policy(index)[mv.index()]));
            measures.policy_entropy += entropy(logits.map(f64::exp));
        }
    }
    let taught = f64::from(taught.max(1));
    measures.policy_entropy /= taught;
    let filled = bins.into_iter().filter(|bin| bin.2 > 0);
    measures.calibration = filled
        .map(|(win, came, count)| (win / count as f64, came / count as f64, count))
        .collect();
    Ok(measures)
}

/// Entropy of weights, normalised, in nats.
fn entropy(weights: impl Iterator<Item = f64>) -> f64 {
    let weights: Vec<f64> = weights.filter(|&weight| weight > 0.0).collect();
    let total: f64 = weights.iter().sum();
    let terms = weights.iter().map(|weight| weight / total);
    terms.map(|p| -p * p.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::plan::WarmUp;
    use crate::play::eval_batch::tests::info;
    use crate::play::generate::tests as games;
    use crate::shards::shard;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn stages_follow_each_other() {
        let stage = "[[stage]]\nnetwork = \"az-1b8c\"\nvisits = 8\ngames = 4\ngenerations = 4\n";
        let plan = CyclePlan::parse(&stage.repeat(2)).unwrap();
        let stages = (0..9).map_while(|number| stage_of(&plan, number));
        assert_eq!(stages.collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(games_of(&plan, 8), 0);
        let warm_up = CyclePlan {
            warm_up: Some(WarmUp {
                games: 7,
                ..WarmUp::default()
            }),
            ..plan
        };
        let games: Vec<u64> = (0..10).map(|number| games_of(&warm_up, number)).collect();
        assert_eq!(games, [7, 4, 4, 4, 4, 4, 4, 4, 4, 0]);
        assert_eq!(stage_of(&warm_up, 0), Some(0));
        assert_eq!(stage_of(&warm_up, 4), Some(0));
        assert_eq!(stage_of(&warm_up, 5), Some(1));
    }

    #[test]
    fn a_network_that_knows_nothing_is_uniform_and_undecided() {
        let scratch = Scratch::new("measure");
        games::run(&games::plan(3), scratch.path()).unwrap();
        let rows = shard::read(&shard::list(scratch.path()).unwrap()[0])
            .unwrap()
            .rows;
        let size = BoardSize::square(4);
        let empty = SmallNoGo::new(size).unwrap();
        let measures = measure(&empty, &EvaluatorFactory::uniform(info(size)), &rows).unwrap();
        assert_eq!(measures.rows, rows.len() as u64);
        let uniform = |row: &Row| (row.position(&empty).unwrap().legal_count() as f64).ln();
        let expected = rows.iter().map(uniform).sum::<f64>() / rows.len() as f64;
        assert!((measures.policy_entropy - expected).abs() < 1e-6);
        let [(win, came, count)] = measures.calibration[..] else {
            panic!("{measures:?}");
        };
        assert_eq!((win, count), (0.5, rows.len() as u64));
        assert!(came > 0.3 && came < 0.7, "{came}");
    }

    #[test]
    fn entropy_is_by_hand() {
        assert!((entropy([2.0, 2.0].into_iter()) - 2.0_f64.ln()).abs() < 1e-12);
        assert_eq!(entropy([5.0, 0.0].into_iter()), 0.0);
    }
}
