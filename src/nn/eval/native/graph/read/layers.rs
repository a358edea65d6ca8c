//! Convolutions, fully connected layers, products in general, and activations that are made of several nodes.

use super::super::{Conv, Dense, Op, Shape, Weights};
use super::arguments::{NodeReader, only, ungrouped};
use super::parts::Part;
use super::{GraphReader, Known, Made, Operand};
use crate::eval::native::kernels::Activation;
use crate::onnx::Numbers;

/// Height and width of the largest kernel: larger ones are nothing for a board.
const LARGEST_KERNEL: usize = 15;

impl<'a> GraphReader<'a> {
    pub(super) fn conv(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let Shape::Map(channels) = x.shape else {
            return Err(format!("it reads a {}", x.shape));
        };
        let (dims, numbers) = self.numbers(node, 1, x)?;
        let &[outputs, inputs, height, width] = dims else {
            return Err(format!("its kernel has the shape {dims:?}"));
        };
        let groups = groups(node.int("group", 1)?, channels, [outputs, inputs])?;
        let odd = |len: usize| len % 2 == 1 && len <= LARGEST_KERNEL;
        if !odd(height) || !odd(width) || outputs == 0 {
            return Err(format!("its kernel is {height}x{width}"));
        }
        check_window(node, [height as i64, width as i64])?;
        let bias = self.bias(node, x, outputs)?;
        let is_depthwise = groups > 1 && groups == outputs && groups == channels;
        let spread = if is_depthwise { 1 } else { groups };
        self.left_after(numbers.len().saturating_mul(spread))?;
        let points = height * width;
        let known = |index| self.known.get(node.input(index)?);
        let weights = match (known(0), known(1)) {
            _ if is_depthwise => Weights::Float(numbers),
            // A sum of more products could leave 32 bits.
            (Some(Known::Rounded(_, steps)), Some(Known::Scaled(tensor, scales)))
                if self.keeps_bytes
                    && let Numbers::I8(bytes) = &tensor.numbers
                    && channels * points < 1 << 16 =>
            {
                Weights::Integer {
                    weights: ungrouped(bytes, inputs * points, spread),
                    scales: scales.clone(),
                    steps: *steps,
                }
            }
            _ => Weights::Float(ungrouped(&numbers, inputs * points, spread)),
        };
        let mut conv = Conv {
            kernel: [height, width],
            inputs: spread * inputs,
            weights,
            bias,
        };
        let op = match conv.inputs == channels {
            true => {
                conv.leave_out_last_inputs();
                Op::Conv(conv)
            }
            false => Op::Depthwise(conv),
        };
        self.made(op, &[x], Shape::Map(outputs))
    }

    pub(super) fn gemm(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let Shape::Vector(len) = x.shape else {
            return Err(format!("it reads a {}", x.shape));
        };
        let (dims, mut weights) = self.numbers(node, 1, x)?;
        only("alpha", node.float("alpha", 1.0)?, 1.0)?;
        only("beta", node.float("beta", 1.0)?, 1.0)?;
        only("transA", node.int("transA", 0)?, 0)?;
        let is_turned = node.int("transB", 0)? != 0;
        let (inputs, outputs) = match *dims {
            [outputs, inputs] if is_turned => (inputs, outputs),
            [inputs, outputs] => (inputs, outputs),
            _ => return Err(format!("its weights have the shape {dims:?}")),
        };
        if inputs != len || outputs == 0 {
            return Err(format!("its weights are for {inputs} numbers, not {len}"));
        }
        if is_turned {
            let turned = |i: usize| weights[i % outputs * inputs + i / outputs];
            weights = (0..inputs * outputs).map(turned).collect();
        }
        let bias = self.bias(node, x, outputs)?;
        let dense = Op::Dense(Dense { weights, bias });
        self.made(dense, &[x], Shape::Vector(outputs))
    }

    /// A number for each output; zeros where the file has none.
    fn bias(&self, node: &NodeReader<'a>, x: Operand, outputs: usize) -> Result<Vec<f32>, String> {
        if node.input(2).is_none() {
            return Ok(vec![0.0; outputs]);
        }
        let (dims, bias) = self.numbers(node, 2, x)?;
        let is_row = node.op == "Gemm" && dims == [1, outputs];
        match dims == [outputs] || is_row {
            true => Ok(bias),
            false => Err(format!("its bias has the shape {dims:?}, not [{outputs}]")),
        }
    }

    /// GELU, where it is one node.
    pub(super) fn gelu(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        only("approximate", node.word("approximate", "none")?, "none")?;
        self.activated(node, Activation::Gelu)
    }

    /// A product: of a value with a part of an activation, of scores with their scale, of tokens with
    /// tokens or constants, or of a vector with a number.
    pub(super) fn product(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let activation = |part: &Part<'a>| match *part {
            Part::MishFactor(of) => Some((of, Activation::Mish)),
            Part::Sigmoid(of) => Some((of, Activation::Silu)),
            Part::GeluFactor(of) => Some((of, Activation::Gelu)),
            _ => None,
        };
        for (index, other) in [(0, 1), (1, 0)] {
            if let Some((of, activation)) = self.part(node, index).and_then(activation) {
                return self.activation(self.operand(node, other)?, of, activation);
            }
            if self.is_constant(node, other) {
                continue;
            }
            match self.part(node, index) {
                Some(&Part::Erf(of, 1.0)) => {
                    same(self.operand(node, other)?, of)?;
                    return Ok(Known::Part(Part::TwiceGelu(of)));
                }
                Some(&Part::InverseRoot(of, extent, epsilon)) => {
                    same(self.operand(node, other)?, of)?;
                    return self.rms_norm(of, extent, epsilon);
                }
                _ => {}
            }
        }
        match [self.is_constant(node, 0), self.is_constant(node, 1)] {
            [false, true] => self.product_with_constant(node, 0, 1),
            [true, false] => self.product_with_constant(node, 1, 0),
            _ => self.product_of_tokens(node),
        }
    }

    /// A value times a factor that was made of it.
    fn activation(&mut self, x: Operand, of: Operand, activation: Activation) -> Made<'a> {
        same(x, of)?;
        self.made(Op::Activate(activation), &[x], x.shape)
    }
}

/// Checks that a convolution keeps height and width and leaves out no point.
fn check_window(node: &mut NodeReader<'_>, kernel: [i64; 2]) -> Result<(), String> {
    let [height, width] = kernel.map(|len| len / 2);
    only("auto_pad", node.word("auto_pad", "NOTSET")?, "NOTSET")?;
    let ones: &[i64] = &[1, 1];
    for (name, usual, known) in [
        ("kernel_shape", &kernel[..], &kernel[..]),
        ("strides", ones, ones),
        ("dilations", ones, ones),
        ("pads", &[0; 4], &[height, width, height, width]),
    ] {
        only(name, node.ints(name)?.unwrap_or(usual), known)?;
    }
    Ok(())
}

/// In how many groups of channels a convolution with a kernel of this many outputs and inputs works.
fn groups(groups: i64, channels: usize, kernel: [usize; 2]) -> Result<usize, String> {
    let [outputs, inputs] = kernel;
    let groups = usize::try_from(groups).unwrap_or(0);
    if groups == 0 || inputs.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
        return Err(format!(
            "it has {groups} groups of {inputs} channels, and reads {channels}"
        ));
    }
    Ok(groups)
}

/// Refuses a value that is not the one that a part was made of.
fn same(x: Operand, of: Operand) -> Result<(), String> {
    match x.value == of.value && x.shape == of.shape {
        true => Ok(()),
        false => Err("it multiplies a value by what was made of another one".to_owned()),
    }
}
