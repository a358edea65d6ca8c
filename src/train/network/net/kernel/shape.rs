//! The shape of a convolution, the layout of boards that follows from it, and the boards of one size.

use tengen_nn::eval::native::Level;
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::{LANES, Lanes};

/// How many boards of which height and width follow each other: `[boards, height, width]`.
pub(in crate::network::net) type Sizes = Vec<[usize; 3]>;

/// Points of these boards.
pub(in crate::network::net) fn points([boards, height, width]: [usize; 3]) -> usize {
    boards * height * width
}

/// Boards in groups that are summed separately and then added in order.
pub(super) const GROUPS: usize = 4;

/// One convolution: stride 1, an odd square kernel, zero padding that keeps the board's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::network::net) struct Layer {
    /// The vectors that it is computed with.
    pub(in crate::network::net) level: Level,
    /// Whether each channel is separate; there are then as many outputs as inputs.
    pub(in crate::network::net) depthwise: bool,
    /// Channels in.
    pub(in crate::network::net) inputs: usize,
    /// Channels out.
    pub(in crate::network::net) outputs: usize,
    /// Side of the kernel.
    pub(in crate::network::net) kernel: usize,
}

impl Layer {
    /// The convolution that propagates gradients of the outputs back to the inputs.
    pub(in crate::network::net) fn transposed(self) -> Layer {
        Layer {
            inputs: self.outputs,
            outputs: self.inputs,
            ..self
        }
    }
}

/// A convolution on boards of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) level: Level,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) kernel: usize,
    /// Rows of the board.
    pub(super) height: usize,
    /// Columns of the board.
    pub(super) width: usize,
}

impl Shape {
    pub(super) fn new(layer: Layer, [_, height, width]: [usize; 3]) -> Shape {
        Shape {
            level: layer.level,
            inputs: layer.inputs,
            outputs: layer.outputs,
            kernel: layer.kernel,
            height,
            width,
        }
    }

    pub(super) fn area(self) -> usize {
        self.height * self.width
    }

    pub(super) fn taps(self) -> usize {
        self.kernel * self.kernel
    }

    /// Whether it is computed by Winograd's algorithm.
    pub(super) fn in_frequencies(self) -> bool {
        self.kernel == 3
    }

    /// The layout of its boards. A kernel of one point does not see rows: they are one long row.
    pub(super) fn grid(self) -> Grid {
        match self.kernel {
            1 => Grid::new(self.area(), 1, 0),
            kernel => Grid::new(self.width, self.height, kernel / 2),
        }
    }

    /// Blocks of sixteen channels: of the inputs, of the outputs.
    pub(super) fn blocks(self) -> [usize; 2] {
        [self.inputs, self.outputs].map(|channels| channels.div_ceil(LANES))
    }
}

/// What a convolution reads and writes of them.
pub(super) struct Part<'a> {
    pub(super) shape: Shape,
    /// `[points, inputs]`.
    pub(super) x: &'a [f32],
    /// `[points, outputs]`.
    pub(super) y: &'a mut [f32],
}

/// The parts of each size.
pub(super) fn parts<'a>(
    layer: Layer,
    sizes: &'a [[usize; 3]],
    x: &'a [f32],
    mut y: &'a mut [f32],
) -> Vec<Part<'a>> {
    let part = |(&size, x): (&[usize; 3], &'a [f32])| Part {
        shape: Shape::new(layer, size),
        x,
        y: y.split_off_mut(..points(size) * layer.outputs)
            .unwrap_or_default(),
    };
    let inputs = by_size(sizes, layer.inputs, x);
    sizes.iter().zip(inputs).map(part).collect()
}

/// The numbers of each size, `[points, channels]`.
pub(super) fn by_size<'a>(
    sizes: &'a [[usize; 3]],
    channels: usize,
    mut numbers: &'a [f32],
) -> impl Iterator<Item = &'a [f32]> {
    sizes.iter().map(move |&size| {
        numbers
            .split_off(..points(size) * channels)
            .unwrap_or_default()
    })
}

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
