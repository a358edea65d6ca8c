//! Accuracy loss and speed-up of a network in lower precision.

use std::path::Path;
use std::time::Duration;

use super::examples::Examples;
use crate::TrainError;
use crate::durable;
use crate::play::runtime::Runtime;
use tengen::clock::Clock;
use tengen::game::BoardSize;
use tengen_nn::eval::{Batch, Difference, EvalError, Evaluator, Outputs};

/// Maximum mean divergence of the policy for acceptance, in nats (docs/methods.md#networks).
pub const MAX_POLICY_KL: f64 = 0.01;

/// Maximum mean difference of the value for acceptance; values are in [-1, 1].
pub const MAX_VALUE_DIFFERENCE: f64 = 0.02;

/// A network and its low-precision form on one board.
pub struct Pair {
    /// The board.
    pub size: BoardSize,
    /// The network itself and its low-precision form, in this order.
    pub evaluators: [Box<dyn Evaluator>; 2],
}

/// Difference of both on one board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnBoard {
    /// The board.
    pub size: BoardSize,
    /// That of the network and its form of fewer bits.
    pub difference: Difference,
}

/// Whether a network with this difference is accepted as a replacement.
#[must_use]
pub fn is_accepted(found: &Difference) -> bool {
    found.policy_kl < MAX_POLICY_KL && found.value < MAX_VALUE_DIFFERENCE
}

/// Opens a network's file and its low-precision form, which is to become the file `out`, on the
/// boards of examples. Until it is accepted it has a temporary name, and only while it is being
/// opened: evaluators read files.
///
/// # Errors
/// [`TrainError`] when a file cannot be written, read or removed, or a network cannot be used.
pub fn open_both(
    runtime: &Runtime,
    network: &Path,
    smaller: &[u8],
    out: &Path,
    boards: &[Examples],
) -> Result<Vec<Pair>, TrainError> {
    let trial = out.with_extension("trial.onnx");
    durable::write(&trial, smaller)?;
    let open = |path: &Path, size| Ok::<_, TrainError>(runtime.open(path, size)?.make()?);
    let sizes = boards.iter().map(|examples| examples.size);
    let pairs = sizes.map(|size| {
        let evaluators = [open(network, size)?, open(&trial, size)?];
        Ok(Pair { size, evaluators })
    });
    let opened: Result<Vec<Pair>, TrainError> = pairs.collect();
    let removed = std::fs::remove_file(&trial);
    let opened = opened?;
    removed.map_err(TrainError::io(&trial))?;
    Ok(opened)
}

/// Compares both on the examples of each board.
///
/// # Errors
/// [`EvalError`] when one of them cannot be computed.
pub fn differences(pairs: &mut [Pair], boards: &[Examples]) -> Result<Vec<OnBoard>, EvalError> {
    let compare = |(pair, examples): (&mut Pair, &Examples)| {
        let [first, second] = &mut pair.evaluators;
        let both: [&mut dyn Evaluator; 2] = [&mut **first, &mut **second];
        Ok(OnBoard {
            size: pair.size,
            difference: Difference::between(both, &examples.batch, &examples.legal)?,
        })
    };
    pairs.iter_mut().zip(boards).map(compare).collect()
}

/// Positions per second of both evaluators at a batch size, alternating so that other load affects
/// both; the best of all rounds counts.
///
/// # Errors
/// [`EvalError`] when one of them cannot be computed.
pub fn speeds(
    evaluators: [&mut dyn Evaluator; 2],
    batch: &Batch,
    clock: &dyn Clock,
    turns: usize,
) -> Result<[f64; 2], EvalError> {
    /// Long enough for the clock, short enough to fit between two context switches.
    const TURN: Duration = Duration::from_millis(20);
    let mut out = Outputs::new();
    let mut best = [0.0_f64; 2];
    let [first, second] = evaluators;
    for _ in 0..turns.max(1) {
        for (evaluator, best) in [&mut *first, &mut *second].into_iter().zip(&mut best) {
            evaluator.evaluate(batch, &mut out)?;
            let (start, mut calls) = (clock.now(), 0);
            let elapsed = loop {
                evaluator.evaluate(batch, &mut out)?;
                calls += 1;
                let elapsed = clock.now().saturating_sub(start);
                if elapsed >= TURN {
                    break elapsed;
                }
            };
            *best = best.max((calls * batch.len()) as f64 / elapsed.as_secs_f64());
        }
    }
    Ok(best)
}
