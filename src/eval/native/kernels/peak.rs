//! Peak performance of the processor: products and sums in registers only.

use std::hint::black_box;

use super::arithmetic::Arithmetic;
use super::simd::{Job, LANES, Lanes, Simd, Tile};

/// Multiplies and adds for a number of rounds, in as many independent chains as a tile has.
pub(crate) struct Peak {
    pub(crate) rounds: usize,
    pub(crate) integers: bool,
}

impl Job for Peak {
    /// Products computed.
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (chains, rounds) = (S::most_points(1), self.rounds);
        if self.integers {
            simd.tile(
                1,
                chains,
                Chains::<super::Integer> {
                    rounds,
                    weights: Lanes([[1; 4]; LANES]),
                },
            );
            4 * chains * rounds * LANES
        } else {
            simd.tile(
                1,
                chains,
                Chains::<super::Float> {
                    rounds,
                    weights: Lanes([1.0; LANES]),
                },
            );
            chains * rounds * LANES
        }
    }
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
