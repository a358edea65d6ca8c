//! From scores to shares, and from sums to answers.

use super::super::activation::exp_of_negative;
use super::super::arithmetic::Sums;
use super::super::simd::{Job, LANES, Lanes, Simd};
use super::numbers::HeadNumbers;

/// From scores to shares.
pub(super) struct Softmax<'a, A: HeadNumbers> {
    pub(super) keys: usize,
    pub(super) scale: f32,
    pub(super) query_steps: &'a [f32],
    pub(super) key_steps: &'a [Lanes<f32>],
    /// Block of keys, query.
    pub(super) scores: &'a [A::Sums],
    pub(super) exponentials: &'a mut [Lanes<f32>],
    pub(super) shares: &'a mut [A::Input],
}

impl<A: HeadNumbers> Job for Softmax<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let queries = self.query_steps.len();
        let blocks = self.key_steps.len();
        // What is past the last key gets no share.
        let mut past = Lanes([0.0; LANES]);
        past.0[self.keys - (blocks - 1) * LANES..].fill(f32::MIN);
        let past = simd.load(&past);
        for (query, step) in self.query_steps.iter().enumerate() {
            let scale = simd.splat(self.scale * step);
            let mut most = simd.splat(f32::MIN);
            for block in 0..blocks {
                let at = block * queries + query;
                let sum = A::Sums::number(simd, self.scores[at].load(simd));
                let step = simd.mul(simd.load(&self.key_steps[block]), scale);
                let x = match block + 1 == blocks {
                    true => simd.mul_add(sum, step, past),
                    false => simd.mul(sum, step),
                };
                most = simd.max(most, x);
                simd.store(x, &mut self.exponentials[at]);
            }
            let most = simd.splat(-simd.largest(most));
            let mut all = simd.splat(0.0);
            for block in 0..blocks {
                let line = &mut self.exponentials[block * queries + query];
                let x = exp_of_negative(simd, simd.add(simd.load(line), most));
                all = simd.add(all, x);
                simd.store(x, line);
            }
            let share = simd.splat(A::MOST_SHARE / simd.sum(all));
            for block in 0..blocks {
                let at = block * queries + query;
                let x = simd.load(&self.exponentials[at]);
                self.shares[at] = A::input(simd, simd.mul(x, share));
            }
        }
    }
}

/// From sums to channels of the answer.
pub(super) struct Write<'a, A: HeadNumbers> {
    pub(super) answers: &'a [A::Sums],
    pub(super) steps: &'a Lanes<f32>,
    /// Channels of the map that is written.
    pub(super) channels: std::ops::Range<usize>,
    /// Points of the map.
    pub(super) points: usize,
    /// From the first of these points on.
    pub(super) out: &'a mut [Lanes<f32>],
}

impl<A: HeadNumbers> Job for Write<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let steps = simd.mul(simd.load(self.steps), simd.splat(A::MOST_SHARE.recip()));
        let (block, shift) = (self.channels.start / LANES, self.channels.start % LANES);
        for (point, answer) in self.answers.iter().enumerate() {
            let x = simd.mul(A::Sums::number(simd, answer.load(simd)), steps);
            let at = block * self.points + point;
            if shift == 0 && self.channels.len() == LANES {
                simd.store(x, &mut self.out[at]);
                continue;
            }
            let mut line = Lanes::default();
            simd.store(x, &mut line);
            for (lane, number) in line.0[..self.channels.len()].iter().enumerate() {
                let lane = shift + lane;
                self.out[at + lane / LANES * self.points].0[lane % LANES] = *number;
            }
        }
    }
}
