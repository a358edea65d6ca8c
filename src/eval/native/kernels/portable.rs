//! Plain Rust, in loops that compilers can vectorise.

use super::conv::tiles;
use super::simd::{Bytes, Job, LANES, Lanes, Simd, Tile};

/// Any processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Portable;

impl Simd for Portable {
    type F = [f32; LANES];
    type I = [i32; LANES];

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
    fn zero(self) -> Self::I {
        [0; LANES]
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
    fn splat_bytes(self, bytes: [u8; 4]) -> Self::I {
        [i32::from_ne_bytes(bytes); LANES]
    }

    #[inline(always)]
    fn load_weights(self, line: &Lanes<[i8; 4]>) -> Self::I {
        line.0
            .map(|weights| i32::from_ne_bytes(weights.map(i8::cast_unsigned)))
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
