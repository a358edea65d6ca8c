//! What a network lost on the way to fewer bits, and what it gained.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::clock::Clock;
use crate::eval::{Batch, EvalError, Evaluator, Outputs, kl_divergence, log_softmax};
use crate::train::runtime::Runtime;
use crate::train::{TrainError, durable};

/// Largest mean divergence of the policy for a network to be accepted, in nats (docs/methods.md#networks).
pub const MAX_POLICY_KL: f64 = 0.01;

/// Largest mean difference of the value for a network to be accepted; values are in [-1, 1].
pub const MAX_VALUE_DIFFERENCE: f64 = 0.02;

/// How two networks differ on the same positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Positions.
    pub positions: usize,
    /// Kullback-Leibler divergence of the second's policy from the first's over legal moves in
    /// nats, the mean.
    pub policy_kl: f64,
    /// The greatest of it.
    pub policy_kl_max: f64,
    /// Difference of the values in [-1, 1], the mean of its size.
    pub value: f64,
    /// The greatest of it.
    pub value_max: f64,
    /// Share of positions in which both like the same legal move best.
    pub same_best: f64,
}

impl Difference {
    /// Whether the second may stand in for the first.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.policy_kl < MAX_POLICY_KL && self.value < MAX_VALUE_DIFFERENCE
    }
}

/// Opens a network's file and its form of fewer bits, which is to become the file `out`. Until it is
/// accepted it has another name, and that only for as long as opening it takes: evaluators read
/// files.
///
/// # Errors
/// [`TrainError`] when a file cannot be written, read or removed, or a network cannot be used.
pub fn open_both(
    runtime: &Runtime,
    network: &Path,
    smaller: &[u8],
    out: &Path,
) -> Result<[Box<dyn Evaluator>; 2], TrainError> {
    let trial = out.with_extension("trial.onnx");
    durable::write(&trial, smaller)?;
    let opened = runtime.open(network, None).and_then(|first| {
        let second = runtime.open(&trial, None)?;
        Ok([first.make()?, second.make()?])
    });
    let removed = std::fs::remove_file(&trial);
    let opened = opened?;
    removed.map_err(TrainError::io(&trial))?;
    Ok(opened)
}

/// Compares two networks on the rows of `batch`; `legal` says which moves of each row are.
///
/// # Errors
/// [`EvalError`] when one of them cannot be computed.
pub fn difference(
    [first, second]: [&mut dyn Evaluator; 2],
    batch: &Batch,
    legal: &[Vec<bool>],
) -> Result<Difference, EvalError> {
    let (mut a, mut b) = (Outputs::new(), Outputs::new());
    first.evaluate(batch, &mut a)?;
    second.evaluate(batch, &mut b)?;
    let mut total = Difference {
        positions: batch.len(),
        ..Difference::default()
    };
    for (row, legal) in legal.iter().enumerate().take(batch.len()) {
        let policy = |out: &Outputs| {
            let logits = out.policy(row).iter().zip(legal);
            log_softmax(logits.filter(|(_, legal)| **legal).map(|(logit, _)| *logit))
        };
        let (p, q) = (policy(&a), policy(&b));
        let kl = kl_divergence(p.iter().copied(), q.iter().copied());
        let value = f64::from(a.value(row) - b.value(row)).abs();
        total.policy_kl += kl;
        total.policy_kl_max = total.policy_kl_max.max(kl);
        total.value += value;
        total.value_max = total.value_max.max(value);
        total.same_best += f64::from(u8::from(best(&p) == best(&q)));
    }
    let positions = batch.len().max(1) as f64;
    Ok(Difference {
        policy_kl: total.policy_kl / positions,
        value: total.value / positions,
        same_best: total.same_best / positions,
        ..total
    })
}

fn best(numbers: &[f64]) -> Option<usize> {
    let numbered = numbers.iter().enumerate();
    let best = numbered.max_by(|a, b| a.1.total_cmp(b.1));
    best.map(|(at, _)| at)
}

/// Positions a second of both evaluators at a batch size, taken in turns so that what else the
/// machine does slows both; the best of all turns counts.
///
/// # Errors
/// [`EvalError`] when one of them cannot be computed.
pub fn speeds(
    evaluators: [&mut dyn Evaluator; 2],
    batch: &Batch,
    clock: &dyn Clock,
    turns: usize,
) -> Result<[f64; 2], EvalError> {
    /// Long enough for the clock, short enough to fit between two switches of the system.
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
