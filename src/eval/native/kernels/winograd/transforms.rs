//! The transforms of Winograd's algorithm, for tiles of 3x3 and of 4x4 outputs.
//!
//! They multiply polynomials by their values at some points (Toom-Cook): 0, 1, -1, 2 and infinity for
//! tiles of 3; 0, +-1/sqrt(2), +-sqrt(2) and infinity for tiles of 4, where the usual +-1 and +-2 would
//! lose more digits. With a_i the finite points, M(x) = prod (x - a_i), and N_i = M'(a_i):
//!
//! - kernel: row i of G is (1, a_i, a_i^2) / N_i; the last row is (0, 0, 1);
//! - input: row i of B' has the coefficients of M(x) / (x - a_i); the last row has those of M(x);
//! - output: column i of A' is (1, a_i, a_i^2, ..); the last column is (0, .., 0, 1).

use super::super::simd::Simd;

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Finite points for tiles of 3.
const POINTS_3: [f64; 4] = [0.0, 1.0, -1.0, 2.0];
/// Finite points for tiles of 4.
const POINTS_4: [f64; 5] = [0.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2, SQRT_2, -SQRT_2];

/// The rows of G for tiles of this width: a kernel's row times them is its frequencies.
pub(crate) fn kernel_rows(tile: usize) -> Vec<[f64; 3]> {
    let points: &[f64] = if tile == 3 { &POINTS_3 } else { &POINTS_4 };
    let rows = points.iter().map(|&at| {
        let others = points.iter().filter(|&&other| other != at);
        let scale: f64 = others.map(|other| at - other).product();
        [1.0 / scale, at / scale, at * at / scale]
    });
    rows.chain([[0.0, 0.0, 1.0]]).collect()
}

/// A kernel `[3, 3]` in the frequencies of tiles of this width, row after row: G g G'.
pub(crate) fn kernel_frequencies(kernel: &[f32], tile: usize) -> impl Iterator<Item = f32> {
    let rows = kernel_rows(tile);
    (0..rows.len() * rows.len()).map(move |i| {
        let (row, column) = (rows[i / rows.len()], rows[i % rows.len()]);
        let weight = |j: usize| f64::from(kernel[j]) * row[j / 3] * column[j % 3];
        (0..9).map(weight).sum::<f64>() as f32
    })
}

/// The transforms of a row of inputs or sums, for tiles of this width.
pub(crate) trait Transforms<const TILE: usize, const PATCH: usize> {
    /// B' d.
    fn input<S: Simd>(simd: S, d: [S::F; PATCH]) -> [S::F; PATCH];
    /// A' m.
    fn output<S: Simd>(simd: S, m: [S::F; PATCH]) -> [S::F; TILE];
}

/// The widths of tiles that have transforms.
pub(crate) struct Tiles;

impl Transforms<3, 5> for Tiles {
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
        let sum = simd.add(m[1], m[2]);
        let difference = simd.mul_add(m[2], simd.splat(-1.0), m[1]);
        [
            simd.add(simd.add(m[0], sum), m[3]),
            simd.mul_add(m[3], simd.splat(2.0), difference),
            simd.add(simd.mul_add(m[3], simd.splat(4.0), sum), m[4]),
        ]
    }
}

impl Transforms<4, 6> for Tiles {
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
        let (inner, outer) = (FRAC_1_SQRT_2 as f32, SQRT_2 as f32);
        let minus = simd.splat(-1.0);
        let inner_sum = simd.add(m[1], m[2]);
        let inner_difference = simd.mul_add(m[2], minus, m[1]);
        let outer_sum = simd.add(m[3], m[4]);
        let outer_difference = simd.mul_add(m[4], minus, m[3]);
        // a x inner + b x outer.
        let weighted = |a: S::F, inner: f32, b: S::F, outer: f32| {
            simd.mul_add(a, simd.splat(inner), simd.mul(b, simd.splat(outer)))
        };
        [
            simd.add(simd.add(m[0], inner_sum), outer_sum),
            weighted(inner_difference, inner, outer_difference, outer),
            weighted(inner_sum, 0.5, outer_sum, 2.0),
            simd.add(
                weighted(inner_difference, inner * 0.5, outer_difference, outer * 2.0),
                m[5],
            ),
        ]
    }
}
