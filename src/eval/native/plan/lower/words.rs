//! Kernels of bytes in the frequencies of Winograd convolutions in words.

use super::super::super::graph::{Conv, Weights};
use super::super::super::kernels::{LANES, Lanes, WordFrequency, word_rows};
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
