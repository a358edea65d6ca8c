//! The blocks of transformers as nodes of an ONNX graph, in operators that every backend has.

use super::blocks::{Attention, Block, FeedForward, Inner, Rotation};
use super::layers::{Activation, MatMul, RmsNorm};
use super::writer::{Points, Turn, Writer};
use crate::onnx::{Attribute, Value};

/// What attention adds to the tokens `x`.
pub(super) fn attention(writer: &mut Writer, x: Points, block: &Attention) -> Points {
    let h = normalised(writer, x, &block.norm);
    let (heads, kv_heads) = (block.heads, block.kv_heads);
    let mut project = |layer: &MatMul| writer.product(h, &layer.of_scaled(&block.norm.scale));
    // The scores' factor is part of the queries.
    let scale = (block.query_dim as f32).sqrt().recip();
    let query = project(&block.query.times(scale));
    let (key, value) = (project(&block.key), project(&block.value));
    let [query, key] = match &block.rotation {
        None => [query, key],
        Some(rotation) => {
            let shape = [kv_heads, block.query_dim / 2];
            let of_keys = Turn::shared(writer, rotation, shape, 1);
            let of_queries = match heads / kv_heads {
                1 => of_keys,
                shared => Turn::shared(writer, rotation, shape, shared),
            };
            [of_queries.of(writer, query), of_keys.of(writer, key)]
        }
    };
    let query = split(writer, query, [heads, block.query_dim], 1);
    let key = split(writer, key, [kv_heads, block.query_dim], heads / kv_heads);
    let value = split(writer, value, [kv_heads, block.value_dim], heads / kv_heads);
    let query = writer.transpose(query, &[0, 2, 1, 3]);
    let key = writer.transpose(key, &[0, 2, 3, 1]);
    let value = writer.transpose(value, &[0, 2, 1, 3]);
    let scores = writer.graph.matmul(query, key);
    let last = ("axis", Attribute::Int(-1));
    let shares = writer.graph.node("Softmax", &[scores], vec![last]);
    let mixed = writer.graph.matmul(shares, value);
    let mixed = writer.transpose(mixed, &[0, 2, 1, 3]);
    let area = writer.size.area() as i64;
    let channels = (heads * block.value_dim) as i64;
    let mixed = writer.graph.reshape(mixed, &[-1, area, channels]);
    x.with(writer.product(mixed, &block.out), x.channels)
}

/// What a feed-forward block adds to the tokens `x`.
pub(super) fn feed_forward(writer: &mut Writer, x: Points, block: &FeedForward) -> Points {
    let h = normalised(writer, x, &block.norm);
    let first = writer.product(h, &block.first.of_scaled(&block.norm.scale));
    let first = writer.activate(first, Activation::Silu);
    let gate = writer.product(h, &block.gate.of_scaled(&block.norm.scale));
    let hidden = writer.graph.mul(first, gate);
    x.with(writer.product(hidden, &block.last), x.channels)
}

/// A normalisation without its scales, which become part of the layers behind it.
fn normalised(writer: &mut Writer, x: Points, norm: &RmsNorm) -> Value {
    rms_norm(writer, x.value, norm.epsilon, &[2])
}

/// Tokens over the root of their mean square over `axes`.
pub(super) fn rms_norm(writer: &mut Writer, x: Value, epsilon: f32, axes: &[i64]) -> Value {
    let squares = writer.graph.mul(x, x);
    let attributes = vec![
        ("axes", Attribute::Ints(axes.to_vec())),
        ("keepdims", Attribute::Int(1)),
    ];
    let mean = writer.graph.node("ReduceMean", &[squares], attributes);
    let epsilon = writer.constant(&[1], &[epsilon]);
    let mean = writer.graph.add(mean, epsilon);
    let root = writer.graph.node("Sqrt", &[mean], Vec::new());
    writer.graph.node("Div", &[x, root], Vec::new())
}

/// Tokens as `[batch, points, heads, dim]`, each head `repeat` times.
fn split(writer: &mut Writer, x: Value, [heads, dim]: [usize; 2], repeat: usize) -> Value {
    let dims = [writer.size.area(), heads, dim].map(|len| len as i64);
    let x = writer.graph.reshape(x, &[-1, dims[0], dims[1], dims[2]]);
    if repeat == 1 {
        return x;
    }
    let heads: Vec<i64> = (0..heads * repeat)
        .map(|head| (head / repeat) as i64)
        .collect();
    gather(writer, x, &heads)
}

/// The chosen indices of the third axis.
fn gather(writer: &mut Writer, x: Value, chosen: &[i64]) -> Value {
    let chosen = writer.integers(chosen);
    let axis = ("axis", Attribute::Int(2));
    writer.graph.node("Gather", &[x, chosen], vec![axis])
}

/// How many times as large as its file the tables of turns of a network are at most, besides [`SLACK`]: those of networks
/// that were trained have a sixth of the weights, for they are made from a few numbers.
const MAX_TIMES: usize = 8;
/// Bytes that the tables may have in any case.
const SLACK: usize = 64 << 20;

/// Refuses blocks whose tables of turns, for a board of `area` points, are larger than a file of `bytes` bytes
/// justifies.
pub(super) fn check_turns(blocks: &[Block], area: usize, bytes: usize) -> Result<(), String> {
    let most = bytes.saturating_mul(MAX_TIMES).saturating_add(SLACK);
    match turned(blocks) * area * 2 * size_of::<f32>() > most {
        false => Ok(()),
        true => Err(format!(
            "its tables of rotary positions would be more than {MAX_TIMES} times as large as the file, which those of no \
             network are that was trained"
        )),
    }
}

/// Channels that are turned, of all blocks together.
fn turned(blocks: &[Block]) -> usize {
    let turned = |block: &Block| match block {
        Block::Attention(block) if block.rotation.is_some() => {
            (block.heads + block.kv_heads) * block.query_dim
        }
        Block::Convolutional(block) => match &block.inner {
            Inner::Nested(_, blocks) => turned(blocks),
            _ => 0,
        },
        _ => 0,
    };
    blocks.iter().map(turned).sum()
}

impl Turn {
    /// Those of [`Turn::new`], which may have been made for another block.
    fn shared(writer: &mut Writer, rotation: &Rotation, shape: [usize; 2], shared: usize) -> Turn {
        let Rotation::Fixed(theta) = rotation else {
            return Turn::new(writer, rotation, shape, shared);
        };
        let [kv_heads, pairs] = shape;
        let key = (theta.to_bits(), kv_heads * shared * pairs, pairs);
        if let Some(known) = writer.turns.get(&key) {
            return *known;
        }
        let turn = Turn::new(writer, rotation, shape, shared);
        writer.turns.insert(key, turn);
        turn
    }

    /// Those of heads with this many pairs, each for `shared` heads that follow each other.
    fn new(
        writer: &mut Writer,
        rotation: &Rotation,
        [kv_heads, pairs]: [usize; 2],
        shared: usize,
    ) -> Turn {
        let [width, height] = [writer.size.width, writer.size.height].map(usize::from);
        let channels = kv_heads * shared * pairs * 2;
        let (mut cosines, mut sines) = (Vec::new(), Vec::new());
        for point in 0..width * height {
            // KataGo counts rows from the top.
            let at = [point % width, height - 1 - point / width].map(|at| at as f32);
            for pair in 0..channels / 2 {
                let head = pair / pairs / shared;
                let (sin, cos) = rotation.angle(head, [pair % pairs, pairs], at).sin_cos();
                cosines.extend([cos, cos]);
                sines.extend([-sin, sin]);
            }
        }
        let dims = [width * height, channels];
        Turn {
            cosines: writer.constant(&dims, &cosines),
            sines: writer.constant(&dims, &sines),
            channels,
        }
    }

    fn of(self, writer: &mut Writer, x: Value) -> Value {
        let neighbours: Vec<i64> = (0..self.channels)
            .map(|channel| (channel ^ 1) as i64)
            .collect();
        let neighbours = gather(writer, x, &neighbours);
        let own = writer.graph.mul(x, self.cosines);
        let other = writer.graph.mul(neighbours, self.sines);
        writer.graph.add(own, other)
    }
}
