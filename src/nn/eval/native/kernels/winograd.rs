//! 3x3 convolutions by Winograd's algorithm (Lavin & Gray 2016), in f32 or in words of 16 bits.
//!
//! A tile of `TILE` x `TILE` outputs depends on `PATCH` x `PATCH` inputs, two more a side. Inputs and
//! kernel are both [transformed](transforms) into `PATCH` x `PATCH` *frequencies*; the output's are
//! their products, summed over the channels: 25 instead of 81 products per pair of channels for tiles
//! of 3x3, 36 instead of 144 for tiles of 4x4. The sums of a frequency for all tiles are a matrix
//! product, computed in the register tiles of the plain [convolution](super::conv).
//!
//! The width of the tiles is [the board's](Grid::tile).
//!
//! In words the input is bytes, and nothing is rounded before the sums, which are whole numbers: the
//! answers are those of the plain convolution of bytes. A processor without products of four bytes
//! makes two products of words in the time of one in f32.

pub mod transforms;

use super::super::grid::{Grid, parts};
use super::WIDEST;
use super::arithmetic::{Float, Frequencies, Line, UNROLLED};
use super::conv::{Epilogue, Finish, add_products};
use super::simd::{Job, LANES, Lanes, Simd, Tile, points, points_mut};
use transforms::{Tiles, Transforms};

pub use transforms::{WordFrequency, kernel_frequencies, word_rows};

/// Lines of weights prefetched from further caches: with 48 and fewer, 15% less of what lies in the
/// third-level cache arrived in time; 192 gave no more.
const AHEAD: usize = 96;

/// Lines of weights that stay in any second-level cache.
const SMALL: usize = (128 << 10) / size_of::<Lanes<f32>>();

/// Workspace for intermediate results.
#[derive(Debug, Default)]
pub struct Workspace<A: Frequencies> {
    /// The input's frequencies: tile after tile of a block.
    input: Vec<A::Input>,
    /// The sums of a group of output blocks, in the same order.
    sums: Vec<A::Line>,
    /// Outputs of a row of tiles.
    rows: Vec<Lanes<f32>>,
}

impl<A: Frequencies> Workspace<A> {
    /// Workspace for this many input blocks.
    pub fn new(grid: &Grid, blocks: usize) -> Workspace<A> {
        let [rows, columns] = grid.tiles();
        let len = |blocks| blocks * rows * columns * grid.frequencies();
        Workspace {
            input: vec![A::Input::default(); len(blocks)],
            sums: vec![A::Line::default(); len(WIDEST)],
            rows: vec![Lanes::default(); grid.tile * grid.tile * columns],
        }
    }
}

/// One convolution of one position.
pub struct WinogradTask<'a, A: Frequencies> {
    pub grid: Grid,
    pub input: &'a [A::Point],
    /// Input channels.
    pub channels: usize,
    /// Numbers of output blocks that are computed together, group after group.
    pub groups: &'a [usize],
    /// In the order of use: group, frequency, input channel, block of the group. The weights of the
    /// following convolutions come behind them.
    pub weights: &'a [A::Line],
    /// What the sums of words are multiplied by: a line per output block and frequency.
    pub factors: &'a [Lanes<f32>],
    pub room: &'a mut Workspace<A>,
    pub epilogue: Epilogue<'a>,
}

impl<A: Frequencies> Job for WinogradTask<'_, A>
where
    Tiles: Transforms<A, 3, 5> + Transforms<A, 4, 6>,
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match self.grid.tile {
            3 => self.convolve::<S, 3, 5, 25>(simd),
            4 => self.convolve::<S, 4, 6, 36>(simd),
            other => unreachable!("no tile is {other} points wide"),
        }
    }
}

impl<A: Frequencies> WinogradTask<'_, A> {
    #[inline(always)]
    fn convolve<S: Simd, const TILE: usize, const PATCH: usize, const FREQUENCIES: usize>(
        self,
        simd: S,
    ) where
        Tiles: Transforms<A, TILE, PATCH>,
    {
        let mut task = self;
        let [rows, columns] = task.grid.tiles();
        let tiles = rows * columns;
        let (input, _) = task.room.input.as_chunks_mut::<FREQUENCIES>();
        let (sums, _) = task.room.sums.as_chunks_mut::<FREQUENCIES>();
        let (factors, _) = task.factors.as_chunks::<FREQUENCIES>();
        for block in 0..task.channels.div_ceil(LANES) {
            simd.enter(Spectra::<A, TILE, PATCH, FREQUENCIES> {
                grid: task.grid,
                map: &task.input[block * task.grid.len..],
                spectra: &mut input[block * tiles..][..tiles],
            });
        }
        let steps = A::steps(task.channels);
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
                    let products = Products::<A, FREQUENCIES> {
                        tiles,
                        first_tile: tile,
                        steps,
                        frequencies: frequency..frequency + at_once,
                        input,
                        weights: now,
                        ahead,
                        sums,
                    };
                    simd.tile(group, points, products);
                    // Once is enough.
                    ahead = &[];
                }
            }
            for block in 0..group {
                simd.enter(Answers::<A, TILE, PATCH, FREQUENCIES> {
                    grid: task.grid,
                    spectra: &sums[block * tiles..][..tiles],
                    factors: factors
                        .get(first + block)
                        .unwrap_or(const { &[Lanes([1.0; LANES]); FREQUENCIES] }),
                    rows: &mut task.room.rows,
                    block: first + block,
                    epilogue: &mut task.epilogue,
                });
            }
            first += group;
        }
    }
}

/// From a block of the input to its frequencies: B' d B of each patch d.
pub struct Spectra<
    'a,
    A: Frequencies,
    const TILE: usize,
    const PATCH: usize,
    const FREQUENCIES: usize,
> {
    pub grid: Grid,
    pub map: &'a [A::Point],
    /// One a tile.
    pub spectra: &'a mut [[A::Input; FREQUENCIES]],
}

impl<A: Frequencies, const TILE: usize, const PATCH: usize, const FREQUENCIES: usize> Job
    for Spectra<'_, A, TILE, PATCH, FREQUENCIES>
where
    Tiles: Transforms<A, TILE, PATCH>,
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let [_, columns] = self.grid.tiles();
        // Begun once, since all of it is overwritten for each tile.
        let mut half = [[A::read(simd, &self.map[0]); PATCH]; PATCH];
        for (row, spectra) in self.spectra.chunks_exact_mut(columns).enumerate() {
            for (column, spectrum) in spectra.iter_mut().enumerate() {
                let start = self.grid.at(TILE * row, TILE * column) - self.grid.stride - 1;
                for (i, half) in half.iter_mut().enumerate() {
                    let lines = points::<_, PATCH>(self.map, start + i * self.grid.stride);
                    let mut line = *half;
                    for j in 0..PATCH {
                        line[j] = A::read(simd, &lines[j]);
                    }
                    *half = <Tiles as Transforms<A, TILE, PATCH>>::input(simd, line);
                }
                for j in 0..PATCH {
                    let mut line = half[0];
                    for i in 0..PATCH {
                        line[i] = half[i][j];
                    }
                    let line = <Tiles as Transforms<A, TILE, PATCH>>::input(simd, line);
                    for i in 0..PATCH {
                        A::write(simd, line[i], &mut spectrum[PATCH * i + j]);
                    }
                }
            }
        }
    }
}

/// Products of some frequencies, for some tiles and a group of output blocks.
struct Products<'a, A: Frequencies, const FREQUENCIES: usize> {
    /// Tiles of the board.
    tiles: usize,
    first_tile: usize,
    /// Input channels, padded to whole iterations.
    steps: usize,
    frequencies: std::ops::Range<usize>,
    input: &'a [[A::Input; FREQUENCIES]],
    weights: &'a [A::Line],
    /// Later weights, to be prefetched meanwhile.
    ahead: &'a [A::Line],
    sums: &'a mut [[A::Line; FREQUENCIES]],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl<A: Frequencies, const FREQUENCIES: usize> Tile for Products<'_, A, FREQUENCIES> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let (mut weights, mut ahead) = (self.weights, self.ahead);
        for frequency in self.frequencies {
            let mut sums = [[A::Line::zero(simd); POINTS]; BLOCKS];
            let (mut left, mut at) = (self.steps, self.first_tile);
            while left > 0 {
                let steps = left.min(LANES / A::CHANNELS);
                let (now, later) = weights.split_at(steps * BLOCKS);
                weights = later;
                let window = points::<_, POINTS>(self.input, at);
                add_products::<A, S, BLOCKS, POINTS>(
                    simd,
                    |point| &window[point][frequency],
                    now,
                    &mut ahead,
                    UNROLLED * BLOCKS,
                    &mut sums,
                );
                left -= steps;
                at += self.tiles;
            }
            for block in 0..BLOCKS {
                let start = block * self.tiles + self.first_tile;
                let out = points_mut::<_, POINTS>(self.sums, start);
                for point in 0..POINTS {
                    out[point][frequency].store(simd, sums[block][point]);
                }
            }
        }
    }
}

/// From sums of frequencies to the outputs of one block.
struct Answers<
    'a,
    'e,
    A: Frequencies,
    const TILE: usize,
    const PATCH: usize,
    const FREQUENCIES: usize,
> {
    grid: Grid,
    spectra: &'a [[A::Line; FREQUENCIES]],
    /// As those of the task.
    factors: &'a [Lanes<f32>; FREQUENCIES],
    rows: &'a mut [Lanes<f32>],
    block: usize,
    epilogue: &'a mut Epilogue<'e>,
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that rows stay in registers"
)]
impl<A: Frequencies, const TILE: usize, const PATCH: usize, const FREQUENCIES: usize> Job
    for Answers<'_, '_, A, TILE, PATCH, FREQUENCIES>
where
    Tiles: Transforms<A, TILE, PATCH>,
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let [_, columns] = self.grid.tiles();
        let width = TILE * columns;
        // Begun once, as in `Spectra`.
        let mut half = [[simd.splat(0.0); PATCH]; TILE];
        for (tile_row, spectra) in self.spectra.chunks_exact(columns).enumerate() {
            for (column, spectrum) in spectra.iter().enumerate() {
                for j in 0..PATCH {
                    let mut line = [simd.splat(0.0); PATCH];
                    for i in 0..PATCH {
                        let at = PATCH * i + j;
                        line[i] = A::number(simd, &spectrum[at], &self.factors[at]);
                    }
                    let line = <Tiles as Transforms<A, TILE, PATCH>>::output(simd, line);
                    for i in 0..TILE {
                        half[i][j] = line[i];
                    }
                }
                for (i, &half) in half.iter().enumerate() {
                    let answers = <Tiles as Transforms<A, TILE, PATCH>>::output(simd, half);
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
