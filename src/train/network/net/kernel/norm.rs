//! Batch norm of channels-last numbers, `[points, channels]`.

use rayon::prelude::*;

/// Points that are summed in f32 before f64 takes over.
const POINTS: usize = 256;

/// The mean and the variance of each channel.
pub(in crate::network::net) fn moments(x: &[f32], channels: usize) -> [Vec<f32>; 2] {
    let points = (x.len() / channels).max(1) as f64;
    let average = |sums: Vec<f64>| -> Vec<f32> {
        let sums = sums.into_iter();
        sums.map(|sum| (sum / points) as f32).collect()
    };
    let mean = average(sums(x, &vec![0.0; channels], |x, _| x));
    let variance = average(sums(x, &mean, |x, mean| (x - mean) * (x - mean)));
    [mean, variance]
}

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta; with `relu` at least 0.
pub(in crate::network::net) fn norm(
    x: &[f32],
    factors: [&[f32]; 4],
    epsilon: f32,
    relu: bool,
) -> Vec<f32> {
    let (scale, shift) = norm_as_line(factors, epsilon);
    let (channels, least) = (scale.len(), floor(relu));
    let mut y = vec![0.0; x.len()];
    let len = POINTS * channels;
    y.par_chunks_mut(len)
        .zip(x.par_chunks(len))
        .for_each(|(y, x)| {
            for (y, x) in y.chunks_exact_mut(channels).zip(x.chunks_exact(channels)) {
                for (((y, x), scale), shift) in y.iter_mut().zip(x).zip(&scale).zip(&shift) {
                    *y = (x * scale + shift).max(least);
                }
            }
        });
    y
}

/// A norm as a factor and a summand for each channel.
pub(crate) fn norm_as_line(
    [gamma, beta, mean, variance]: [&[f32]; 4],
    epsilon: f32,
) -> (Vec<f32>, Vec<f32>) {
    let channels = gamma.len();
    let scale = by_channel(channels, |c| gamma[c] / (variance[c] + epsilon).sqrt());
    let shift = by_channel(channels, |c| beta[c] - mean[c] * scale[c]);
    (scale, shift)
}

/// The least answer.
fn floor(relu: bool) -> f32 {
    if relu { 0.0 } else { f32::NEG_INFINITY }
}

/// Propagates gradients of the outputs of [`norm`] to `x`, gamma and beta, when the moments were those of `x`.
pub(in crate::network::net) fn norm_gradient(
    x: &[f32],
    gradient: &[f32],
    factors: [&[f32]; 4],
    epsilon: f32,
    relu: bool,
) -> [Vec<f32>; 3] {
    let [gamma, _, mean, variance] = factors;
    let channels = gamma.len();
    let points = (x.len() / channels).max(1) as f32;
    let inverse = by_channel(channels, |c| 1.0 / (variance[c] + epsilon).sqrt());
    let answer = norm_as_line(factors, epsilon);
    let answer = (&answer.0[..], &answer.1[..]);
    let least = floor(relu);
    let [to_beta, to_gamma] = gradient_sums(x, gradient, mean, answer.0, answer.1, least);
    let to_beta = by_channel(channels, |c| to_beta[c] as f32);
    let to_gamma = by_channel(channels, |c| to_gamma[c] as f32 * inverse[c]);
    // With x' = (x - mean) * inverse and n points, the gradient of x is
    // gamma * inverse * (g - to_beta / n - x' * to_gamma / n): a line in g and x.
    let scale = by_channel(channels, |c| gamma[c] * inverse[c]);
    let slope = by_channel(channels, |c| -scale[c] * inverse[c] * to_gamma[c] / points);
    let shift = by_channel(channels, |c| {
        -scale[c] * to_beta[c] / points - slope[c] * mean[c]
    });
    let mut to_x = vec![0.0; x.len()];
    let len = POINTS * channels;
    to_x.par_chunks_mut(len)
        .zip(x.par_chunks(len).zip(gradient.par_chunks(len)))
        .for_each(|(to_x, (x, gradient))| {
            let points = x
                .chunks_exact(channels)
                .zip(gradient.chunks_exact(channels));
            for (to_x, (x, gradient)) in to_x.chunks_exact_mut(channels).zip(points) {
                let numbers = x.iter().zip(gradient);
                let line = scale.iter().zip(&slope).zip(&shift);
                let answer = answer.0.iter().zip(answer.1);
                let terms = to_x.iter_mut().zip(numbers).zip(line.zip(answer));
                for ((to_x, (x, g)), (((a, b), c), (scale, shift))) in terms {
                    let g = if x * scale + shift > least { *g } else { 0.0 };
                    *to_x = a * g + (b * x + c);
                }
            }
        });
    [to_x, to_gamma, to_beta]
}

fn by_channel(channels: usize, number: impl Fn(usize) -> f32) -> Vec<f32> {
    (0..channels).map(number).collect()
}

/// Sums over all points, by channel, of the gradient and of its product with x - mean, where the norm's answer, a line
/// in x, is above `least`.
fn gradient_sums(
    x: &[f32],
    gradient: &[f32],
    mean: &[f32],
    scale: &[f32],
    shift: &[f32],
    least: f32,
) -> [Vec<f64>; 2] {
    let channels = mean.len();
    let groups: Vec<[Vec<f32>; 2]> = x
        .par_chunks(POINTS * channels)
        .zip(gradient.par_chunks(POINTS * channels))
        .map(|(x, gradient)| {
            let [mut plain, mut times] = [(); 2].map(|()| vec![0.0; channels]);
            let points = x
                .chunks_exact(channels)
                .zip(gradient.chunks_exact(channels));
            for (x, gradient) in points {
                let sums = plain.iter_mut().zip(&mut times);
                let numbers = x.iter().zip(gradient).zip(mean);
                let answer = scale.iter().zip(shift);
                for (((plain, times), ((x, g), mean)), (scale, shift)) in
                    sums.zip(numbers).zip(answer)
                {
                    let g = if x * scale + shift > least { *g } else { 0.0 };
                    *plain += g;
                    *times += (x - mean) * g;
                }
            }
            [plain, times]
        })
        .collect();
    total(&groups, channels)
}

/// Sums over all points, by channel, of `term(x, mean)`.
fn sums(x: &[f32], mean: &[f32], term: impl Fn(f32, f32) -> f32 + Sync) -> Vec<f64> {
    let channels = mean.len();
    let groups: Vec<[Vec<f32>; 1]> = x
        .par_chunks(POINTS * channels)
        .map(|x| {
            let mut sums = vec![0.0; channels];
            for x in x.chunks_exact(channels) {
                for ((sum, x), mean) in sums.iter_mut().zip(x).zip(mean) {
                    *sum += term(*x, *mean);
                }
            }
            [sums]
        })
        .collect();
    let [total] = total(&groups, channels);
    total
}

/// The sums of all groups, by channel.
fn total<const N: usize>(groups: &[[Vec<f32>; N]], channels: usize) -> [Vec<f64>; N] {
    let mut total = [(); N].map(|()| vec![0.0; channels]);
    for group in groups {
        for (total, group) in total.iter_mut().zip(group) {
            for (total, sum) in total.iter_mut().zip(group) {
                *total += f64::from(*sum);
            }
        }
    }
    total
}
