//! What lies beside the trunk of a network: the heads, policy and value with score and owners; and the layers that
//! are told who plays.

use super::blocks::{NormAct, Pooling};
use super::layers::{Activation, Conv, MatMul, biases};
use super::profile::NUMBERS;
use super::reader::KataGoReader;

/// Logits of moves.
#[derive(Debug)]
pub(super) struct PolicyHead {
    pub(super) conv: Conv,
    pub(super) pooling: Pooling,
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
fn policy_channels(reader: &mut KataGoReader<'_>) -> Result<usize, String> {
    match reader.version {
        17.. => {
            let channels = reader.number("the number of its channels")?;
            if ![2, 4].contains(&channels) {
                return reader.wrong(format!("it has {channels} channels, not 2 or 4"));
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
    ) -> Result<PolicyHead, String> {
        reader.named("the name of the policy head", |reader, _| {
            let policies = policy_channels(reader)?;
            let conv = Conv::read(reader, channels, None)?;
            let pooling = Pooling::read(reader, [channels, conv.outputs])?;
            let pools = 3 * pooling.conv.outputs;
            let after = NormAct::read(reader, conv.outputs)?;
            let last = Conv::read(reader, conv.outputs, Some(policies))?;
            let pass = match reader.version {
                15.. => {
                    let first = MatMul::read(reader, pools, None)?;
                    Pass::Hidden {
                        bias: biases(reader, first.outputs)?,
                        activation: Activation::read(reader)?,
                        last: MatMul::read(reader, first.outputs, Some(policies))?,
                        first,
                    }
                }
                _ => Pass::Direct(MatMul::read(reader, pools, Some(policies))?),
            };
            Ok(PolicyHead {
                conv,
                pooling,
                after,
                last,
                pass,
            })
        })
    }
}

impl ValueHead {
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<ValueHead, String> {
        reader.named("the name of the value head", |reader, _| {
            if reader.version >= 17 {
                reader.unused(3, "its option")?;
            }
            let conv = Conv::read(reader, channels, None)?;
            let after = NormAct::read(reader, conv.outputs)?;
            let hidden = MatMul::read(reader, 3 * conv.outputs, None)?;
            let scores = if reader.version >= 9 { 6 } else { 4 };
            Ok(ValueHead {
                hidden_bias: biases(reader, hidden.outputs)?,
                hidden_activation: Activation::read(reader)?,
                value: MatMul::read(reader, hidden.outputs, Some(3))?,
                value_bias: biases(reader, 3)?,
                score: MatMul::read(reader, hidden.outputs, Some(scores))?,
                score_bias: biases(reader, scores)?,
                owners: Conv::read(reader, conv.outputs, Some(1))?,
                conv,
                after,
                hidden,
            })
        })
    }
}

/// Three layers that are told who plays, and whose answer is added to every point.
#[derive(Debug)]
pub(super) struct MetadataEncoder {
    hidden: [Hidden; 2],
    last: MatMul,
}

#[derive(Debug)]
struct Hidden {
    layer: MatMul,
    bias: Vec<f32>,
    activation: Activation,
}

impl MetadataEncoder {
    /// Reads one that makes `channels` numbers.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<MetadataEncoder, String> {
        reader.named("the name of the metadata encoder", |reader, _| {
            let inputs: usize = reader.number("how many numbers it reads")?;
            if inputs != NUMBERS {
                return reader.wrong(format!("it reads {inputs} numbers, not {NUMBERS}"));
            }
            let mut hidden = |inputs| {
                let layer = MatMul::read(reader, inputs, None)?;
                Ok::<_, String>(Hidden {
                    bias: biases(reader, layer.outputs)?,
                    activation: Activation::read(reader)?,
                    layer,
                })
            };
            let first = hidden(inputs)?;
            let second = hidden(first.layer.outputs)?;
            let last = MatMul::read(reader, second.layer.outputs, Some(channels))?;
            let hidden = [first, second];
            Ok(MetadataEncoder { hidden, last })
        })
    }

    /// What is added to every point.
    pub(super) fn of(&self, row: &[f32; NUMBERS]) -> Vec<f32> {
        let mut x = row.to_vec();
        for hidden in &self.hidden {
            let sums = hidden.layer.times_row(&x);
            let sums = sums.iter().zip(&hidden.bias);
            x = sums
                .map(|(sum, bias)| hidden.activation.of(sum + bias))
                .collect();
        }
        self.last.times_row(&x)
    }
}

impl MatMul {
    /// One row times the matrix.
    fn times_row(&self, row: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.outputs];
        for (number, weights) in row.iter().zip(self.weights.chunks_exact(self.outputs)) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += number * weight;
            }
        }
        sums
    }
}

impl Activation {
    fn of(self, x: f32) -> f32 {
        match self {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Silu => x / (1.0 + (-x).exp()),
        }
    }
}
