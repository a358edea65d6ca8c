//! Number types of convolutions: f32, bytes, and words of 16 bits.

use std::fmt;

use super::simd::{Bytes, Lanes, Simd, Words, joined};

/// Steps without a branch in between: the last iteration of a loop is often mispredicted.
pub(crate) const UNROLLED: usize = 4;

/// Sixteen numbers in memory: sums of an output block at one point, or its weights for one step.
pub trait Line: Copy + Default + fmt::Debug + 'static {
    /// Sums, factors and weights in registers.
    type Register<S: Simd>: Copy;

    fn zero<S: Simd>(simd: S) -> Self::Register<S>;
    fn load<S: Simd>(&self, simd: S) -> Self::Register<S>;
    fn store<S: Simd>(&mut self, simd: S, x: Self::Register<S>);
    /// The sum as a number: sum x scale + bias.
    fn finish<S: Simd>(simd: S, sum: Self::Register<S>, scale: S::F, bias: S::F) -> S::F;
    /// The sum as it is.
    fn number<S: Simd>(simd: S, sum: Self::Register<S>) -> S::F;
}

impl Line for Lanes<f32> {
    type Register<S: Simd> = S::F;

    #[inline(always)]
    fn zero<S: Simd>(simd: S) -> S::F {
        simd.splat(0.0)
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> S::F {
        simd.load(self)
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, simd: S, x: S::F) {
        simd.store(x, self);
    }

    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: S::F, _scale: S::F, bias: S::F) -> S::F {
        simd.add(sum, bias)
    }

    #[inline(always)]
    fn number<S: Simd>(_simd: S, sum: S::F) -> S::F {
        sum
    }
}

impl Line for Lanes<i32> {
    type Register<S: Simd> = S::I;

    #[inline(always)]
    fn zero<S: Simd>(simd: S) -> S::I {
        simd.splat_int(0)
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> S::I {
        simd.load_int(self)
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, simd: S, x: S::I) {
        simd.store_int(x, self);
    }

    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: S::I, scale: S::F, bias: S::F) -> S::F {
        simd.mul_add(simd.to_float(sum), scale, bias)
    }

    #[inline(always)]
    fn number<S: Simd>(simd: S, sum: S::I) -> S::F {
        simd.to_float(sum)
    }
}

/// Registers of an arithmetic.
pub(crate) type Register<A, S> = <<A as Arithmetic>::Line as Line>::Register<S>;

/// Number types of a convolution.
pub trait Arithmetic {
    /// The channels of a block at one point.
    type Input: Copy + Default + fmt::Debug + 'static;
    /// Sums; and weights, which in integers are as many in the 32 bits of a lane as a step has channels.
    type Line: Line;

    /// Input channels per step.
    const CHANNELS: usize;

    /// Number of steps for this many input channels.
    fn steps(channels: usize) -> usize {
        channels.div_ceil(Self::CHANNELS).next_multiple_of(UNROLLED)
    }

    /// The channels of one step in all lanes.
    fn splat<S: Simd>(simd: S, input: &Self::Input, step: usize) -> Register<Self, S>;
    fn add_product<S: Simd>(
        simd: S,
        sum: Register<Self, S>,
        input: Register<Self, S>,
        weights: Register<Self, S>,
    ) -> Register<Self, S>;
}

/// f32 times f32.
#[derive(Debug, Default)]
pub struct Float;

impl Arithmetic for Float {
    type Input = Lanes<f32>;
    type Line = Lanes<f32>;

    const CHANNELS: usize = 1;

    #[inline(always)]
    fn splat<S: Simd>(simd: S, input: &Lanes<f32>, step: usize) -> S::F {
        simd.splat(input.0[step])
    }

    #[inline(always)]
    fn add_product<S: Simd>(simd: S, sum: S::F, input: S::F, weights: S::F) -> S::F {
        simd.mul_add(input, weights, sum)
    }
}

/// Unsigned bytes times signed bytes, four at a time, summed in 32 bits.
pub struct Integer;

impl Arithmetic for Integer {
    type Input = Bytes;
    type Line = Lanes<i32>;

    const CHANNELS: usize = 4;

    #[inline(always)]
    fn splat<S: Simd>(simd: S, input: &Bytes, step: usize) -> S::I {
        simd.splat_int(i32::from_ne_bytes(input.0[step]))
    }

    #[inline(always)]
    fn add_product<S: Simd>(simd: S, sum: S::I, input: S::I, weights: S::I) -> S::I {
        simd.dot(sum, input, weights)
    }
}

/// Words times words, two at a time, summed in 32 bits.
#[derive(Debug, Default)]
pub struct Word;

impl Arithmetic for Word {
    type Input = Words;
    type Line = Lanes<i32>;

    const CHANNELS: usize = 2;

    #[inline(always)]
    fn splat<S: Simd>(simd: S, input: &Words, step: usize) -> S::I {
        simd.splat_int(joined(input.0[step]))
    }

    #[inline(always)]
    fn add_product<S: Simd>(simd: S, sum: S::I, input: S::I, weights: S::I) -> S::I {
        simd.dot_words(sum, input, weights)
    }
}

/// Number types of a convolution in frequencies.
pub trait Frequencies: Arithmetic {
    /// The channels of a block at one point of a map.
    type Point: Copy + 'static;
    /// The channels of a block in registers, at a point or in a frequency.
    type Value<S: Simd>: Copy;

    fn read<S: Simd>(simd: S, point: &Self::Point) -> Self::Value<S>;
    fn write<S: Simd>(simd: S, x: Self::Value<S>, to: &mut Self::Input);
    /// The sum of a frequency as a number, which has a factor unless sums are f32.
    fn number<S: Simd>(simd: S, sum: &Self::Line, factor: &Lanes<f32>) -> S::F;
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
