//! What maps, frequencies and sums are made of.

use super::super::arithmetic::{Arithmetic, Float, Word};
use super::super::simd::{Bytes, Lanes, Simd, Words};

/// Number types of a convolution in frequencies.
pub trait Frequencies: Arithmetic {
    /// The channels of a block at one point of a map.
    type Point: Copy + 'static;
    /// The channels of a block in registers, at a point or in a frequency.
    type Value<S: Simd>: Copy;

    fn read<S: Simd>(simd: S, point: &Self::Point) -> Self::Value<S>;
    fn write<S: Simd>(simd: S, x: Self::Value<S>, to: &mut Self::Input);
    /// The sum of a frequency as a number, which has a factor unless sums are f32.
    fn number<S: Simd>(simd: S, sum: &Self::Sums, factor: &Lanes<f32>) -> S::F;
}

impl Frequencies for Float {
    type Point = Lanes<f32>;
    type Value<S: Simd> = S::F;

    #[inline(always)]
    fn read<S: Simd>(simd: S, point: &Lanes<f32>) -> S::F {
        simd.load(point)
    }

    #[inline(always)]
    fn write<S: Simd>(simd: S, x: S::F, to: &mut Lanes<f32>) {
        simd.store(x, to);
    }

    #[inline(always)]
    fn number<S: Simd>(simd: S, sum: &Lanes<f32>, _factor: &Lanes<f32>) -> S::F {
        simd.load(sum)
    }
}

impl Frequencies for Word {
    type Point = Bytes;
    type Value<S: Simd> = S::W;

    #[inline(always)]
    fn read<S: Simd>(simd: S, point: &Bytes) -> S::W {
        simd.widen(point)
    }

    #[inline(always)]
    fn write<S: Simd>(simd: S, x: S::W, to: &mut Words) {
        simd.store_words(x, to);
    }

    #[inline(always)]
    fn number<S: Simd>(simd: S, sum: &Lanes<i32>, factor: &Lanes<f32>) -> S::F {
        simd.mul(simd.to_float(simd.load_int(sum)), simd.load(factor))
    }
}
