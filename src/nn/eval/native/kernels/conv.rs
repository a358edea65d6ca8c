//! Convolution: one generic implementation for f32, bytes and words, every processor and every tile.
//!
//! A tile is a few channel blocks of the output at a few neighbouring points of a row; its sums
//! stay in registers while all weights pass by. A weight is loaded once for all points of the tile,
//! a point's channel once for all its blocks. The border around the board can be read, so no point
//! is special.
//!
//! Input channels are processed in chunks whose weights fit into the first-level cache: each chunk
//! passes over the whole board before the next, and sums wait in memory in between. So weights come
//! from further away once per position and not once per row.
//!
//! A convolution of points in a row, which reads no neighbours, is a product with a matrix (`matrix.rs`).

use super::super::grid::{Grid, parts};
use super::activation::{Activation, activate};
use super::arithmetic::{Arithmetic, Line, Register, UNROLLED};
use super::matrix;
use super::simd::{Bytes, Job, LANES, Lanes, Simd, Tile, points, points_mut};

/// Bytes of weights in a chunk of input channels: half of the smallest first-level caches, so that
/// they stay there during a pass over the board.
const CHUNK_BYTES: usize = 20 << 10;

/// Blocks in a chunk of `blocks` of input channels, of which each has `steps` lines of weights a tap and
/// output block.
pub fn chunk_blocks(blocks: usize, taps: usize, steps: usize, groups: &[usize]) -> usize {
    let widest = groups.iter().max().copied().unwrap_or(1);
    let bytes = taps * steps * widest * size_of::<Lanes<f32>>();
    let most = (CHUNK_BYTES / bytes).max(1);
    // All of about the same size.
    blocks.div_ceil(blocks.div_ceil(most).max(1)).max(1)
}

/// Processing of sums on their way to memory; one line per output block.
pub struct Epilogue<'a> {
    /// Value of one step of an integer sum.
    pub scale: &'a [Lanes<f32>],
    pub bias: &'a [Lanes<f32>],
    /// What the sums of each point are multiplied by, in a layout without a border.
    pub factors: Option<&'a [f32]>,
    /// Activation of each output block.
    pub activations: &'a [Activation],
    /// Added before the activation: one block per output block.
    pub residual: Option<&'a [Lanes<f32>]>,
    pub out: Option<&'a mut [Lanes<f32>]>,
    pub rounding: Option<Rounding<'a>>,
}

/// Quantised output: `round(x * inverse + zero)`.
pub struct Rounding<'a> {
    pub out: &'a mut [Bytes],
    /// 1 / scale.
    pub inverse: &'a [Lanes<f32>],
    pub zero: &'a [Lanes<f32>],
}

/// One convolution of one position; a `ROW` of points has no border, and one tap.
pub struct ConvTask<'a, A: Arithmetic, const ROW: bool> {
    pub grid: Grid,
    /// Offsets that the weights of the kernel read, from the grid's first point.
    pub taps: &'a [usize],
    pub input: &'a [A::Input],
    /// Input channels.
    pub channels: usize,
    /// Input blocks in a chunk.
    pub chunk: usize,
    /// Numbers of output blocks that are computed together, group after group.
    pub groups: &'a [usize],
    /// In the order of use: group, input block, tap, step, block of the group. The weights of the
    /// following convolutions come behind them.
    pub weights: &'a [A::Line],
    /// Buffer for the sums of a group.
    pub sums: &'a mut [A::Line],
    pub epilogue: Epilogue<'a>,
}

impl<A: Arithmetic, const ROW: bool> Job for ConvTask<'_, A, ROW> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut task = self;
        let blocks = task.channels.div_ceil(LANES);
        let (mut weights, mut group_start) = (task.weights, 0);
        for &group in task.groups {
            for first in (0..blocks).step_by(task.chunk) {
                let channels = (task.channels - first * LANES).min(task.chunk * LANES);
                let steps = A::steps(channels);
                let (panel, rest) = weights.split_at(group * steps * task.taps.len());
                weights = rest;
                let next = &rest[..panel.len().min(rest.len())];
                let mut ahead = next;
                for (column, points) in parts(task.grid.width, S::most_points(group)) {
                    // Tiles of a row are small, and fetch the next weights together.
                    if !ROW {
                        ahead = next;
                    }
                    simd.tile(
                        group,
                        points,
                        Pass::<A, ROW> {
                            grid: task.grid,
                            taps: task.taps,
                            input: &task.input[first * task.grid.len..],
                            steps,
                            panel,
                            ahead: &mut ahead,
                            column,
                            sums: task.sums,
                            is_first: first == 0,
                            epilogue: (first + task.chunk >= blocks).then_some(&mut task.epilogue),
                            group_start,
                        },
                    );
                }
            }
            group_start += group;
        }
    }
}

/// A chunk of input channels and a group of output blocks, in some columns of all rows.
struct Pass<'a, 'w, 'e, A: Arithmetic, const ROW: bool> {
    grid: Grid,
    taps: &'a [usize],
    input: &'a [A::Input],
    steps: usize,
    panel: &'a [A::Line],
    /// The following weights, to be prefetched meanwhile.
    ahead: &'a mut &'w [A::Line],
    column: usize,
    sums: &'a mut [A::Line],
    is_first: bool,
    /// Destination of the sums, after the last chunk.
    epilogue: Option<&'a mut Epilogue<'e>>,
    group_start: usize,
}

/// Calls the tile with these numbers of blocks and points.
macro_rules! tiles {
    ($simd:expr, $blocks:expr, $points:expr, $job:expr;
        $($block:literal: $($point:literal)*;)*) => {
        match ($blocks, $points) {
            $($(($block, $point) => {
                $simd.enter($crate::eval::native::kernels::conv::Fixed::<_, $block, $point>($job))
            })*)*
            other => unreachable!("no tile has {other:?} blocks and points"),
        }
    };
}
pub(super) use tiles;

/// A tile as a job.
pub(super) struct Fixed<J, const BLOCKS: usize, const POINTS: usize>(pub(super) J);

impl<J: Tile, const BLOCKS: usize, const POINTS: usize> Job for Fixed<J, BLOCKS, POINTS> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.0.run::<S, BLOCKS, POINTS>(simd);
    }
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl<A: Arithmetic, const ROW: bool> Tile for Pass<'_, '_, '_, A, ROW> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(mut self, simd: S) {
        let mut ahead = *self.ahead;
        for row in 0..if ROW { 1 } else { self.grid.height } {
            let at = row * self.grid.stride + self.column;
            let mut sums = [[A::Line::zero(simd); POINTS]; BLOCKS];
            if !self.is_first {
                for block in 0..BLOCKS {
                    let waiting = points::<_, POINTS>(self.sums, block * self.grid.len + at);
                    for point in 0..POINTS {
                        sums[block][point] = waiting[point].load(simd);
                    }
                }
            }
            if ROW {
                let input = (&self.input[at..], self.grid.len);
                let weights = self.panel;
                matrix::add_products::<A, S, _, _>(simd, input, weights, &mut ahead, &mut sums);
            } else {
                self.multiply(simd, at, &mut ahead, &mut sums);
            }
            // Through memory also after the last chunk: if sums were used in longer code, the
            // compiler would keep them in memory all the time.
            for block in 0..BLOCKS {
                let start = block * self.grid.len + at;
                let waiting = points_mut::<_, POINTS>(self.sums, start);
                for point in 0..POINTS {
                    waiting[point].store(simd, sums[block][point]);
                }
            }
            if let Some(epilogue) = &mut self.epilogue {
                simd.enter(Finish::<A> {
                    sums: &self.sums[at..],
                    len: self.grid.len,
                    at: at + self.grid.origin(),
                    blocks: self.group_start..self.group_start + BLOCKS,
                    points: POINTS,
                    epilogue,
                });
            }
        }
        *self.ahead = ahead;
    }
}

impl<A: Arithmetic, const ROW: bool> Pass<'_, '_, '_, A, ROW> {
    /// Adds the products of the points around `at`.
    #[inline(always)]
    fn multiply<S: Simd, const BLOCKS: usize, const POINTS: usize>(
        &self,
        simd: S,
        at: usize,
        ahead: &mut &[A::Line],
        sums: &mut [[Register<A, S>; POINTS]; BLOCKS],
    ) {
        let (mut weights, mut plane, mut left) = (self.panel, self.input, self.steps);
        while left > 0 {
            let steps = left.min(LANES / A::CHANNELS);
            for &tap in self.taps {
                let window = points::<_, POINTS>(plane, at + tap);
                let (now, later) = weights.split_at(steps * BLOCKS);
                weights = later;
                add_products::<A, S, BLOCKS, POINTS>(
                    simd,
                    |point| &window[point],
                    now,
                    ahead,
                    1,
                    sums,
                );
            }
            left -= steps;
            if left > 0 {
                plane = &plane[self.grid.len..];
            }
        }
    }
}

/// Adds the products of a block of `channels` at some points with these weights, and prefetches
/// lines of the weights `ahead` in each iteration.
#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
#[inline(always)]
pub(super) fn add_products<'a, A: Arithmetic, S: Simd, const BLOCKS: usize, const POINTS: usize>(
    simd: S,
    channels: impl Fn(usize) -> &'a A::Input,
    weights: &[A::Line],
    ahead: &mut &[A::Line],
    fetched: usize,
    sums: &mut [[Register<A, S>; POINTS]; BLOCKS],
) {
    let (lines, _) = weights.as_chunks::<BLOCKS>();
    let (lines, _) = lines.as_chunks::<UNROLLED>();
    for (start, few) in (0..LANES / A::CHANNELS).step_by(UNROLLED).zip(lines) {
        if let Some((lines, later)) = ahead.split_at_checked(fetched) {
            for line in lines {
                simd.prefetch(line);
            }
            *ahead = later;
        }
        for (i, lines) in few.iter().enumerate() {
            let mut factors = [A::Line::zero(simd); BLOCKS];
            for block in 0..BLOCKS {
                factors[block] = lines[block].load(simd);
            }
            for point in 0..POINTS {
                let input = A::splat(simd, channels(point), start + i);
                for block in 0..BLOCKS {
                    let sum = &mut sums[block][point];
                    *sum = A::add_product(simd, *sum, input, factors[block]);
                }
            }
        }
    }
}

/// From sums to outputs, for a tile.
pub(super) struct Finish<'a, 'e, A: Arithmetic> {
    pub(super) sums: &'a [A::Line],
    /// Points from one block to the next.
    pub(super) len: usize,
    pub(super) at: usize,
    pub(super) blocks: std::ops::Range<usize>,
    pub(super) points: usize,
    pub(super) epilogue: &'a mut Epilogue<'e>,
}

impl<A: Arithmetic> Job for Finish<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (way, points) = (self.epilogue, self.points);
        for (i, block) in self.blocks.enumerate() {
            let sums = &self.sums[i * self.len..][..points];
            let start = block * self.len + self.at;
            let residual = way.residual.map(|residual| &residual[start..][..points]);
            let mut out = way.out.as_mut().map(|out| &mut out[start..][..points]);
            // No `map` over arrays: it is not always inlined, and would then be compiled without
            // these features.
            let (scale, bias) = (simd.load(&way.scale[block]), simd.load(&way.bias[block]));
            let activation = way.activations[block];
            let factors = way.factors.map(|factors| &factors[self.at..][..points]);
            let (mut inverse, mut zero, mut bytes) = (scale, bias, None);
            if let Some(rounding) = &mut way.rounding {
                inverse = simd.load(&rounding.inverse[block]);
                zero = simd.load(&rounding.zero[block]);
                bytes = Some(&mut rounding.out[start..][..points]);
            }
            for point in 0..points {
                let sum = sums[point].load(simd);
                let mut answer = match factors {
                    None => A::Line::finish(simd, sum, scale, bias),
                    Some(factors) => {
                        let scale = simd.mul(scale, simd.splat(factors[point]));
                        simd.mul_add(A::Line::number(simd, sum), scale, bias)
                    }
                };
                if let Some(residual) = residual {
                    answer = simd.add(answer, simd.load(&residual[point]));
                }
                answer = activate(simd, activation, answer);
                if let Some(out) = &mut out {
                    simd.store(answer, &mut out[point]);
                }
                if let Some(bytes) = &mut bytes {
                    bytes[point] = simd.to_bytes(simd.mul_add(answer, inverse, zero));
                }
            }
        }
    }
}
