//! Plain Rust, in loops that compilers can vectorise.

use super::conv::tiles;
use super::simd::{Bytes, Job, LANES, Lanes, Simd, Tile, Words};

/// Any processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Portable;

impl Simd for Portable {
    type F = [f32; LANES];
    type I = [i32; LANES];
    type W = [i16; LANES];

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        job.run(self)
    }

    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J) {
        tiles!(self, blocks, points, job; 1: 1 2 3 4;);
    }

    fn most_points(blocks: usize) -> usize {
        if blocks == 1 { 4 } else { 0 }
    }

    #[inline(always)]
    fn prefetch<T>(self, _line: &T) {}

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; LANES]
    }

    #[inline(always)]
    fn load(self, line: &Lanes<f32>) -> Self::F {
        line.0
    }

    #[inline(always)]
    fn store(self, x: Self::F, line: &mut Lanes<f32>) {
        line.0 = x;
    }

    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // Not `f32::mul_add`: without an FMA instruction that is a function call.
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] / b[i])
    }

    #[inline(always)]
    fn round(self, x: Self::F) -> Self::F {
        x.map(f32::round_ties_even)
    }

    #[inline(always)]
    fn power_of_two(self, x: Self::F) -> Self::F {
        x.map(|x| f32::from_bits(((x as i32 + 127) as u32) << 23))
    }

    #[inline(always)]
    fn turn(self, x: Self::F, by: Self::F) -> Self::F {
        std::array::from_fn(|i| match i % 2 {
            0 => x[i] * by[i] - x[i + 1] * by[i + 1],
            _ => x[i] * by[i - 1] + x[i - 1] * by[i],
        })
    }

    #[inline(always)]
    fn sum(self, x: Self::F) -> f32 {
        x.iter().sum()
    }

    #[inline(always)]
    fn largest(self, x: Self::F) -> f32 {
        x.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }

    #[inline(always)]
    fn splat_int(self, x: i32) -> Self::I {
        [x; LANES]
    }

    #[inline(always)]
    fn load_int(self, line: &Lanes<i32>) -> Self::I {
        line.0
    }

    #[inline(always)]
    fn store_int(self, x: Self::I, line: &mut Lanes<i32>) {
        line.0 = x;
    }

    #[inline(always)]
    fn dot(self, sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I {
        std::array::from_fn(|i| {
            let bytes = bytes[i].to_ne_bytes().map(i32::from);
            let weights = weights[i].to_ne_bytes();
            let weights = weights.map(|weight| i32::from(weight.cast_signed()));
            let products = bytes
                .iter()
                .zip(weights)
                .map(|(byte, weight)| byte * weight);
            sum[i] + products.sum::<i32>()
        })
    }

    #[inline(always)]
    fn widen(self, bytes: &Bytes) -> Self::W {
        std::array::from_fn(|i| bytes.0[i / 4][i % 4].into())
    }

    #[inline(always)]
    fn store_words(self, x: Self::W, words: &mut Words) {
        words.0 = std::array::from_fn(|i| [x[2 * i], x[2 * i + 1]]);
    }

    #[inline(always)]
    fn add_words(self, a: Self::W, b: Self::W) -> Self::W {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn subtract_words(self, a: Self::W, b: Self::W) -> Self::W {
        std::array::from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn scale_words(self, a: Self::W, factor: i16) -> Self::W {
        a.map(|a| a * factor)
    }

    #[inline(always)]
    fn to_float(self, x: Self::I) -> Self::F {
        x.map(|x| x as f32)
    }

    #[inline(always)]
    fn to_bytes(self, x: Self::F) -> Bytes {
        let byte = |x: f32| x.clamp(0.0, 255.0).round_ties_even() as u8;
        Bytes(std::array::from_fn(|group| {
            std::array::from_fn(|i| byte(x[4 * group + i]))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the instructions of processors do: the same network rounds alike everywhere.
    #[test]
    fn halves_are_rounded_to_even_numbers() {
        let numbers: [f32; LANES] = std::array::from_fn(|i| i as f32 - 7.5);
        let rounded = Portable.round(numbers);
        assert_eq!(rounded[..5], [-8.0, -6.0, -6.0, -4.0, -4.0]);
        assert_eq!(rounded[7..10], [0.0, 0.0, 2.0]);
    }
}
