//! The settings of a fit.

use serde::{Deserialize, Serialize};

use crate::encode::{Encode, Encoding};
use crate::train::architecture::Architecture;
use crate::train::objective::LossWeights;
use crate::train::optimizer::OptimizerKind;
use crate::train::schedule::Schedule;

/// Weight of the ownership loss where points are counted, and whose they are is the game
/// (docs/methods.md#networks).
const POINTS_OWNERSHIP: f32 = 1.5;

/// Settings of a run. A resumed run must have the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitParams {
    /// The network.
    #[serde(rename = "recipe")]
    pub architecture: Architecture,
    /// Id of the encoding that fills its input.
    pub encoding: String,
    /// Steps in all.
    pub steps: u64,
    /// Rows in a step.
    pub batch: usize,
    /// The optimiser.
    pub rule: OptimizerKind,
    /// Highest learning rate.
    pub learning_rate: f32,
    /// Steps until it is reached.
    pub warm_up: u64,
    /// How it goes on from there.
    pub schedule: Schedule,
    /// Weight decay of factors.
    pub weight_decay: f32,
    /// Largest norm of the gradient.
    pub clip_norm: f32,
    /// Weights of the parts of the loss.
    pub loss: LossWeights,
    /// Share of the generator's root value in the value target, in [0, 1].
    pub root_value_share: f32,
    /// Share of the draws that goes to rows in proportion to their surprise, in [0, 1].
    pub surprise_share: f32,
    /// Decay of the weights' moving average a step.
    pub average_decay: f32,
    /// Seed of the initial weights, the order of rows and their symmetries.
    pub seed: u64,
    /// Steps between scores on held-out rows.
    pub score_every: u64,
    /// Held-out rows whose losses are taken, at most.
    pub score_rows: usize,
}

impl FitParams {
    /// What to use for `steps` steps of a network of a game, where nothing else is said.
    #[must_use]
    pub fn of<G: Encode>(architecture: Architecture, steps: u64) -> FitParams {
        let encoding = usual_encoding::<G>(architecture).map(|encoding| encoding.id().to_owned());
        let mut params = FitParams::new(architecture, steps);
        if G::INFO.passes {
            params.loss.ownership = POINTS_OWNERSHIP;
        }
        FitParams {
            encoding: encoding.unwrap_or(params.encoding),
            ..params
        }
    }

    /// What to use where nothing is said, for `steps` steps of a network.
    #[must_use]
    pub fn new(architecture: Architecture, steps: u64) -> FitParams {
        FitParams {
            architecture,
            encoding: architecture.encoding().to_owned(),
            steps,
            batch: 256,
            rule: OptimizerKind::AdamW,
            learning_rate: 2e-3,
            warm_up: 100.min(steps / 10),
            schedule: Schedule::Cosine,
            weight_decay: 0.05,
            clip_norm: 5.0,
            loss: architecture.loss_weights(),
            root_value_share: 0.25,
            surprise_share: 0.5,
            average_decay: 0.999,
            seed: 1,
            score_every: 250,
            score_rows: 4096,
        }
    }
}

/// What a network of `architecture` reads of a game where nothing is said: the encoding of its
/// family, or the game's last one, if it does not have that.
#[must_use]
pub fn usual_encoding<G: Encode>(architecture: Architecture) -> Option<&'static dyn Encoding<G>> {
    let encodings = G::encodings();
    let own = encodings
        .iter()
        .find(|own| own.id() == architecture.encoding());
    own.or(encodings.last()).copied()
}
