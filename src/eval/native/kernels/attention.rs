//! Attention of one position: of each head, a few queries at a time against all keys, so that no more than
//! their scores are in memory.
//!
//! Scores are products of queries with keys, answers products of shares with values: both are computed in
//! the register tiles of [matrices](super::matrix), whose points are the queries. Keys and values are
//! packed once a head as the weights of these: keys with sixteen keys a line, values as they are.
//!
//! In words each query, each key and each channel of the values has a step of its own, and shares have
//! 15 bits: they add up to 1, so that no sum leaves 32 bits. The softmax is in f32.

use super::super::grid::parts;
use super::activation::exp_of_negative;
use super::arithmetic::{Arithmetic, Float, Sums, Word};
use super::conv::points_mut;
use super::matrix::add_products;
use super::simd::{Job, LANES, Lanes, Simd, Tile, Words};
use super::tokens::{MOST_WORD, largest_magnitude};

/// Channels of some heads of all points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadMap<'a> {
    /// Block after block.
    pub(crate) lines: &'a [Lanes<f32>],
    /// Channels of a head.
    pub(crate) dim: usize,
}

/// One attention of one position.
pub(crate) struct AttentionTask<'a, A: HeadNumbers> {
    pub(crate) points: usize,
    pub(crate) heads: usize,
    /// Heads of keys and values, each for as many of `heads` that follow each other.
    pub(crate) kv_heads: usize,
    /// What scores are multiplied by.
    pub(crate) scale: f32,
    pub(crate) query: HeadMap<'a>,
    pub(crate) key: HeadMap<'a>,
    pub(crate) value: HeadMap<'a>,
    pub(crate) room: &'a mut AttentionRoom<A>,
    pub(crate) out: &'a mut [Lanes<f32>],
}

/// Workspace of a head.
#[derive(Debug, Default)]
pub(crate) struct AttentionRoom<A: HeadNumbers> {
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

/// Number types of heads.
pub(crate) trait HeadNumbers: Arithmetic<Weights: Default + std::fmt::Debug> {
    /// The channels of a step: what input and weights are made of.
    type Element: Copy;
    /// What the largest number of a query, of a key with this many channels, of a share and of a value
    /// becomes; `None` where numbers stay as they are.
    const MOST_QUERY: Option<f32>;
    const MOST_SHARE: f32;
    const MOST_VALUE: Option<f32>;
    fn most_key(channels: usize) -> Option<f32>;

    fn input<S: Simd>(simd: S, x: S::F) -> Self::Input;
    fn element(input: &Self::Input, step: usize) -> Self::Element;
    fn set(weights: &mut Self::Weights, lane: usize, to: Self::Element);
    /// The lines of a step's points as weights.
    fn of_points<S: Simd>(simd: S, points: [S::F; 2]) -> Self::Weights;
}

impl HeadNumbers for Float {
    type Element = f32;
    const MOST_QUERY: Option<f32> = None;
    const MOST_SHARE: f32 = 1.0;
    const MOST_VALUE: Option<f32> = None;

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
    const MOST_QUERY: Option<f32> = Some(MOST_WORD as f32);
    // Less than a word can hold: rounding may add half a step for each key.
    const MOST_SHARE: f32 = 32_000.0;
    const MOST_VALUE: Option<f32> = Some(i16::MAX as f32);

    fn most_key(channels: usize) -> Option<f32> {
        let most = i32::MAX / (i32::from(MOST_WORD) * channels as i32);
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
fn step(most: f32, to: Option<f32>) -> f32 {
    match to {
        Some(to) => most.max(f32::MIN_POSITIVE * to) / to,
        None => 1.0,
    }
}

/// Blocks of outputs that are computed together: some groups, then what is left one by one.
#[derive(Debug, Clone, Copy)]
struct Groups {
    blocks: usize,
    /// Blocks of a group.
    group: usize,
    /// Lines of weights of a block.
    steps: usize,
}

impl Groups {
    #[inline(always)]
    fn new<S: Simd, A: Arithmetic>(blocks: usize, inputs: usize) -> Groups {
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
    fn lines(self) -> usize {
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

impl HeadMap<'_> {
    fn blocks(self) -> usize {
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
}

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

/// The queries of a head.
struct PackQueries<'t, 'a, A: HeadNumbers>(&'t mut AttentionTask<'a, A>, usize);

impl<A: HeadNumbers> Job for PackQueries<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackQueries(task, head) = self;
        let (map, points) = (task.query, task.points);
        for point in 0..points {
            let mut most = simd.splat(0.0);
            for block in 0..map.blocks() {
                let x = simd.load(&map.line(head, block, point, points));
                most = largest_magnitude(simd, most, x);
            }
            let step = step(simd.largest(most), A::MOST_QUERY);
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
struct PackKeys<'t, 'a, A: HeadNumbers>(&'t mut AttentionTask<'a, A>, usize, Groups);

impl<A: HeadNumbers> Job for PackKeys<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackKeys(task, head, groups) = self;
        let (map, points) = (task.key, task.points);
        let to = A::most_key(map.dim);
        for point in 0..points {
            let mut most = simd.splat(0.0);
            for block in 0..map.blocks() {
                let x = simd.load(&map.line(head, block, point, points));
                most = largest_magnitude(simd, most, x);
            }
            let step = step(simd.largest(most), to);
            task.room.key_steps[point / LANES].0[point % LANES] = step;
            let inverse = simd.splat(step.recip());
            let (first, stride) = groups.place(point / LANES);
            for block in 0..map.blocks() {
                let x = simd.load(&map.line(head, block, point, points));
                let key = A::input(simd, simd.mul(x, inverse));
                let start = block * (LANES / A::CHANNELS);
                for step in 0..(groups.steps - start).min(LANES / A::CHANNELS) {
                    let line = &mut task.room.keys[first + (start + step) * stride];
                    A::set(line, point % LANES, A::element(&key, step));
                }
            }
        }
    }
}

/// The values of a head, line by line a block of channels at a step of the points.
struct PackValues<'t, 'a, A: HeadNumbers>(&'t mut AttentionTask<'a, A>, usize, Groups);

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
                *lane = step(*lane, A::MOST_VALUE);
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

/// Products of a few points with packed weights; their blocks of inputs are `stride` lines apart.
#[inline(always)]
fn multiply<S: Simd, A: Arithmetic>(
    simd: S,
    groups: Groups,
    points: usize,
    (input, stride): (&[A::Input], usize),
    weights: &[A::Weights],
    out: &mut [A::Sums],
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
    weights: &'a [A::Weights],
    input: &'a [A::Input],
    /// Lines from one block of inputs to the next.
    stride: usize,
    /// Block by block.
    out: &'a mut [A::Sums],
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
            let mut sums = [[A::Sums::zero(simd); POINTS]; BLOCKS];
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

/// From scores to shares.
struct Softmax<'a, A: HeadNumbers> {
    keys: usize,
    scale: f32,
    query_steps: &'a [f32],
    key_steps: &'a [Lanes<f32>],
    /// Block of keys, query.
    scores: &'a [A::Sums],
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
struct Write<'a, A: HeadNumbers> {
    answers: &'a [A::Sums],
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
