//! The input and output buffers of a network: encoded rows in, logits out; and what logits say.

use std::ops::Range;

/// Points of lead for each unit of a network's lead output.
pub const LEAD_SCALE: f32 = 20.0;

/// Tolerance for two answers that differ only by rounding: with ten bits of fraction (TF32, f16) a GPU's
/// kernels for different batches were up to 0.017 apart on an empty input (`go-taught`, 19x19). Logits that
/// depend on other positions are wrong by 1 or more.
const NEAR: f32 = 0.1;

/// Encoded positions waiting for evaluation: `[len, planes, height, width]` f32, row-major, each
/// with its key for the cache. Methods panic for the index of a row that it does not have.
#[derive(Debug, Clone)]
pub struct Batch {
    row_len: usize,
    keys: Vec<u128>,
    planes: Vec<f32>,
}

impl Batch {
    /// An empty batch of rows of `row_len` numbers.
    pub fn new(row_len: usize) -> Batch {
        Batch {
            row_len,
            keys: Vec::new(),
            planes: Vec::new(),
        }
    }

    /// Appends a zeroed row with its cache key and returns it to be filled.
    pub fn push(&mut self, key: u128) -> &mut [f32] {
        let start = self.planes.len();
        self.keys.push(key);
        self.planes.resize(start + self.row_len, 0.0);
        &mut self.planes[start..]
    }

    /// Appends all rows of a batch of the same row length, with their keys.
    ///
    /// # Panics
    /// If its rows have another length.
    pub fn append(&mut self, other: &Batch) {
        assert_eq!(self.row_len, other.row_len, "rows of another length");
        self.keys.extend_from_slice(&other.keys);
        self.planes.extend_from_slice(&other.planes);
    }

    /// Appends some rows of such a batch in this order, with their keys.
    ///
    /// # Panics
    /// As [`Batch::append`], and for the index of a row that is not there.
    pub fn append_rows(&mut self, other: &Batch, rows: impl IntoIterator<Item = usize>) {
        for index in rows {
            self.push(other.key(index))
                .copy_from_slice(other.row(index));
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Numbers in a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// Row `index`, as f32 planes in the order of the network's input.
    pub fn row(&self, index: usize) -> &[f32] {
        &self.planes[index * self.row_len..][..self.row_len]
    }

    /// The cache key of row `index`.
    pub fn key(&self, index: usize) -> u128 {
        self.keys[index]
    }

    /// All rows, one after another.
    pub fn planes(&self) -> &[f32] {
        &self.planes
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        are_finite(&self.planes)
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.planes.clear();
    }
}

/// The network's answers, row by row in the batch's order. Methods panic for the index of a row that is not there.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Numbers of a row, as in `ModelInfo::output_lens`: policy logits, value logits, leads, owners.
    lens: [usize; 4],
    /// Row after row.
    numbers: Vec<f32>,
}

impl Outputs {
    /// An empty buffer; every evaluation resizes it.
    pub fn new() -> Outputs {
        Outputs::default()
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        are_finite(&self.numbers)
    }

    /// Whether the first rows of two answers are equal up to rounding of any precision.
    pub(super) fn is_near(&self, other: &Outputs) -> bool {
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= NEAR * a.abs().max(1.0);
        self.row(0).iter().zip(other.row(0)).all(near)
    }

    /// Resizes to `len` rows of zeros with these numbers of policy logits, value logits, leads and
    /// owners, as in `ModelInfo::output_lens`.
    pub fn reset_for(&mut self, len: usize, lens: [usize; 4]) {
        self.lens = lens;
        self.numbers.clear();
        self.numbers.resize(len * self.row_len(), 0.0);
    }

    /// Becomes a copy of some rows of another buffer.
    pub(super) fn copy_rows(&mut self, from: &Outputs, rows: Range<usize>) {
        self.lens = from.lens;
        let len = self.row_len();
        self.numbers.clear();
        self.numbers
            .extend_from_slice(&from.numbers[rows.start * len..rows.end * len]);
    }

    /// Numbers in a row.
    fn row_len(&self) -> usize {
        self.lens.iter().sum()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.numbers.len().checked_div(self.row_len()).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// All numbers of row `index`: policy logits, value logits, points outputs.
    pub(super) fn row(&self, index: usize) -> &[f32] {
        &self.numbers[index * self.row_len()..][..self.row_len()]
    }

    /// The same, mutable.
    pub(super) fn row_mut(&mut self, index: usize) -> &mut [f32] {
        let len = self.row_len();
        &mut self.numbers[index * len..][..len]
    }

    /// Policy logits of row `index`, one per policy index.
    pub fn policy(&self, index: usize) -> &[f32] {
        &self.row(index)[..self.lens[0]]
    }

    /// Policy logits of row `index`, mutable.
    pub fn policy_mut(&mut self, index: usize) -> &mut [f32] {
        self.output_mut(0, index)
    }

    /// Value logits of row `index`: win, \[draw,\] loss for the side to move.
    pub fn value_logits(&self, index: usize) -> &[f32] {
        &self.row(index)[self.lens[0]..][..self.lens[1]]
    }

    /// Value logits of row `index`, mutable.
    pub fn value_logits_mut(&mut self, index: usize) -> &mut [f32] {
        self.output_mut(1, index)
    }

    /// Points outputs of row `index`, as in `ModelInfo::points`.
    pub fn points(&self, index: usize) -> &[f32] {
        &self.row(index)[self.lens[0] + self.lens[1]..]
    }

    /// Points outputs of row `index`, mutable.
    pub fn points_mut(&mut self, index: usize) -> &mut [f32] {
        let start = self.lens[0] + self.lens[1];
        &mut self.row_mut(index)[start..]
    }

    /// Row `index` of one of `ModelInfo::outputs`, mutable.
    pub(super) fn output_mut(&mut self, output: usize, index: usize) -> &mut [f32] {
        let start = self.lens[..output].iter().sum::<usize>();
        let len = self.lens[output];
        &mut self.row_mut(index)[start..][..len]
    }

    /// Expected lead in points of the side to move of row `index`, where the network predicts it.
    pub fn lead(&self, index: usize) -> Option<f32> {
        self.points(index).first().map(|lead| lead * LEAD_SCALE)
    }

    /// Expected owner of each point, from 1 for the side to move of row `index` to -1; empty where
    /// the network does not predict it.
    pub fn owners(&self, index: usize) -> impl Iterator<Item = f32> {
        let logits = self.points(index).iter().skip(1);
        // 2 / (1 + e^-x) - 1
        logits.map(|logit| (logit / 2.0).tanh())
    }

    /// Expected result of row `index` in [-1, 1] for the side to move: softmax of the value
    /// logits, P(win) - P(loss).
    pub fn value(&self, index: usize) -> f32 {
        let logits = self.value_logits(index);
        // A game has at most three results.
        let mut results = [0.0; 3];
        let results = &mut results[..logits.len()];
        results.copy_from_slice(logits);
        softmax(results, |logit| logit);
        results[0] - results[results.len() - 1]
    }
}

/// Whether all of these are finite, without an early end, which would take longer.
fn are_finite(numbers: &[f32]) -> bool {
    numbers
        .iter()
        .fold(true, |all, number| all & number.is_finite())
}

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
pub fn log_softmax(logits: impl Iterator<Item = f32>) -> Vec<f64> {
    let logits: Vec<f64> = logits.map(f64::from).collect();
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.iter().map(|logit| (logit - max).exp());
    let total = weights.sum::<f64>().ln() + max;
    logits.iter().map(|logit| logit - total).collect()
}

/// Kullback-Leibler divergence between two distributions in nats, at least 0, from the logarithms
/// of their probabilities.
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
    fn rows_keep_their_place() {
        let mut batch = Batch::new(3);
        batch.push(7).copy_from_slice(&[1.0, 2.0, 3.0]);
        batch.push(8)[1] = 5.0;
        assert_eq!((batch.len(), batch.key(1)), (2, 8));
        assert_eq!(batch.row(0), [1.0, 2.0, 3.0]);
        assert_eq!(batch.row(1), [0.0, 5.0, 0.0]);
        batch.clear();
        assert!(batch.is_empty());
        assert_eq!(batch.push(1), [0.0; 3], "a reused row starts at zero");
    }

    #[test]
    fn half_precision_is_near_and_another_answer_is_not() {
        let answer = |logit: f32| {
            let mut out = Outputs::new();
            out.reset_for(1, [2, 1, 0, 0]);
            out.policy_mut(0).copy_from_slice(&[logit, -40.0 * logit]);
            out
        };
        assert!(answer(1.0).is_near(&answer(1.02)));
        assert!(!answer(1.0).is_near(&answer(1.5)));
        assert!(!answer(1.0).is_near(&answer(f32::NAN)));
    }

    #[test]
    fn parts_are_copied() {
        let mut batch = Batch::new(1);
        batch.push(1)[0] = 1.0;
        let mut all = batch.clone();
        all.append(&batch);
        assert_eq!((all.len(), all.key(1), all.row(1)), (2, 1, &[1.0][..]));

        let mut out = Outputs::new();
        out.reset_for(3, [2, 1, 0, 0]);
        out.policy_mut(1).copy_from_slice(&[1.0, 2.0]);
        out.value_logits_mut(2)[0] = 3.0;
        let mut part = Outputs::new();
        part.copy_rows(&out, 1..3);
        assert_eq!(
            (part.len(), part.policy(0), part.policy(1)),
            (2, &[1.0, 2.0][..], &[0.0; 2][..])
        );
        assert_eq!(
            (part.value_logits(0)[0], part.value_logits(1)[0]),
            (0.0, 3.0)
        );
    }

    #[test]
    #[should_panic(expected = "rows of another length")]
    fn rows_of_another_length_are_not_appended() {
        let mut other = Batch::new(2);
        other.push(0);
        Batch::new(1).append(&other);
    }

    #[test]
    fn value_is_win_minus_loss() {
        let mut out = Outputs::new();
        out.reset_for(2, [1, 3, 0, 0]);
        out.value_logits_mut(0)
            .copy_from_slice(&[2.0_f32.ln(), 0.0, 0.0]);
        assert!((out.value(0) - 0.25).abs() < 1e-6);
        assert_eq!(out.value(1), 0.0);
    }

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
