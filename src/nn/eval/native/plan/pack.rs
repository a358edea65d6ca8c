//! Packs weights in the order in which the kernels read them; and makes words of them: of kernels of bytes in the
//! frequencies of Winograd convolutions, and of matrices of numbers.

use super::super::graph::{Conv, Weights};
use super::super::kernels::{LANES, Lanes, MAX_WORD, WeightOrder, WordFrequency, word_rows};

/// Appends the weights `[output, input, tap]` of several convolutions of the same input, each with its number of
/// outputs and starting with its own block, in this order, but for its number of channels a step, whose weights `join`
/// combines into one lane. Returns the offset of the first line.
pub(super) fn pack<T: Copy + Default, L: Copy + Default, const CHANNELS: usize>(
    parts: &[(impl AsRef<[T]>, usize)],
    order: WeightOrder<'_>,
    lines: &mut Vec<Lanes<L>>,
    join: impl Fn([T; CHANNELS]) -> L,
) -> usize {
    let WeightOrder { inputs, taps, .. } = order;
    let order = WeightOrder {
        channels: CHANNELS,
        ..order
    };
    // The weight of an output lane, counted over the blocks of all parts.
    let weight = |mut output: usize, input: usize, tap: usize| {
        for (weights, outputs) in parts {
            if output < *outputs && input < inputs {
                return weights.as_ref()[(output * inputs + input) * taps + tap];
            }
            let lanes = outputs.next_multiple_of(LANES);
            if output < lanes {
                break;
            }
            output -= lanes;
        }
        T::default()
    };
    let offset = lines.len();
    lines.reserve(order.lines());
    order.each(|outputs, input, tap| {
        let lane = |lane| {
            join(std::array::from_fn(|i| {
                weight(outputs * LANES + lane, input + i, tap)
            }))
        };
        lines.push(Lanes(std::array::from_fn(lane)));
    });
    offset
}

/// Numbers in lines, padded with zeros.
pub(super) fn line_up(numbers: &[f32]) -> Vec<Lanes<f32>> {
    let lines = numbers.chunks(LANES).map(|part| {
        let mut line = Lanes::default();
        line.0[..part.len()].copy_from_slice(part);
        line
    });
    lines.collect()
}

/// Scale and offset of a sum of products: an input with a zero point contributes zero times all
/// weights too much, and so does the border, which is filled with it.
pub(super) fn scale_and_bias(conv: &Conv) -> (Vec<f32>, Vec<f32>) {
    let Weights::Integer {
        weights,
        scales,
        steps,
    } = &conv.weights
    else {
        return (vec![1.0; conv.bias.len()], conv.bias.clone());
    };
    let scale: Vec<f32> = scales.iter().map(|scale| scale * steps.scale).collect();
    let kernels = weights.chunks(weights.len() / conv.bias.len());
    let bias = conv.bias.iter().zip(&scale).zip(kernels);
    let bias = bias.map(|((bias, scale), kernel)| {
        let sum: i64 = kernel.iter().map(|&weight| i64::from(weight)).sum();
        let excess = f64::from(*scale) * (sum * i64::from(steps.zero)) as f64;
        (f64::from(*bias) - excess) as f32
    });
    let bias = bias.collect();
    (scale, bias)
}

/// The weights of convolutions of the same input in words.
pub(super) struct InWords {
    /// `[output, input, frequency]`, of matrices without frequencies, and the number of outputs, by convolution.
    pub(super) parts: Vec<(Vec<i16>, usize)>,
    /// Value of one step of the sums: by block of outputs and frequency, of matrices by output.
    pub(super) steps: Vec<Lanes<f32>>,
}

impl InWords {
    /// 3x3 convolutions in the frequencies of tiles of this width; `None` if a sum could be larger
    /// than 32 bits.
    pub(super) fn kernels<'c>(convs: impl Iterator<Item = &'c Conv>, tile: usize) -> Option<Self> {
        let rows = word_rows(tile);
        let pairs = rows
            .iter()
            .flat_map(|row| rows.iter().map(move |column| [row, column]));
        let frequencies: Vec<_> = pairs.map(WordFrequency).collect();
        let (mut parts, mut steps) = (Vec::new(), Vec::new());
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
                steps.extend(frequencies.iter().flat_map(|frequency| {
                    let divisor = frequency.divisor() as f32;
                    let steps: Vec<f32> = scale.iter().map(|scale| scale / divisor).collect();
                    line_up(&steps)
                }));
            }
            parts.push((words, conv.bias.len()));
        }
        Some(InWords { parts, steps })
    }

    /// Matrices of numbers for the same tokens, each output with a step of its own: as many bits as leave its sums
    /// within 32 for every input.
    pub(super) fn matrices<'c>(convs: impl Iterator<Item = &'c Conv>) -> InWords {
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
        InWords { parts, steps }
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
