//! The blocks of transformers, read and written as nodes of an ONNX graph, in operators that every backend has.

use super::layers::{Activation, MatMul, RmsNorm};
use super::reader::KataGoReader;
use super::writer::{Points, Turn, Writer};
use crate::onnx::{Attribute, Value};

/// The most heads of a block of attention: each has a number for every two points.
const MAX_HEADS: usize = 256;
/// The most channels of a head.
const MAX_OF_HEAD: usize = 1024;

/// The heads of a block of attention.
struct Heads {
    heads: usize,
    /// Heads of keys and values, each for as many of `heads`.
    kv_heads: usize,
    /// Channels of a head of queries and keys.
    query_dim: usize,
    /// Channels of a head of values.
    value_dim: usize,
    /// Whether queries and keys are turned, by angles that are learned or not.
    rotates: bool,
    is_learned: bool,
}

impl Heads {
    fn read(reader: &mut KataGoReader<'_>) -> Result<Heads, String> {
        let heads = reader.count("its number of heads", MAX_HEADS)?;
        let kv_heads = reader.count("its number of heads of keys and values", MAX_HEADS)?;
        let mut channels_of = |what: &str| reader.count(what, MAX_OF_HEAD);
        let query_dim = channels_of("the number of channels of a head of queries")?;
        let value_dim = channels_of("the number of channels of a head of values")?;
        let rotates = reader.flag("whether it has rotary positions")?;
        let is_learned = reader.flag("whether its rotary positions are learned")?;
        if heads % kv_heads != 0 {
            return reader.wrong(format!(
                "its {heads} heads cannot share {kv_heads} heads of keys and values"
            ));
        }
        if rotates && query_dim % 2 != 0 {
            return reader.wrong(format!(
                "rotary positions turn pairs of channels, and its heads have {query_dim}"
            ));
        }
        Ok(Heads {
            heads,
            kv_heads,
            query_dim,
            value_dim,
            rotates,
            is_learned,
        })
    }
}

/// What attention adds to the tokens `x`: each point reads all others, by as many patterns as there are heads.
pub(super) fn attention(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
) -> Result<Points, String> {
    let of = Heads::read(reader)?;
    let (heads, kv_heads) = (of.heads, of.kv_heads);
    let norm = RmsNorm::read(reader, x.channels)?;
    let h = normalised(writer, x, &norm);
    let mut project = |reader: &mut KataGoReader<'_>, outputs: usize, by: f32| {
        let layer = MatMul::read(reader, x.channels, Some(outputs))?;
        Ok::<_, String>(writer.product(h, &layer.scaled(&vec![by; outputs]).of_scaled(&norm.scale)))
    };
    // The scores' factor is part of the queries.
    let scale = (of.query_dim as f32).sqrt().recip();
    let query = project(reader, heads * of.query_dim, scale)?;
    let key = project(reader, kv_heads * of.query_dim, 1.0)?;
    let value = project(reader, kv_heads * of.value_dim, 1.0)?;
    let channels = heads * of.value_dim;
    let out = MatMul::read(reader, channels, Some(x.channels))?;
    let [query, key] = match of.rotates {
        false => [query, key],
        true => turned(reader, writer, &of, [query, key])?,
    };
    let shared = heads / kv_heads;
    let query = split(writer, query, [heads, of.query_dim], 1);
    let key = split(writer, key, [kv_heads, of.query_dim], shared);
    let value = split(writer, value, [kv_heads, of.value_dim], shared);
    let query = writer.transpose(query, &[0, 2, 1, 3]);
    let key = writer.transpose(key, &[0, 2, 3, 1]);
    let value = writer.transpose(value, &[0, 2, 1, 3]);
    let scores = writer.graph.matmul(query, key);
    let last = ("axis", Attribute::Int(-1));
    let shares = writer.graph.node("Softmax", &[scores], vec![last]);
    let mixed = writer.graph.matmul(shares, value);
    let mixed = writer.transpose(mixed, &[0, 2, 1, 3]);
    let dims = [-1, writer.size.area() as i64, channels as i64];
    let mixed = writer.graph.reshape(mixed, &dims);
    Ok(x.with(writer.product(mixed, &out), x.channels))
}

/// Queries and keys, turned by the angles that follow in the file.
fn turned(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    of: &Heads,
    [query, key]: [Value; 2],
) -> Result<[Value; 2], String> {
    let shape = [of.kv_heads, of.query_dim / 2];
    let rotation = Rotation::read(reader, of.is_learned, shape)?;
    writer.turned += (of.heads + of.kv_heads) * of.query_dim;
    check_turns(writer.turned, writer.size.area(), reader.len())?;
    let of_keys = Turn::shared(writer, &rotation, shape, 1);
    let of_queries = match of.heads / of.kv_heads {
        1 => of_keys,
        shared => Turn::shared(writer, &rotation, shape, shared),
    };
    Ok([of_queries.of(writer, query), of_keys.of(writer, key)])
}

/// What a feed-forward block adds to the tokens `x`: SiLU(h `first`) x (h `gate`), times `last`.
pub(super) fn feed_forward(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
) -> Result<Points, String> {
    let (channels, found): (usize, usize) = (x.channels, reader.number("its number of channels")?);
    let hidden: usize = reader.number("its number of hidden channels")?;
    if found != channels {
        return reader.wrong(format!(
            "it is for {found} channels, but there are {channels}"
        ));
    }
    if !reader.flag("whether it has a gate (SwiGLU)")? {
        return reader.wrong("it has no gate (SwiGLU), which KataGo does not compute either");
    }
    let norm = RmsNorm::read(reader, channels)?;
    let first = MatMul::read(reader, channels, Some(hidden))?.of_scaled(&norm.scale);
    let gate = MatMul::read(reader, channels, Some(hidden))?.of_scaled(&norm.scale);
    let last = MatMul::read(reader, hidden, Some(channels))?;
    let h = normalised(writer, x, &norm);
    let first = writer.product(h, &first);
    let first = writer.activate(first, Activation::Silu);
    let gate = writer.product(h, &gate);
    let hidden = writer.graph.mul(first, gate);
    Ok(x.with(writer.product(hidden, &last), channels))
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

/// Refuses tables of turns for `turned` channels of all blocks together, on a board of `area` points, that are larger
/// than a file of `bytes` bytes justifies.
pub(super) fn check_turns(turned: usize, area: usize, bytes: usize) -> Result<(), String> {
    let most = bytes.saturating_mul(MAX_TIMES).saturating_add(SLACK);
    match turned * area * 2 * size_of::<f32>() > most {
        false => Ok(()),
        true => Err(format!(
            "its tables of rotary positions would be more than {MAX_TIMES} times as large as the file, which those of no \
             network are that was trained"
        )),
    }
}

/// By which angle a pair of neighbouring channels of queries and keys is turned at a point (rotary
/// positions, Su et al. 2021).
#[derive(Debug)]
enum Rotation {
    /// Radians per column and per row: `[kv head, pair, 2]`.
    Learned(Vec<[f32; 2]>),
    /// The first half of the pairs by the row, the others by the column, each by powers of this number.
    Fixed(f32),
}

impl Rotation {
    fn read(
        reader: &mut KataGoReader<'_>,
        is_learned: bool,
        [heads, pairs]: [usize; 2],
    ) -> Result<Rotation, String> {
        let name = reader.word("the name of rotary positions")?;
        if !is_learned {
            return Ok(Rotation::Fixed(reader.positive(&format!("{name}: theta"))?));
        }
        let mut shape = [0; 3];
        for len in &mut shape {
            *len = reader.number(&format!("{name}: a length"))?;
        }
        if shape != [heads, pairs, 2] {
            return reader.wrong(format!(
                "{name} has the shape {shape:?}, not {:?}",
                [heads, pairs, 2]
            ));
        }
        let frequencies = reader.weights(heads * pairs * 2, name)?;
        let (frequencies, _) = frequencies.as_chunks::<2>();
        Ok(Rotation::Learned(frequencies.to_vec()))
    }

    /// The angle of a pair of `pairs`, in radians; rows are counted from the top.
    fn angle(&self, kv_head: usize, [pair, pairs]: [usize; 2], [x, y]: [f32; 2]) -> f32 {
        match self {
            Rotation::Learned(frequencies) => {
                let [by_x, by_y] = frequencies[kv_head * pairs + pair];
                x * by_x + y * by_y
            }
            Rotation::Fixed(theta) => {
                let of_rows = pairs / 2;
                let (at, pair) = match pair.checked_sub(of_rows) {
                    Some(pair) => (x, pair),
                    None => (y, pair),
                };
                at / theta.powf((2 * pair) as f32 / pairs as f32)
            }
        }
    }
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
