//! How the learning rate and the averaging of weights go with the steps of a run.

/// Learning rate of step `step` (from 0) of `steps`: a linear warm-up over `warm_up` steps to
/// `peak`, then half a cosine down to a hundredth of it (Loshchilov & Hutter 2017).
#[must_use]
pub fn learning_rate(peak: f32, warm_up: u64, steps: u64, step: u64) -> f32 {
    const LAST: f32 = 0.01;
    if step < warm_up {
        return peak * (step + 1) as f32 / warm_up as f32;
    }
    let done = (step - warm_up) as f32 / (steps.saturating_sub(warm_up).max(1)) as f32;
    let cosine = (1.0 + (std::f32::consts::PI * done.min(1.0)).cos()) / 2.0;
    peak * (LAST + (1.0 - LAST) * cosine)
}

/// Decay of the weights' moving average after `step` steps: grows to `decay`, so that the random
/// start is forgotten at once.
#[must_use]
pub fn average_decay(decay: f32, step: u64) -> f32 {
    decay.min((1.0 + step as f32) / (10.0 + step as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let rate = |step| learning_rate(2.0, 10, 110, step);
        assert!((rate(0) - 0.2).abs() < 1e-6 && (rate(9) - 2.0).abs() < 1e-6);
        assert!((rate(60) - 1.01).abs() < 1e-5, "half-way down");
        assert!((rate(110) - 0.02).abs() < 1e-6);
        assert!((rate(500) - 0.02).abs() < 1e-6);
        assert!((10..109).all(|step| rate(step + 1) < rate(step)));
    }

    #[test]
    fn the_average_starts_fast() {
        assert!(average_decay(0.999, 0) < 0.2);
        assert_eq!(average_decay(0.999, 1_000_000), 0.999);
    }
}
