//! Peak performance of the processor: products and sums in registers only.

use std::hint::black_box;

use super::arithmetic::Arithmetic;
use super::simd::{Job, LANES, Lanes, Simd, Tile};

/// What most products of a network are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factors {
    Floats,
    Words,
    Bytes,
}

/// Multiplies and adds for a number of rounds, in as many independent chains as a tile has.
pub struct Peak {
    pub rounds: usize,
    pub factors: Factors,
}

impl Job for Peak {
    /// Products computed.
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let rounds = self.rounds;
        match self.factors {
            Factors::Floats => measure::<S, super::Float>(simd, rounds, Lanes([1.0; LANES])),
            Factors::Words => measure::<S, super::Word>(simd, rounds, Lanes([[1; 2]; LANES])),
            Factors::Bytes => measure::<S, super::Integer>(simd, rounds, Lanes([[1; 4]; LANES])),
        }
    }
}

#[inline(always)]
fn measure<S: Simd, A: Arithmetic>(simd: S, rounds: usize, weights: A::Weights) -> usize {
    let chains = S::most_points(1);
    simd.tile(1, chains, Chains::<A> { rounds, weights });
    A::CHANNELS * chains * rounds * LANES
}

struct Chains<A: Arithmetic> {
    rounds: usize,
    weights: A::Weights,
}

impl<A: Arithmetic> Tile for Chains<A> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let factor = A::weights(simd, black_box(&self.weights));
        let mut sums = [factor; POINTS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = A::add_product(simd, *sum, factor, factor);
            }
        }
        black_box(sums);
    }
}
