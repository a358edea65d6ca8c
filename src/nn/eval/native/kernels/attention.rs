//! Attention of one position: of each head, a few queries at a time against all keys, so that no more than
//! their scores are in memory.
//!
//! Scores are products of queries with keys, answers products of shares with values: both are computed in
//! the register tiles of [matrices](super::matrix), whose points are the queries. Keys and values are
//! packed once a head as the weights of these: keys with sixteen keys a line, values as they are.
//!
//! In words each query, each key and each channel of the values has a step of its own, and shares have
//! 15 bits: they add up to 1, so that no sum leaves 32 bits. The softmax is in f32.

mod answers;
mod packing;

use super::arithmetic::{Arithmetic, Float, Word};
use super::simd::{Lanes, Simd, Words, joined};
use super::tokens::MAX_WORD;

/// Channels of some heads of all points.
#[derive(Debug, Clone, Copy)]
pub struct HeadMap<'a> {
    /// Block after block.
    pub lines: &'a [Lanes<f32>],
    /// Channels of a head.
    pub dim: usize,
}

/// One attention of one position.
pub struct AttentionTask<'a, A: HeadNumbers> {
    pub points: usize,
    pub heads: usize,
    /// Heads of keys and values, each for as many of `heads` that follow each other.
    pub kv_heads: usize,
    /// What scores are multiplied by.
    pub scale: f32,
    pub query: HeadMap<'a>,
    pub key: HeadMap<'a>,
    pub value: HeadMap<'a>,
    pub room: &'a mut AttentionRoom<A>,
    pub out: &'a mut [Lanes<f32>],
}

/// Workspace of a head.
#[derive(Debug, Default)]
pub struct AttentionRoom<A: HeadNumbers> {
    /// Block of channels, point.
    queries: Vec<A::Input>,
    query_steps: Vec<f32>,
    keys: Vec<A::Line>,
    /// A line for each block of keys.
    key_steps: Vec<Lanes<f32>>,
    values: Vec<A::Line>,
    /// A line for each block of channels.
    value_steps: Vec<Lanes<f32>>,
    /// Of a few queries: block of keys, query.
    scores: Vec<A::Line>,
    exponentials: Vec<Lanes<f32>>,
    shares: Vec<A::Input>,
    /// To these queries: block of channels, query.
    answers: Vec<A::Line>,
}

/// Number types of heads: f32, or words with a step for each query, each key and each channel of values.
pub trait HeadNumbers: Arithmetic {
    /// What the largest number of a query, of a key with this many channels, of a share and of a value
    /// becomes; `None` where numbers stay as they are.
    const MAX_QUERY: Option<f32>;
    const MAX_SHARE: f32;
    const MAX_VALUE: Option<f32>;
    fn most_key(channels: usize) -> Option<f32>;

    fn input<S: Simd>(simd: S, x: S::F) -> Self::Input;
    /// Makes the channels of a step of an input a lane of weights.
    fn copy_step(input: &Self::Input, step: usize, weights: &mut Self::Line, lane: usize);
    /// The lines of a step's points as weights.
    fn of_points<S: Simd>(simd: S, points: [S::F; 2]) -> Self::Line;
}

impl HeadNumbers for Float {
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
    fn copy_step(input: &Lanes<f32>, step: usize, weights: &mut Lanes<f32>, lane: usize) {
        weights.0[lane] = input.0[step];
    }

    #[inline(always)]
    fn of_points<S: Simd>(simd: S, [point, _]: [S::F; 2]) -> Lanes<f32> {
        Float::input(simd, point)
    }
}

impl HeadNumbers for Word {
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
    fn copy_step(input: &Words, step: usize, weights: &mut Lanes<i32>, lane: usize) {
        weights.0[lane] = joined(input.0[step]);
    }

    #[inline(always)]
    fn of_points<S: Simd>(simd: S, [low, high]: [S::F; 2]) -> Lanes<i32> {
        simd.to_word_pairs(low, high)
    }
}
