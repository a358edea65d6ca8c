//! The transforms of Winograd's algorithm, for tiles of 3x3 and of 4x4 outputs.
//!
//! They multiply polynomials by their values at some points (Toom-Cook): 0, 1, -1, 2 and infinity for
//! tiles of 3; 0, +-1/sqrt(2), +-sqrt(2) and infinity for tiles of 4 in f32, where the usual +-1 and
//! +-2 would lose more digits; those in words, which lose none. With a_i the finite points, M(x) = prod (x - a_i), and N_i = M'(a_i):
//!
//! - kernel: row i of G is (1, a_i, a_i^2) / N_i; the last row is (0, 0, 1);
//! - input: row i of B' has the coefficients of M(x) / (x - a_i); the last row has those of M(x);
//! - output: column i of A' is (1, a_i, a_i^2, ..); the last column is (0, .., 0, 1).
//!
//! In words G has whole numbers, too: its rows are not divided by N_i, but the sums are.

use super::super::arithmetic::{Float, Frequencies, Word};
use super::super::simd::Simd;

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Finite points for tiles of 3.
const POINTS_3: [f64; 4] = [0.0, 1.0, -1.0, 2.0];
/// Finite points for tiles of 4 in f32.
const POINTS_4: [f64; 5] = [0.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2, SQRT_2, -SQRT_2];

/// The rows of G for tiles of this width: a kernel's row times them is its frequencies.
pub fn kernel_rows(tile: usize) -> Vec<[f64; 3]> {
    let points: &[f64] = if tile == 3 { &POINTS_3 } else { &POINTS_4 };
    let rows = points.iter().map(|&at| {
        let scale = divisor(points, at);
        [1.0 / scale, at / scale, at * at / scale]
    });
    rows.chain([[0.0, 0.0, 1.0]]).collect()
}

/// N_i of a point.
fn divisor(points: &[f64], at: f64) -> f64 {
    let others = points.iter().filter(|&&other| other != at);
    others.map(|other| at - other).product()
}

/// A kernel `[3, 3]` in the frequencies of tiles of this width, row after row: G g G'.
pub fn kernel_frequencies(kernel: &[f32], tile: usize) -> impl Iterator<Item = f32> {
    let rows = kernel_rows(tile);
    (0..rows.len() * rows.len()).map(move |i| {
        let (row, column) = (rows[i / rows.len()], rows[i % rows.len()]);
        let weight = |j: usize| f64::from(kernel[j]) * row[j / 3] * column[j % 3];
        (0..9).map(weight).sum::<f64>() as f32
    })
}

/// The transforms in words at one point.
pub struct WordRow {
    /// Row of G, times N_i.
    kernel: [i32; 3],
    /// N_i; 1 for infinity.
    divisor: i32,
    /// The sums of the positive coefficients in a row of B', and of the negative ones, without their
    /// sign.
    coefficients: [i32; 2],
}

/// The transforms in words at the points for tiles of this width, infinity last: those of 4 have +-1 and +-2.
pub fn word_rows(tile: usize) -> Vec<WordRow> {
    let rows: &[([i32; 3], i32, [i32; 2])] = match tile {
        3 => &[
            ([1, 0, 0], 2, [3, 3]),
            ([1, 1, 1], -2, [1, 3]),
            ([1, -1, 1], -6, [3, 3]),
            ([1, 2, 4], 6, [1, 1]),
            ([0, 0, 1], 1, [3, 3]),
        ],
        _ => &[
            ([1, 0, 0], 4, [5, 5]),
            ([1, 1, 1], -6, [2, 8]),
            ([1, -1, 1], -6, [5, 5]),
            ([1, 2, 4], 24, [3, 3]),
            ([1, -2, 4], 24, [3, 3]),
            ([0, 0, 1], 1, [5, 5]),
        ],
    };
    let row = |&(kernel, divisor, coefficients): &([i32; 3], i32, [i32; 2])| WordRow {
        kernel,
        divisor,
        coefficients,
    };
    rows.iter().map(row).collect()
}

/// A frequency in words, of a row and a column of transforms.
pub struct WordFrequency<'a>(pub [&'a WordRow; 2]);

impl WordFrequency<'_> {
    /// A kernel `[3, 3]` in this frequency, times its divisor; at most 49 times its largest weight.
    pub fn weight(&self, kernel: &[i8]) -> i16 {
        let [row, column] = self.0.map(|row| row.kernel);
        let weight = |i: usize| i32::from(kernel[i]) * row[i / 3] * column[i % 3];
        (0..9).map(weight).sum::<i32>() as i16
    }

    /// What the sums are divided by.
    pub fn divisor(&self) -> i32 {
        self.0[0].divisor * self.0[1].divisor
    }

    /// The largest magnitude of this frequency of an input in bytes.
    pub fn most_input(&self) -> i64 {
        let [[a, b], [c, d]] = self.0.map(|row| row.coefficients.map(i64::from));
        // Of signed bytes, half as many on either side of 0.
        256 * (a * c + b * d).max(a * d + b * c)
    }
}

/// The transforms of a row of inputs or sums, for tiles of this width.
pub trait Transforms<A: Frequencies, const TILE: usize, const PATCH: usize> {
    /// B' d.
    fn input<S: Simd>(simd: S, d: [A::Value<S>; PATCH]) -> [A::Value<S>; PATCH];
    /// A' m.
    fn output<S: Simd>(simd: S, m: [S::F; PATCH]) -> [S::F; TILE];
}

/// The widths of tiles that have transforms.
pub struct Tiles;

impl Transforms<Float, 3, 5> for Tiles {
    #[inline(always)]
    fn input<S: Simd>(simd: S, d: [S::F; 5]) -> [S::F; 5] {
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

    #[inline(always)]
    fn output<S: Simd>(simd: S, m: [S::F; 5]) -> [S::F; 3] {
        output_3(simd, m)
    }
}

impl Transforms<Word, 3, 5> for Tiles {
    #[inline(always)]
    fn input<S: Simd>(simd: S, d: [S::W; 5]) -> [S::W; 5] {
        let a = simd.subtract_words(d[3], d[1]);
        let b = simd.subtract_words(d[3], d[2]);
        let twice = |x: S::W| simd.add_words(x, x);
        [
            simd.add_words(twice(simd.subtract_words(d[0], d[2])), a),
            simd.subtract_words(b, twice(d[1])),
            simd.add_words(twice(simd.subtract_words(d[1], d[2])), b),
            a,
            simd.subtract_words(simd.subtract_words(d[4], d[2]), twice(a)),
        ]
    }

    #[inline(always)]
    fn output<S: Simd>(simd: S, m: [S::F; 5]) -> [S::F; 3] {
        output_3(simd, m)
    }
}

#[inline(always)]
fn output_3<S: Simd>(simd: S, m: [S::F; 5]) -> [S::F; 3] {
    let sum = simd.add(m[1], m[2]);
    let difference = simd.mul_add(m[2], simd.splat(-1.0), m[1]);
    [
        simd.add(simd.add(m[0], sum), m[3]),
        simd.mul_add(m[3], simd.splat(2.0), difference),
        simd.add(simd.mul_add(m[3], simd.splat(4.0), sum), m[4]),
    ]
}

impl Transforms<Float, 4, 6> for Tiles {
    #[inline(always)]
    fn input<S: Simd>(simd: S, d: [S::F; 6]) -> [S::F; 6] {
        let (inner, outer) = (FRAC_1_SQRT_2 as f32, SQRT_2 as f32);
        let (minus, middle) = (simd.splat(-1.0), simd.splat(-2.5));
        // The sums of even and of odd terms at a point, whose sign changes those of odd ones.
        let even = |weight: f32| simd.mul_add(d[2], simd.splat(weight), d[4]);
        let odd = |third: f32, first: f32| {
            simd.mul_add(d[3], simd.splat(third), simd.mul(d[1], simd.splat(first)))
        };
        let (inner_even, inner_odd) = (even(-2.0), odd(inner, -outer));
        let (outer_even, outer_odd) = (even(-0.5), odd(outer, -inner));
        [
            simd.add(simd.mul_add(d[2], middle, d[4]), d[0]),
            simd.add(inner_even, inner_odd),
            simd.mul_add(inner_odd, minus, inner_even),
            simd.add(outer_even, outer_odd),
            simd.mul_add(outer_odd, minus, outer_even),
            simd.add(simd.mul_add(d[3], middle, d[5]), d[1]),
        ]
    }

    #[inline(always)]
    fn output<S: Simd>(simd: S, m: [S::F; 6]) -> [S::F; 4] {
        output_4(simd, m, [FRAC_1_SQRT_2 as f32, SQRT_2 as f32])
    }
}

impl Transforms<Word, 4, 6> for Tiles {
    #[inline(always)]
    fn input<S: Simd>(simd: S, d: [S::W; 6]) -> [S::W; 6] {
        let times = |x: S::W, factor: i16| simd.scale_words(x, factor);
        // As in f32: the sums of even and of odd terms.
        let inner_even = simd.subtract_words(d[4], times(d[2], 4));
        let inner_odd = simd.subtract_words(d[3], times(d[1], 4));
        let outer_even = simd.subtract_words(d[4], d[2]);
        let outer_odd = times(simd.subtract_words(d[3], d[1]), 2);
        [
            simd.add_words(simd.subtract_words(times(d[0], 4), times(d[2], 5)), d[4]),
            simd.add_words(inner_even, inner_odd),
            simd.subtract_words(inner_even, inner_odd),
            simd.add_words(outer_even, outer_odd),
            simd.subtract_words(outer_even, outer_odd),
            simd.add_words(simd.subtract_words(times(d[1], 4), times(d[3], 5)), d[5]),
        ]
    }

    #[inline(always)]
    fn output<S: Simd>(simd: S, m: [S::F; 6]) -> [S::F; 4] {
        output_4(simd, m, [1.0, 2.0])
    }
}

/// A' m for the points 0, +-inner, +-outer and infinity.
#[inline(always)]
fn output_4<S: Simd>(simd: S, m: [S::F; 6], [inner, outer]: [f32; 2]) -> [S::F; 4] {
    let minus = simd.splat(-1.0);
    let inner_sum = simd.add(m[1], m[2]);
    let inner_difference = simd.mul_add(m[2], minus, m[1]);
    let outer_sum = simd.add(m[3], m[4]);
    let outer_difference = simd.mul_add(m[4], minus, m[3]);
    // a x inner^power + b x outer^power.
    let weighted = |a: S::F, inner: f32, b: S::F, outer: f32| {
        simd.mul_add(a, simd.splat(inner), simd.mul(b, simd.splat(outer)))
    };
    let (inner_square, outer_square) = (inner * inner, outer * outer);
    [
        simd.add(simd.add(m[0], inner_sum), outer_sum),
        weighted(inner_difference, inner, outer_difference, outer),
        weighted(inner_sum, inner_square, outer_sum, outer_square),
        simd.add(
            weighted(
                inner_difference,
                inner * inner_square,
                outer_difference,
                outer * outer_square,
            ),
            m[5],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::portable::Portable;
    use super::super::super::simd::LANES;
    use super::*;

    /// The columns of B': the transforms of rows with one number.
    fn columns<const TILE: usize, const PATCH: usize>() -> Vec<[i64; PATCH]>
    where
        Tiles: Transforms<Word, TILE, PATCH>,
    {
        let unit = |i: usize| std::array::from_fn(|j| [i16::from(i == j); LANES]);
        let transform = |i| {
            let row = <Tiles as Transforms<Word, TILE, PATCH>>::input(Portable, unit(i));
            row.map(|word| i64::from(word[0]))
        };
        (0..PATCH).map(transform).collect()
    }

    fn check_bounds<const TILE: usize, const PATCH: usize>()
    where
        Tiles: Transforms<Word, TILE, PATCH>,
    {
        let (columns, rows) = (columns::<TILE, PATCH>(), word_rows(TILE));
        for i in 0..PATCH {
            for j in 0..PATCH {
                let products = columns
                    .iter()
                    .flat_map(|column| columns.iter().map(move |other| column[i] * other[j]));
                let [mut most, mut least] = [0; 2];
                for product in products {
                    most += 255 * product.max(0);
                    least += 255 * product.min(0);
                }
                let bound = WordFrequency([&rows[i], &rows[j]]).most_input();
                let largest = most.max(-least);
                assert!(largest <= bound && bound <= largest * 256 / 255, "{i} {j}");
                assert!(bound <= i16::MAX.into());
            }
        }
    }

    #[test]
    fn the_largest_words_are_known() {
        check_bounds::<3, 5>();
        check_bounds::<4, 6>();
    }

    #[test]
    fn frequencies_of_kernels_are_words() {
        for tile in [3, 4] {
            let rows = word_rows(tile);
            for (row, column) in rows
                .iter()
                .flat_map(|row| rows.iter().map(move |c| (row, c)))
            {
                let kernel: [i8; 9] = std::array::from_fn(|i| {
                    let sign = row.kernel[i / 3].signum() * column.kernel[i % 3].signum();
                    127 * sign as i8
                });
                let [height, width] =
                    [row, column].map(|row| row.kernel.map(i32::abs).iter().sum::<i32>());
                let weight = WordFrequency([row, column]).weight(&kernel);
                assert_eq!(i32::from(weight), 127 * height * width);
            }
        }
    }
}
