//! The part of a network that is told who plays: three layers whose answer is added to every point.

use super::layers::{Activation, MatMul, biases};
use super::profile::NUMBERS;
use super::reader::KataGoReader;

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
        version: u32,
    ) -> Result<MetadataEncoder, String> {
        let name = reader.word("the name of the metadata encoder")?;
        let encoder = MetadataEncoder::read_rest(reader, channels, version);
        encoder.map_err(|reason| format!("{name}: {reason}"))
    }

    fn read_rest(
        reader: &mut KataGoReader<'_>,
        channels: usize,
        version: u32,
    ) -> Result<MetadataEncoder, String> {
        let inputs: usize = reader.number("how many numbers it reads")?;
        if inputs != NUMBERS {
            return Err(reader.wrong(&format!("it reads {inputs} numbers, not {NUMBERS}")));
        }
        let mut hidden = |inputs| {
            let layer = MatMul::read(reader, inputs)?;
            Ok::<_, String>(Hidden {
                bias: biases(reader, layer.outputs)?,
                activation: Activation::read(reader, version)?,
                layer,
            })
        };
        let first = hidden(inputs)?;
        let second = hidden(first.layer.outputs)?;
        let last = MatMul::of(reader, [second.layer.outputs, channels])?;
        let hidden = [first, second];
        Ok(MetadataEncoder { hidden, last })
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
