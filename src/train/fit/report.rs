//! Report of a step.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fit::held_out::HeldOutLosses;

/// Report of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Optimiser steps made so far.
    pub step: u64,
    /// Policy loss of the batch in nats.
    pub policy_loss: f32,
    /// Value loss of the batch: cross-entropy in nats, or the squared error of the expected result
    /// in [0, 1], with `LossWeights::squared_value`.
    pub value_loss: f32,
    /// Losses of the auxiliary heads on the batch, by name.
    #[serde(rename = "extra_losses")]
    pub aux_losses: BTreeMap<&'static str, f32>,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Learning rate of this step.
    pub learning_rate: f32,
    /// Losses of the averaged weights on held-out rows, if validated.
    pub held_out: Option<HeldOutLosses>,
    /// The same losses of random initial weights, also if the run starts from another network.
    pub untrained: HeldOutLosses,
}
