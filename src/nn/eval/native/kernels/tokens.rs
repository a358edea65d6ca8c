//! Rows of tokens: the work between their products with matrices.

use super::simd::{Job, LANES, Lanes, Simd, Words};

/// 1 / sqrt(mean of x^2 + epsilon) of each point.
pub struct RootMeanSquares<'a> {
    /// Block after block.
    pub input: &'a [Lanes<f32>],
    pub channels: usize,
    pub epsilon: f32,
    /// A number for each point.
    pub out: &'a mut [f32],
}

impl Job for RootMeanSquares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let points = self.out.len();
        let blocks = self.channels.div_ceil(LANES);
        for (point, out) in self.out.iter_mut().enumerate() {
            let mut squares = simd.splat(0.0);
            for line in self.input[point..].iter().step_by(points).take(blocks) {
                let x = simd.load(line);
                squares = simd.mul_add(x, x, squares);
            }
            let mean = simd.sum(squares) / self.channels as f32;
            *out = (mean + self.epsilon).sqrt().recip();
        }
    }
}

/// The largest number that the channels of a point are rounded to: 14 bits with its sign. A layer's
/// weights have what is left of the 32 bits of a sum.
pub const MAX_WORD: i16 = (1 << 13) - 1;

/// The channels of each point in words, each point with a step of its own.
pub struct Rounded<'a> {
    /// Block after block.
    pub input: &'a [Lanes<f32>],
    /// What is multiplied with it first, number by number.
    pub gate: Option<&'a [Lanes<f32>]>,
    pub channels: usize,
    /// Of a normalisation by the root of the mean square: what is added to that.
    pub norm: Option<f32>,
    pub words: &'a mut [Words],
    /// The value of a word of each point, with its normalisation.
    pub factors: &'a mut [f32],
}

impl Job for Rounded<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let points = self.factors.len();
        let blocks = self.channels.div_ceil(LANES);
        for point in 0..points {
            let (mut most, mut squares) = (simd.splat(0.0), simd.splat(0.0));
            for block in 0..blocks {
                let x = gated(simd, self.input, self.gate, block * points + point);
                most = largest_magnitude(simd, most, x);
                squares = simd.mul_add(x, x, squares);
            }
            // A point of zeros has a step, too.
            let step = simd.largest(most).max(f32::MIN_POSITIVE) / f32::from(MAX_WORD);
            let inverse = simd.splat(step.recip().min(f32::MAX));
            for block in 0..blocks {
                let at = block * points + point;
                let x = gated(simd, self.input, self.gate, at);
                self.words[at] = simd.to_words(simd.mul(x, inverse));
            }
            let norm = self.norm.map_or(1.0, |epsilon| {
                let mean = simd.sum(squares) / self.channels as f32;
                (mean + epsilon).sqrt().recip()
            });
            self.factors[point] = step * norm;
        }
    }
}

/// The larger of `most` and the magnitude of `x`, lane by lane.
#[inline(always)]
pub(super) fn largest_magnitude<S: Simd>(simd: S, most: S::F, x: S::F) -> S::F {
    simd.max(most, simd.max(x, simd.mul(x, simd.splat(-1.0))))
}

#[inline(always)]
fn gated<S: Simd>(simd: S, input: &[Lanes<f32>], gate: Option<&[Lanes<f32>]>, at: usize) -> S::F {
    let x = simd.load(&input[at]);
    match gate {
        Some(gate) => simd.mul(x, simd.load(&gate[at])),
        None => x,
    }
}

/// Each point's channels times its factor.
pub struct Scaled<'a> {
    pub input: &'a [Lanes<f32>],
    /// A number for each point.
    pub factors: &'a [f32],
    pub out: &'a mut [Lanes<f32>],
}

impl Job for Scaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let points = self.factors.len();
        let blocks = self.input.chunks_exact(points);
        for (out, block) in self.out.chunks_exact_mut(points).zip(blocks) {
            for ((out, line), factor) in out.iter_mut().zip(block).zip(self.factors) {
                simd.store(simd.mul(simd.load(line), simd.splat(*factor)), out);
            }
        }
    }
}

/// Each point's channels less their mean.
pub struct Centered<'a> {
    /// Block after block.
    pub input: &'a [Lanes<f32>],
    pub channels: usize,
    pub points: usize,
    pub out: &'a mut [Lanes<f32>],
}

impl Job for Centered<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (points, blocks) = (self.points, self.channels.div_ceil(LANES));
        // Lanes behind the last channel stay 0.
        let mut last = Lanes([1.0; LANES]);
        last.0[self.channels - (blocks - 1) * LANES..].fill(0.0);
        for point in 0..points {
            let places = (0..blocks).map(|block| block * points + point);
            let mut sum = simd.splat(0.0);
            for at in places.clone() {
                sum = simd.add(sum, simd.load(&self.input[at]));
            }
            let mean = simd.splat(-simd.sum(sum) / self.channels as f32);
            for at in places {
                let x = simd.add(simd.load(&self.input[at]), mean);
                simd.store(x, &mut self.out[at]);
            }
            let at = (blocks - 1) * points + point;
            let x = simd.mul(simd.load(&self.out[at]), simd.load(&last));
            simd.store(x, &mut self.out[at]);
        }
    }
}

/// How two numbers become one.
#[derive(Debug, Clone, Copy)]
pub enum Pairing {
    Sum,
    Product,
    /// Neighbours as complex numbers, and their product.
    Turn,
}

/// Lines and other lines, number by number.
pub struct Paired<'a> {
    pub pairing: Pairing,
    pub first: &'a [Lanes<f32>],
    pub second: &'a [Lanes<f32>],
    pub out: &'a mut [Lanes<f32>],
}

impl Job for Paired<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let lines = self.first.iter().zip(self.second);
        for (out, (first, second)) in self.out.iter_mut().zip(lines) {
            let (first, second) = (simd.load(first), simd.load(second));
            let x = match self.pairing {
                Pairing::Sum => simd.add(first, second),
                Pairing::Product => simd.mul(first, second),
                Pairing::Turn => simd.turn(first, second),
            };
            simd.store(x, out);
        }
    }
}
