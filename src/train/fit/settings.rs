//! The settings of a fit that plans and `tengen-train fit` share: `[fit]` of a plan, and flags.

use serde::{Deserialize, Serialize};

use tengen::settings::{Maybe, Text, above};

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
