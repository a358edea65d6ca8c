//! Networks as PyTorch writes them to ONNX, beside what tract computes. Transformers: layer and RMS normalisations,
//! attention with scaled queries and keys whose axes are exchanged by way of a shape, queries, keys and values of one
//! matrix, GELU by the error function, and SwiGLU. Convolutions: maps flattened by a shape, and biases from what was
//! pooled over the whole board.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::BoardSize;
use crate::eval::native::{Level, NativeModel};
use crate::eval::testnet::{SMALL, Shape};
use crate::eval::{PLANES, POLICY, TractModel, VALUE, suite};
use crate::onnx::testing::{ModelProto, altered};
use crate::onnx::{Attribute, GraphBuilder, Value};

const BOARD: BoardSize = BoardSize::new(5, 4);
/// Not a whole number of blocks.
const CHANNELS: usize = 20;
const HEADS: i64 = 4;
const DIM: i64 = 5;

/// How a network is written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Layer normalisation, GELU, a matrix each for queries, keys and values.
    Plain,
    /// The same with one matrix for all three.
    Packed,
    /// RMS normalisation of single operators, and SwiGLU.
    Gated,
}

struct Net {
    graph: GraphBuilder,
    rng: Xoshiro256PlusPlus,
    constants: usize,
}

impl Net {
    fn name(&mut self) -> String {
        self.constants += 1;
        format!("constant_{}", self.constants)
    }

    fn random(&mut self, dims: &[usize], middle: f32, width: f32) -> Value {
        let count: usize = dims.iter().product();
        let draw = |_| middle + self.rng.random_range(-width..width);
        let numbers: Vec<f32> = (0..count).map(draw).collect();
        let name = self.name();
        self.graph.weights(&name, dims, &numbers)
    }

    fn number(&mut self, number: f32) -> Value {
        let name = self.name();
        self.graph.weights(&name, &[], &[number])
    }

    fn integers(&mut self, numbers: &[i64]) -> Value {
        let name = self.name();
        self.graph.integers(&name, &[numbers.len()], numbers)
    }

    fn op(&mut self, op: &'static str, inputs: &[Value]) -> Value {
        self.graph.node(op, inputs, Vec::new())
    }

    fn transposed(&mut self, x: Value, axes: &[i64]) -> Value {
        let axes = vec![("perm", Attribute::Ints(axes.to_vec()))];
        self.graph.node("Transpose", &[x], axes)
    }

    fn reshaped(&mut self, x: Value, dims: &[i64]) -> Value {
        let dims = self.integers(dims);
        let allowzero = vec![("allowzero", Attribute::Int(1))];
        self.graph.node("Reshape", &[x, dims], allowzero)
    }

    fn linear(&mut self, x: Value, inputs: usize, outputs: usize) -> Value {
        let weights = self.random(&[inputs, outputs], 0.0, (3.0 / inputs as f32).sqrt());
        let bias = self.random(&[outputs], 0.0, 0.3);
        let product = self.op("MatMul", &[x, weights]);
        self.op("Add", &[product, bias])
    }

    fn norm(&mut self, x: Value, style: Style) -> Value {
        let scale = self.random(&[CHANNELS], 1.0, 0.5);
        if style != Style::Gated {
            let bias = self.random(&[CHANNELS], 0.0, 0.3);
            let epsilon = vec![
                ("axis", Attribute::Int(-1)),
                ("epsilon", Attribute::Float(1e-5)),
            ];
            return self
                .graph
                .node("LayerNormalization", &[x, scale, bias], epsilon);
        }
        let (two, epsilon) = (self.number(2.0), self.number(1e-6));
        let square = self.op("Pow", &[x, two]);
        let axes = vec![("axes", Attribute::Ints(vec![2]))];
        let mean = self.graph.node("ReduceMean", &[square], axes);
        let sum = self.op("Add", &[mean, epsilon]);
        let root = self.op("Sqrt", &[sum]);
        let inverse = self.op("Reciprocal", &[root]);
        let normed = self.op("Mul", &[x, inverse]);
        self.op("Mul", &[normed, scale])
    }

    /// Lengths of a shape from one place to another.
    fn part_of_shape(&mut self, shape: Value, start: i64, end: i64) -> Value {
        let (start, end) = (self.integers(&[start]), self.integers(&[end]));
        self.op("Slice", &[shape, start, end])
    }

    fn attention(&mut self, x: Value, style: Style) -> Value {
        let parts = match style {
            Style::Packed => {
                let all = self.linear(x, CHANNELS, 3 * CHANNELS);
                let sizes = self.integers(&[CHANNELS as i64; 3]);
                let axis = || vec![("axis", Attribute::Int(-1))];
                // Joined to one node of three outputs later: the builder knows none.
                [(); 3].map(|()| self.graph.node("Split", &[all, sizes], axis()))
            }
            _ => [(); 3].map(|()| self.linear(x, CHANNELS, CHANNELS)),
        };
        let area = BOARD.area() as i64;
        let [query, key, value] = parts.map(|part| {
            let split = self.reshaped(part, &[-1, area, HEADS, DIM]);
            self.transposed(split, &[0, 2, 1, 3])
        });
        let shape = self.op("Shape", &[key]);
        let [batch, points, dim] = [(i64::MIN, -2), (-2, -1), (-1, i64::MAX)]
            .map(|(a, b)| self.part_of_shape(shape, a, b));
        let open = self.integers(&[-1]);
        let axis = || vec![("axis", Attribute::Int(0))];
        let joined = self.graph.node("Concat", &[open, points, dim], axis());
        let whole = self.graph.node("Concat", &[batch, dim, points], axis());
        let key = self.op("Reshape", &[key, joined]);
        let key = self.transposed(key, &[0, 2, 1]);
        let key = self.op("Reshape", &[key, whole]);
        let scale = self.number((DIM as f32).powf(-0.25));
        let (query, key) = (
            self.op("Mul", &[query, scale]),
            self.op("Mul", &[key, scale]),
        );
        let scores = self.op("MatMul", &[query, key]);
        let shares = self
            .graph
            .node("Softmax", &[scores], vec![("axis", Attribute::Int(-1))]);
        let mixed = self.op("MatMul", &[shares, value]);
        let mixed = self.transposed(mixed, &[0, 2, 1, 3]);
        let mixed = self.reshaped(mixed, &[-1, area, CHANNELS as i64]);
        self.linear(mixed, CHANNELS, CHANNELS)
    }

    fn feed_forward(&mut self, x: Value, style: Style) -> Value {
        let hidden = self.linear(x, CHANNELS, 37);
        let active = if style == Style::Gated {
            let gate = self.linear(x, CHANNELS, 37);
            let share = self.op("Sigmoid", &[hidden]);
            let active = self.op("Mul", &[hidden, share]);
            self.op("Mul", &[active, gate])
        } else {
            let (root, one, half) = (
                self.number(2.0_f32.sqrt()),
                self.number(1.0),
                self.number(0.5),
            );
            let scaled = self.op("Div", &[hidden, root]);
            let erf = self.op("Erf", &[scaled]);
            let sum = self.op("Add", &[erf, one]);
            match style {
                // As the older exporter puts it.
                Style::Packed => {
                    let twice = self.op("Mul", &[hidden, sum]);
                    self.op("Mul", &[twice, half])
                }
                _ => {
                    let factor = self.op("Mul", &[half, sum]);
                    self.op("Mul", &[hidden, factor])
                }
            }
        };
        self.linear(active, 37, CHANNELS)
    }
}

fn shape() -> Shape {
    Shape {
        size: BOARD,
        ..SMALL
    }
}

fn network(style: Style) -> Vec<u8> {
    let mut net = Net {
        graph: GraphBuilder::new("transformer"),
        rng: Xoshiro256PlusPlus::seed_from_u64(9),
        constants: 0,
    };
    let (info, area) = (shape().info(), BOARD.area());
    let planes = net.graph.input(PLANES, info.planes_shape());
    let kernel = net.random(&[CHANNELS, info.planes, 3, 3], 0.0, 0.3);
    let stem = net.graph.conv(planes, kernel, None);
    let rows = net.reshaped(stem, &[-1, CHANNELS as i64, area as i64]);
    let tokens = net.transposed(rows, &[0, 2, 1]);
    let places = net.random(&[area, CHANNELS], 0.0, 0.5);
    let mut x = net.op("Add", &[tokens, places]);
    for _ in 0..2 {
        let normed = net.norm(x, style);
        let added = net.attention(normed, style);
        x = net.op("Add", &[x, added]);
        let normed = net.norm(x, style);
        let added = net.feed_forward(normed, style);
        x = net.op("Add", &[x, added]);
    }
    let x = net.norm(x, style);
    let policy = net.linear(x, CHANNELS, 1);
    let last = net.integers(&[-1]);
    let policy = net.op("Squeeze", &[policy, last]);
    net.graph.output(POLICY, policy, info.policy_shape());
    let axes = ("axes", Attribute::Ints(vec![1]));
    let dropped = ("keepdims", Attribute::Int(0));
    let mean = net.graph.node("ReduceMean", &[x], vec![axes, dropped]);
    let weights = net.random(&[CHANNELS, info.outcomes], 0.0, 0.5);
    let bias = net.random(&[info.outcomes], 0.0, 0.5);
    let value = net.graph.gemm(mean, weights, bias);
    net.graph.output(VALUE, value, info.value_shape());
    net.graph.finish(&info.to_metadata()).expect("a file")
}

/// Makes one node of each three that split a tensor.
fn with_splits(onnx: &[u8]) -> Vec<u8> {
    altered(onnx, |model| {
        let nodes = &mut model.graph.as_mut().expect("a graph").node;
        while let Some(at) = nodes
            .iter()
            .position(|node| node.op_type == "Split" && node.output.len() == 1)
        {
            let more = nodes
                .drain(at + 1..at + 3)
                .flat_map(|node| node.output)
                .collect::<Vec<_>>();
            nodes[at].output.extend(more);
        }
    })
}

/// Which of the outputs a node stands for is not for a file to say.
#[test]
fn a_split_with_an_attribute_of_its_own_is_refused() {
    let onnx = altered(&with_splits(&network(Style::Packed)), |model| {
        let nodes = &mut model.graph.as_mut().expect("a graph").node;
        for split in nodes.iter_mut().filter(|node| node.op_type == "Split") {
            let part = ("part", Attribute::Ints(vec![7, 1]));
            split.attribute.push(part.into());
        }
    });
    let refused = NativeModel::load("export", &onnx, None).unwrap_err();
    let words = "its attribute part ([7, 1]) is not known";
    assert!(refused.to_string().contains(words), "{refused}");
}

/// What `native` says to a network with a change.
fn refused(change: impl FnOnce(&mut ModelProto)) -> String {
    let onnx = altered(&network(Style::Gated), change);
    let refused = NativeModel::load("export", &onnx, None).unwrap_err();
    refused.to_string()
}

#[test]
fn a_mean_over_an_axis_that_is_not_there_is_refused() {
    let message = refused(|model| {
        let mut nodes = model.graph.as_mut().expect("a graph").node.iter_mut();
        let mean = nodes.find(|node| node.op_type == "ReduceMean");
        mean.expect("a normalisation").attribute[0].ints = vec![5];
    });
    assert!(message.contains("its axes are [5]"), "{message}");
}

#[test]
fn places_of_another_type_than_their_tokens_are_refused() {
    let message = refused(|model| {
        let places = &mut model.graph.as_mut().expect("a graph").initializer[2];
        assert_eq!(places.dims, [BOARD.area() as i64, CHANNELS as i64]);
        places.data_type = 10;
        places.raw_data = Some(vec![0; 2 * BOARD.area() * CHANNELS]);
    });
    assert!(message.contains("is float16, not float32"), "{message}");
}

/// A convolutional network; `flatten(1)` of a map of this many channels leads to its policy, directly or by a layer.
fn convolutional(policy_channels: usize) -> Vec<u8> {
    let mut net = Net {
        graph: GraphBuilder::new("convolutions"),
        rng: Xoshiro256PlusPlus::seed_from_u64(10),
        constants: 0,
    };
    let (info, area) = (shape().info(), BOARD.area());
    let planes = net.graph.input(PLANES, info.planes_shape());
    let kernel = net.random(&[CHANNELS, info.planes, 3, 3], 0.0, 0.3);
    let stem = net.graph.conv(planes, kernel, None);
    let x = net.op("Relu", &[stem]);
    let pooled = ["ReduceMean", "ReduceMax"].map(|op| {
        let axes = ("axes", Attribute::Ints(vec![2, 3]));
        net.graph
            .node(op, &[x], vec![axes, ("keepdims", Attribute::Int(0))])
    });
    let pooled = net
        .graph
        .node("Concat", &pooled, vec![("axis", Attribute::Int(1))]);
    let weights = net.random(&[2 * CHANNELS, CHANNELS], 0.0, 0.3);
    let bias = net.random(&[CHANNELS], 0.0, 0.3);
    let bias = net.graph.gemm(pooled, weights, bias);
    let axes = net.integers(&[2, 3]);
    let bias = net.op("Unsqueeze", &[bias, axes]);
    let sum = net.op("Add", &[x, bias]);
    let x = net.op("Relu", &[sum]);
    let kernel = net.random(&[policy_channels, CHANNELS, 1, 1], 0.0, 0.3);
    let map = net.graph.conv(x, kernel, None);
    let len = policy_channels * area;
    let mut policy = net.reshaped(map, &[-1, len as i64]);
    if len != info.policy_len {
        let weights = net.random(&[len, info.policy_len], 0.0, 0.3);
        let bias = net.random(&[info.policy_len], 0.0, 0.3);
        policy = net.graph.gemm(policy, weights, bias);
    }
    net.graph.output(POLICY, policy, info.policy_shape());
    let weights = net.random(&[2 * CHANNELS, info.outcomes], 0.0, 0.3);
    let bias = net.random(&[info.outcomes], 0.0, 0.3);
    let value = net.graph.gemm(pooled, weights, bias);
    net.graph.output(VALUE, value, info.value_shape());
    net.graph.finish(&info.to_metadata()).expect("a file")
}

#[test]
fn exports_of_pytorch_are_computed_as_tract_does() {
    let transformers = [Style::Plain, Style::Packed, Style::Gated];
    let transformers = transformers.map(|style| with_splits(&network(style)));
    for onnx in transformers.into_iter().chain([1, 2].map(convolutional)) {
        let mut tract = TractModel::load("export", &onnx, None)
            .unwrap()
            .evaluator()
            .unwrap();
        for level in Level::all() {
            let native = NativeModel::load_for("export", &onnx, None, level, false);
            suite::agree(
                &mut native.unwrap().evaluator(),
                &mut tract,
                suite::TOLERANCE,
            );
        }
        // Words of 14 bits where they are faster.
        let mut fast = NativeModel::load("export", &onnx, None)
            .unwrap()
            .evaluator();
        suite::agree(&mut fast, &mut tract, 1e-2);
    }
}
