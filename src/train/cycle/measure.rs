//! Measures a network on held-out games.

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use tengen::encode::find;
use tengen_nn::eval::{Batch, EvaluatorFactory, Outputs};

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
    /// Mean entropy of the policy targets in nats; proven positions have none.
    pub target_entropy: f64,
    /// Mean entropy of the network's policy over legal moves in nats, where there is a target.
    pub policy_entropy: f64,
    /// Mean probability of a win, predicted and actual, and the number of positions, by tenths of
    /// the prediction.
    pub calibration: Vec<(f64, f64, u64)>,
}

/// Measures a network on rows.
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
    let stride = rows.len().div_ceil(MOST).max(1);
    let rows: Vec<&Row> = rows.iter().step_by(stride).collect();
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
            let shares = row.policy.iter().map(|share| f64::from(share.share));
            measures.target_entropy += entropy(shares);
        }
    }
    let taught = f64::from(taught.max(1));
    measures.policy_entropy /= taught;
    measures.target_entropy /= taught;
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
    use crate::play::eval_batch::tests::info;
    use crate::play::generate::tests::{plan, run};
    use crate::shards::shard;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn a_network_that_knows_nothing_is_uniform_and_undecided() {
        let scratch = Scratch::new("measure");
        run(&plan(3), scratch.path()).unwrap();
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
