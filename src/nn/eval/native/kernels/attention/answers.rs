//! The course of an attention: head after head, and of each a few queries at a time.

use super::super::super::grid::parts;
use super::super::simd::{Job, LANES, Simd};
use super::packing::{PackKeys, PackQueries, PackValues};
use super::products::{Groups, multiply};
use super::shares::{Softmax, Write};
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
