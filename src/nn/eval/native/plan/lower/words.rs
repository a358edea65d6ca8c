//! Weights in words: kernels of bytes in the frequencies of Winograd convolutions, and matrices of numbers.

use super::super::super::graph::{Conv, Weights};
use super::super::super::kernels::{LANES, Lanes, MAX_WORD, WordFrequency, word_rows};
use super::super::pack::{line_up, scale_and_bias};

/// The kernels of convolutions of the same input.
pub(super) struct WordKernels {
    /// `[output, input, frequency]` and the number of outputs, by convolution.
    parts: Vec<(Vec<i16>, usize)>,
    /// Value of one step of the sums, by block of outputs and frequency.
    pub(super) factors: Vec<Lanes<f32>>,
}

impl WordKernels {
    /// 3x3 convolutions in the frequencies of tiles of this width; `None` if a sum could be larger
    /// than 32 bits.
    pub(super) fn new<'c>(convs: impl Iterator<Item = &'c Conv>, tile: usize) -> Option<Self> {
        let rows = word_rows(tile);
        let pairs = rows
            .iter()
            .flat_map(|row| rows.iter().map(move |column| [row, column]));
        let frequencies: Vec<_> = pairs.map(WordFrequency).collect();
        let (mut parts, mut factors) = (Vec::new(), Vec::new());
        for conv in convs {
            let Weights::Integer { weights, .. } = &conv.weights else {
                return None;
            };
            let kernels = weights.chunks_exact(9);
            let words: Vec<i16> = kernels
                .flat_map(|kernel| frequencies.iter().map(|frequency| frequency.weight(kernel)))
                .collect();
            let mut outputs = words.chunks_exact(conv.inputs * frequencies.len());
            if !outputs.all(|output| fits(output, &frequencies)) {
                return None;
            }
            let (scale, _) = scale_and_bias(conv);
            for scale in scale.chunks(LANES) {
                factors.extend(frequencies.iter().flat_map(|frequency| {
                    let divisor = frequency.divisor() as f32;
                    let factors: Vec<f32> = scale.iter().map(|scale| scale / divisor).collect();
                    line_up(&factors)
                }));
            }
            parts.push((words, conv.bias.len()));
        }
        Some(WordKernels { parts, factors })
    }

    /// Weights and number of outputs of each convolution.
    pub(super) fn parts(&self) -> Vec<(&[i16], usize)> {
        let parts = self.parts.iter();
        parts
            .map(|(words, outputs)| (&words[..], *outputs))
            .collect()
    }
}

/// Whether the sums of an output stay within 32 bits for every input; its weights are `[input,
/// frequency]`.
fn fits(output: &[i16], frequencies: &[WordFrequency<'_>]) -> bool {
    frequencies.iter().enumerate().all(|(i, frequency)| {
        let weights = output[i..].iter().step_by(frequencies.len());
        let magnitudes: i64 = weights.map(|&weight| i64::from(weight).abs()).sum();
        magnitudes * frequency.most_input() <= i32::MAX.into()
    })
}

/// Matrices for the same tokens, each output with a step of its own: as many bits as leave its sums within
/// 32 for every input.
pub(super) struct WordMatrices {
    /// `[output, input]` and the number of outputs, by matrix.
    parts: Vec<(Vec<i16>, usize)>,
    /// The value of one step of each output.
    pub(super) steps: Vec<Lanes<f32>>,
}

impl WordMatrices {
    /// Matrices of numbers.
    pub(super) fn new<'c>(convs: impl Iterator<Item = &'c Conv>) -> WordMatrices {
        let (mut parts, mut steps) = (Vec::new(), Vec::new());
        for conv in convs {
            let Weights::Float(weights) = &conv.weights else {
                continue;
            };
            let (mut words, mut of_outputs) = (Vec::with_capacity(weights.len()), Vec::new());
            for row in weights.chunks_exact(conv.inputs) {
                let step = step(row);
                words.extend(row.iter().map(|weight| (weight / step).round() as i16));
                of_outputs.push(step);
            }
            steps.extend(line_up(&of_outputs));
            parts.push((words, conv.bias.len()));
        }
        WordMatrices { parts, steps }
    }

    /// Weights and number of outputs of each matrix.
    pub(super) fn parts(&self) -> Vec<(&[i16], usize)> {
        let parts = self.parts.iter();
        parts
            .map(|(words, outputs)| (&words[..], *outputs))
            .collect()
    }
}

/// The smallest step with which the sums of an output stay within 32 bits.
fn step(row: &[f32]) -> f32 {
    let most = row
        .iter()
        .fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let sum: f64 = row.iter().map(|weight| f64::from(weight.abs())).sum();
    // Each weight may be rounded up by half a step.
    let room = f64::from(i32::MAX) / f64::from(MAX_WORD) - row.len() as f64;
    let step = (f64::from(most) / f64::from(i16::MAX)).max(sum / room);
    (step as f32).max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_matrices_stay_within_32_bits_and_use_most_of_them() {
        let rows: [Vec<f32>; 4] = [
            vec![0.7; 512],
            vec![-0.3; 16],
            (0..1152).map(|i| (i as f32).sin()).collect(),
            vec![0.0; 64],
        ];
        for row in rows {
            let step = step(&row);
            let words = row.iter().map(|weight| (weight / step).round() as i64);
            let most = words.clone().map(i64::abs).sum::<i64>() * i64::from(MAX_WORD);
            assert!(most <= i32::MAX.into(), "{most}");
            let largest = words.map(i64::abs).max();
            let is_full = most > i64::from(i32::MAX) / 100 * 99 || largest >= Some(32_766);
            assert!(is_full || row[0] == 0.0, "{most} {largest:?}");
        }
    }
}
