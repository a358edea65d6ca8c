//! The blocks of a trunk, read and written one after the other: convolutional ones, with pooling or without, alone or in
//! a bottleneck, and those of transformers.

use super::layers::{Conv, NormAct, Pooling};
use super::reader::KataGoReader;
use super::tokens::{attention, feed_forward};
use super::writer::{Form, Points, Writer};

/// The most blocks of a network, those within others included.
pub(super) const MAX_BLOCKS: usize = 1000;
/// How deep stacks lie in each other at most.
const DEEPEST: usize = 4;
/// How the kinds of blocks of transformers begin.
const TRANSFORMER: &[u8] = b"transformer_";

/// What `count` blocks, nested in `depth` others, make of `x`.
pub(super) fn stack(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    mut x: Points,
    count: usize,
    depth: usize,
) -> Result<Points, String> {
    if depth >= DEEPEST {
        return reader.wrong(format!("blocks lie in each other more than {DEEPEST} deep"));
    }
    for _ in 0..count {
        x = block(reader, writer, x, depth)?;
    }
    Ok(x)
}

/// `x`, with what a block adds to it.
fn block(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    depth: usize,
) -> Result<Points, String> {
    reader.blocks += 1;
    if reader.blocks > MAX_BLOCKS {
        return reader.wrong(format!("it has more than {MAX_BLOCKS} blocks"));
    }
    let kind = reader.word("the kind of a block")?;
    reader.named("the name of a block", |reader, _| {
        let (x, added) = match kind {
            "ordinary_block" | "gpool_block" | "nested_bottleneck_block" => {
                convolutional(reader, writer, x, kind, depth)?
            }
            "transformer_attention_block" => {
                let x = writer.formed(x, Form::Tokens);
                (x, attention(reader, writer, x)?)
            }
            "transformer_ffn_block" => {
                let x = writer.formed(x, Form::Tokens);
                (x, feed_forward(reader, writer, x)?)
            }
            _ => {
                return reader.wrong(format!(
                    "this program does not know the kind of block {kind}; known are ordinary_block, \
                     gpool_block, nested_bottleneck_block, transformer_attention_block and \
                     transformer_ffn_block"
                ));
            }
        };
        Ok(writer.sum(x, added))
    })
}

/// A block that begins and ends with a convolution: `x` in the form in which it is computed with the fewest changes
/// between, and what it adds.
fn convolutional(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    kind: &str,
    depth: usize,
) -> Result<(Points, Points), String> {
    let is_nested = kind == "nested_bottleneck_block";
    let count = match is_nested {
        true => reader.count("its number of blocks", MAX_BLOCKS)?,
        false => 0,
    };
    let before = NormAct::read(reader, x.channels)?;
    let conv = Conv::read(reader, x.channels, None)?;
    let is_of_tokens = is_nested && conv.kernel == [1, 1] && reader.begins_with(TRANSFORMER);
    let form = if is_of_tokens {
        Form::Tokens
    } else {
        Form::Map
    };
    let x = writer.formed(x, form);
    let inner = writer.norm_act(x, &before);
    let inner = match kind {
        _ if is_nested => {
            let inner = writer.conv(inner, &conv, None);
            let inner = stack(reader, writer, inner, count, depth + 1)?;
            let after = NormAct::read(reader, conv.outputs)?;
            writer.norm_act(inner, &after)
        }
        "ordinary_block" => {
            let after = NormAct::read(reader, conv.outputs)?;
            let inner = writer.conv(inner, &conv, Some(&after.norm));
            writer.activated(inner, after.activation)
        }
        _ => {
            let pooling = Pooling::read(reader, [x.channels, conv.outputs])?;
            let after = NormAct::read(reader, conv.outputs)?;
            writer.pooling_conv(inner, &conv, &pooling, &after).0
        }
    };
    let last = Conv::read(reader, conv.outputs, Some(x.channels))?;
    Ok((x, writer.conv(inner, &last, None)))
}
