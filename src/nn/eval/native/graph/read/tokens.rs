//! Operators of tokens, which have the numbers of a point side by side: matrices, normalisations, numbers
//! for each channel.

use std::f32::consts::SQRT_2;
use std::sync::Arc;

use super::super::{Conv, Extent, Node, Op, Shape, Table, TokenOp, ValueId, Weights};
use super::arguments::{NodeReader, floats, only};
use super::parts::Part;
use super::{GraphReader, Known, Made, Operand, check_elements};
use crate::eval::native::kernels::{Activation, LANES, Lanes, Pairing};

impl<'a> GraphReader<'a> {
    /// Tokens times a constant matrix, or a step of attention.
    pub(super) fn matmul(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        if self.part(node, 0).is_some() {
            return self.attention_product(node);
        }
        let x = self.operand(node, 0)?;
        let Shape::Tokens(channels) = x.shape else {
            return Err(format!("it reads a {}", x.shape));
        };
        let (dims, numbers) = self.numbers(node, 1, x)?;
        let &[inputs, outputs] = dims else {
            return Err(format!("its weights have the shape {dims:?}"));
        };
        if inputs != channels || outputs == 0 {
            return Err(format!(
                "its weights are for {inputs} channels, not {channels}"
            ));
        }
        let turned = |i: usize| numbers[i % inputs * outputs + i / inputs];
        let mut conv = Conv {
            kernel: [1, 1],
            inputs,
            weights: Weights::Float((0..inputs * outputs).map(turned).collect()),
            bias: vec![0.0; outputs],
        };
        let mut from = x;
        if let Some((before, affine)) = self.affine_of_norm(x) {
            conv = conv.after(affine);
            from.value = before;
        }
        self.made(Op::Conv(conv), &[from], Shape::Tokens(outputs))
    }

    /// Some of the channels of tokens that a matrix makes, side by side with others (queries, keys and values of
    /// attention): that part of the matrix.
    pub(super) fn split(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let Shape::Tokens(channels) = x.shape else {
            return Err(format!("it splits a {}", x.shape));
        };
        only("axis", node.axis("axis", 0, 3)?, 2)?;
        let [part, count] = node.part.ok_or("it has one output")?;
        let outputs = count as i64;
        only("num_outputs", node.int("num_outputs", outputs)?, outputs)?;
        let sizes = match node.input(1) {
            Some(_) => self.integers(node, 1)?,
            None => vec![channels.div_ceil(count) as i64; count],
        };
        let sizes: Vec<usize> = sizes
            .iter()
            .map(|&size| usize::try_from(size).ok().filter(|&size| size <= channels))
            .map(Option::unwrap_or_default)
            .collect();
        if sizes.len() != count || sizes.contains(&0) || sizes.iter().sum::<usize>() != channels {
            return Err(format!("it splits {channels} channels into {sizes:?}"));
        }
        let first = sizes[..part].iter().sum::<usize>();
        let made = self.nodes.iter().find(|made| made.output == x.value);
        let Some(Node {
            op: Op::Conv(conv),
            inputs,
            ..
        }) = made
        else {
            return Err("it splits what no matrix has made".to_owned());
        };
        let Weights::Float(weights) = &conv.weights else {
            return Err("it splits what bytes have made".to_owned());
        };
        let rows = first..first + sizes[part];
        let conv = Conv {
            kernel: conv.kernel,
            inputs: conv.inputs,
            weights: Weights::Float(
                weights[rows.start * conv.inputs..rows.end * conv.inputs].to_vec(),
            ),
            bias: conv.bias[rows].to_vec(),
        };
        let from = Operand {
            value: inputs[0],
            ..x
        };
        self.made(Op::Conv(conv), &[from], Shape::Tokens(sizes[part]))
    }

    /// A sum: of values, of parts of a normalisation or of rotary positions, or of tokens and a number
    /// for each channel.
    pub(super) fn sum(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        for (index, other) in [(0, 1), (1, 0)] {
            match self.part(node, index) {
                Some(&Part::MeanSquare(x, extent, 0.0)) => {
                    let epsilon = self.number(node, other, x)?;
                    return Ok(Known::Part(Part::MeanSquare(x, extent, epsilon)));
                }
                Some(&Part::Erf(x, 0.0)) => {
                    only("the number added to erf", self.number(node, other, x)?, 1.0)?;
                    return Ok(Known::Part(Part::Erf(x, 1.0)));
                }
                Some(&Part::Spread(x, own)) => return self.turn(node, other, x, own),
                _ => {}
            }
            if self.is_constant(node, index) {
                let x = self.operand(node, other)?;
                if let Some(tensor) = self.spread(node, index, x)? {
                    let table = table(&floats(tensor)?, x.shape);
                    let sum = TokenOp::Pair(Pairing::Sum, Some(table));
                    return self.made(Op::Tokens(sum), &[x], x.shape);
                }
                let numbers = self.of_channels(node, index, x)?;
                let ones = vec![1.0; numbers.len()];
                return self.affine(x, ones, numbers);
            }
        }
        self.add(node)
    }

    /// A value or a part times a constant.
    pub(super) fn product_with_constant(
        &mut self,
        node: &NodeReader<'a>,
        index: usize,
        constant: usize,
    ) -> Made<'a> {
        match self.part(node, index).cloned() {
            Some(Part::Neighbours(x)) => {
                let Some(tensor) = self.spread(node, constant, x)? else {
                    let (shape, dims) = (x.shape, &self.tensor(node, constant)?.dims);
                    return Err(format!(
                        "it multiplies a {shape} by numbers of the shape {dims:?}"
                    ));
                };
                return Ok(Known::Part(Part::SpreadNeighbours(x, tensor)));
            }
            Some(Part::Scores(mut scores)) => {
                scores.heads.scale *= self.number(node, constant, scores.query)?;
                return Ok(Known::Part(Part::Scores(scores)));
            }
            Some(Part::Split(mut split)) => {
                split.scale *= self.number(node, constant, split.x)?;
                return Ok(Known::Part(Part::Split(split)));
            }
            Some(Part::Erf(x, 1.0)) => {
                only("the factor of GELU", self.number(node, constant, x)?, 0.5)?;
                return Ok(Known::Part(Part::GeluFactor(x)));
            }
            Some(Part::TwiceGelu(x)) => {
                only("the factor of GELU", self.number(node, constant, x)?, 0.5)?;
                let op = Op::Activate(Activation::Gelu);
                return self.made(op, &[x], x.shape);
            }
            _ => {}
        }
        let x = self.operand(node, index)?;
        let Shape::Tokens(_) = x.shape else {
            return self.scale(node, index, constant);
        };
        if let Some(tensor) = self.spread(node, constant, x)? {
            return Ok(Known::Part(Part::Spread(x, tensor)));
        }
        let numbers = self.of_channels(node, constant, x)?;
        let zeros = vec![0.0; numbers.len()];
        self.affine(x, numbers, zeros)
    }

    /// Two tokens, number by number; the same twice is a part of a normalisation.
    pub(super) fn product_of_tokens(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let (x, y) = (self.operand(node, 0)?, self.operand(node, 1)?);
        if x.value == y.value && x.shape == y.shape {
            return Ok(Known::Part(Part::Square(x)));
        }
        match (x.shape, y.shape) {
            (Shape::Tokens(a), Shape::Tokens(b)) if a == b => {
                check_elements(&node.inputs[1], y.element, x.element)?;
                let product = TokenOp::Pair(Pairing::Product, None);
                self.made(Op::Tokens(product), &[x, y], x.shape)
            }
            (a, b) => Err(format!("it multiplies a {a} and a {b}")),
        }
    }

    /// The mean of squares, or a pool.
    pub(super) fn mean(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        if self.part(node, 0).is_none() {
            return self.pool(node);
        }
        let axes = self.axes(node, self.opset >= 18, 3)?;
        only("keepdims", node.int("keepdims", 1)?, 1)?;
        let Some(&Part::Square(x)) = self.part(node, 0) else {
            return Err("it takes the mean of a part of something else".to_owned());
        };
        let Shape::Tokens(_) = x.shape else {
            return Err(format!("it takes the mean square of a {}", x.shape));
        };
        let extent = match axes[..] {
            [2] => Extent::Point,
            [1, 2] => Extent::Board,
            _ => return Err(format!("its axes are {axes:?}")),
        };
        Ok(Known::Part(Part::MeanSquare(x, extent, 0.0)))
    }

    /// A square.
    pub(super) fn power(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        only("its exponent", self.number(node, 1, x)?, 2.0)?;
        Ok(Known::Part(Part::Square(x)))
    }

    /// Tokens less their mean over the root of their mean square, with a number and a bias for each channel; without
    /// the mean as `RMSNormalization`.
    pub(super) fn layer_norm(&mut self, node: &mut NodeReader<'a>, is_centered: bool) -> Made<'a> {
        let mut x = self.operand(node, 0)?;
        let Shape::Tokens(channels) = x.shape else {
            return Err(format!("it normalises a {}", x.shape));
        };
        only("axis", node.axis("axis", -1, 3)?, 2)?;
        only("stash_type", node.int("stash_type", 1)?, 1)?;
        let epsilon = node.float("epsilon", 1e-5)?;
        if epsilon <= 0.0 {
            return Err(format!("its attribute epsilon is {epsilon}"));
        }
        let scale = self.of_channels(node, 1, x)?;
        let bias = match node.input(2) {
            Some(_) => self.of_channels(node, 2, x)?,
            None => vec![0.0; channels],
        };
        let extent = Extent::Point;
        if is_centered {
            x = self.push(Op::Tokens(TokenOp::Center), &[x], x.shape)?;
        }
        let norm = TokenOp::RmsNorm { epsilon, extent };
        x = self.push(Op::Tokens(norm), &[x], x.shape)?;
        self.affine(x, scale, bias)
    }

    /// Over the root of its mean square.
    pub(super) fn rms_norm(&mut self, x: Operand, extent: Extent, epsilon: f32) -> Made<'a> {
        let norm = TokenOp::RmsNorm { epsilon, extent };
        self.made(Op::Tokens(norm), &[x], x.shape)
    }

    /// A value over the root of its mean square, or scores over a number.
    pub(super) fn quotient(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        if let Some(Part::Scores(scores)) = self.part(node, 0) {
            let mut scores = scores.clone();
            scores.heads.scale /= self.number(node, 1, scores.query)?;
            return Ok(Known::Part(Part::Scores(scores)));
        }
        let x = self.operand(node, 0)?;
        if self.is_constant(node, 1) {
            let root = self.number(node, 1, x)?;
            return match (root - SQRT_2).abs() < 1e-6 {
                true => Ok(Known::Part(Part::OverRoot(x))),
                false => Err(format!("it divides by {root}")),
            };
        }
        match self.part(node, 1) {
            Some(&Part::RootMeanSquare(of, extent, epsilon)) if of.value == x.value => {
                self.rms_norm(x, extent, epsilon)
            }
            _ => Err(
                "the native backend knows this operator as a part of a normalisation or of attention \
                 alone"
                    .to_owned(),
            ),
        }
    }

    /// The numbers and biases of a normalisation's channels, and the value before them: a matrix takes them over, so
    /// that the normalisation itself is done while the matrix reads.
    fn affine_of_norm(&self, x: Operand) -> Option<(ValueId, &Conv)> {
        let made = |value| self.nodes.iter().find(move |node| node.output == value);
        let node = made(x.value)?;
        let Op::Depthwise(affine) = &node.op else {
            return None;
        };
        let before = node.inputs[0];
        let is_norm = matches!(made(before)?.op, Op::Tokens(TokenOp::RmsNorm { .. }));
        (is_norm && affine.kernel == [1, 1]).then_some((before, affine))
    }

    /// x scale + bias, channel by channel; joined with what makes x where that is possible.
    fn affine(&mut self, x: Operand, scale: Vec<f32>, bias: Vec<f32>) -> Made<'a> {
        let made = self.nodes.iter().find(|node| node.output == x.value);
        let (value, op) = match made.map(|node| (&node.op, node.inputs[0])) {
            Some((Op::Depthwise(conv), input)) => {
                (input, Op::Depthwise(conv.scaled(&scale, &bias)))
            }
            Some((Op::Conv(conv), input)) if matches!(conv.weights, Weights::Float(_)) => {
                (input, Op::Conv(conv.scaled(&scale, &bias)))
            }
            _ => (x.value, Op::Depthwise(Conv::of_channels(scale, bias))),
        };
        self.made(op, &[Operand { value, ..x }], x.shape)
    }

    /// A number for each channel of tokens, from a constant with these or a single one.
    fn of_channels(
        &self,
        node: &NodeReader<'a>,
        index: usize,
        x: Operand,
    ) -> Result<Vec<f32>, String> {
        let Shape::Tokens(channels) = x.shape else {
            return Err(format!("it reads a {} and a constant", x.shape));
        };
        let (dims, numbers) = self.numbers(node, index, x)?;
        let is_row = dims.iter().rev().skip(1).all(|&len| len == 1) && dims.len() <= 3;
        match (is_row, numbers.len()) {
            (true, 1) => Ok(vec![numbers[0]; channels]),
            (true, len) if len == channels => Ok(numbers),
            _ => Err(format!("it reads a {} and a constant {dims:?}", x.shape)),
        }
    }

    /// A constant of one number.
    fn number(&self, node: &NodeReader<'a>, index: usize, with: Operand) -> Result<f32, String> {
        let (dims, numbers) = self.numbers(node, index, with)?;
        match *numbers {
            [number] => Ok(number),
            _ => Err(format!("its constant has the shape {dims:?}")),
        }
    }
}

/// Rows of numbers for the channels of each point, in lines.
pub(super) fn table(rows: &[f32], shape: Shape) -> Table {
    let Shape::Tokens(channels) = shape else {
        return Table::default();
    };
    let mut table = Vec::new();
    for first in (0..channels).step_by(LANES) {
        for row in rows.chunks_exact(channels) {
            let mut line = Lanes::default();
            let numbers = &row[first..channels.min(first + LANES)];
            line.0[..numbers.len()].copy_from_slice(numbers);
            table.push(line);
        }
    }
    Arc::new(table)
}

impl Conv {
    /// This matrix of f32 of what `affine` makes of its input's channels.
    fn after(&self, affine: &Conv) -> Conv {
        let (Weights::Float(weights), Weights::Float(scale)) = (&self.weights, &affine.weights)
        else {
            unreachable!("both were made of numbers");
        };
        let rows = || weights.chunks_exact(self.inputs);
        let times = |row: &[f32], by: &[f32]| -> Vec<f32> {
            row.iter().zip(by).map(|(weight, by)| weight * by).collect()
        };
        let biases = rows().map(|row| times(row, &affine.bias).iter().sum::<f32>());
        Conv {
            kernel: self.kernel,
            inputs: self.inputs,
            bias: self
                .bias
                .iter()
                .zip(biases)
                .map(|(old, more)| old + more)
                .collect(),
            weights: Weights::Float(rows().flat_map(|row| times(row, scale)).collect()),
        }
    }

    /// x scale + bias of each channel, as a depthwise one.
    fn of_channels(scale: Vec<f32>, bias: Vec<f32>) -> Conv {
        Conv {
            kernel: [1, 1],
            inputs: 1,
            weights: Weights::Float(scale),
            bias,
        }
    }

    /// The same with its outputs times numbers, plus others; its weights are f32.
    fn scaled(&self, scale: &[f32], bias: &[f32]) -> Conv {
        let row = self.kernel[0] * self.kernel[1] * self.inputs;
        let weights = match &self.weights {
            Weights::Float(weights) => &weights[..],
            Weights::Integer { .. } => &[],
        };
        let rows = weights.chunks_exact(row).zip(scale);
        let sums = self.bias.iter().zip(scale).zip(bias);
        Conv {
            kernel: self.kernel,
            inputs: self.inputs,
            weights: Weights::Float(
                rows.flat_map(|(row, scale)| row.iter().map(move |weight| weight * scale))
                    .collect(),
            ),
            bias: sums
                .map(|((old, scale), bias)| old * scale + bias)
                .collect(),
        }
    }
}
