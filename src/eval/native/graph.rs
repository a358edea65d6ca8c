//! What a model computes, in the few operations that networks for boards are made of.
//!
//! `QuantizeLinear` and `DequantizeLinear` are gone: a convolution says itself in what steps it
//! reads its input. Whoever else reads a rounded tensor gets it unrounded, which is more exact and
//! costs nothing here.

mod constants;

use std::collections::{HashMap, HashSet};

use super::kernels::PoolKind;
use crate::eval::PLANES;
use crate::onnx::{Attribute, Model, ModelNode, Tensor};
use constants::{bytes, dequantised, floats, integers, ungrouped};

/// Index of a value in [`Graph::values`].
pub(super) type ValueId = usize;

/// What a value looks like, for one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// So many channels, each a number a point.
    Map(usize),
    /// So many numbers.
    Vector(usize),
}

/// How numbers become bytes: `round(x / scale) + zero`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub(super) scale: f32,
    pub(super) zero: u8,
}

/// A convolution that keeps height and width.
#[derive(Debug)]
pub(super) struct Conv {
    /// Height and width, both odd.
    pub(super) kernel: [usize; 2],
    pub(super) inputs: usize,
    pub(super) weights: Weights,
    /// A number an output channel.
    pub(super) bias: Vec<f32>,
}

/// `[output, input, height, width]`, row-major.
#[derive(Debug)]
pub(super) enum Weights {
    Float(Vec<f32>),
    Integer {
        weights: Vec<i8>,
        /// A number an output channel.
        scales: Vec<f32>,
        /// Of the input.
        steps: Steps,
    },
}

/// A fully connected layer.
#[derive(Debug)]
pub(super) struct Dense {
    /// `[input, output]`, row-major.
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

#[derive(Debug)]
pub(super) enum Op {
    Conv(Conv),
    /// Each channel by itself; `inputs` is 1.
    Depthwise(Conv),
    Dense(Dense),
    Relu,
    /// Two maps, or a map and a vector that counts for every point.
    Add,
    Pool(PoolKind),
    /// A vector times a number.
    Scale(f32),
    /// Vectors one after the other.
    Concat,
    /// A map as a vector.
    Flatten,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) inputs: Vec<ValueId>,
    pub(super) output: ValueId,
}

/// A network that this backend can compute.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) values: Vec<Shape>,
    /// In an order in which they can be computed.
    pub(super) nodes: Vec<Node>,
    pub(super) input: ValueId,
    pub(super) outputs: Vec<ValueId>,
}

/// Element types as ONNX counts them.
const FLOAT: i64 = 1;
const HALF: i64 = 10;

/// Height and width of the largest kernel: larger ones are nothing for a board.
const LARGEST_KERNEL: usize = 15;

impl Graph {
    /// Reads what a model for boards of `area` points computes for `outputs`; convolutions of bytes as such, or as ones of
    /// numbers where these are faster.
    ///
    /// # Errors
    /// What it holds that this backend does not know, in words.
    pub(super) fn read(
        model: &Model,
        (planes, area): (usize, usize),
        outputs: &[&'static str],
        keeps_bytes: bool,
    ) -> Result<Graph, String> {
        let mut reader = Reader {
            area,
            keeps_bytes,
            tensors: model.tensors.iter().map(|t| (&*t.name, t)).collect(),
            known: HashMap::from([(PLANES, Known::Value(0))]),
            values: vec![Shape::Map(planes)],
            nodes: Vec::new(),
        };
        let needed = needed(model, outputs);
        for node in &model.nodes {
            if !needed.contains(&*node.output) {
                continue;
            }
            let known = reader
                .node(node)
                .map_err(|reason| format!("{} {}: {reason}", node.op, node.output))?;
            if reader.known.insert(&node.output, known).is_some() {
                return Err(format!("{} is made twice", node.output));
            }
        }
        let output = |name: &&'static str| match reader.known.get(name) {
            Some(Known::Value(value)) => Ok(*value),
            _ => Err(format!("nothing makes {name}")),
        };
        Ok(Graph {
            input: 0,
            outputs: outputs.iter().map(output).collect::<Result<_, _>>()?,
            values: reader.values,
            nodes: reader.nodes,
        })
    }
}

/// Names of the tensors that `outputs` are made of.
fn needed<'a>(model: &'a Model, outputs: &[&'static str]) -> HashSet<&'a str> {
    let mut needed: HashSet<&str> = outputs.iter().copied().collect();
    for node in model.nodes.iter().rev() {
        if needed.contains(&*node.output) {
            needed.extend(node.inputs.iter().map(|name| &**name));
        }
    }
    needed
}

/// What a name stands for.
#[derive(Debug, Clone)]
enum Known<'a> {
    Value(ValueId),
    /// A value in bytes.
    Bytes(ValueId, Steps),
    /// The same as numbers again.
    Rounded(ValueId, Steps),
    /// A constant in integers, as numbers: its bytes and their scales.
    Scaled(&'a Tensor, Vec<f32>),
}

struct Reader<'a> {
    area: usize,
    keeps_bytes: bool,
    tensors: HashMap<&'a str, &'a Tensor>,
    known: HashMap<&'a str, Known<'a>>,
    values: Vec<Shape>,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        match node.op.as_str() {
            "QuantizeLinear" => {
                let (value, steps) = (self.value(node, 0)?, self.steps(node)?);
                return Ok(Known::Bytes(value, steps));
            }
            "DequantizeLinear" => return self.dequantised(node),
            // In whatever precision others keep it, here it is f32.
            "Cast" => {
                if !matches!(node.int("to"), Some(FLOAT | HALF)) {
                    return Err("it makes something else than numbers".to_owned());
                }
                return Ok(Known::Value(self.value(node, 0)?));
            }
            _ => {}
        }
        let x = self.value(node, 0)?;
        let shape = self.values[x];
        let (op, inputs, shape) = match (node.op.as_str(), shape) {
            ("Conv", Shape::Map(channels)) => {
                let conv = self.conv(node, channels)?;
                let outputs = conv.bias.len();
                let op = if conv.inputs == channels {
                    Op::Conv(conv)
                } else {
                    Op::Depthwise(conv)
                };
                (op, vec![x], Shape::Map(outputs))
            }
            ("Gemm", Shape::Vector(len)) => {
                let dense = self.dense(node, len)?;
                let outputs = dense.bias.len();
                (Op::Dense(dense), vec![x], Shape::Vector(outputs))
            }
            ("Relu", shape) => (Op::Relu, vec![x], shape),
            ("Add", _) => self.add(node, x)?,
            (
                "ReduceMean" | "ReduceMax" | "ReduceSum" | "GlobalAveragePool",
                Shape::Map(channels),
            ) => {
                let kind = self.pool(node)?;
                (Op::Pool(kind), vec![x], Shape::Vector(channels))
            }
            ("Mul", Shape::Vector(_)) => match *floats(self.tensor(node, 1)?)? {
                [factor] => (Op::Scale(factor), vec![x], shape),
                _ => return Err("it multiplies by more than one number".to_owned()),
            },
            ("Concat", Shape::Vector(_)) => self.concat(node)?,
            ("Flatten", shape) => {
                if node.int("axis").unwrap_or(1) != 1 {
                    return Err("its axis is not 1".to_owned());
                }
                match shape {
                    Shape::Vector(_) => return Ok(Known::Value(x)),
                    Shape::Map(c) => (Op::Flatten, vec![x], Shape::Vector(c * self.area)),
                }
            }
            ("Reshape", Shape::Vector(len)) => {
                self.reshape(node, len)?;
                return Ok(Known::Value(x));
            }
            (
                "Conv" | "Gemm" | "ReduceMean" | "ReduceMax" | "ReduceSum" | "GlobalAveragePool"
                | "Concat" | "Mul" | "Reshape",
                shape,
            ) => {
                return Err(format!("it reads a {shape:?}, which is not known here"));
            }
            _ => return Err("the native backend does not know this operator".to_owned()),
        };
        self.values.push(shape);
        let output = self.values.len() - 1;
        self.nodes.push(Node { op, inputs, output });
        Ok(Known::Value(output))
    }

    /// What a pool over height and width says. The axes of a sum are an input, those of others are not.
    fn pool(&self, node: &ModelNode) -> Result<PoolKind, String> {
        let right = [[2, 3], [-2, -1]].map(Vec::from);
        let (kind, axes) = match node.op.as_str() {
            "GlobalAveragePool" => return Ok(PoolKind::Mean),
            "ReduceSum" => (PoolKind::Sum, Some(integers(self.tensor(node, 1)?)?)),
            op => {
                let axes = match node.attribute("axes") {
                    Some(Attribute::Ints(axes)) => Some(axes.clone()),
                    _ => None,
                };
                let is_max = op == "ReduceMax";
                (
                    if is_max {
                        PoolKind::Max
                    } else {
                        PoolKind::Mean
                    },
                    axes,
                )
            }
        };
        match axes.is_some_and(|axes| right.contains(&axes)) {
            true => Ok(kind),
            false => Err("its axes are not height and width".to_owned()),
        }
    }

    /// Input number `index` of a node, rounded or not.
    fn value(&self, node: &ModelNode, index: usize) -> Result<ValueId, String> {
        let name = node.inputs.get(index).ok_or("it lacks an input")?;
        match self.known.get(&**name) {
            Some(Known::Value(value) | Known::Rounded(value, _)) => Ok(*value),
            _ => Err(format!("nothing computes its input {name}")),
        }
    }

    fn tensor(&self, node: &ModelNode, index: usize) -> Result<&'a Tensor, String> {
        let name = node.inputs.get(index).ok_or("it lacks an input")?;
        let tensor = self.tensors.get(&**name).copied();
        tensor.ok_or_else(|| format!("{name} is not constant"))
    }

    /// Scale and zero of activations.
    fn steps(&self, node: &ModelNode) -> Result<Steps, String> {
        let scale = floats(self.tensor(node, 1)?)?;
        let zero = bytes(self.tensor(node, 2)?)?;
        match (&*scale, zero) {
            (&[scale], &[zero]) if scale.is_normal() && scale > 0.0 => Ok(Steps { scale, zero }),
            _ => Err("its scale or zero is not one usable number".to_owned()),
        }
    }

    fn dequantised(&self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        let name = node.inputs.first().ok_or("it lacks an input")?;
        if let Some(Known::Bytes(value, steps)) = self.known.get(&**name) {
            if self.steps(node)? != *steps {
                return Err("its steps are not those of its input".to_owned());
            }
            return Ok(Known::Rounded(*value, *steps));
        }
        let tensor = self.tensor(node, 0)?;
        let scales = floats(self.tensor(node, 1)?)?;
        if integers(tensor)?.is_empty() {
            return Err("it has no numbers".to_owned());
        }
        if node.inputs.len() > 2
            && integers(self.tensor(node, 2)?)?
                .iter()
                .any(|&zero| zero != 0)
        {
            return Err("its weights have a zero of their own".to_owned());
        }
        let channels = tensor.dims.first().copied().unwrap_or(1);
        if node.int("axis").unwrap_or(0) != 0 || ![1, channels].contains(&scales.len()) {
            return Err("its scales are not one an output channel".to_owned());
        }
        let scales = match &*scales {
            &[scale] => vec![scale; channels],
            scales => scales.to_vec(),
        };
        Ok(Known::Scaled(tensor, scales))
    }

    /// A constant of numbers, be it in integers or not.
    fn numbers(&self, node: &ModelNode, index: usize) -> Result<(&'a [usize], Vec<f32>), String> {
        let name = node.inputs.get(index).ok_or("it lacks an input")?;
        match self.known.get(&**name) {
            Some(Known::Scaled(tensor, scales)) => {
                Ok((&tensor.dims, dequantised(&integers(tensor)?, scales)))
            }
            _ => {
                let tensor = self.tensor(node, index)?;
                Ok((&tensor.dims, floats(tensor)?.into_owned()))
            }
        }
    }

    fn conv(&self, node: &ModelNode, channels: usize) -> Result<Conv, String> {
        let (dims, numbers) = self.numbers(node, 1)?;
        let &[outputs, inputs, height, width] = dims else {
            return Err("its kernel has not four dimensions".to_owned());
        };
        let groups = groups(node, channels, [outputs, inputs])?;
        let odd = |len: usize| len % 2 == 1 && len <= LARGEST_KERNEL;
        if !odd(height) || !odd(width) || outputs == 0 {
            return Err(format!("its kernel is {height}x{width}"));
        }
        let half = [height as i64 / 2, width as i64 / 2];
        let is = |name, wanted: Vec<i64>| {
            let found = node.attribute(name);
            found.is_none_or(|found| *found == Attribute::Ints(wanted))
        };
        let padded = node.attribute("pads") == Some(&Attribute::Ints([half, half].concat()));
        let unpadded = half == [0, 0] && is("pads", vec![0; 4]);
        if !(padded || unpadded) || node.attribute("auto_pad").is_some() {
            return Err("it does not keep height and width".to_owned());
        }
        if !is("strides", vec![1, 1]) || !is("dilations", vec![1, 1]) {
            return Err("it leaves out points".to_owned());
        }
        let bias = match node.inputs.get(2) {
            Some(_) => self.numbers(node, 2)?.1,
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return Err("its bias has another length".to_owned());
        }
        let is_depthwise = groups > 1 && groups == outputs && groups == channels;
        let spread = if is_depthwise { 1 } else { groups };
        let points = height * width;
        let weights = match (self.input(node, 0), self.input(node, 1)) {
            _ if is_depthwise => Weights::Float(numbers),
            // A sum of more products could leave 32 bits.
            (Some(Known::Rounded(_, steps)), Some(Known::Scaled(tensor, scales)))
                if self.keeps_bytes && channels * points < 1 << 16 =>
            {
                let weights = ungrouped(constants::signed_bytes(tensor)?, inputs * points, spread);
                let (scales, steps) = (scales.clone(), *steps);
                Weights::Integer {
                    weights,
                    scales,
                    steps,
                }
            }
            _ => Weights::Float(ungrouped(&numbers, inputs * points, spread)),
        };
        let kernel = [height, width];
        Ok(Conv {
            kernel,
            inputs: spread * inputs,
            weights,
            bias,
        })
    }

    fn input(&self, node: &ModelNode, index: usize) -> Option<&Known<'a>> {
        self.known.get(&**node.inputs.get(index)?)
    }

    fn dense(&self, node: &ModelNode, len: usize) -> Result<Dense, String> {
        let (dims, mut weights) = self.numbers(node, 1)?;
        let is = |name, usual: f32| {
            let found = node.attribute(name);
            found.is_none_or(|found| *found == Attribute::Float(usual))
        };
        if node.int("transA").unwrap_or(0) != 0 || !is("alpha", 1.0) || !is("beta", 1.0) {
            return Err("it scales or turns its input".to_owned());
        }
        let is_turned = node.int("transB").unwrap_or(0) != 0;
        let (inputs, outputs) = match *dims {
            [outputs, inputs] if is_turned => (inputs, outputs),
            [inputs, outputs] => (inputs, outputs),
            _ => return Err("its weights have not two dimensions".to_owned()),
        };
        if inputs != len || outputs == 0 {
            return Err(format!("its weights are for {inputs} numbers, not {len}"));
        }
        if is_turned {
            let turned = |i: usize| weights[i % outputs * inputs + i / outputs];
            weights = (0..inputs * outputs).map(turned).collect();
        }
        let bias = match node.inputs.get(2) {
            Some(_) => self.numbers(node, 2)?.1,
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return Err("its bias has another length".to_owned());
        }
        Ok(Dense { weights, bias })
    }

    fn add(&self, node: &ModelNode, x: ValueId) -> Result<(Op, Vec<ValueId>, Shape), String> {
        let y = self.value(node, 1)?;
        match (self.values[x], self.values[y]) {
            (Shape::Map(a), Shape::Map(b)) if a == b => Ok((Op::Add, vec![x, y], Shape::Map(a))),
            (Shape::Map(a), Shape::Vector(b)) if a == b => Ok((Op::Add, vec![x, y], Shape::Map(a))),
            (Shape::Vector(a), Shape::Map(b)) if a == b => Ok((Op::Add, vec![y, x], Shape::Map(a))),
            (a, b) => Err(format!("it adds a {a:?} and a {b:?}")),
        }
    }

    fn concat(&self, node: &ModelNode) -> Result<(Op, Vec<ValueId>, Shape), String> {
        if !matches!(node.int("axis"), Some(1 | -1)) {
            return Err("its axis is not the last".to_owned());
        }
        let (mut inputs, mut total) = (Vec::new(), 0);
        for index in 0..node.inputs.len() {
            let value = self.value(node, index)?;
            let Shape::Vector(len) = self.values[value] else {
                return Err("it joins maps".to_owned());
            };
            inputs.push(value);
            total += len;
        }
        Ok((Op::Concat, inputs, Shape::Vector(total)))
    }

    /// Checks that a vector only becomes a vector again, or one number a channel.
    fn reshape(&self, node: &ModelNode, len: usize) -> Result<(), String> {
        let dims = integers(self.tensor(node, 1)?)?;
        let [batch, channels, ones @ ..] = &dims[..] else {
            return Err("it leaves no batch".to_owned());
        };
        let keeps = |dim: i64| dim == 0 || dim == -1 || dim == len as i64;
        let is_batch = *batch == 0 || *batch == -1;
        if is_batch && keeps(*channels) && matches!(ones, [] | [1, 1]) {
            return Ok(());
        }
        Err(format!("it makes a shape {dims:?}"))
    }
}

/// In how many groups of channels a convolution with a kernel of so many outputs and inputs works.
fn groups(node: &ModelNode, channels: usize, kernel: [usize; 2]) -> Result<usize, String> {
    let [outputs, inputs] = kernel;
    let groups = usize::try_from(node.int("group").unwrap_or(1)).unwrap_or(0);
    if groups == 0 || inputs.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
        return Err(format!(
            "it has {groups} groups of {inputs} channels, and reads {channels}"
        ));
    }
    Ok(groups)
}
