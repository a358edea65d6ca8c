//! The shape of a convolution, and the layout that follows from it.

use crate::eval::native::Level;
use crate::eval::native::grid::Grid;
use crate::eval::native::kernels::LANES;

/// Boards in groups that are summed separately and then added in order.
pub(super) const GROUPS: usize = 4;

/// The shape of one convolution: stride 1, an odd square kernel, zero padding that keeps the
/// board's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train::network::net) struct Shape {
    /// The vectors that it is computed with.
    pub(in crate::train::network::net) level: Level,
    /// Whether each channel is separate; there are then as many outputs as inputs.
    pub(in crate::train::network::net) depthwise: bool,
    /// Channels in.
    pub(in crate::train::network::net) inputs: usize,
    /// Channels out.
    pub(in crate::train::network::net) outputs: usize,
    /// Side of the kernel.
    pub(in crate::train::network::net) kernel: usize,
    /// Rows of the board.
    pub(in crate::train::network::net) height: usize,
    /// Columns of the board.
    pub(in crate::train::network::net) width: usize,
}

impl Shape {
    /// The convolution that propagates gradients of the outputs back to the inputs.
    pub(super) fn transposed(self) -> Shape {
        Shape {
            inputs: self.outputs,
            outputs: self.inputs,
            ..self
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
