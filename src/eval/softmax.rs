//! Probabilities of logits.

/// Turns logits into probabilities in place; `number` finds the logit of an item. Without items
/// nothing happens.
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
}
