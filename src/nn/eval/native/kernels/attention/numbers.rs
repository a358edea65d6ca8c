//! What heads are made of: f32, or words with a step for each query, each key and each channel of values.

use super::super::arithmetic::{Arithmetic, Float, Word};
use super::super::simd::{Lanes, Simd, Words};
use super::super::tokens::MAX_WORD;

/// Number types of heads.
pub trait HeadNumbers: Arithmetic<Weights: Default + std::fmt::Debug> {
    /// The channels of a step: what input and weights are made of.
    type Element: Copy;
    /// What the largest number of a query, of a key with this many channels, of a share and of a value
    /// becomes; `None` where numbers stay as they are.
    const MAX_QUERY: Option<f32>;
    const MAX_SHARE: f32;
    const MAX_VALUE: Option<f32>;
    fn most_key(channels: usize) -> Option<f32>;

    fn input<S: Simd>(simd: S, x: S::F) -> Self::Input;
    fn element(input: &Self::Input, step: usize) -> Self::Element;
    fn set(weights: &mut Self::Weights, lane: usize, to: Self::Element);
    /// The lines of a step's points as weights.
    fn of_points<S: Simd>(simd: S, points: [S::F; 2]) -> Self::Weights;
}

impl HeadNumbers for Float {
    type Element = f32;
    const MAX_QUERY: Option<f32> = None;
    const MAX_SHARE: f32 = 1.0;
    const MAX_VALUE: Option<f32> = None;

    fn most_key(_channels: usize) -> Option<f32> {
        None
    }

    #[inline(always)]
    fn input<S: Simd>(simd: S, x: S::F) -> Lanes<f32> {
        let mut line = Lanes::default();
        simd.store(x, &mut line);
        line
    }

    #[inline(always)]
    fn element(input: &Lanes<f32>, step: usize) -> f32 {
        input.0[step]
    }

    #[inline(always)]
    fn set(weights: &mut Lanes<f32>, lane: usize, to: f32) {
        weights.0[lane] = to;
    }

    #[inline(always)]
    fn of_points<S: Simd>(simd: S, [point, _]: [S::F; 2]) -> Lanes<f32> {
        Float::input(simd, point)
    }
}

impl HeadNumbers for Word {
    type Element = [i16; 2];
    const MAX_QUERY: Option<f32> = Some(MAX_WORD as f32);
    // Less than a word can hold: rounding may add half a step for each key.
    const MAX_SHARE: f32 = 32_000.0;
    const MAX_VALUE: Option<f32> = Some(i16::MAX as f32);

    fn most_key(channels: usize) -> Option<f32> {
        let most = i32::MAX / (i32::from(MAX_WORD) * channels as i32);
        Some(most.min(i16::MAX.into()) as f32)
    }

    #[inline(always)]
    fn input<S: Simd>(simd: S, x: S::F) -> Words {
        simd.to_words(x)
    }

    #[inline(always)]
    fn element(input: &Words, step: usize) -> [i16; 2] {
        input.0[step]
    }

    #[inline(always)]
    fn set(weights: &mut Lanes<[i16; 2]>, lane: usize, to: [i16; 2]) {
        weights.0[lane] = to;
    }

    #[inline(always)]
    fn of_points<S: Simd>(simd: S, [low, high]: [S::F; 2]) -> Lanes<[i16; 2]> {
        simd.to_word_pairs(low, high)
    }
}

/// The value of a step, if the largest number becomes `to`.
#[inline(always)]
pub(super) fn step(most: f32, to: Option<f32>) -> f32 {
    match to {
        Some(to) => most.max(f32::MIN_POSITIVE * to) / to,
        None => 1.0,
    }
}
