//! Schedules of the learning rate and of weight averaging.

use std::f32::consts::PI;

use serde::{Deserialize, Serialize};

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
    /// and too little increase it. See [`adapt`].
    Kl {
        /// Target divergence of the policy before a step from that after it, in nats.
        target: f32,
    },
}

/// Interval in steps between measurements of the divergence with [`Schedule::Kl`].
pub const KL_EVERY: u64 = 10;

/// The rate's factor with [`Schedule::Kl`] after a step that changed the policy by `divergence`
/// nats (docs/methods.md#networks): beyond twice the target it falls by a third, below half of it
/// it rises by half, within [0.1, 10].
#[must_use]
pub fn adapt(factor: f32, divergence: f32, target: f32) -> f32 {
    if divergence > 2.0 * target {
        (factor / 1.5).max(0.1)
    } else if divergence < target / 2.0 {
        (factor * 1.5).min(10.0)
    } else {
        factor
    }
}

/// Learning rate of step `step` (from 0) of `steps`: a linear warm-up over `warm_up` steps to
/// `peak`, then according to the schedule. `factor` is the state of [`Schedule::Kl`], initially 1.
#[must_use]
pub fn learning_rate(
    schedule: Schedule,
    peak: f32,
    warm_up: u64,
    steps: u64,
    step: u64,
    factor: f32,
) -> f32 {
    const LAST: f32 = 0.01;
    if step < warm_up {
        return peak * (step + 1) as f32 / warm_up as f32;
    }
    let done = (step - warm_up) as f32 / (steps.saturating_sub(warm_up).max(1)) as f32;
    peak * match schedule {
        Schedule::Cosine => LAST + (1.0 - LAST) * (1.0 + (PI * done.min(1.0)).cos()) / 2.0,
        Schedule::Step if done >= 0.9 => LAST,
        Schedule::Step if done >= 0.6 => 0.1,
        Schedule::Step | Schedule::Constant => 1.0,
        Schedule::Kl { .. } => factor,
    }
}

/// Decay of the moving average of the weights after `step` steps, earlier fits included: grows to
/// `decay`, so that the random start is forgotten quickly, and later weights are not.
#[must_use]
pub fn average_decay(decay: f32, step: u64) -> f32 {
    decay.min((1.0 + step as f32) / (10.0 + step as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(schedule: Schedule, step: u64) -> f32 {
        learning_rate(schedule, 2.0, 10, 110, step, 3.0)
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
