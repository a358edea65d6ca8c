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
mod numbers;
mod packing;
mod products;

use super::simd::Lanes;

pub use numbers::HeadNumbers;

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
    keys: Vec<A::Weights>,
    /// A line for each block of keys.
    key_steps: Vec<Lanes<f32>>,
    values: Vec<A::Weights>,
    /// A line for each block of channels.
    value_steps: Vec<Lanes<f32>>,
    /// Of a few queries: block of keys, query.
    scores: Vec<A::Sums>,
    exponentials: Vec<Lanes<f32>>,
    shares: Vec<A::Input>,
    /// To these queries: block of channels, query.
    answers: Vec<A::Sums>,
}
