//! Reads the operators of an ONNX file as those of a [`Graph`].

mod arguments;
mod attention;
mod forms;
mod layers;
mod parts;
mod quantised;
mod shapes;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::{Graph, Node, Op, Shape, Steps, Table, ValueId};
use crate::eval::PLANES;
use crate::eval::native::kernels::Activation;
use crate::onnx::{FLOAT, Model, ModelNode, PRECISION, Tensor, element_name};
use arguments::{NodeReader, dequantised, element, floats, integers};
use parts::{Operand, Part};

/// Versions of ONNX's operators whose meaning is known here. From 13 on their attributes have kept it;
/// what came later, or moved to the inputs, is told apart where it is read.
const OPSETS: RangeInclusive<i64> = 13..=28;

/// The most numbers of all values of a position and all weights together, beside four for each constant of the file:
/// the largest known networks for 19x19 have half of it in values.
const MOST_NUMBERS: usize = 1 << 28;

impl Graph {
    /// Reads what a model for boards of this height and width computes for `outputs`; convolutions of
    /// bytes as such, or as ones of numbers where these are faster.
    ///
    /// # Errors
    /// What it holds that this backend does not know, in words.
    pub(in super::super) fn read(
        model: &Model,
        planes: usize,
        sides: [usize; 2],
        outputs: &[&'static str],
        keeps_bytes: bool,
    ) -> Result<Graph, String> {
        if !OPSETS.contains(&model.opset) {
            let (least, most) = (OPSETS.start(), OPSETS.end());
            return Err(format!(
                "its operators are of set {} of ONNX; known are {least} to {most}",
                model.opset
            ));
        }
        let shape = Shape::Map(planes);
        let input = Operand {
            value: 0,
            shape,
            element: FLOAT,
        };
        let lens = model.tensors.iter();
        let lens = lens.map(|tensor| tensor.dims.iter().product::<usize>());
        let constants = model.tensors.iter();
        let constants = constants.map(|tensor| (&*tensor.name, Known::Constant(tensor)));
        let mut reader = GraphReader {
            sides,
            area: sides[0] * sides[1],
            keeps_bytes,
            opset: model.opset,
            may_round: model.header.metadata(PRECISION) == Some("int8"),
            known: constants.chain([(PLANES, Known::Value(input))]).collect(),
            values: vec![shape],
            room: MOST_NUMBERS + 4 * lens.sum::<usize>(),
            nodes: Vec::new(),
            turns: HashMap::new(),
        };
        let needed = needed(model, outputs);
        for node in &model.nodes {
            if !needed.contains(&*node.output) {
                continue;
            }
            let known = reader
                .node(node)
                .map_err(|reason| format!("{} {}: {reason}", node.op, node.output))?;
            reader.known.insert(&node.output, known);
        }
        let outputs = outputs.iter().map(|name| reader.output(name));
        let mut graph = Graph {
            input: 0,
            outputs: outputs.collect::<Result<_, _>>()?,
            values: reader.values,
            nodes: reader.nodes,
        };
        graph.leave_out_unread();
        Ok(graph)
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

impl Operand {
    /// The same numbers in another shape.
    fn shaped<'a>(self, shape: Shape) -> Known<'a> {
        Known::Value(Operand { shape, ..self })
    }
}

/// What a name stands for.
#[derive(Debug, Clone)]
enum Known<'a> {
    Value(Operand),
    /// A value in bytes.
    Bytes(Operand, Steps),
    /// The same as numbers again.
    Rounded(Operand, Steps),
    /// What only an operation of several nodes reads.
    Part(Part<'a>),
    /// Lengths of axes; -1 for the number of positions.
    Dims(Vec<i64>),
    /// A constant of the file.
    Constant(&'a Tensor),
    /// One in integers, as numbers: its integers, and their scales by the first dimension.
    Scaled(&'a Tensor, Vec<f32>),
}

/// What a node makes, or the reason why it is not known here.
type Made<'a> = Result<Known<'a>, String>;

struct GraphReader<'a> {
    /// Height and width of the board, and its points.
    sides: [usize; 2],
    area: usize,
    keeps_bytes: bool,
    opset: i64,
    /// Whether the file is one whose rounding may be left out.
    may_round: bool,
    known: HashMap<&'a str, Known<'a>>,
    values: Vec<Shape>,
    /// Numbers that values and weights may still take: a few nodes can double them again and again.
    room: usize,
    nodes: Vec<Node>,
    /// Tables of turns by the constants that they are made of.
    turns: HashMap<(&'a str, &'a str), Table>,
}

/// An operator: its name, how many inputs it has at least and at most, and what reads it.
type Operator = (
    &'static str,
    [usize; 2],
    for<'a> fn(&mut GraphReader<'a>, &mut NodeReader<'a>) -> Made<'a>,
);

const OPERATORS: &[Operator] = &[
    ("Add", [2, 2], |r, n| r.sum(n)),
    ("Cast", [1, 1], |r, n| r.cast(n)),
    ("Concat", [1, usize::MAX], |r, n| r.concat(n)),
    ("Conv", [2, 3], |r, n| r.conv(n)),
    ("DequantizeLinear", [2, 3], |r, n| r.dequantised(n)),
    ("Div", [2, 2], |r, n| r.quotient(n)),
    ("Erf", [1, 1], |r, n| r.step(n)),
    ("Flatten", [1, 1], |r, n| r.flatten(n)),
    ("Gather", [2, 2], |r, n| r.gather(n)),
    ("Gelu", [1, 1], |r, n| r.gelu(n)),
    ("Gemm", [2, 3], |r, n| r.gemm(n)),
    ("GlobalAveragePool", [1, 1], |r, n| r.pool(n)),
    ("LayerNormalization", [2, 3], |r, n| r.layer_norm(n, true)),
    ("MatMul", [2, 2], |r, n| r.matmul(n)),
    ("Mul", [2, 2], |r, n| r.product(n)),
    ("Pow", [2, 2], |r, n| r.power(n)),
    ("QuantizeLinear", [2, 3], |r, n| r.quantised(n)),
    ("RMSNormalization", [2, 2], |r, n| r.layer_norm(n, false)),
    ("Reciprocal", [1, 1], |r, n| r.step(n)),
    ("ReduceMax", [1, 2], |r, n| r.pool(n)),
    ("ReduceMean", [1, 2], |r, n| r.mean(n)),
    ("ReduceSum", [1, 2], |r, n| r.pool(n)),
    ("Relu", [1, 1], |r, n| r.activated(n, Activation::Relu)),
    ("Reshape", [2, 2], |r, n| r.reshape(n)),
    ("Shape", [1, 1], |r, n| r.shape(n)),
    ("Sigmoid", [1, 1], |r, n| r.step(n)),
    ("Slice", [3, 5], |r, n| r.slice(n)),
    ("Softmax", [1, 1], |r, n| r.softmax(n)),
    ("Softplus", [1, 1], |r, n| r.step(n)),
    ("Split", [1, 2], |r, n| r.split(n)),
    ("Sqrt", [1, 1], |r, n| r.step(n)),
    ("Squeeze", [2, 2], |r, n| r.squeeze(n)),
    ("Tanh", [1, 1], |r, n| r.step(n)),
    ("Transpose", [1, 1], |r, n| r.transpose(n)),
    ("Unsqueeze", [2, 2], |r, n| r.unsqueeze(n)),
];

impl<'a> GraphReader<'a> {
    fn node(&mut self, node: &'a ModelNode) -> Made<'a> {
        let node = &mut NodeReader::new(node);
        let operator = OPERATORS.iter().find(|(name, ..)| *name == node.op);
        let &(_, [least, most], read) =
            operator.ok_or("the native backend does not know this operator")?;
        if !(least..=most).contains(&node.inputs.len()) {
            return Err(format!("it has {} inputs", node.inputs.len()));
        }
        let known = read(self, node)?;
        node.finish()?;
        Ok(known)
    }

    fn activated(&mut self, node: &NodeReader<'a>, activation: Activation) -> Made<'a> {
        let x = self.operand(node, 0)?;
        self.made(Op::Activate(activation), &[x], x.shape)
    }

    /// A function of a part, or the first of its parts, that only a larger operation reads.
    fn step(&self, node: &NodeReader<'a>) -> Made<'a> {
        let of = match &*node.op {
            "Softplus" => return Ok(Known::Part(Part::Softplus(self.operand(node, 0)?))),
            "Sigmoid" => return Ok(Known::Part(Part::Sigmoid(self.operand(node, 0)?))),
            "Tanh" => "Mish",
            "Erf" => "GELU",
            _ => "a normalisation",
        };
        Ok(Known::Part(match (&*node.op, self.part(node, 0)) {
            ("Tanh", Some(&Part::Softplus(x))) => Part::MishFactor(x),
            ("Erf", Some(&Part::OverRoot(x))) => Part::Erf(x, 0.0),
            ("Sqrt", Some(&Part::MeanSquare(x, extent, epsilon))) if epsilon > 0.0 => {
                Part::RootMeanSquare(x, extent, epsilon)
            }
            ("Reciprocal", Some(&Part::RootMeanSquare(x, extent, epsilon))) => {
                Part::InverseRoot(x, extent, epsilon)
            }
            _ => {
                return Err(format!(
                    "the native backend knows this operator as a part of {of} alone"
                ));
            }
        }))
    }

    /// The result of a new node, in the element type of its first input.
    fn push(&mut self, op: Op, inputs: &[Operand], shape: Shape) -> Result<Operand, String> {
        self.room = self.left_after(shape.numbers(self.area).saturating_add(op.weights()))?;
        let value = self.values.len();
        self.values.push(shape);
        self.nodes.push(Node {
            op,
            inputs: inputs.iter().map(|input| input.value).collect(),
            output: value,
        });
        Ok(Operand {
            value,
            shape,
            element: inputs[0].element,
        })
    }

    /// What is left of the room after this many numbers.
    fn left_after(&self, numbers: usize) -> Result<usize, String> {
        let left = self.room.checked_sub(numbers);
        left.ok_or_else(|| "with it the network would take too much memory".to_owned())
    }

    fn made(&mut self, op: Op, inputs: &[Operand], shape: Shape) -> Made<'a> {
        Ok(Known::Value(self.push(op, inputs, shape)?))
    }

    /// Input number `index` of a node, rounded or not.
    fn operand(&self, node: &NodeReader<'a>, index: usize) -> Result<Operand, String> {
        let name = node.input(index).ok_or("it lacks an input")?;
        match self.known.get(name) {
            Some(Known::Value(operand) | Known::Rounded(operand, _)) => Ok(*operand),
            Some(Known::Part(part)) => Err(format!(
                "its input {name} is {part}, which the native backend knows as a part of a larger \
                 operation alone"
            )),
            _ => Err(format!("its input {name} is not computed from the planes")),
        }
    }

    /// Input number `index` of a node, if it is a part of an operation.
    fn part(&self, node: &NodeReader<'a>, index: usize) -> Option<&Part<'a>> {
        match self.known.get(node.input(index)?) {
            Some(Known::Part(part)) => Some(part),
            _ => None,
        }
    }

    /// The value of an output.
    fn output(&self, name: &str) -> Result<ValueId, String> {
        let Some(Known::Value(found)) = self.known.get(name) else {
            return Err(format!("its output {name} is in integers, or rounded"));
        };
        check_elements(name, found.element, FLOAT)?;
        match found.shape {
            Shape::Vector(_) => Ok(found.value),
            shape => Err(format!(
                "its output {name} is {shape}, not of two dimensions"
            )),
        }
    }

    fn tensor(&self, node: &NodeReader<'a>, index: usize) -> Result<&'a Tensor, String> {
        let name = node.input(index).ok_or("it lacks an input")?;
        match self.known.get(name) {
            Some(Known::Constant(tensor)) => Ok(*tensor),
            _ => Err(format!("its input {name} is not a constant of the file")),
        }
    }

    /// A constant of numbers, be it in integers or not, that go with an operand.
    fn numbers(
        &self,
        node: &NodeReader<'a>,
        index: usize,
        with: Operand,
    ) -> Result<(&'a [usize], Vec<f32>), String> {
        let name = node.input(index).ok_or("it lacks an input")?;
        let (dims, numbers, found) = match self.known.get(name) {
            Some(Known::Scaled(tensor, scales)) => {
                let numbers = dequantised(&integers(tensor)?, scales);
                (&tensor.dims, numbers, FLOAT)
            }
            _ => {
                let tensor = self.tensor(node, index)?;
                (&tensor.dims, floats(tensor)?.into_owned(), element(tensor))
            }
        };
        check_elements(name, found, with.element)?;
        Ok((dims, numbers))
    }
}

/// The operators read here want all of their numbers to be of one type.
fn check_elements(name: &str, found: i32, wanted: i32) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!(
            "{name} is {}, not {}",
            element_name(found),
            element_name(wanted)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Conv, Weights};
    use super::*;

    #[test]
    fn values_and_weights_share_the_room() {
        let x = Operand {
            value: 0,
            shape: Shape::Map(2),
            element: FLOAT,
        };
        let mut reader = GraphReader {
            sides: [5, 4],
            area: 20,
            keeps_bytes: false,
            opset: 17,
            may_round: false,
            known: HashMap::new(),
            values: vec![x.shape],
            room: 1000,
            nodes: Vec::new(),
            turns: HashMap::new(),
        };
        // 16 outputs of 2 3x3 and a map.
        for left in [Some(672), Some(344), Some(16), None] {
            let conv = Op::Conv(Conv {
                kernel: [3, 3],
                inputs: 2,
                weights: Weights::Float(vec![0.0; 36]),
                bias: vec![0.0; 2],
            });
            let pushed = reader.push(conv, &[x], x.shape).ok();
            assert_eq!(pushed.map(|_| reader.room), left);
        }
    }
}
