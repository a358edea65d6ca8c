//! The settings of a fit.

use serde::{Deserialize, Serialize};

use crate::fit::optimizer::OptimizerKind;
use crate::fit::schedule::Schedule;
use crate::fit::teacher::TeacherParams;
use crate::network::architecture::Architecture;
use crate::network::loss_weights::LossWeights;
use tengen::encode::{Encode, Encoding};
use tengen::settings::{Maybe, Text, above};

/// Weight of the ownership loss if points are counted, where ownership decides the game
/// (docs/methods.md#networks).
const POINTS_OWNERSHIP: f32 = 1.5;

/// Settings of a run, which must not change when it is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitParams {
    /// Architecture of the network.
    #[serde(rename = "recipe")]
    pub architecture: Architecture,
    /// Id of the encoding that fills its input.
    pub encoding: String,
    /// Optimiser steps of the whole run.
    pub steps: u64,
    /// Rows in a step.
    pub batch: usize,
    /// Update rule of the optimiser.
    pub rule: OptimizerKind,
    /// Highest learning rate.
    pub learning_rate: f32,
    /// Steps until it is reached.
    pub warm_up: u64,
    /// How it goes on from there.
    pub schedule: Schedule,
    /// Weight decay per step and unit of learning rate, on weights only (`Role::Weight`).
    pub weight_decay: f32,
    /// Largest norm of the gradient.
    pub clip_norm: f32,
    /// Weights of the parts of the loss.
    pub loss: LossWeights,
    /// Share of the search's root value in the value target, in [0, 1].
    pub root_value_share: f32,
    /// Whose answers have a share in the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<TeacherParams>,
    /// Share of samples drawn in proportion to surprise, in [0, 1].
    pub surprise_share: f32,
    /// Decay of the moving average of the weights, per step.
    pub average_decay: f32,
    /// Seed of the initial weights, the order of rows and their symmetries.
    pub seed: u64,
    /// Interval in steps between validations.
    pub score_every: u64,
    /// Maximum number of held-out rows for validation.
    pub score_rows: usize,
}

impl FitParams {
    /// Defaults for `steps` steps of a network of a game.
    #[must_use]
    pub fn of<G: Encode>(architecture: Architecture, steps: u64) -> FitParams {
        let encoding = usual_encoding::<G>(architecture).map(|encoding| encoding.id().to_owned());
        let mut params = FitParams::new(architecture, steps);
        if G::INFO.scored {
            params.loss.ownership = POINTS_OWNERSHIP;
        }
        FitParams {
            encoding: encoding.unwrap_or(params.encoding),
            ..params
        }
    }

    /// Defaults for `steps` steps of a network.
    #[must_use]
    pub fn new(architecture: Architecture, steps: u64) -> FitParams {
        let usual = Fit::default();
        FitParams {
            architecture,
            encoding: architecture.encoding().to_owned(),
            steps,
            batch: usual.batch,
            rule: OptimizerKind::AdamW,
            learning_rate: usual.learning_rate,
            warm_up: 100.min(steps / 10),
            schedule: Schedule::Cosine,
            weight_decay: usual.weight_decay,
            clip_norm: 5.0,
            loss: architecture.loss_weights(),
            root_value_share: usual.root_value_share,
            teacher: None,
            surprise_share: usual.surprise_share,
            average_decay: usual.average_decay,
            seed: 1,
            score_every: 250,
            score_rows: 4096,
        }
    }
}

/// Default encoding of a network of `architecture`: that of its family, or the game's last one, if
/// the game does not have that.
#[must_use]
pub fn usual_encoding<G: Encode>(architecture: Architecture) -> Option<&'static dyn Encoding<G>> {
    let encodings = G::encodings();
    let own = encodings
        .iter()
        .find(|own| own.id() == architecture.encoding());
    own.or(encodings.last()).copied()
}

tengen::settings! {
    /// Settings of fitting.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Fit, "[fit]" {
        #[serde(skip_serializing_if = "Option::is_none")]
        encoding: Option<String> = None => "the family's, or nogo-1, go-1, gomoku-2",
            Maybe(Text("NAME", "an encoding of the game")),
            "Input encoding of new networks: for NoGo nogo-az, nogo-asf, nogo-1 or nogo-2, for Go go-mobile, \
             go-2 or go-1, for Gomoku gobang-1, gomoku-2 or gomoku-1";
        reuse: f64 = 4.0, above(0.0),
            "Mean number of times each row is fitted before it leaves the window: samples of a generation per new row";
        catch_up: f64 = 2.0, above(0.0),
            "Number of times a new network sees each row of the window before it plays";
        batch: usize = 256, 1..,
            "Rows per optimiser step";
        learning_rate: f32 = 1e-3, above(0.0),
            "Learning rate after the warm-up";
        #[serde(skip_serializing_if = "Option::is_none")]
        kl_target: Option<f32> = None, Maybe(above(0.0)),
            "Target change of the policy per step, in nats: the learning rate is adapted to it";
        weight_decay: f32 = 0.05, 0.0..f32::INFINITY,
            "Weight decay, of the weights of convolutions and layers only";
        root_value_share: f32 = 0.25, 0.0..=1.0,
            "Share of the search's root value in the value target";
        surprise_share: f32 = 0.5, 0.0..=1.0,
            "Share of samples drawn in proportion to surprise";
        settled_nodes: u64 = 0, 0..,
            "Nodes with which the solver settles rows that are then left out, because a search does not show them to a \
             network. In Gomoku this made networks weaker";
        average_decay: f32 = 0.99, 0.0..=1.0,
            "Decay of the moving average of the weights, per step";
    }
}
