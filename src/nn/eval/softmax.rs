//! Softmax and related functions.

/// Softmax in place; `number` accesses the logit of an item. Does nothing without items.
pub fn softmax<T>(items: &mut [T], number: impl Fn(&mut T) -> &mut f32) {
    let max = items
        .iter_mut()
        .map(|item| *number(item))
        .fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for item in items.iter_mut() {
        let weight = number(item);
        *weight = (*weight - max).exp();
        total += *weight;
    }
    items.iter_mut().for_each(|item| *number(item) /= total);
}

/// The logarithms of the probabilities of logits.
#[must_use]
pub fn log_softmax(logits: impl Iterator<Item = f32>) -> Vec<f64> {
    let logits: Vec<f64> = logits.map(f64::from).collect();
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.iter().map(|logit| (logit - max).exp());
    let total = weights.sum::<f64>().ln() + max;
    logits.iter().map(|logit| logit - total).collect()
}

/// Kullback-Leibler divergence between two distributions in nats, at least 0, from the logarithms
/// of their probabilities.
#[must_use]
pub fn kl_divergence(
    log_p: impl IntoIterator<Item = f64>,
    log_q: impl IntoIterator<Item = f64>,
) -> f64 {
    let both = log_p.into_iter().zip(log_q);
    // Terms with probability zero contribute nothing.
    let terms = both.filter(|(p, _)| *p > f64::NEG_INFINITY);
    let sum: f64 = terms.map(|(p, q)| p.exp() * (p - q)).sum();
    sum.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_proportional_to_the_exponentials() {
        let mut items = [
            (7, 1000.0),
            (8, 1000.0 + 2.0_f32.ln()),
            (9, f32::NEG_INFINITY),
        ];
        softmax(&mut items, |item| &mut item.1);
        let wanted = [(7, 1.0 / 3.0), (8, 2.0 / 3.0), (9, 0.0)];
        for ((name, got), (same, want)) in items.into_iter().zip(wanted) {
            assert_eq!(name, same);
            assert!((got - want).abs() < 1e-4_f32, "{got}");
        }
        softmax(&mut [0.0; 0], |item| item);
    }

    #[test]
    fn logarithms_are_those_of_the_probabilities() {
        let mut probabilities = [1.0, -2.0, 0.5];
        let logs = log_softmax(probabilities.into_iter());
        softmax(&mut probabilities, |item| item);
        for (log, probability) in logs.iter().zip(probabilities) {
            assert!((log.exp() - f64::from(probability)).abs() < 1e-6);
        }
    }

    #[test]
    fn the_divergence_is_by_hand() {
        let log = |numbers: [f64; 2]| numbers.map(f64::ln);
        let expected = 0.5 * (0.5_f64 / 0.25).ln() + 0.5 * (0.5_f64 / 0.75).ln();
        let found = kl_divergence(log([0.5, 0.5]), log([0.25, 0.75]));
        assert!((found - expected).abs() < 1e-12);
        assert_eq!(kl_divergence(log([1.0, 0.0]), log([1.0, 0.0])), 0.0);
    }
}
