//! CPU kernels for many small boards, forward and backward, on plain slices. Boards are channels
//! last, `[boards, height, width, channels]`: a point's channels are accessed in whole registers,
//! and nothing is transposed.
//!
//! Burn's own CPU convolution unrolls each board into columns for a general matrix product, which
//! for boards of 81 points costs more than the product. Boards are distributed over threads in
//! fixed groups, so that sums are added in the same order for any thread count.

mod convolve;
mod norm;
mod weight_gradient;

pub(super) use convolve::{POINTS, forward, input_gradient};
pub(super) use norm::{moments, norm, norm_gradient};
pub(super) use weight_gradient::weight_gradient;

/// Channels summed at once: two AVX2 registers of f32.
pub(super) const LANES: usize = 16;

/// A register's worth of channels.
pub(super) type Lanes = [f32; LANES];

/// The shape of one convolution: stride 1, an odd square kernel, zero padding that keeps the
/// board's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Channels in.
    pub(super) inputs: usize,
    /// Channels out.
    pub(super) outputs: usize,
    /// Side of the kernel.
    pub(super) kernel: usize,
    /// Rows of the board.
    pub(super) height: usize,
    /// Columns of the board.
    pub(super) width: usize,
}

impl Shape {
    /// The convolution that propagates gradients of the outputs back to the inputs.
    fn transposed(self) -> Shape {
        Shape {
            inputs: self.outputs,
            outputs: self.inputs,
            ..self
        }
    }

    fn area(self) -> usize {
        self.height * self.width
    }

    fn taps(self) -> usize {
        self.kernel * self.kernel
    }

    fn padded_width(self) -> usize {
        self.width + self.kernel - 1
    }

    /// Points of a padded board.
    fn padded_area(self) -> usize {
        (self.height + self.kernel - 1) * self.padded_width()
    }

    /// The padded cell under the kernel's first tap at a point; the offset is the same for every
    /// tap.
    fn cell(self, index: usize, row_len: usize) -> usize {
        index / row_len * self.padded_width() + index % row_len
    }

    /// The padded cell of a point.
    fn home(self, point: usize) -> usize {
        let rim = self.kernel / 2;
        self.cell(point, self.width) + rim * self.padded_width() + rim
    }
}

/// Channels rounded up to whole registers.
fn lanes(channels: usize) -> usize {
    channels.next_multiple_of(LANES)
}

/// a * b + c; fused if the machine supports it.
#[inline(always)]
pub(super) fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// Numbers `[n, rows, columns]` as `[n, columns, rows]`: with `[channels, area]` planes to channels
/// last, with `[area, channels]` back.
pub(crate) fn transpose(numbers: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut turned = Vec::with_capacity(numbers.len());
    for board in numbers.chunks_exact((rows * columns).max(1)) {
        for column in 0..columns {
            turned.extend(board[column..].iter().step_by(columns));
        }
    }
    turned
}

#[cfg(test)]
mod tests;
