//! What is found about parts of the machine; and whether a backend runs a network here, and how fast.

use std::time::Duration;

use serde::Serialize;
use tengen::clock::{Clock, SystemClock};
use tengen::encode::{Encode, Mismatch, find};
use tengen::game::BoardSize;
use tengen::games::with_game;
use tengen_nn::eval::{
    BackendKind, Batch, EvalError, Evaluator, EvaluatorFactory, FETCH_SCRIPT, LoadOptions,
    ModelInfo, ModelSource, Outputs,
};

use tengen::command::random_position;

/// Number of timed evaluations.
const EVALUATIONS: usize = 20;

/// How fast a network is.
pub(super) struct Speed {
    board: BoardSize,
    /// The time of one call.
    pub(super) each: Duration,
}

/// Loads the network and runs it.
pub(super) fn try_backend(
    kind: BackendKind,
    model: &ModelSource,
    load: &LoadOptions,
) -> Result<Speed, EvalError> {
    let factory = EvaluatorFactory::open(kind, model, load)?;
    speed(factory.make()?.as_mut(), 1)
}

/// The time in which one position is evaluated `rows` times in one call.
pub(super) fn speed(evaluator: &mut dyn Evaluator, rows: usize) -> Result<Speed, EvalError> {
    let planes = sample(evaluator.info())?;
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
    Ok(Speed {
        board: evaluator.info().size,
        each: clock.now() / EVALUATIONS as u32,
    })
}

/// The finding for a backend.
pub(super) fn backend(
    what: &'static str,
    tried: &Result<Speed, EvalError>,
    asked: bool,
) -> Finding {
    match tried {
        Ok(Speed { board, each }) => {
            let milliseconds = each.as_secs_f64() * 1000.0;
            Finding::ok(
                what,
                format!("{milliseconds:.2} ms per evaluation on {board}"),
            )
        }
        Err(error) => {
            let fix = match error {
                EvalError::Unavailable {
                    backend: "native", ..
                } => "another backend",
                EvalError::Unavailable { .. } => FETCH_SCRIPT,
                _ => "",
            };
            Finding::missing(what, error.to_string(), asked, fix)
        }
    }
}

/// A middle-game position of the game and board of a network as planes.
fn sample(info: &ModelInfo) -> Result<Vec<f32>, EvalError> {
    let found = with_game!(&info.game, info.size, |empty| encoded(&empty, info));
    let found = found.map_err(|error| error.to_string());
    let found = found.and_then(|found| found.map_err(|error| error.to_string()));
    found.map_err(|reason| EvalError::Load {
        path: info.network.clone(),
        reason,
    })
}

fn encoded<G: Encode>(empty: &G, info: &ModelInfo) -> Result<Vec<f32>, Mismatch> {
    let plies = info.size.area() as u32 / 3;
    let position = random_position(empty, plies, 0);
    let mut planes = vec![0.0; info.row_len()];
    find(info, &position)?.encode(&position, &mut planes);
    Ok(planes)
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
