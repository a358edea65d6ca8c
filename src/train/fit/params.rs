//! The settings of a fit: its loss, the schedules of the learning rate and of weight averaging.

use std::f32::consts::PI;

use serde::{Deserialize, Serialize};

use crate::fit::teacher::TeacherParams;
use crate::network::architecture::Architecture;
use crate::network::net::AuxHead;
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
    /// Which rows are fitted. Older files do not say it, nor those of a run, whose plan does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowsParams>,
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

/// Which rows of its games a run fits: with others, games that it has fitted would count as held out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowsParams {
    /// Share of games held out for validation.
    pub held_out: f64,
    /// Newest rows that were kept.
    pub window: usize,
}

impl FitParams {
    /// The settings of a checkpoint, with what an older one does not say as `now` has it.
    pub(super) fn completed(mut self, now: &FitParams) -> FitParams {
        self.rows = self.rows.or(now.rows);
        if let (Some(own), Some(now)) = (&mut self.teacher, &now.teacher)
            && own.hashes.is_empty()
        {
            own.hashes.clone_from(&now.hashes);
        }
        self
    }

    /// For `steps` steps of a network of a game, as `[fit]` says; all else is usual.
    pub fn of<G: Encode>(architecture: Architecture, steps: u64, fit: &Fit) -> FitParams {
        let usual = || match usual_encoding::<G>(architecture) {
            Some(encoding) => encoding.id().to_owned(),
            None => architecture.family.encoding().to_owned(),
        };
        let mut loss = LossWeights::default();
        if G::INFO.scored {
            loss.ownership = POINTS_OWNERSHIP;
        }
        FitParams {
            architecture,
            encoding: fit.encoding.clone().unwrap_or_else(usual),
            steps,
            batch: fit.batch,
            learning_rate: fit.learning_rate,
            warm_up: 100.min(steps / 10),
            schedule: Schedule::Cosine,
            weight_decay: fit.weight_decay,
            clip_norm: 5.0,
            loss,
            root_value_share: fit.root_value_share,
            teacher: None,
            rows: None,
            surprise_share: fit.surprise_share,
            average_decay: fit.average_decay,
            seed: 1,
            score_every: 250,
            score_rows: 4096,
        }
    }
}

/// Default encoding of a network of `architecture`: that of its family, or the game's last one, if
/// the game does not have that.
fn usual_encoding<G: Encode>(architecture: Architecture) -> Option<&'static Encoding<G>> {
    let encodings = G::encodings();
    let own = encodings
        .iter()
        .find(|own| own.id() == architecture.family.encoding());
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
            "Input encoding of new networks: for NoGo nogo-az, nogo-asf, nogo-1 or nogo-2, for Go go-mobile-2, \
             go-2 or go-1, for Gomoku gobang-1, gomoku-2 or gomoku-1";
        reuse: f64 = 4.0, above(0.0),
            "Mean number of times each row is fitted before it leaves the window: samples of a generation per new row";
        catch_up: f64 = 2.0, above(0.0),
            "Number of times a new network sees each row of the window before it plays";
        batch: usize = 256, 1..=1_000_000,
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
        average_decay: f32 = 0.99, 0.0..=1.0,
            "Decay of the moving average of the weights, per step";
    }
}

/// Weights of the parts of the loss, relative to the policy's cross-entropy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LossWeights {
    /// Cross-entropy of the value (Gao & Wu 2021, 4.3: 1.5).
    pub value: f32,
    /// Whether the value's part is the squared error of the expected result, in [0, 1], instead of the cross-entropy:
    /// Cazenave 2020 compares both (IV-D).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub squared_value: bool,
    /// Cross-entropy of the owners, mean over points (the paper: 0.5, printed as a sum, which would
    /// begin at 28 nats and dominate the rest).
    pub ownership: f32,
}

impl Default for LossWeights {
    fn default() -> LossWeights {
        LossWeights {
            value: 1.5,
            squared_value: false,
            ownership: 0.5,
        }
    }
}

impl LossWeights {
    /// The weight of an auxiliary head.
    pub(crate) fn of(&self, head: AuxHead) -> f32 {
        match head {
            AuxHead::Ownership => self.ownership,
            // Fate's cross-entropy, the mean over all points of both sides, stones counting 0: as ownership.
            AuxHead::PointStatus => 0.5,
            // Squared error of the margin in points, linear beyond 2 (the paper: 0.25). It improves the value at the
            // expense of the policy: networks `tengen-5b32c` fitted with 0, 0.03 and 0.25 to the same 7,800 games for
            // 1,800 steps played equally well, 150-150 both times.
            AuxHead::Margin => 0.25,
            // Error of the lead in tens of points, squared up to 10 points, linear beyond: an error of 5 points counts
            // as much as 0.06 nats of the policy.
            AuxHead::Lead => 0.25,
            // Cross-entropy of the opponent's reply (Wu 2019, 3.4: 0.15).
            AuxHead::Reply => 0.15,
        }
    }
}

/// Schedule of the learning rate after the warm-up, from its peak on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Half a cosine down to a hundredth of the peak (Loshchilov & Hutter 2017).
    Cosine,
    /// A tenth of the peak from 60% of the steps on, a hundredth from 90% on.
    Step,
    /// No change: for runs that are continued, or followed by averaging.
    Constant,
    /// The rule of AlphaGobangZero, 3.5.3: steps that change the policy too much reduce the rate,
    /// and too little increase it.
    Kl {
        /// Target divergence of the policy before a step from that after it, in nats.
        target: f32,
    },
}

/// Interval in steps between measurements of the divergence with [`Schedule::Kl`].
pub(crate) const KL_EVERY: u64 = 10;

/// The rate's factor with [`Schedule::Kl`] after a step that changed the policy by `divergence`
/// nats (docs/methods.md#networks): beyond twice the target it falls by a third, below half of it
/// it rises by half, within [0.1, 10].
pub(crate) fn adapt(factor: f32, divergence: f32, target: f32) -> f32 {
    if divergence > 2.0 * target {
        (factor / 1.5).max(0.1)
    } else if divergence < target / 2.0 {
        (factor * 1.5).min(10.0)
    } else {
        factor
    }
}

impl FitParams {
    /// Learning rate of step `step` (from 0): a linear warm-up to the highest, then according to the schedule.
    /// `factor` is the state of [`Schedule::Kl`], initially 1.
    pub(crate) fn rate_at(&self, step: u64, factor: f32) -> f32 {
        const LAST: f32 = 0.01;
        let (peak, warm_up) = (self.learning_rate, self.warm_up);
        if step < warm_up {
            return peak * (step + 1) as f32 / warm_up as f32;
        }
        let done = (step - warm_up) as f32 / (self.steps.saturating_sub(warm_up).max(1)) as f32;
        peak * match self.schedule {
            Schedule::Cosine => LAST + (1.0 - LAST) * (1.0 + (PI * done.min(1.0)).cos()) / 2.0,
            Schedule::Step if done >= 0.9 => LAST,
            Schedule::Step if done >= 0.6 => 0.1,
            Schedule::Step | Schedule::Constant => 1.0,
            Schedule::Kl { .. } => factor,
        }
    }
}

/// Decay of the moving average of the weights after `step` steps, earlier fits included: grows to
/// `decay`, so that the random start is forgotten quickly, and later weights are not.
pub(crate) fn average_decay(decay: f32, step: u64) -> f32 {
    decay.min((1.0 + step as f32) / (10.0 + step as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::games::nogo::SmallNoGo;

    fn rate(schedule: Schedule, step: u64) -> f32 {
        let params = FitParams {
            learning_rate: 2.0,
            warm_up: 10,
            schedule,
            ..FitParams::of::<SmallNoGo>(Architecture::default(), 110, &Fit::default())
        };
        params.rate_at(step, 3.0)
    }

    #[track_caller]
    fn check(schedule: Schedule, rates: [(u64, f32); 3]) {
        for (step, expected) in rates {
            let found = rate(schedule, step);
            assert!((found - expected).abs() < 1e-5, "step {step}: {found}");
        }
    }

    #[test]
    fn the_rate_rises_and_falls() {
        check(Schedule::Cosine, [(0, 0.2), (9, 2.0), (60, 1.01)]);
        check(Schedule::Cosine, [(110, 0.02), (500, 0.02), (10, 2.0)]);
        check(Schedule::Step, [(69, 2.0), (70, 0.2), (100, 0.02)]);
        check(Schedule::Constant, [(4, 1.0), (10, 2.0), (900, 2.0)]);
        check(
            Schedule::Kl { target: 0.1 },
            [(4, 1.0), (10, 6.0), (90, 6.0)],
        );
        assert!(
            (10..109).all(|step| rate(Schedule::Cosine, step + 1) < rate(Schedule::Cosine, step))
        );
    }

    #[test]
    fn the_factor_follows_the_divergence_within_bounds() {
        assert_eq!(adapt(1.0, 0.01, 0.01), 1.0);
        assert_eq!(adapt(1.5, 0.03, 0.01), 1.0);
        assert_eq!(adapt(1.0, 0.004, 0.01), 1.5);
        let pushed = |divergence| (0..20).fold(1.0, |factor, _| adapt(factor, divergence, 0.01));
        assert_eq!((pushed(0.0), pushed(1.0)), (10.0, 0.1));
    }

    #[test]
    fn the_average_starts_fast() {
        assert!(average_decay(0.999, 0) < 0.2);
        assert_eq!(average_decay(0.999, 1_000_000), 0.999);
    }
}
