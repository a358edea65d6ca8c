//! Numbers for each board and channel.

use super::shape::by_size;

/// Adds `[boards, channels]` to all points of each board.
pub(in crate::network::net) fn add_by_board(
    channels: usize,
    sizes: &[[usize; 3]],
    x: &[f32],
    bias: &[f32],
) -> Vec<f32> {
    let mut sum = Vec::with_capacity(x.len());
    for (board, bias) in boards(channels, sizes, x).zip(bias.chunks_exact(channels)) {
        for point in board.chunks_exact(channels) {
            sum.extend(point.iter().zip(bias).map(|(x, bias)| x + bias));
        }
    }
    sum
}

/// The sum over the points of each board, `[boards, channels]`.
pub(in crate::network::net) fn sums_by_board(
    channels: usize,
    sizes: &[[usize; 3]],
    x: &[f32],
) -> Vec<f32> {
    let mut sums = vec![0.0; sizes.iter().map(|size| size[0]).sum::<usize>() * channels];
    for (board, sums) in boards(channels, sizes, x).zip(sums.chunks_exact_mut(channels)) {
        for point in board.chunks_exact(channels) {
            sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
        }
    }
    sums
}

/// The numbers of each board.
fn boards<'a>(
    channels: usize,
    sizes: &'a [[usize; 3]],
    x: &'a [f32],
) -> impl Iterator<Item = &'a [f32]> {
    let boards = sizes.iter().zip(by_size(sizes, channels, x));
    boards.flat_map(move |(&[_, height, width], x)| x.chunks_exact(height * width * channels))
}
