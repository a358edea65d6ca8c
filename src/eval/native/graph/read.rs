//! Reads the operators of an ONNX file as those of a [`Graph`].

mod operators;

use std::collections::{HashMap, HashSet};

use super::constants::{bytes, dequantised, floats, integers};
use super::{Graph, Node, Op, Shape, Steps, ValueId};
use crate::eval::PLANES;
use crate::onnx::{Model, ModelNode, Tensor};

/// Element types as ONNX counts them.
const FLOAT: i64 = 1;
const HALF: i64 = 10;

impl Graph {
    /// Reads what a model for boards of `area` points computes for `outputs`; convolutions of bytes as such, or as ones of
    /// numbers where these are faster.
    ///
    /// # Errors
    /// What it holds that this backend does not know, in words.
    pub(in super::super) fn read(
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

    fn input(&self, node: &ModelNode, index: usize) -> Option<&Known<'a>> {
        self.known.get(&**node.inputs.get(index)?)
    }
}
