//! The blocks of a trunk: convolutional ones, with pooling or without, alone or in a bottleneck, and
//! those of transformers.

use super::layers::{Activation, Conv, MatMul, Norm};
use super::reader::KataGoReader;
use super::transformer::{Attention, FeedForward};

/// The most blocks of a stack.
pub(super) const MAX_BLOCKS: usize = 1000;
/// How deep stacks lie in each other at most.
const DEEPEST: usize = 4;

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

impl NormAct {
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<NormAct, String> {
        Ok(NormAct {
            norm: Norm::read(reader, channels)?,
            activation: Activation::read(reader, version)?,
        })
    }
}

impl Pooling {
    /// One of `inputs` channels; the numbers for `outputs` follow in the caller's layers.
    fn read(
        reader: &mut KataGoReader<'_>,
        [inputs, outputs]: [usize; 2],
        version: u32,
    ) -> Result<Pooling, String> {
        let conv = Conv::read(reader, inputs)?;
        let after = NormAct::read(reader, conv.outputs, version)?;
        let to_bias = MatMul::of(reader, [3 * conv.outputs, outputs])?;
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
    version: u32,
    depth: usize,
) -> Result<Vec<Block>, String> {
    if depth >= DEEPEST {
        return Err(reader.wrong(&format!(
            "blocks lie in each other more than {DEEPEST} deep"
        )));
    }
    let block = |_| Block::read(reader, channels, version, depth);
    (0..count).map(block).collect()
}

impl Block {
    fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
        depth: usize,
    ) -> Result<Block, String> {
        let kind = reader.word("the kind of a block")?;
        let name = reader.word("the name of a block")?;
        let block = match kind {
            "ordinary_block" | "gpool_block" => {
                Convolutional::plain(reader, kind, channels, version).map(Block::Convolutional)
            }
            "nested_bottleneck_block" => {
                Convolutional::nested(reader, channels, version, depth).map(Block::Convolutional)
            }
            "transformer_attention_block" => {
                Attention::read(reader, channels).map(Block::Attention)
            }
            "transformer_ffn_block" => FeedForward::read(reader, channels).map(Block::FeedForward),
            _ => Err(reader.wrong(&format!(
                "this program does not know the kind of block {kind}; known are ordinary_block, \
                 gpool_block, nested_bottleneck_block, transformer_attention_block and \
                 transformer_ffn_block"
            ))),
        };
        block.map_err(|reason| format!("{name}: {reason}"))
    }
}

impl Convolutional {
    fn plain(
        reader: &mut KataGoReader<'_>,
        kind: &str,
        channels: usize,
        version: u32,
    ) -> Result<Convolutional, String> {
        let before = NormAct::read(reader, channels, version)?;
        let conv = Conv::read(reader, channels)?;
        let middle = conv.outputs;
        let inner = match kind {
            "ordinary_block" => Inner::Plain(conv),
            _ => Inner::Pooling(conv, Pooling::read(reader, [channels, middle], version)?),
        };
        let after = NormAct::read(reader, middle, version)?;
        let last = Conv::of(reader, [middle, channels])?;
        Ok(Convolutional {
            before,
            inner,
            after,
            last,
        })
    }

    fn nested(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
        depth: usize,
    ) -> Result<Convolutional, String> {
        let count = reader.count("its number of blocks", MAX_BLOCKS)?;
        let before = NormAct::read(reader, channels, version)?;
        let conv = Conv::read(reader, channels)?;
        let middle = conv.outputs;
        let blocks = stack(reader, count, middle, version, depth + 1)?;
        let after = NormAct::read(reader, middle, version)?;
        let last = Conv::of(reader, [middle, channels])?;
        Ok(Convolutional {
            before,
            inner: Inner::Nested(conv, blocks),
            after,
            last,
        })
    }
}
