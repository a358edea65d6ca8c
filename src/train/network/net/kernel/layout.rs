//! Boards, channels last, in the blocks of sixteen channels that the kernels read, and back.

use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::{LANES, Lanes};

/// A map of this many blocks, all zero.
pub(super) fn empty_map(grid: &Grid, blocks: usize) -> Vec<Lanes<f32>> {
    vec![Lanes::default(); blocks * grid.len]
}

/// Copies a board `[height, width, channels]` into a map, whose border and spare channels stay as they are.
pub(super) fn lay_out(grid: &Grid, channels: usize, board: &[f32], map: &mut [Lanes<f32>]) {
    let rows = board.chunks_exact(grid.width * channels);
    for (row, points) in rows.enumerate() {
        for (at, point) in (grid.at(row, 0)..).zip(points.chunks_exact(channels)) {
            let (whole, rest) = point.as_chunks::<LANES>();
            for (block, numbers) in whole.iter().enumerate() {
                map[block * grid.len + at].0 = *numbers;
            }
            if !rest.is_empty() {
                map[whole.len() * grid.len + at].0[..rest.len()].copy_from_slice(rest);
            }
        }
    }
}

/// Copies a map into a board `[height, width, channels]`.
pub(super) fn copy_out(grid: &Grid, channels: usize, map: &[Lanes<f32>], board: &mut [f32]) {
    let rows = board.chunks_exact_mut(grid.width * channels);
    for (row, points) in rows.enumerate() {
        for (at, point) in (grid.at(row, 0)..).zip(points.chunks_exact_mut(channels)) {
            let (whole, rest) = point.as_chunks_mut::<LANES>();
            for (block, numbers) in whole.iter_mut().enumerate() {
                *numbers = map[block * grid.len + at].0;
            }
            if !rest.is_empty() {
                rest.copy_from_slice(&map[whole.len() * grid.len + at].0[..rest.len()]);
            }
        }
    }
}
