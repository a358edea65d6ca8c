//! The blocks of a trunk: convolutional ones, with pooling or without, alone or in a bottleneck, and
//! those of transformers.

use super::layers::{Activation, Conv, MatMul, Norm, RmsNorm};
use super::reader::KataGoReader;

/// The most blocks of a network, those within others included.
pub(super) const MAX_BLOCKS: usize = 1000;
/// How deep stacks lie in each other at most.
const DEEPEST: usize = 4;
/// The most heads of a block of attention: each has a number for every two points.
const MAX_HEADS: usize = 256;
/// The most channels of a head.
const MAX_OF_HEAD: usize = 1024;

/// A normalisation and the activation behind it.
#[derive(Debug)]
pub(super) struct NormAct {
    pub(super) norm: Norm,
    pub(super) activation: Activation,
}

/// What is added to the channels that it reads.
#[derive(Debug)]
pub(super) enum Block {
    Convolutional(Convolutional),
    Attention(Attention),
    FeedForward(FeedForward),
}

/// A block that begins and ends with a convolution.
#[derive(Debug)]
pub(super) struct Convolutional {
    pub(super) before: NormAct,
    pub(super) inner: Inner,
    /// Of what the last convolution reads.
    pub(super) after: NormAct,
    pub(super) last: Conv,
}

/// What is between the first and the last activation of a convolutional block.
#[derive(Debug)]
pub(super) enum Inner {
    /// One convolution.
    Plain(Conv),
    /// One convolution and, added to each of its channels, what pools say of another.
    Pooling(Conv, Pooling),
    /// One convolution and blocks of fewer channels.
    Nested(Conv, Vec<Block>),
}

/// A convolution whose channels are pooled, and the layers after the pools.
#[derive(Debug)]
pub(super) struct Pooling {
    pub(super) conv: Conv,
    pub(super) after: NormAct,
    /// Of mean, mean by size and maximum of each channel.
    pub(super) to_bias: MatMul,
}

/// Each point reads all others, by as many patterns as there are heads.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) norm: RmsNorm,
    pub(super) heads: usize,
    /// Heads of keys and values, each for as many of `heads`.
    pub(super) kv_heads: usize,
    /// Channels of a head of queries and keys.
    pub(super) query_dim: usize,
    /// Channels of a head of values.
    pub(super) value_dim: usize,
    pub(super) query: MatMul,
    pub(super) key: MatMul,
    pub(super) value: MatMul,
    pub(super) out: MatMul,
    pub(super) rotation: Option<Rotation>,
}

/// By which angle a pair of neighbouring channels of queries and keys is turned at a point (rotary
/// positions, Su et al. 2021).
#[derive(Debug)]
pub(super) enum Rotation {
    /// Radians per column and per row: `[kv head, pair, 2]`.
    Learned(Vec<[f32; 2]>),
    /// The first half of the pairs by the row, the others by the column, each by powers of this number.
    Fixed(f32),
}

/// SiLU(h `first`) x (h `gate`), times `last`.
#[derive(Debug)]
pub(super) struct FeedForward {
    pub(super) norm: RmsNorm,
    pub(super) first: MatMul,
    pub(super) gate: MatMul,
    pub(super) last: MatMul,
}

impl NormAct {
    pub(super) fn read(reader: &mut KataGoReader<'_>, channels: usize) -> Result<NormAct, String> {
        Ok(NormAct {
            norm: Norm::read(reader, channels)?,
            activation: Activation::read(reader)?,
        })
    }
}

impl Pooling {
    /// One of `inputs` channels; the numbers for `outputs` follow in the caller's layers.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        [inputs, outputs]: [usize; 2],
    ) -> Result<Pooling, String> {
        let conv = Conv::read(reader, inputs, None)?;
        let after = NormAct::read(reader, conv.outputs)?;
        let to_bias = MatMul::read(reader, 3 * conv.outputs, Some(outputs))?;
        Ok(Pooling {
            conv,
            after,
            to_bias,
        })
    }
}

/// Reads `count` blocks with this number of channels, nested in `depth` others.
pub(super) fn stack(
    reader: &mut KataGoReader<'_>,
    count: usize,
    channels: usize,
    depth: usize,
) -> Result<Vec<Block>, String> {
    if depth >= DEEPEST {
        return reader.wrong(format!("blocks lie in each other more than {DEEPEST} deep"));
    }
    let block = |_| Block::read(reader, channels, depth);
    (0..count).map(block).collect()
}

impl Block {
    fn read(reader: &mut KataGoReader<'_>, channels: usize, depth: usize) -> Result<Block, String> {
        reader.blocks += 1;
        if reader.blocks > MAX_BLOCKS {
            return reader.wrong(format!("it has more than {MAX_BLOCKS} blocks"));
        }
        let kind = reader.word("the kind of a block")?;
        reader.named("the name of a block", |reader, _| {
            Ok(match kind {
                "ordinary_block" | "gpool_block" | "nested_bottleneck_block" => {
                    Block::Convolutional(Convolutional::read(reader, kind, channels, depth)?)
                }
                "transformer_attention_block" => {
                    Block::Attention(Attention::read(reader, channels)?)
                }
                "transformer_ffn_block" => {
                    Block::FeedForward(FeedForward::read(reader, channels)?)
                }
                _ => {
                    return reader.wrong(format!(
                        "this program does not know the kind of block {kind}; known are ordinary_block, \
                         gpool_block, nested_bottleneck_block, transformer_attention_block and \
                         transformer_ffn_block"
                    ));
                }
            })
        })
    }
}

impl Convolutional {
    fn read(
        reader: &mut KataGoReader<'_>,
        kind: &str,
        channels: usize,
        depth: usize,
    ) -> Result<Convolutional, String> {
        let is_nested = kind == "nested_bottleneck_block";
        let count = match is_nested {
            true => reader.count("its number of blocks", MAX_BLOCKS)?,
            false => 0,
        };
        let before = NormAct::read(reader, channels)?;
        let conv = Conv::read(reader, channels, None)?;
        let middle = conv.outputs;
        let inner = match kind {
            _ if is_nested => Inner::Nested(conv, stack(reader, count, middle, depth + 1)?),
            "ordinary_block" => Inner::Plain(conv),
            _ => Inner::Pooling(conv, Pooling::read(reader, [channels, middle])?),
        };
        Ok(Convolutional {
            before,
            inner,
            after: NormAct::read(reader, middle)?,
            last: Conv::read(reader, middle, Some(channels))?,
        })
    }
}

impl Attention {
    /// The rest of a block with this number of channels.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<Attention, String> {
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
        Ok(Attention {
            norm: RmsNorm::read(reader, channels)?,
            query: MatMul::read(reader, channels, Some(heads * query_dim))?,
            key: MatMul::read(reader, channels, Some(kv_heads * query_dim))?,
            value: MatMul::read(reader, channels, Some(kv_heads * value_dim))?,
            out: MatMul::read(reader, heads * value_dim, Some(channels))?,
            rotation: match rotates {
                true => Some(Rotation::read(
                    reader,
                    is_learned,
                    [kv_heads, query_dim / 2],
                )?),
                false => None,
            },
            heads,
            kv_heads,
            query_dim,
            value_dim,
        })
    }
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
    pub(super) fn angle(&self, kv_head: usize, [pair, pairs]: [usize; 2], [x, y]: [f32; 2]) -> f32 {
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

impl FeedForward {
    /// The rest of a block with this number of channels.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<FeedForward, String> {
        let found: usize = reader.number("its number of channels")?;
        let hidden: usize = reader.number("its number of hidden channels")?;
        if found != channels {
            return reader.wrong(format!(
                "it is for {found} channels, but there are {channels}"
            ));
        }
        if !reader.flag("whether it has a gate (SwiGLU)")? {
            return reader.wrong("it has no gate (SwiGLU), which KataGo does not compute either");
        }
        Ok(FeedForward {
            norm: RmsNorm::read(reader, channels)?,
            first: MatMul::read(reader, channels, Some(hidden))?,
            gate: MatMul::read(reader, channels, Some(hidden))?,
            last: MatMul::read(reader, hidden, Some(channels))?,
        })
    }
}
