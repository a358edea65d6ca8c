//! 3x3 convolutions in f32 by Winograd's algorithm F(3x3, 3x3) (Lavin & Gray 2016).
//!
//! A tile of 3x3 outputs depends on 5x5 inputs. Inputs and kernel are both transformed into 25
//! *frequencies*; the output's are their products, summed over the channels: 25 instead of 81
//! products per pair of channels. The sums of a frequency for all tiles are a matrix product,
//! computed in the register tiles of the plain [convolution](super::conv).
//!
//! The transforms use the points 0, 1, -1, 2 and infinity. They lose about one decimal digit.

use super::super::grid::{Grid, TILE, parts};
use super::conv::points_mut;
use super::conv::{Arithmetic as _, Epilogue, Finish, Float, UNROLLED, add_products, points};
use super::simd::{Job, LANES, Lanes, Simd, Tile};

/// Width of the input patch of a tile.
const PATCH: usize = TILE + 2;
/// Products of a tile per pair of channels.
pub(in super::super) const FREQUENCIES: usize = PATCH * PATCH;
/// Lines of weights prefetched from further caches: with 48 and fewer, 15% less of what lies in the
/// third-level cache arrived in time; 192 gave no more.
const AHEAD: usize = 96;

/// Lines of weights that stay in any second-level cache.
const SMALL: usize = (128 << 10) / size_of::<Lanes<f32>>();

/// A kernel `[3, 3]` in frequencies: G g G'.
pub(in super::super) fn kernel_frequencies(kernel: &[f32]) -> [f32; FREQUENCIES] {
    const G: [[f64; 3]; PATCH] = [
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];
    std::array::from_fn(|i| {
        let (row, column) = (G[i / PATCH], G[i % PATCH]);
        let weight = |j: usize| f64::from(kernel[j]) * row[j / 3] * column[j % 3];
        (0..9).map(weight).sum::<f64>() as f32
    })
}

/// A block of channels of a tile, in frequencies.
type Spectrum = [Lanes<f32>; FREQUENCIES];

/// Workspace for intermediate results.
#[derive(Debug, Default)]
pub(in super::super) struct Workspace {
    /// The input: tile after tile of a block.
    input: Vec<Spectrum>,
    /// The sums of a group of output blocks, in the same order.
    sums: Vec<Spectrum>,
    /// Outputs of a row of tiles.
    rows: Vec<Lanes<f32>>,
}

impl Workspace {
    /// Workspace for this many input blocks, and groups of output blocks.
    pub(in super::super) fn new(grid: &Grid, blocks: usize, group: usize) -> Workspace {
        let [rows, columns] = grid.tiles();
        let room = |blocks| vec![[Lanes::default(); FREQUENCIES]; blocks * rows * columns];
        Workspace {
            input: room(blocks),
            sums: room(group),
            rows: vec![Lanes::default(); TILE * TILE * columns],
        }
    }
}

/// One convolution of one position.
pub(in super::super) struct WinogradTask<'a> {
    pub(in super::super) grid: Grid,
    pub(in super::super) input: &'a [Lanes<f32>],
    /// Input channels.
    pub(in super::super) channels: usize,
    /// Numbers of output blocks that are computed together, group after group.
    pub(in super::super) groups: &'a [usize],
    /// In the order of use: group, frequency, input channel, block of the group. The weights of the
    /// following convolutions come behind them.
    pub(in super::super) weights: &'a [Lanes<f32>],
    pub(in super::super) room: &'a mut Workspace,
    pub(in super::super) epilogue: Epilogue<'a>,
}

impl Job for WinogradTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut task = self;
        let [rows, columns] = task.grid.tiles();
        let tiles = rows * columns;
        for block in 0..task.channels.div_ceil(LANES) {
            let map = &task.input[block * task.grid.len..];
            let spectra = &mut task.room.input[block * tiles..][..tiles];
            transform_input(simd, &task.grid, map, spectra);
        }
        let steps = Float::steps(task.channels);
        let (mut weights, mut first) = (task.weights, 0);
        for &group in task.groups {
            // All frequencies in one call, unless processing many tiles in parts would fetch large
            // weights from far away repeatedly.
            let most = S::most_points(group);
            let is_small = group * steps * FREQUENCIES <= SMALL || tiles <= most;
            let at_once = if is_small { FREQUENCIES } else { 1 };
            for frequency in (0..FREQUENCIES).step_by(at_once) {
                let (now, later) = weights.split_at(at_once * group * steps);
                let mut ahead = &weights[AHEAD.min(weights.len())..];
                weights = later;
                for (tile, points) in parts(tiles, most) {
                    let products = Products {
                        tiles,
                        first_tile: tile,
                        steps,
                        frequencies: frequency..frequency + at_once,
                        input: &task.room.input,
                        weights: now,
                        ahead,
                        sums: &mut task.room.sums,
                    };
                    simd.tile(group, points, products);
                    // Once is enough.
                    ahead = &[];
                }
            }
            for block in 0..group {
                simd.enter(Answers {
                    grid: task.grid,
                    spectra: &task.room.sums[block * tiles..][..tiles],
                    rows: &mut task.room.rows,
                    block: first + block,
                    epilogue: &mut task.epilogue,
                });
            }
            first += group;
        }
    }
}

/// B' d B of each patch d of a block.
#[inline(always)]
fn transform_input<S: Simd>(simd: S, grid: &Grid, map: &[Lanes<f32>], spectra: &mut [Spectrum]) {
    let [_, columns] = grid.tiles();
    for (row, spectra) in spectra.chunks_exact_mut(columns).enumerate() {
        for (column, spectrum) in spectra.iter_mut().enumerate() {
            let start = grid.at(TILE * row, TILE * column) - grid.stride - 1;
            let mut half = [[simd.splat(0.0); PATCH]; PATCH];
            for (i, half) in half.iter_mut().enumerate() {
                let lines = points::<_, PATCH>(map, start + i * grid.stride);
                let mut line = [simd.splat(0.0); PATCH];
                for j in 0..PATCH {
                    line[j] = simd.load(&lines[j]);
                }
                *half = input_transform(simd, line);
            }
            for j in 0..PATCH {
                let mut line = [simd.splat(0.0); PATCH];
                for i in 0..PATCH {
                    line[i] = half[i][j];
                }
                let line = input_transform(simd, line);
                for i in 0..PATCH {
                    simd.store(line[i], &mut spectrum[PATCH * i + j]);
                }
            }
        }
    }
}

/// B' d, in nine operations.
#[inline(always)]
fn input_transform<S: Simd>(simd: S, d: [S::F; PATCH]) -> [S::F; PATCH] {
    let (minus, two, minus_two) = (simd.splat(-1.0), simd.splat(2.0), simd.splat(-2.0));
    let a = simd.mul_add(d[1], minus, d[3]);
    let b = simd.mul_add(d[2], minus, d[3]);
    [
        simd.mul_add(simd.mul_add(d[2], minus, d[0]), two, a),
        simd.mul_add(d[1], minus_two, b),
        simd.mul_add(simd.mul_add(d[2], minus, d[1]), two, b),
        a,
        simd.mul_add(a, minus_two, simd.mul_add(d[2], minus, d[4])),
    ]
}

/// A' m, in seven operations.
#[inline(always)]
fn answer_transform<S: Simd>(simd: S, m: [S::F; PATCH]) -> [S::F; TILE] {
    let sum = simd.add(m[1], m[2]);
    let difference = simd.mul_add(m[2], simd.splat(-1.0), m[1]);
    [
        simd.add(simd.add(m[0], sum), m[3]),
        simd.mul_add(m[3], simd.splat(2.0), difference),
        simd.add(simd.mul_add(m[3], simd.splat(4.0), sum), m[4]),
    ]
}

/// Products of some frequencies, for some tiles and a group of output blocks.
struct Products<'a> {
    /// Tiles of the board.
    tiles: usize,
    first_tile: usize,
    /// Input channels, padded to whole iterations.
    steps: usize,
    frequencies: std::ops::Range<usize>,
    input: &'a [Spectrum],
    weights: &'a [Lanes<f32>],
    /// Later weights, to be prefetched meanwhile.
    ahead: &'a [Lanes<f32>],
    sums: &'a mut [Spectrum],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl Tile for Products<'_> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let (mut weights, mut ahead) = (self.weights, self.ahead);
        for frequency in self.frequencies {
            let mut sums = [[simd.splat(0.0); POINTS]; BLOCKS];
            let (mut left, mut at) = (self.steps, self.first_tile);
            while left > 0 {
                let steps = left.min(LANES);
                let (now, later) = weights.split_at(steps * BLOCKS);
                weights = later;
                let window = points::<_, POINTS>(self.input, at);
                add_products::<Float, S, BLOCKS, POINTS>(
                    simd,
                    |point| &window[point][frequency],
                    now,
                    (&mut ahead, UNROLLED * BLOCKS),
                    &mut sums,
                );
                left -= steps;
                at += self.tiles;
            }
            for block in 0..BLOCKS {
                let start = block * self.tiles + self.first_tile;
                let out = points_mut::<_, POINTS>(self.sums, start);
                for point in 0..POINTS {
                    simd.store(sums[block][point], &mut out[point][frequency]);
                }
            }
        }
    }
}

/// From sums of frequencies to the outputs of one block.
struct Answers<'a, 'e> {
    grid: Grid,
    spectra: &'a [Spectrum],
    rows: &'a mut [Lanes<f32>],
    block: usize,
    epilogue: &'a mut Epilogue<'e>,
}

impl Job for Answers<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let [_, columns] = self.grid.tiles();
        let width = TILE * columns;
        for (tile_row, spectra) in self.spectra.chunks_exact(columns).enumerate() {
            for (column, spectrum) in spectra.iter().enumerate() {
                let mut half = [[simd.splat(0.0); PATCH]; TILE];
                for j in 0..PATCH {
                    let mut line = [simd.splat(0.0); PATCH];
                    for i in 0..PATCH {
                        line[i] = simd.load(&spectrum[PATCH * i + j]);
                    }
                    let line = answer_transform(simd, line);
                    for i in 0..TILE {
                        half[i][j] = line[i];
                    }
                }
                for (i, half) in half.into_iter().enumerate() {
                    let answers = answer_transform(simd, half);
                    let out = points_mut::<_, TILE>(self.rows, i * width + TILE * column);
                    for j in 0..TILE {
                        simd.store(answers[j], &mut out[j]);
                    }
                }
            }
            let rows = TILE * tile_row..self.grid.height.min(TILE * (tile_row + 1));
            for (i, row) in rows.enumerate() {
                simd.enter(Finish::<Float> {
                    sums: &self.rows[i * width..],
                    len: self.grid.len,
                    at: self.grid.at(row, 0),
                    blocks: self.block..self.block + 1,
                    points: self.grid.width,
                    epilogue: self.epilogue,
                });
            }
        }
    }
}
