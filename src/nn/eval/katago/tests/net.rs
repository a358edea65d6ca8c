//! Small random networks in KataGo's format, and what they compute, in plain loops of f64. Shares nothing
//! with the reader: what a file holds was written down here from KataGo's own code.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::transformer::{Attention, FeedForward, Kind, LastNorm};

/// What a random network looks like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) version: u32,
    pub(super) channels: usize,
    /// One letter a block: `o`rdinary, `g` pooling, `n`ested, `t` nested with blocks of transformers,
    /// `f`eed-forward, or one of the [kinds of attention](Kind::named).
    pub(super) blocks: &'static str,
    pub(super) tip: Tip,
    /// By its name in files.
    pub(super) activation: &'static str,
    /// Whether weights are binary.
    pub(super) binary: bool,
    /// Whether it is told who plays.
    pub(super) imitates: bool,
}

/// The kind of the last normalisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tip {
    Batch,
    OfPoints,
    OfBoard,
}

/// Channels, each of a number a point, rows from the top.
pub(super) type Map = Vec<Vec<f64>>;

/// A file that is being written, and random numbers for it.
pub(super) struct File {
    plan: Plan,
    rng: Xoshiro256PlusPlus,
    bytes: Vec<u8>,
    layers: usize,
}

struct Conv {
    side: usize,
    inputs: usize,
    outputs: usize,
    weights: Vec<f32>,
}

struct Norm {
    mean: Vec<f32>,
    variance: Vec<f32>,
    scale: Vec<f32>,
    bias: Vec<f32>,
}

pub(super) struct MatMul {
    outputs: usize,
    weights: Vec<f32>,
}

enum Block {
    Ordinary([Norm; 2], [Conv; 2]),
    Pooling([Norm; 3], [Conv; 3], MatMul),
    Nested([Norm; 2], [Conv; 2], Vec<Block>),
    Attention(Attention),
    FeedForward(FeedForward),
}

/// A network.
pub(super) struct Net {
    plan: Plan,
    pub(super) bytes: Vec<u8>,
    stem: (Conv, MatMul),
    metadata: Option<([MatMul; 3], [Vec<f32>; 2])>,
    blocks: Vec<Block>,
    tip: Result<Norm, LastNorm>,
    policy: ([Conv; 3], [Norm; 2], MatMul, Vec<MatMul>, Vec<f32>),
    value: ([Conv; 2], Norm, [MatMul; 3], [Vec<f32>; 3]),
}

/// What a network answers.
pub(super) struct Answer {
    /// Rows from the top, then the pass.
    pub(super) policy: Vec<f64>,
    /// Logits of win, loss, no result.
    pub(super) value: Vec<f64>,
    /// In points.
    pub(super) lead: f64,
    /// Before tanh, rows from the top.
    pub(super) owners: Vec<f64>,
}

/// The multiplier of the lead in files that have one.
pub(super) const LEAD_MULTIPLIER: f64 = 17.5;

impl File {
    pub(super) fn text(&mut self, words: &str) {
        self.bytes.extend_from_slice(words.as_bytes());
        self.bytes.push(b'\n');
    }

    pub(super) fn name(&mut self, kind: &str) {
        self.layers += 1;
        let name = format!("{kind}{}", self.layers);
        self.text(&name);
    }

    /// Random numbers around a middle, written down.
    pub(super) fn numbers(&mut self, count: usize, middle: f32, width: f32) -> Vec<f32> {
        let draw = |_| middle + self.rng.random_range(-width..width);
        let numbers: Vec<f32> = (0..count).map(draw).collect();
        if self.plan.binary {
            self.bytes.extend_from_slice(b"@BIN@");
            let raw = numbers.iter().flat_map(|number| number.to_le_bytes());
            self.bytes.extend(raw);
            self.bytes.push(b'\n');
        } else {
            let mut text = String::new();
            numbers
                .iter()
                .for_each(|number| write!(text, "{number} ").unwrap());
            self.text(&text);
        }
        numbers
    }

    fn conv(&mut self, side: usize, inputs: usize, outputs: usize) -> Conv {
        self.name("conv");
        self.text(&format!("{side} {side} {inputs} {outputs} 1 1"));
        let width = (3.0 / (side * side * inputs) as f32).sqrt();
        let weights = self.numbers(side * side * inputs * outputs, 0.0, width);
        Conv {
            side,
            inputs,
            outputs,
            weights,
        }
    }

    fn norm(&mut self, channels: usize) -> Norm {
        self.name("norm");
        self.text(&format!("{channels} 0.001 1 1"));
        Norm {
            mean: self.numbers(channels, 0.0, 0.3),
            variance: self.numbers(channels, 1.0, 0.5),
            scale: self.numbers(channels, 1.0, 0.4),
            bias: self.numbers(channels, 0.0, 0.3),
        }
    }

    fn activation(&mut self) {
        self.name("activation");
        if self.plan.version >= 11 {
            self.text(self.plan.activation);
        }
    }

    fn norm_act(&mut self, channels: usize) -> Norm {
        let norm = self.norm(channels);
        self.activation();
        norm
    }

    pub(super) fn matmul(&mut self, inputs: usize, outputs: usize) -> MatMul {
        self.name("matmul");
        self.text(&format!("{inputs} {outputs}"));
        let width = (3.0 / inputs as f32).sqrt();
        let weights = self.numbers(inputs * outputs, 0.0, width);
        MatMul { outputs, weights }
    }

    fn biases(&mut self, count: usize) -> Vec<f32> {
        self.name("bias");
        self.text(&count.to_string());
        self.numbers(count, 0.0, 0.3)
    }

    fn metadata_encoder(&mut self, channels: usize) -> ([MatMul; 3], [Vec<f32>; 2]) {
        self.name("metadata");
        self.text("192");
        let first = self.matmul(192, 9);
        let first_bias = self.biases(9);
        self.activation();
        let second = self.matmul(9, 7);
        let second_bias = self.biases(7);
        self.activation();
        let last = self.matmul(7, channels);
        ([first, second, last], [first_bias, second_bias])
    }

    fn block(&mut self, kind: char, channels: usize) -> Block {
        let middle = channels + 3;
        let name = match kind {
            'o' => "ordinary_block",
            'g' => "gpool_block",
            'f' => "transformer_ffn_block",
            _ if Kind::named(kind).is_some() => "transformer_attention_block",
            _ => "nested_bottleneck_block",
        };
        self.text(name);
        self.name("block");
        match kind {
            'o' => {
                let first = self.norm_act(channels);
                let conv = self.conv(3, channels, middle);
                let second = self.norm_act(middle);
                let last = self.conv(3, middle, channels);
                Block::Ordinary([first, second], [conv, last])
            }
            'g' => {
                let first = self.norm_act(channels);
                let conv = self.conv(3, channels, middle);
                let pooled = self.conv(3, channels, 4);
                let of_pooled = self.norm_act(4);
                let to_bias = self.matmul(12, middle);
                let second = self.norm_act(middle);
                let last = self.conv(3, middle, channels);
                let norms = [first, of_pooled, second];
                Block::Pooling(norms, [conv, pooled, last], to_bias)
            }
            'f' => Block::FeedForward(self.feed_forward(channels)),
            _ if let Some(kind) = Kind::named(kind) => {
                Block::Attention(self.attention(kind, channels))
            }
            _ => {
                self.text("2");
                let inner = if kind == 't' { "af" } else { "og" };
                let few = channels / 2;
                let first = self.norm_act(channels);
                let conv = self.conv(1, channels, few);
                let blocks = inner.chars().map(|kind| self.block(kind, few)).collect();
                let second = self.norm_act(few);
                let last = self.conv(1, few, channels);
                Block::Nested([first, second], [conv, last], blocks)
            }
        }
    }
}

impl Plan {
    /// A network of this kind.
    pub(super) fn net(self, seed: u64) -> Net {
        let mut file = File {
            plan: self,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            bytes: Vec::new(),
            layers: 0,
        };
        let (version, channels) = (self.version, self.channels);
        file.text("random-net");
        file.text(&format!("{version} 22 19"));
        if version >= 13 {
            file.text(&format!("20 20 20 {LEAD_MULTIPLIER} 40 0.25 30"));
        }
        if version >= 15 {
            file.text(&format!("{} 1 0 0 0 0 0 0", u8::from(self.imitates)));
        }
        file.text("trunk");
        let blocks = self.blocks.len();
        let middle = channels + 3;
        file.text(&format!("{blocks} {channels} {middle} {middle} 0 4"));
        if version >= 15 {
            let tip = u8::from(self.tip != Tip::Batch);
            file.text(&format!("{tip} 0 0 0 0 0"));
        }
        let stem = (file.conv(5, 22, channels), file.matmul(19, channels));
        let metadata = self.imitates.then(|| file.metadata_encoder(channels));
        let kinds = self.blocks.chars();
        let blocks = kinds.map(|kind| file.block(kind, channels)).collect();
        let tip = match self.tip {
            Tip::Batch => Ok(file.norm_act(channels)),
            of => {
                let norm = file.last_norm(channels, of == Tip::OfBoard);
                file.activation();
                Err(norm)
            }
        };
        let policy = policy_head(&mut file);
        let value = value_head(&mut file);
        Net {
            plan: self,
            bytes: file.bytes,
            stem,
            metadata,
            blocks,
            tip,
            policy,
            value,
        }
    }
}

type Policy = ([Conv; 3], [Norm; 2], MatMul, Vec<MatMul>, Vec<f32>);

fn policy_head(file: &mut File) -> Policy {
    let (version, channels) = (file.plan.version, file.plan.channels);
    file.text("policyhead");
    let policies = match version {
        ..12 => 1,
        12..16 => 2,
        _ => 4,
    };
    if version >= 17 {
        file.text("4 0 0 0");
    }
    let conv = file.conv(1, channels, 6);
    let pooled = file.conv(1, channels, 5);
    let of_pooled = file.norm_act(5);
    let to_bias = file.matmul(15, 6);
    let norm = file.norm_act(6);
    let last = file.conv(1, 6, policies);
    let (mut pass, mut pass_bias) = (Vec::new(), Vec::new());
    if version >= 15 {
        pass.push(file.matmul(15, 6));
        pass_bias = file.biases(6);
        file.activation();
        pass.push(file.matmul(6, policies));
    } else {
        pass.push(file.matmul(15, policies));
    }
    (
        [conv, pooled, last],
        [of_pooled, norm],
        to_bias,
        pass,
        pass_bias,
    )
}

fn value_head(file: &mut File) -> ([Conv; 2], Norm, [MatMul; 3], [Vec<f32>; 3]) {
    let (version, channels) = (file.plan.version, file.plan.channels);
    file.text("valuehead");
    if version >= 17 {
        file.text("0 0 0");
    }
    let conv = file.conv(1, channels, 7);
    let norm = file.norm_act(7);
    let hidden = file.matmul(21, 9);
    let hidden_bias = file.biases(9);
    file.activation();
    let value = file.matmul(9, 3);
    let value_bias = file.biases(3);
    let scores = if version >= 9 { 6 } else { 4 };
    let score = file.matmul(9, scores);
    let score_bias = file.biases(scores);
    let owners = file.conv(1, 7, 1);
    (
        [conv, owners],
        norm,
        [hidden, value, score],
        [hidden_bias, value_bias, score_bias],
    )
}

/// A board's width and height.
pub(super) type Size = (usize, usize);

impl Conv {
    fn apply(&self, x: &Map, (width, height): Size) -> Map {
        assert_eq!(x.len(), self.inputs);
        let half = self.side as isize / 2;
        let mut out = vec![vec![0.0; width * height]; self.outputs];
        for (output, map) in out.iter_mut().enumerate() {
            for (point, sum) in map.iter_mut().enumerate() {
                let (row, column) = ((point / width) as isize, (point % width) as isize);
                for tap in 0..self.side * self.side {
                    let y = row + (tap / self.side) as isize - half;
                    let x_ = column + (tap % self.side) as isize - half;
                    if !(0..height as isize).contains(&y) || !(0..width as isize).contains(&x_) {
                        continue;
                    }
                    let from = y as usize * width + x_ as usize;
                    for (input, channel) in x.iter().enumerate() {
                        let weight =
                            self.weights[(tap * self.inputs + input) * self.outputs + output];
                        *sum += channel[from] * f64::from(weight);
                    }
                }
            }
        }
        out
    }
}

impl MatMul {
    pub(super) fn apply(&self, x: &[f64], bias: &[f32]) -> Vec<f64> {
        assert_eq!(x.len() * self.outputs, self.weights.len());
        let sum = |output: usize| {
            let products = x.iter().enumerate();
            let products = products
                .map(|(input, x)| x * f64::from(self.weights[input * self.outputs + output]));
            products.sum::<f64>() + bias.get(output).map_or(0.0, |&bias| bias.into())
        };
        (0..self.outputs).map(sum).collect()
    }
}

impl Net {
    fn activate(&self, x: f64) -> f64 {
        match self.plan.activation {
            _ if self.plan.version < 11 => x.max(0.0),
            "ACTIVATION_IDENTITY" => x,
            "ACTIVATION_RELU" => x.max(0.0),
            "ACTIVATION_SILU" => x / (1.0 + (-x).exp()),
            _ => x * x.exp().ln_1p().tanh(),
        }
    }

    fn norm(&self, norm: &Norm, x: &Map) -> Map {
        let channel = |(index, points): (usize, &Vec<f64>)| {
            let [mean, variance, scale, bias] =
                [&norm.mean, &norm.variance, &norm.scale, &norm.bias].map(|n| f64::from(n[index]));
            let point =
                |x: &f64| self.activate((x - mean) / (variance + 0.001).sqrt() * scale + bias);
            points.iter().map(point).collect()
        };
        x.iter().enumerate().map(channel).collect()
    }

    fn block(&self, block: &Block, x: &Map, size: Size) -> Map {
        let added = match block {
            Block::Ordinary([first, second], [conv, last]) => {
                let inner = conv.apply(&self.norm(first, x), size);
                last.apply(&self.norm(second, &inner), size)
            }
            Block::Pooling([first, of_pooled, second], [conv, pooled, last], to_bias) => {
                let begin = self.norm(first, x);
                let pools = self.norm(of_pooled, &pooled.apply(&begin, size));
                let bias = to_bias.apply(&pool(&pools, size, false), &[]);
                let inner = add_all(conv.apply(&begin, size), &bias);
                last.apply(&self.norm(second, &inner), size)
            }
            Block::Nested([first, second], [conv, last], blocks) => {
                let mut inner = conv.apply(&self.norm(first, x), size);
                for block in blocks {
                    inner = self.block(block, &inner, size);
                }
                last.apply(&self.norm(second, &inner), size)
            }
            Block::Attention(attention) => attention.added(x, size),
            Block::FeedForward(feed_forward) => feed_forward.added(x),
        };
        let sum = |(a, b): (&Vec<f64>, Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
        x.iter().zip(added).map(sum).collect()
    }

    /// Its answer to 22 planes, rows from the top, 19 numbers, and what it is told of the players.
    pub(super) fn answer(
        &self,
        planes: &Map,
        numbers: &[f64],
        players: &[f64],
        size: Size,
    ) -> Answer {
        let (conv, to_bias) = &self.stem;
        let mut x = add_all(conv.apply(planes, size), &to_bias.apply(numbers, &[]));
        if let Some(([first, second, last], [first_bias, second_bias])) = &self.metadata {
            let active = |all: Vec<f64>| all.into_iter().map(|x| self.activate(x));
            let hidden: Vec<f64> = active(first.apply(players, first_bias)).collect();
            let hidden: Vec<f64> = active(second.apply(&hidden, second_bias)).collect();
            x = add_all(x, &last.apply(&hidden, &[]));
        }
        for block in &self.blocks {
            x = self.block(block, &x, size);
        }
        let x = match &self.tip {
            Ok(norm) => self.norm(norm, &x),
            Err(norm) => {
                let channels = norm.of(&x).into_iter();
                let active =
                    |points: Vec<f64>| points.into_iter().map(|x| self.activate(x)).collect();
                channels.map(active).collect()
            }
        };

        let ([conv, pooled, last], [of_pooled, norm], to_bias, pass, pass_bias) = &self.policy;
        let pools = self.norm(of_pooled, &pooled.apply(&x, size));
        let pools = pool(&pools, size, false);
        let map = add_all(conv.apply(&x, size), &to_bias.apply(&pools, &[]));
        let map = last.apply(&self.norm(norm, &map), size);
        let mut policy = map[0].clone();
        let mut by_pools = pass[0].apply(&pools, pass_bias);
        if let Some(second) = pass.get(1) {
            by_pools.iter_mut().for_each(|x| *x = self.activate(*x));
            by_pools = second.apply(&by_pools, &[]);
        }
        policy.push(by_pools[0]);

        let ([conv, owners], norm, [hidden, value, score], bias) = &self.value;
        let map = self.norm(norm, &conv.apply(&x, size));
        let mut inner = hidden.apply(&pool(&map, size, true), &bias[0]);
        inner.iter_mut().for_each(|x| *x = self.activate(*x));
        let scale = if self.plan.version >= 13 {
            LEAD_MULTIPLIER
        } else {
            20.0
        };
        Answer {
            policy,
            value: value.apply(&inner, &bias[1]),
            lead: scale * score.apply(&inner, &bias[2])[2],
            owners: owners.apply(&map, size)[0].clone(),
        }
    }
}

fn add_all(map: Map, numbers: &[f64]) -> Map {
    let channel = |(points, number): (Vec<f64>, &f64)| points.iter().map(|x| x + number).collect();
    map.into_iter().zip(numbers).map(channel).collect()
}

/// Mean, mean by size, and maximum or mean by size squared, of all channels.
fn pool(map: &Map, (width, height): Size, of_value: bool) -> Vec<f64> {
    let area = (width * height) as f64;
    let side = (area.sqrt() - 14.0) / 10.0;
    let means: Vec<f64> = map
        .iter()
        .map(|points| points.iter().sum::<f64>() / area)
        .collect();
    let third = |(points, mean): (&Vec<f64>, &f64)| match of_value {
        true => mean * (side * side - 0.1),
        false => points.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    let thirds: Vec<f64> = map.iter().zip(&means).map(third).collect();
    let by_side: Vec<f64> = means.iter().map(|mean| mean * side).collect();
    [means, by_side, thirds].concat()
}
