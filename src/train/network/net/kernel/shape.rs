//! The shape of a convolution, and the layout that follows from it.

use tengen_nn::eval::native::Level;
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::LANES;

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
    pub(super) fn transposed(self) -> Layer {
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
