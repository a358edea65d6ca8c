//! The course of an attention, and from scores to shares and answers: head after head, and of each a few queries at a
//! time.

use super::super::super::grid::parts;
use super::super::activation::exp_of_negative;
use super::super::arithmetic::Line;
use super::super::simd::{Job, LANES, Lanes, Simd};
use super::packing::{Groups, PackKeys, PackQueries, PackValues, multiply};
use super::{AttentionTask, HeadNumbers};

impl<A: HeadNumbers> Job for AttentionTask<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut task = self;
        let points = task.points;
        let key_blocks = points.div_ceil(LANES);
        let keys = Groups::new::<S, A>(key_blocks, task.query.dim);
        let values = Groups::new::<S, A>(task.value.blocks(), key_blocks * LANES);
        let most = S::most_points(keys.group).min(S::most_points(1));
        task.resize([keys, values], most);
        let shared = task.heads / task.kv_heads;
        for kv_head in 0..task.kv_heads {
            simd.enter(PackKeys(&mut task, kv_head, keys));
            simd.enter(PackValues(&mut task, kv_head, values));
            for head in kv_head * shared..(kv_head + 1) * shared {
                simd.enter(PackQueries(&mut task, head));
                for (first, count) in parts(points, most) {
                    task.answer(simd, head, first, count, [keys, values]);
                }
            }
        }
    }
}

/// Makes room for as many, all zero, unless there is.
fn fit<T: Clone + Default>(lines: &mut Vec<T>, len: usize) {
    if lines.len() != len {
        lines.clear();
        lines.resize(len, T::default());
    }
}

impl<A: HeadNumbers> AttentionTask<'_, A> {
    fn resize(&mut self, [keys, values]: [Groups; 2], most: usize) {
        let room = &mut *self.room;
        fit(&mut room.queries, self.query.blocks() * self.points);
        fit(&mut room.query_steps, self.points);
        fit(&mut room.keys, keys.lines());
        fit(&mut room.key_steps, keys.blocks);
        fit(&mut room.values, values.lines());
        fit(&mut room.value_steps, values.blocks);
        fit(&mut room.scores, keys.blocks * most);
        fit(&mut room.exponentials, keys.blocks * most);
        fit(&mut room.shares, keys.blocks * most);
        fit(&mut room.answers, values.blocks * most);
    }

    /// The answers to some queries of a head.
    #[inline(always)]
    fn answer<S: Simd>(
        &mut self,
        simd: S,
        head: usize,
        first: usize,
        count: usize,
        [keys, values]: [Groups; 2],
    ) {
        let room = &mut *self.room;
        let queries = (&room.queries[first..], self.points);
        multiply::<S, A>(simd, keys, count, queries, &room.keys, &mut room.scores);
        simd.enter(Softmax::<A> {
            keys: self.points,
            scale: self.scale,
            query_steps: &room.query_steps[first..first + count],
            key_steps: &room.key_steps,
            scores: &room.scores,
            exponentials: &mut room.exponentials,
            shares: &mut room.shares,
        });
        let shares = (&room.shares[..], count);
        multiply::<S, A>(simd, values, count, shares, &room.values, &mut room.answers);
        let start = head * self.value.dim;
        for block in 0..values.blocks {
            let channels = (self.value.dim - block * LANES).min(LANES);
            simd.enter(Write::<A> {
                answers: &room.answers[block * count..][..count],
                steps: &room.value_steps[block],
                channels: start + block * LANES..start + block * LANES + channels,
                points: self.points,
                out: &mut self.out[first..],
            });
        }
    }
}

/// From scores to shares.
struct Softmax<'a, A: HeadNumbers> {
    keys: usize,
    scale: f32,
    query_steps: &'a [f32],
    key_steps: &'a [Lanes<f32>],
    /// Block of keys, query.
    scores: &'a [A::Line],
    exponentials: &'a mut [Lanes<f32>],
    shares: &'a mut [A::Input],
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
                let sum = A::Line::number(simd, self.scores[at].load(simd));
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
            let share = simd.splat(A::MAX_SHARE / simd.sum(all));
            for block in 0..blocks {
                let at = block * queries + query;
                let x = simd.load(&self.exponentials[at]);
                self.shares[at] = A::input(simd, simd.mul(x, share));
            }
        }
    }
}

/// From sums to channels of the answer.
struct Write<'a, A: HeadNumbers> {
    answers: &'a [A::Line],
    steps: &'a Lanes<f32>,
    /// Channels of the map that is written.
    channels: std::ops::Range<usize>,
    /// Points of the map.
    points: usize,
    /// From the first of these points on.
    out: &'a mut [Lanes<f32>],
}

impl<A: HeadNumbers> Job for Write<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let steps = simd.mul(simd.load(self.steps), simd.splat(A::MAX_SHARE.recip()));
        let (block, shift) = (self.channels.start / LANES, self.channels.start % LANES);
        for (point, answer) in self.answers.iter().enumerate() {
            let x = simd.mul(A::Line::number(simd, answer.load(simd)), steps);
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
