//! Convolution of many small boards on the CPU, forward and backward, on plain slices.
//!
//! Burn's own CPU convolution unrolls each board into columns for a general matrix product, which
//! for boards of 81 points costs more than the product. Here each board is copied once, padded and
//! channels last, and the sums of a few points (or inputs) times some outputs stay in registers.
//!
//! Stride 1, odd square kernels, zero padding that keeps the board's size. Boards are spread over
//! threads in fixed groups, so that sums are added in the same order whatever the thread count.

use rayon::prelude::*;

/// Channels summed at once: two AVX2 registers of f32.
pub(super) const LANES: usize = 16;

/// Points (or inputs) that share a load of those channels. The sums of a tile are eight of the
/// sixteen registers: as many as hide the latency of a fused multiply-add, and no more, as sums
/// that spill to memory halve the speed (measured; 63% of the AVX2 peak).
pub(super) const TILE: usize = 4;

/// The sums of a tile.
type Tile = [[f32; LANES]; TILE];

/// Groups of boards whose weight gradients are summed apart and then added in order.
const GROUPS: usize = 16;

/// The shape of one convolution.
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
    /// The convolution that takes gradients of the outputs back to the inputs.
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

    /// Length of a padded board with `channels` channels last.
    fn padded_len(self, channels: usize) -> usize {
        (self.height + self.kernel - 1) * self.padded_width() * lanes(channels)
    }

    /// The padded cell under the kernel's first tap at a point; the same cell is the tap's offset
    /// from there when the point is read as a tap.
    fn cell(self, index: usize, row_len: usize) -> usize {
        index / row_len * self.padded_width() + index % row_len
    }
}

/// Channels rounded up to whole registers.
fn lanes(channels: usize) -> usize {
    channels.next_multiple_of(LANES)
}

/// a * b + c; fused where the machine has it.
#[inline(always)]
pub(super) fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// The convolution of plain numbers, by `[inputs, outputs, kernel, height, width]`; see [`forward`].
pub(crate) fn convolve_boards(
    [inputs, outputs, kernel, height, width]: [usize; 5],
    x: &[f32],
    factors: &[f32],
) -> Vec<f32> {
    let shape = Shape {
        inputs,
        outputs,
        kernel,
        height,
        width,
    };
    forward(shape, x, factors)
}

/// `[boards, inputs, height, width]` to `[boards, outputs, height, width]` with factors
/// `[outputs, inputs, kernel, kernel]`.
pub(super) fn forward(shape: Shape, x: &[f32], factors: &[f32]) -> Vec<f32> {
    let packed = pack(shape, |output, input, tap| {
        factors[(output * shape.inputs + input) * shape.taps() + tap]
    });
    convolve(shape, x, &packed)
}

/// Gradients of the outputs to gradients of the inputs.
pub(super) fn input_gradient(shape: Shape, factors: &[f32], gradient: &[f32]) -> Vec<f32> {
    // Each factor acts the other way, from the opposite side.
    let packed = pack(shape.transposed(), |output, input, tap| {
        factors[(input * shape.inputs + output) * shape.taps() + shape.taps() - 1 - tap]
    });
    convolve(shape.transposed(), gradient, &packed)
}

/// Gradients of the outputs, and the inputs, to gradients of the factors.
pub(super) fn factor_gradient(shape: Shape, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
    let boards = (x.len() / board_in).div_ceil(GROUPS).max(1);
    let group_sums: Vec<Vec<f32>> = x
        .par_chunks(boards * board_in)
        .zip(gradient.par_chunks(boards * board_out))
        .map(|(x, gradient)| {
            let mut sums = vec![0.0; shape.taps() * lanes(shape.inputs) * lanes(shape.outputs)];
            let mut padded = vec![0.0; shape.padded_len(shape.inputs)];
            let mut last = vec![0.0; shape.area() * lanes(shape.outputs)];
            for (x, gradient) in x
                .chunks_exact(board_in)
                .zip(gradient.chunks_exact(board_out))
            {
                pad(shape, x, shape.inputs, &mut padded);
                channels_last(gradient, shape.area(), lanes(shape.outputs), &mut last);
                add_products(shape, &padded, &last, &mut sums);
            }
            sums
        })
        .collect();
    let mut factors = vec![0.0; shape.outputs * shape.inputs * shape.taps()];
    for sums in group_sums {
        for (place, factor) in factors.iter_mut().enumerate() {
            let (pair, tap) = (place / shape.taps(), place % shape.taps());
            let (output, input) = (pair / shape.inputs, pair % shape.inputs);
            *factor += sums[(tap * lanes(shape.inputs) + input) * lanes(shape.outputs) + output];
        }
    }
    factors
}

/// Factors as `[block of outputs, tap, input, output in the block]`.
fn pack(shape: Shape, factor: impl Fn(usize, usize, usize) -> f32) -> Vec<f32> {
    let inputs = lanes(shape.inputs);
    let mut packed = vec![0.0; lanes(shape.outputs) * shape.taps() * inputs];
    for output in 0..shape.outputs {
        for tap in 0..shape.taps() {
            for input in 0..shape.inputs {
                let row = (output / LANES * shape.taps() + tap) * inputs + input;
                packed[row * LANES + output % LANES] = factor(output, input, tap);
            }
        }
    }
    packed
}

fn convolve(shape: Shape, x: &[f32], packed: &[f32]) -> Vec<f32> {
    let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
    let mut y = vec![0.0; x.len() / board_in * board_out];
    y.par_chunks_exact_mut(board_out)
        .zip(x.par_chunks_exact(board_in))
        .for_each_init(
            || vec![0.0; shape.padded_len(shape.inputs)],
            |padded, (y, x)| {
                pad(shape, x, shape.inputs, padded);
                convolve_board(shape, padded, packed, y);
            },
        );
    y
}

/// Copies a board channels last into the middle of a padded board whose rim is and stays zero.
fn pad(shape: Shape, x: &[f32], channels: usize, padded: &mut [f32]) {
    let (stride, rim) = (lanes(channels), shape.kernel / 2);
    for (channel, plane) in x.chunks_exact(shape.area()).enumerate() {
        for (y, row) in plane.chunks_exact(shape.width).enumerate() {
            let start = (y + rim) * shape.padded_width() + rim;
            let cells = padded[start * stride..].chunks_exact_mut(stride);
            for (cell, number) in cells.zip(row) {
                cell[channel] = *number;
            }
        }
    }
}

/// Copies `[channels, area]` to `[area, stride]`.
fn channels_last(x: &[f32], area: usize, stride: usize, last: &mut [f32]) {
    for (channel, plane) in x.chunks_exact(area).enumerate() {
        for (cell, number) in last.chunks_exact_mut(stride).zip(plane) {
            cell[channel] = *number;
        }
    }
}

fn convolve_board(shape: Shape, padded: &[f32], packed: &[f32], y: &mut [f32]) {
    let inputs = lanes(shape.inputs);
    let (area, block_len) = (shape.area(), shape.taps() * inputs * LANES);
    for (block, factors) in packed.chunks_exact(block_len).enumerate() {
        for first in (0..area).step_by(TILE) {
            // The last tile repeats the last point where the board has no more.
            let point = |at: usize| (first + at).min(area - 1);
            let cells: [usize; TILE] = std::array::from_fn(|at| shape.cell(point(at), shape.width));
            let sums = sum_tile(shape, padded, factors, cells);
            let wanted = TILE.min(area - first);
            for lane in 0..LANES.min(shape.outputs - block * LANES) {
                let plane = &mut y[(block * LANES + lane) * area + first..][..wanted];
                for (number, sums) in plane.iter_mut().zip(&sums) {
                    *number = sums[lane];
                }
            }
        }
    }
}

/// Sums over all taps and inputs, for some points and one block of outputs.
///
/// The innermost loops, here and in [`add_row`], are written out over arrays of constant length:
/// it is the form that the compiler keeps in registers (others measured 4 times slower).
#[inline]
fn sum_tile(shape: Shape, padded: &[f32], factors: &[f32], cells: [usize; TILE]) -> Tile {
    let inputs = lanes(shape.inputs);
    let mut sums = [[0.0; LANES]; TILE];
    for (tap, factors) in factors.chunks_exact(inputs * LANES).enumerate() {
        let offset = shape.cell(tap, shape.kernel);
        let points: [&[f32]; TILE] =
            std::array::from_fn(|at| &padded[(cells[at] + offset) * inputs..][..inputs]);
        let (factors, _) = factors.as_chunks::<LANES>();
        let mut tile = sums;
        for (input, factor) in factors.iter().enumerate() {
            let factor = *factor;
            for at in 0..TILE {
                let number = [points[at][input]; LANES];
                tile[at] = std::array::from_fn(|lane| {
                    multiply_add(number[lane], factor[lane], tile[at][lane])
                });
            }
        }
        sums = tile;
    }
    sums
}

/// Adds one board's products of inputs and output gradients to `[tap, input, output]` sums.
fn add_products(shape: Shape, padded: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let (inputs, outputs) = (lanes(shape.inputs), lanes(shape.outputs));
    for tap in 0..shape.taps() {
        let offset = shape.cell(tap, shape.kernel);
        for input in (0..inputs).step_by(TILE) {
            for output in (0..outputs).step_by(LANES) {
                let mut tile = [[0.0; LANES]; TILE];
                for y in 0..shape.height {
                    let cells = &padded[(y * shape.padded_width() + offset) * inputs + input..];
                    let row = &gradient[y * shape.width * outputs + output..];
                    let (cells, row) = (cells.chunks(inputs), row.chunks(outputs));
                    tile = add_row(tile, cells.zip(row).take(shape.width));
                }
                for (at, tile) in tile.iter().enumerate() {
                    let row = (tap * inputs + input + at) * outputs + output;
                    for (sum, number) in sums[row..][..LANES].iter_mut().zip(tile) {
                        *sum += number;
                    }
                }
            }
        }
    }
}

/// Adds the products of a row of points, each with its inputs and its output gradients.
#[inline(always)]
fn add_row<'a>(mut tile: Tile, row: impl Iterator<Item = (&'a [f32], &'a [f32])>) -> Tile {
    for (numbers, gradients) in row {
        // Both are long enough by construction: channels are padded to whole tiles.
        let pair = (
            numbers.first_chunk::<TILE>(),
            gradients.first_chunk::<LANES>(),
        );
        let (Some(numbers), Some(gradients)) = pair else {
            break;
        };
        for at in 0..TILE {
            tile[at] = std::array::from_fn(|lane| {
                multiply_add(numbers[at], gradients[lane], tile[at][lane])
            });
        }
    }
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Calls `with` for each board, output place, input place and factor place that meet.
    fn each_product(shape: Shape, boards: usize, mut with: impl FnMut(usize, usize, usize)) {
        let Shape {
            inputs,
            outputs,
            kernel,
            height,
            width,
        } = shape;
        let rim = kernel / 2;
        for board in 0..boards {
            for output in 0..outputs {
                for input in 0..inputs {
                    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                        for (ky, kx) in (0..kernel).flat_map(|y| (0..kernel).map(move |x| (y, x))) {
                            let (from_y, from_x) = (y + ky, x + kx);
                            let inside = (rim..rim + height).contains(&from_y)
                                && (rim..rim + width).contains(&from_x);
                            if inside {
                                let to = ((board * outputs + output) * height + y) * width + x;
                                let from = ((board * inputs + input) * height + from_y - rim)
                                    * width
                                    + from_x
                                    - rim;
                                let factor =
                                    ((output * inputs + input) * kernel + ky) * kernel + kx;
                                with(to, from, factor);
                            }
                        }
                    }
                }
            }
        }
    }

    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len)
            .map(|at| ((at * 7919 + seed * 104_729) % 201) as f32 / 100.0 - 1.0)
            .collect()
    }

    fn near(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn all_three_agree_with_the_definition(
            inputs in 1usize..20, outputs in 1usize..20, wide in any::<bool>(),
            height in 1usize..6, width in 1usize..12, boards in 1usize..20, seed in 0usize..100,
        ) {
            let kernel = if wide { 3 } else { 1 };
            let shape = Shape { inputs, outputs, kernel, height, width };
            let x = numbers(boards * inputs * height * width, seed);
            let factors = numbers(outputs * inputs * kernel * kernel, seed + 1);
            let gradient = numbers(boards * outputs * height * width, seed + 2);
            let mut y = vec![0.0; gradient.len()];
            let mut to_x = vec![0.0; x.len()];
            let mut to_factors = vec![0.0; factors.len()];
            each_product(shape, boards, |to, from, factor| {
                y[to] += x[from] * factors[factor];
                to_x[from] += gradient[to] * factors[factor];
                to_factors[factor] += gradient[to] * x[from];
            });
            prop_assert!(near(&forward(shape, &x, &factors), &y));
            prop_assert!(near(&input_gradient(shape, &factors, &gradient), &to_x));
            prop_assert!(near(&factor_gradient(shape, &x, &gradient), &to_factors));
        }
    }
}
