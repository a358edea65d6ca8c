//! What is found about parts of the machine; and whether a backend runs a network here, how fast, and whether it agrees with another one.

use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::encode::{Encode, Mismatch, find};
use crate::game::BoardSize;
use crate::games::with_game;
use serde::Serialize;
use tengen_nn::eval::{
    BackendKind, Batch, Difference, EvalError, Evaluator, EvaluatorFactory, FETCH, LoadOptions,
    ModelInfo, ModelSource, Outputs,
};
use tengen_nn::onnx::{Header, PRECISION};

use crate::command::random_position;

/// Number of timed evaluations.
const EVALUATIONS: usize = 20;
/// Tolerance for the difference between two backends on the test position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerance {
    /// Of the policy, in nats.
    policy_kl: f64,
    /// Of the value in [-1, 1].
    value: f64,
}

const TOLERANCE: Tolerance = Tolerance {
    policy_kl: 1e-4,
    value: 1e-2,
};
/// Tolerance for int8 networks, where backends round differently: the maximum over a thousand
/// random positions is 0.37 nats and 0.28.
const INTEGER_TOLERANCE: Tolerance = Tolerance {
    policy_kl: 0.5,
    value: 0.4,
};
/// Tolerance for half precision networks, which a CPU computes in f32.
const HALF_TOLERANCE: Tolerance = Tolerance {
    policy_kl: 0.05,
    value: 0.1,
};

/// A network's answers to one position.
pub(super) struct BackendAnswer {
    board: BoardSize,
    legal: Vec<bool>,
    out: Outputs,
    /// The time of one call.
    pub(super) each: Duration,
}

/// The reference answers, and the tolerance.
pub(super) type Reference<'a> = (&'a BackendAnswer, Tolerance);

impl Tolerance {
    pub(super) fn of(model: &ModelSource) -> Tolerance {
        match &*precision(model) {
            "int8" => INTEGER_TOLERANCE,
            "f16" => HALF_TOLERANCE,
            _ => TOLERANCE,
        }
    }

    /// Tolerance for a GPU, which may multiply f32 with the mantissa of f16 (TF32).
    pub(super) fn on_card(self) -> Tolerance {
        Tolerance {
            policy_kl: self.policy_kl.max(HALF_TOLERANCE.policy_kl),
            value: self.value.max(HALF_TOLERANCE.value),
        }
    }

    fn allows(self, difference: &Difference) -> bool {
        difference.policy_kl <= self.policy_kl && difference.value <= self.value
    }
}

/// Precision of a network.
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
) -> Result<BackendAnswer, EvalError> {
    let factory = EvaluatorFactory::open(kind, model, load)?;
    let mut evaluator = factory.make()?;
    evaluate(evaluator.as_mut(), 1)
}

/// The answer to one position, evaluated `rows` times in one call, and the time of the call.
pub(super) fn evaluate(
    evaluator: &mut dyn Evaluator,
    rows: usize,
) -> Result<BackendAnswer, EvalError> {
    let (planes, legal) = sample(evaluator.info())?;
    let mut batch = Batch::new(planes.len());
    for key in 0..rows {
        batch.push(key as u128).copy_from_slice(&planes);
    }
    let mut out = Outputs::new();
    evaluator.evaluate(&batch, &mut out)?;
    let clock = SystemClock::new();
    for _ in 0..EVALUATIONS {
        evaluator.evaluate(&batch, &mut out)?;
    }
    let each = clock.now() / EVALUATIONS as u32;
    let board = evaluator.info().size;
    Ok(BackendAnswer {
        board,
        legal,
        out,
        each,
    })
}

/// The finding for a backend, compared with `reference` if there is one.
pub(super) fn backend(
    what: &'static str,
    tried: &Result<BackendAnswer, EvalError>,
    reference: Option<Reference<'_>>,
    asked: bool,
) -> Finding {
    let answer = match tried {
        Ok(answer) => answer,
        Err(error) => {
            let fix = match error {
                EvalError::Unavailable {
                    backend: "native", ..
                } => "another backend",
                EvalError::Unavailable { .. } => FETCH,
                _ => "",
            };
            return Finding::missing(what, error.to_string(), asked, fix);
        }
    };
    let milliseconds = answer.each.as_secs_f64() * 1000.0;
    let text = format!("{milliseconds:.2} ms per evaluation on {}", answer.board);
    let differs = reference.and_then(|(expected, tolerance)| {
        let outputs = [&expected.out, &answer.out];
        let difference = Difference::of_row(outputs, 0, &expected.legal);
        (!tolerance.allows(&difference)).then_some(difference)
    });
    let Some(Difference {
        policy_kl, value, ..
    }) = differs
    else {
        return Finding::ok(what, text);
    };
    let differs = format!("{policy_kl:.3} nats in the policy and {value:.3} in the value");
    let text = format!("{text}, but its answers differ from tract's by {differs}");
    Finding::broken(what, text, format!("another version: {FETCH}"))
}

/// A middle-game position of the game and board of a network as planes, and its legal moves: int8 networks round
/// positions unlike any game arbitrarily.
fn sample(info: &ModelInfo) -> Result<(Vec<f32>, Vec<bool>), EvalError> {
    let found = with_game!(&info.game, info.size, |empty| encoded(&empty, info));
    let found = found.map_err(|error| error.to_string());
    let found = found.and_then(|found| found.map_err(|error| error.to_string()));
    found.map_err(|reason| EvalError::Load {
        path: info.network.clone(),
        reason,
    })
}

fn encoded<G: Encode>(empty: &G, info: &ModelInfo) -> Result<(Vec<f32>, Vec<bool>), Mismatch> {
    let plies = info.size.area() as u32 / 3;
    let position = random_position(empty, plies, 0);
    let mut planes = vec![0.0; info.row_len()];
    find(info, &position)?.encode(&position, &mut planes);
    let mut legal = vec![false; info.policy_len];
    let moves = position.legal_moves();
    moves.for_each(|mv| legal[mv.index()] = true);
    Ok((planes, legal))
}

/// State of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// Not available, and not requested.
    Absent,
    /// Does not work, although requested.
    Broken,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) state: State,
    pub(super) what: &'static str,
    pub(super) text: String,
    /// Suggested fix; empty if nothing needs fixing.
    pub(super) fix: String,
}

impl Finding {
    fn new(state: State, what: &'static str, text: String, fix: impl Into<String>) -> Finding {
        let fix = fix.into();
        Finding {
            state,
            what,
            text,
            fix,
        }
    }

    pub(super) fn ok(what: &'static str, text: String) -> Finding {
        Finding::new(State::Ok, what, text, "")
    }

    pub(super) fn broken(what: &'static str, text: String, fix: impl Into<String>) -> Finding {
        Finding::new(State::Broken, what, text, fix)
    }

    /// What was not asked for needs no fix.
    pub(super) fn missing(what: &'static str, text: String, asked: bool, fix: &str) -> Finding {
        match asked {
            true => Finding::broken(what, text, fix),
            false => Finding::new(State::Absent, what, text, ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_damage_where_it_was_asked_for() {
        let answer = |name: &str| {
            let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
            let model = ModelSource::File(models.join(name));
            (
                try_backend(BackendKind::Tract, &model, &LoadOptions::default()),
                Tolerance::of(&model),
            )
        };
        let (exact, strict) = answer("nogo-9x9.onnx");
        let (rounded, lenient) = answer("nogo-9x9-int8.onnx");
        let reference = rounded.as_ref().unwrap();
        let state = |tolerance| backend("native", &exact, Some((reference, tolerance)), true);
        assert_eq!(state(lenient).state, State::Ok);
        let damaged = state(strict);
        assert_eq!(damaged.state, State::Broken);
        assert!(damaged.text.contains("differ from tract's"), "{damaged:?}");
    }
}
