//! Whether a backend runs a network here, how fast, and whether it says what another one says.

use std::time::Duration;

use tengen::clock::{Clock, SystemClock};
use tengen::eval::{
    BackendKind, Batch, EvalError, Evaluator, EvaluatorFactory, LoadOptions, ModelSource, Outputs,
};
use tengen::onnx::{Header, PRECISION};

use super::finding::{Finding, State};

/// Evaluations that are timed.
const EVALUATIONS: usize = 20;
/// Two backends may differ by so much in a logit.
const TOLERANCE: f32 = 1e-2;
/// The same for a network in integers, of which backends round more or less.
const INTEGER_TOLERANCE: f32 = 1.0;
/// The same for a network in half precision, which a processor computes in f32.
pub(super) const HALF_TOLERANCE: f32 = 0.3;

/// A network's answers to one input.
pub(super) type Answer = (Vec<f32>, Duration);

/// What others are compared with, and by how much they may differ.
pub(super) type Reference<'a> = (&'a Answer, f32);

pub(super) fn tolerance(model: &ModelSource) -> f32 {
    match &*precision(model) {
        "int8" => INTEGER_TOLERANCE,
        "f16" => HALF_TOLERANCE,
        _ => TOLERANCE,
    }
}

/// In what a network computes.
pub(super) fn precision(model: &ModelSource) -> String {
    let onnx = match model {
        ModelSource::File(path) => std::fs::read(path).unwrap_or_default(),
        ModelSource::Embedded(onnx) => onnx.to_vec(),
    };
    let header = Header::read(&onnx).ok();
    let precision = header.and_then(|header| header.metadata(PRECISION).map(str::to_owned));
    precision.unwrap_or_else(|| "f32".to_owned())
}

/// Loads the network and runs it.
pub(super) fn try_backend(
    kind: BackendKind,
    model: &ModelSource,
    load: &LoadOptions,
) -> Result<Answer, EvalError> {
    let factory = EvaluatorFactory::open(kind, model, load)?;
    let mut evaluator = factory.make()?;
    evaluate(evaluator.as_mut(), 1)
}

/// The answer to one input, asked `rows` times at once, and how long all of them take together.
pub(super) fn evaluate(evaluator: &mut dyn Evaluator, rows: usize) -> Result<Answer, EvalError> {
    let mut batch = Batch::new(evaluator.info().row_len());
    for key in 0..rows {
        let row = batch.push(key as u128).iter_mut().enumerate();
        // Any input will do, as long as it is not the same everywhere.
        row.for_each(|(i, plane)| *plane = (i % 3) as f32 / 2.0);
    }
    let mut out = Outputs::new();
    evaluator.evaluate(&batch, &mut out)?;
    let clock = SystemClock::new();
    for _ in 0..EVALUATIONS {
        evaluator.evaluate(&batch, &mut out)?;
    }
    let each = clock.now() / EVALUATIONS as u32;
    let logits = out.policy(0).iter().chain(out.value_logits(0));
    Ok((logits.copied().collect(), each))
}

/// How a backend did, against `reference` where there is one.
pub(super) fn backend(
    what: &'static str,
    tried: &Result<Answer, EvalError>,
    reference: Option<Reference<'_>>,
    asked: bool,
) -> Finding {
    let failed = if asked { State::Broken } else { State::Absent };
    let (state, text, mend) = match tried {
        Ok((logits, each)) => {
            let text = format!("{:.2} ms an evaluation", each.as_secs_f64() * 1000.0);
            let worst = reference.map_or(0.0, |((expected, _), _)| {
                let pairs = logits.iter().zip(expected);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            });
            if reference.is_none_or(|(_, tolerance)| worst <= tolerance) {
                (State::Ok, text, "")
            } else {
                let text = format!("{text}, but its answers differ from tract's by {worst}");
                (
                    State::Broken,
                    text,
                    "another version: scripts/fetch-onnxruntime.sh",
                )
            }
        }
        Err(error @ EvalError::Unavailable { backend, .. }) => {
            let mend = match *backend {
                "native" => "another backend",
                _ => "scripts/fetch-onnxruntime.sh",
            };
            (failed, error.to_string(), mend)
        }
        Err(error) => (State::Broken, error.to_string(), ""),
    };
    Finding {
        state,
        what,
        text,
        mend: mend.to_owned(),
    }
}
