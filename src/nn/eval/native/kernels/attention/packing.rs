//! Queries, keys and values of a head, in the order in which they are multiplied; and products of a few points with
//! packed weights, in register tiles.

use super::super::arithmetic::{Arithmetic, Line};
use super::super::matrix::add_products;
use super::super::simd::{Job, LANES, Lanes, Simd, Tile, points_mut};
use super::super::tokens::largest_magnitude;
use super::{AttentionTask, HeadMap, HeadNumbers};

impl HeadMap<'_> {
    pub(super) fn blocks(self) -> usize {
        self.dim.div_ceil(LANES)
    }

    /// A block of a head's channels at a point, with zeros behind the last.
    #[inline(always)]
    fn line(self, head: usize, block: usize, point: usize, points: usize) -> Lanes<f32> {
        let first = head * self.dim + block * LANES;
        let channels = (self.dim - block * LANES).min(LANES);
        let (start, shift) = (first / LANES * points + point, first % LANES);
        if shift == 0 && channels == LANES {
            return self.lines[start];
        }
        let mut line = Lanes::default();
        for (lane, number) in line.0[..channels].iter_mut().enumerate() {
            let lane = shift + lane;
            *number = self.lines[start + lane / LANES * points].0[lane % LANES];
        }
        line
    }

    /// The largest magnitude of a head's channels at a point.
    #[inline(always)]
    fn largest<S: Simd>(self, simd: S, head: usize, point: usize, points: usize) -> f32 {
        let mut most = simd.splat(0.0);
        for block in 0..self.blocks() {
            let x = simd.load(&self.line(head, block, point, points));
            most = largest_magnitude(simd, most, x);
        }
        simd.largest(most)
    }
}

/// The value of a step, if the largest number becomes `to`.
#[inline(always)]
fn step(most: f32, to: Option<f32>) -> f32 {
    match to {
        Some(to) => most.max(f32::MIN_POSITIVE * to) / to,
        None => 1.0,
    }
}

/// The queries of a head.
pub(super) struct PackQueries<'t, 'a, A: HeadNumbers>(
    pub(super) &'t mut AttentionTask<'a, A>,
    pub(super) usize,
);

impl<A: HeadNumbers> Job for PackQueries<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackQueries(task, head) = self;
        let (map, points) = (task.query, task.points);
        for point in 0..points {
            let most = map.largest(simd, head, point, points);
            let step = step(most, A::MAX_QUERY);
            task.room.query_steps[point] = step;
            let inverse = simd.splat(step.recip());
            for block in 0..map.blocks() {
                let x = simd.load(&map.line(head, block, point, points));
                let query = A::input(simd, simd.mul(x, inverse));
                task.room.queries[block * points + point] = query;
            }
        }
    }
}

/// The keys of a head, line by line a step of the channels of sixteen keys.
pub(super) struct PackKeys<'t, 'a, A: HeadNumbers>(
    pub(super) &'t mut AttentionTask<'a, A>,
    pub(super) usize,
    pub(super) Groups,
);

impl<A: HeadNumbers> Job for PackKeys<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackKeys(task, head, groups) = self;
        let (map, points) = (task.key, task.points);
        let to = A::most_key(map.dim);
        for point in 0..points {
            let step = step(map.largest(simd, head, point, points), to);
            task.room.key_steps[point / LANES].0[point % LANES] = step;
            let inverse = simd.splat(step.recip());
            let (first, stride) = groups.place(point / LANES);
            for block in 0..map.blocks() {
                let x = simd.load(&map.line(head, block, point, points));
                let key = A::input(simd, simd.mul(x, inverse));
                let start = block * (LANES / A::CHANNELS);
                for step in 0..(groups.steps - start).min(LANES / A::CHANNELS) {
                    let line = &mut task.room.keys[first + (start + step) * stride];
                    A::copy_step(&key, step, line, point % LANES);
                }
            }
        }
    }
}

/// The values of a head, line by line a block of channels at a step of the points.
pub(super) struct PackValues<'t, 'a, A: HeadNumbers>(
    pub(super) &'t mut AttentionTask<'a, A>,
    pub(super) usize,
    pub(super) Groups,
);

impl<A: HeadNumbers> Job for PackValues<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackValues(task, head, groups) = self;
        let (map, points) = (task.value, task.points);
        for block in 0..map.blocks() {
            let mut most = simd.splat(0.0);
            for point in 0..points {
                let x = simd.load(&map.line(head, block, point, points));
                most = largest_magnitude(simd, most, x);
            }
            let mut steps = Lanes::default();
            simd.store(most, &mut steps);
            let mut inverses = steps;
            for (lane, inverse) in steps.0.iter_mut().zip(&mut inverses.0) {
                *lane = step(*lane, A::MAX_VALUE);
                *inverse = lane.recip();
            }
            task.room.value_steps[block] = steps;
            let inverses = simd.load(&inverses);
            let (first, stride) = groups.place(block);
            for (step, start) in (0..points).step_by(A::CHANNELS).enumerate() {
                let mut lines = [simd.splat(0.0); 2];
                for (i, line) in lines[..(points - start).min(A::CHANNELS)]
                    .iter_mut()
                    .enumerate()
                {
                    let x = simd.load(&map.line(head, block, start + i, points));
                    *line = simd.mul(x, inverses);
                }
                task.room.values[first + step * stride] = A::of_points(simd, lines);
            }
        }
    }
}

/// Blocks of outputs that are computed together: some groups, then what is left one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups {
    pub(super) blocks: usize,
    /// Blocks of a group.
    pub(super) group: usize,
    /// Lines of weights of a block.
    steps: usize,
}

impl Groups {
    #[inline(always)]
    pub(super) fn new<S: Simd, A: Arithmetic>(blocks: usize, inputs: usize) -> Groups {
        Groups {
            blocks,
            group: if S::most_points(2) > 0 { 2 } else { 1 },
            steps: A::steps(inputs),
        }
    }

    /// Blocks in whole groups.
    #[inline(always)]
    fn grouped(self) -> usize {
        self.blocks - self.blocks % self.group
    }

    #[inline(always)]
    pub(super) fn lines(self) -> usize {
        self.blocks * self.steps
    }

    /// The first line of a block, and how far it is from one of its steps to the next.
    #[inline(always)]
    fn place(self, block: usize) -> (usize, usize) {
        match block < self.grouped() {
            true => {
                let first = block / self.group * self.group;
                (first * self.steps + block % self.group, self.group)
            }
            false => (block * self.steps, 1),
        }
    }
}

/// Products of a few points with packed weights; their blocks of inputs are `stride` lines apart.
#[inline(always)]
pub(super) fn multiply<S: Simd, A: Arithmetic>(
    simd: S,
    groups: Groups,
    points: usize,
    (input, stride): (&[A::Input], usize),
    weights: &[A::Line],
    out: &mut [A::Line],
) {
    let grouped = groups.grouped();
    let (first, rest) = weights.split_at(grouped * groups.steps);
    let (first_out, rest_out) = out.split_at_mut(grouped * points);
    for (group, weights, out) in [(groups.group, first, first_out), (1, rest, rest_out)] {
        if !weights.is_empty() {
            simd.tile(
                group,
                points,
                Products::<A> {
                    steps: groups.steps,
                    weights,
                    input,
                    stride,
                    out,
                },
            );
        }
    }
}

/// Products of a few points with all blocks of outputs.
struct Products<'a, A: Arithmetic> {
    /// Lines of weights of a block.
    steps: usize,
    weights: &'a [A::Line],
    input: &'a [A::Input],
    /// Lines from one block of inputs to the next.
    stride: usize,
    /// Block by block.
    out: &'a mut [A::Line],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl<A: Arithmetic> Tile for Products<'_, A> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let groups = self.weights.chunks_exact(self.steps * BLOCKS);
        for (weights, out) in groups.zip(self.out.chunks_exact_mut(BLOCKS * POINTS)) {
            let mut sums = [[A::Line::zero(simd); POINTS]; BLOCKS];
            let input = (self.input, self.stride);
            add_products::<A, S, BLOCKS, POINTS>(simd, input, weights, &mut &[][..], &mut sums);
            for block in 0..BLOCKS {
                let out = points_mut::<_, POINTS>(out, block * POINTS);
                for point in 0..POINTS {
                    out[point].store(simd, sums[block][point]);
                }
            }
        }
    }
}
