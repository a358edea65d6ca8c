//! The heads of a network: policy, and value with score and owners.

use super::blocks::NormAct;
use super::layers::{Activation, Conv, MatMul, biases};
use super::reader::KataGoReader;

/// Logits of moves.
#[derive(Debug)]
pub(super) struct PolicyHead {
    pub(super) conv: Conv,
    /// The channels whose pools are read.
    pub(super) pooled: Conv,
    pub(super) pooled_after: NormAct,
    pub(super) to_bias: MatMul,
    pub(super) after: NormAct,
    /// Its first channel is the policy; others are for optimism and values of moves.
    pub(super) last: Conv,
    pub(super) pass: Pass,
}

/// The logit of a pass, from the pools.
#[derive(Debug)]
pub(super) enum Pass {
    /// In one layer.
    Direct(MatMul),
    /// In two, from version 15 on.
    Hidden {
        first: MatMul,
        bias: Vec<f32>,
        activation: Activation,
        last: MatMul,
    },
}

/// Who wins, by how much, and whose each point will be.
#[derive(Debug)]
pub(super) struct ValueHead {
    pub(super) conv: Conv,
    pub(super) after: NormAct,
    pub(super) hidden: MatMul,
    pub(super) hidden_bias: Vec<f32>,
    pub(super) hidden_activation: Activation,
    /// Logits of win, loss and no result.
    pub(super) value: MatMul,
    pub(super) value_bias: Vec<f32>,
    /// Mean and deviation of the score, lead, and more in later versions.
    pub(super) score: MatMul,
    pub(super) score_bias: Vec<f32>,
    pub(super) owners: Conv,
}

/// Channels of a policy.
fn policy_channels(reader: &mut KataGoReader<'_>, version: u32) -> Result<usize, String> {
    match version {
        17.. => {
            let channels = reader.number("the number of its channels")?;
            if ![2, 4].contains(&channels) {
                return Err(reader.wrong(&format!("it has {channels} channels, not 2 or 4")));
            }
            reader.unused(3, "its option")?;
            Ok(channels)
        }
        16 => Ok(4),
        12..=15 => Ok(2),
        _ => Ok(1),
    }
}

impl PolicyHead {
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<PolicyHead, String> {
        let name = reader.word("the name of the policy head")?;
        let head = PolicyHead::read_rest(reader, channels, version);
        head.map_err(|reason| format!("{name}: {reason}"))
    }

    fn read_rest(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<PolicyHead, String> {
        let policies = policy_channels(reader, version)?;
        let conv = Conv::read(reader, channels)?;
        let pooled = Conv::read(reader, channels)?;
        let pooled_after = NormAct::read(reader, pooled.outputs, version)?;
        let pools = 3 * pooled.outputs;
        let to_bias = MatMul::of(reader, [pools, conv.outputs])?;
        let after = NormAct::read(reader, conv.outputs, version)?;
        let last = Conv::of(reader, [conv.outputs, policies])?;
        let pass = match version {
            15.. => {
                let first = MatMul::read(reader, pools)?;
                Pass::Hidden {
                    bias: biases(reader, first.outputs)?,
                    activation: Activation::read(reader, version)?,
                    last: MatMul::of(reader, [first.outputs, policies])?,
                    first,
                }
            }
            _ => Pass::Direct(MatMul::of(reader, [pools, policies])?),
        };
        Ok(PolicyHead {
            conv,
            pooled,
            pooled_after,
            to_bias,
            after,
            last,
            pass,
        })
    }
}

impl ValueHead {
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<ValueHead, String> {
        let name = reader.word("the name of the value head")?;
        let head = ValueHead::read_rest(reader, channels, version);
        head.map_err(|reason| format!("{name}: {reason}"))
    }

    fn read_rest(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<ValueHead, String> {
        if version >= 17 {
            reader.unused(3, "its option")?;
        }
        let conv = Conv::read(reader, channels)?;
        let after = NormAct::read(reader, conv.outputs, version)?;
        let hidden = MatMul::read(reader, 3 * conv.outputs)?;
        let hidden_bias = biases(reader, hidden.outputs)?;
        let hidden_activation = Activation::read(reader, version)?;
        let value = MatMul::of(reader, [hidden.outputs, 3])?;
        let value_bias = biases(reader, 3)?;
        let scores = if version >= 9 { 6 } else { 4 };
        let score = MatMul::of(reader, [hidden.outputs, scores])?;
        let score_bias = biases(reader, scores)?;
        let owners = Conv::of(reader, [conv.outputs, 1])?;
        Ok(ValueHead {
            conv,
            after,
            hidden,
            hidden_bias,
            hidden_activation,
            value,
            value_bias,
            score,
            score_bias,
            owners,
        })
    }
}
