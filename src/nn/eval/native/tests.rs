//! The backend as a whole, with every instruction set of this machine.

#[cfg(feature = "tract")]
mod pytorch;

use proptest::prelude::*;

use super::plan::{ConvKind, Step};
use super::*;
use crate::BoardSize;
use crate::eval::suite;
use crate::eval::testnet::{SMALL, Shape, random_batch};
use crate::eval::{PLANES, POLICY, VALUE};
use crate::onnx::{Attribute, GraphBuilder, PRECISION, Value};

fn small(level: Level) -> NativeEvaluator {
    let model = NativeModel::load_for("small", &SMALL.onnx(1), None, level, true).unwrap();
    model.evaluator()
}

#[test]
fn passes_the_suite() {
    for level in Level::all() {
        suite::check(&mut small(level));
    }
}

#[test]
fn all_kinds_of_code_agree() {
    let wide = Shape {
        blocks: 3,
        channels: 72,
        planes: 17,
        size: BoardSize::new(13, 6),
        outcomes: 3,
        ..SMALL
    };
    for onnx in [SMALL.onnx(2), wide.onnx(3), layer(&Layer::INTEGER, 4)] {
        let load = |level| {
            NativeModel::load_for("net", &onnx, None, level, true)
                .unwrap()
                .evaluator()
        };
        for level in Level::all() {
            suite::agree(
                &mut load(level),
                &mut load(Level::Portable(Default::default())),
                1e-4,
            );
        }
    }
}

/// A network of one convolution of interest.
#[derive(Debug, Clone, Copy)]
struct Layer {
    size: BoardSize,
    inputs: usize,
    outputs: usize,
    kernel: usize,
    groups: usize,
    /// With byte input and this zero point.
    zero: Option<u8>,
    residual: bool,
}

/// A quantisation step of activations.
const STEP: f32 = 0.017;

impl Layer {
    const INTEGER: Layer = Layer {
        size: BoardSize::new(9, 9),
        inputs: 40,
        outputs: 40,
        kernel: 3,
        groups: 1,
        zero: Some(0),
        residual: true,
    };

    fn info(&self) -> ModelInfo {
        ModelInfo {
            planes: self.inputs,
            size: self.size,
            policy_len: self.outputs * self.size.area(),
            ..SMALL.info()
        }
    }
}

/// A pseudo-random number in [-1, 1) for each index.
fn number(seed: u64, index: usize) -> f32 {
    let mixed = (index as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(seed);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
}

fn weight(seed: u64, index: usize) -> i8 {
    (127.0 * number(seed, index)) as i8
}

/// The policy is the convolution of the planes times 0.7 plus 0.1 (with the planes added where
/// there is a residual).
fn layer(layer: &Layer, seed: u64) -> Vec<u8> {
    let info = layer.info();
    let mut graph = GraphBuilder::new("layer");
    let planes = graph.input(PLANES, info.planes_shape());
    let channels = layer.inputs;
    let mut scaling = vec![0.0; channels * channels];
    (0..channels).for_each(|i| scaling[i * channels + i] = 0.7);
    let scaling = graph.weights("scaling", &[channels, channels, 1, 1], &scaling);
    let offset = graph.weights("offset", &[channels], &vec![0.1; channels]);
    let x = graph.conv(planes, scaling, Some(offset));

    let dims = [
        layer.outputs,
        channels / layer.groups,
        layer.kernel,
        layer.kernel,
    ];
    let len: usize = dims.iter().product();
    let bias: Vec<f32> = (0..layer.outputs).map(|i| number(seed + 1, i)).collect();
    let bias = graph.weights("bias", &[layer.outputs], &bias);
    let y = match layer.zero {
        None => {
            let weights: Vec<f32> = (0..len)
                .map(|i| f32::from(weight(seed, i)) / 127.0)
                .collect();
            let weights = graph.weights("weights", &dims, &weights);
            graph.grouped_conv(x, weights, Some(bias), layer.groups)
        }
        Some(zero) => {
            let rounded = rounded(&mut graph, x, zero);
            let weights: Vec<i8> = (0..len).map(|i| weight(seed, i)).collect();
            let bytes = graph.signed_bytes("weights", &dims, &weights);
            let scales = graph.weights("scales", &[dims[0]], &vec![1.0 / 127.0; dims[0]]);
            let axis = vec![("axis", Attribute::Int(0))];
            let weights = graph.node("DequantizeLinear", &[bytes, scales], axis);
            let half = layer.kernel as i64 / 2;
            let group = Attribute::Int(layer.groups as i64);
            let attributes = vec![("pads", Attribute::Ints(vec![half; 4])), ("group", group)];
            graph.node("Conv", &[rounded, weights, bias], attributes)
        }
    };
    let y = if layer.residual { graph.add(x, y) } else { y };
    let y = graph.relu(y);
    let policy = graph.flatten(y);
    graph.output(POLICY, policy, info.policy_shape());
    let value = graph.reduce_max(planes, &[2, 3]);
    let weights = vec![0.5; channels * info.outcomes];
    let weights = graph.weights("value.weights", &[channels, info.outcomes], &weights);
    let bias = graph.weights("value.bias", &[info.outcomes], &vec![0.0; info.outcomes]);
    let value = graph.gemm(value, weights, bias);
    graph.output(VALUE, value, info.value_shape());
    let mut metadata = info.to_metadata();
    if layer.zero.is_some() {
        metadata.push((PRECISION.to_owned(), "int8".to_owned()));
    }
    graph.finish(&metadata).unwrap()
}

fn rounded(graph: &mut GraphBuilder, x: Value, zero: u8) -> Value {
    let scale = graph.weights("x.scale", &[], &[STEP]);
    let zero = graph.unsigned_bytes("x.zero", &[], &[zero]);
    let bytes = graph.node("QuantizeLinear", &[x, scale, zero], vec![]);
    graph.node("DequantizeLinear", &[bytes, scale, zero], vec![])
}

/// The policy of [`layer`], in plain loops.
fn naive(layer: &Layer, seed: u64, row: &[f32]) -> Vec<f32> {
    let (width, height) = (i64::from(layer.size.width), i64::from(layer.size.height));
    let at = |channel: usize, y: i64, x: i64| {
        let inside = (0..height).contains(&y) && (0..width).contains(&x);
        let index = channel * layer.size.area() + (y * width + x).max(0) as usize;
        if inside { 0.7 * row[index] + 0.1 } else { 0.0 }
    };
    let round = |x: f32| match layer.zero {
        None => x,
        Some(zero) => {
            let zero = f32::from(zero);
            STEP * (((x / STEP).round_ties_even() + zero).clamp(0.0, 255.0) - zero)
        }
    };
    let half = layer.kernel as i64 / 2;
    let mut answers = Vec::new();
    for output in 0..layer.outputs {
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let mut sum = f64::from(number(seed + 1, output));
            let inputs = layer.inputs / layer.groups;
            let first = output / (layer.outputs / layer.groups) * inputs;
            for input in 0..inputs {
                for (dy, dx) in (-half..=half).flat_map(|dy| (-half..=half).map(move |dx| (dy, dx)))
                {
                    let tap = (dy + half) as usize * layer.kernel + (dx + half) as usize;
                    let index = (output * inputs + input) * layer.kernel.pow(2) + tap;
                    let weight = f64::from(weight(seed, index)) / 127.0;
                    sum += f64::from(round(at(first + input, y + dy, x + dx))) * weight;
                }
            }
            if layer.residual {
                sum += f64::from(at(output, y, x));
            }
            answers.push(sum.max(0.0) as f32);
        }
    }
    answers
}

fn check(layer: &Layer, seed: u64) {
    let onnx = self::layer(layer, seed);
    let batch = random_batch(layer.info().row_len(), 2, seed);
    for level in Level::all() {
        let mut evaluator = NativeModel::load_for("layer", &onnx, None, level, true)
            .unwrap()
            .evaluator();
        let out = suite::run(&mut evaluator, &batch);
        for index in 0..batch.len() {
            let expected = naive(layer, seed, batch.row(index));
            for (found, expected) in out.policy(index).iter().zip(expected) {
                let difference = (found - expected).abs();
                assert!(
                    difference < 1e-4,
                    "{level}: {found}, not {expected}: {layer:?}"
                );
            }
        }
    }
}

#[test]
fn convolutions_are_right_on_odd_boards_and_channels() {
    let sizes = [
        (1, 1),
        (2, 7),
        (5, 4),
        (9, 9),
        (11, 3),
        (19, 2),
        (23, 1),
        (8, 8),
        (19, 19),
    ];
    let channels = [(1, 1), (3, 5), (16, 33), (17, 48), (22, 11), (40, 80)];
    for (i, &(width, height)) in sizes.iter().enumerate() {
        for (j, &(inputs, outputs)) in channels.iter().enumerate() {
            for zero in [None, Some(0), Some(113)] {
                check(
                    &Layer {
                        size: BoardSize::new(width, height),
                        inputs,
                        outputs,
                        kernel: [3, 1, 5][(i + j) % 3],
                        groups: 1,
                        zero,
                        residual: false,
                    },
                    (10 * i + j) as u64,
                );
            }
        }
    }
}

#[test]
fn groups_of_channels_keep_to_themselves() {
    for (i, groups) in [2, 4, 40].into_iter().enumerate() {
        for kernel in [1, 3, 5] {
            for zero in [None, Some(0), Some(113)] {
                // A convolution alone in its group is not rounded.
                let zero = zero.filter(|_| groups < 40);
                let layer = Layer {
                    size: BoardSize::new(7, 6),
                    kernel,
                    groups,
                    zero,
                    ..Layer::INTEGER
                };
                check(&layer, i as u64);
            }
        }
    }
}

#[test]
fn residual_sums_are_right() {
    for zero in [None, Some(0), Some(40)] {
        check(
            &Layer {
                zero,
                ..Layer::INTEGER
            },
            7,
        );
    }
}

#[test]
fn words_are_not_summed_beyond_32_bits() {
    for (inputs, in_words) in [(40, true), (400, false)] {
        let layer = Layer {
            size: BoardSize::new(8, 8),
            inputs,
            outputs: 16,
            residual: false,
            ..Layer::INTEGER
        };
        check(&layer, 3);
        let onnx = self::layer(&layer, 3);
        for level in Level::all() {
            let model = NativeModel::load_for("layer", &onnx, None, level, true).unwrap();
            let expected = in_words && level.has_faster_words();
            assert_eq!(
                model.plan.most_blocks(ConvKind::WinogradOfWords) > 0,
                expected,
                "{level}"
            );
        }
    }
}

#[test]
fn without_bytes_a_network_in_bytes_is_nearly_the_same() {
    for zero in [0, 113] {
        let onnx = layer(
            &Layer {
                zero: Some(zero),
                ..Layer::INTEGER
            },
            5,
        );
        let [mut bytes, mut numbers] = [true, false].map(|keeps_integers| {
            let model =
                NativeModel::load_for("net", &onnx, None, Level::best(), keeps_integers).unwrap();
            let has_bytes = !model.plan.integers.is_empty();
            assert_eq!(
                has_bytes && model.plan.most_blocks(ConvKind::Words) == 0,
                keeps_integers
            );
            model.evaluator()
        });
        // 360 rounded inputs, each half a step away at most and a quarter on average.
        suite::agree(&mut bytes, &mut numbers, 0.5);
    }
}

#[test]
fn what_is_not_known_is_named() {
    let info = SMALL.info();
    let mut graph = GraphBuilder::new("foreign");
    let planes = graph.input(PLANES, info.planes_shape());
    let weights = graph.weights("weights", &[1, 3, 1, 1], &[0.5; 3]);
    let x = graph.conv(planes, weights, None);
    let x = graph.node("Softplus", &[x], vec![]);
    let policy = graph.flatten(x);
    graph.output(POLICY, policy, info.policy_shape());
    let value = graph.reduce_mean(planes, &[2, 3]);
    graph.output(VALUE, value, info.value_shape());
    let onnx = graph.finish(&info.to_metadata()).unwrap();
    let error = NativeModel::load("foreign.onnx", &onnx, None).unwrap_err();
    assert!(error.to_string().contains("Softplus"), "{error}");
    assert!(matches!(error, EvalError::Unavailable { .. }), "{error}");
}

/// A network with a policy, and with `make` of the planes and their means as the value.
fn with_value(make: impl FnOnce(&mut GraphBuilder, Value, Value) -> Value) -> Vec<u8> {
    let info = Layer::INTEGER.info();
    let mut graph = GraphBuilder::new("hostile");
    let planes = graph.input(PLANES, info.planes_shape());
    let means = graph.reduce_mean(planes, &[2, 3]);
    let value = make(&mut graph, planes, means);
    graph.output(VALUE, value, info.value_shape());
    let policy = graph.flatten(planes);
    graph.output(POLICY, policy, info.policy_shape());
    let mut metadata = info.to_metadata();
    metadata.push((PRECISION.to_owned(), "int8".to_owned()));
    graph.finish(&metadata).unwrap()
}

#[test]
fn tokens_are_not_read_as_bytes() {
    let Layer { size, inputs, .. } = Layer::INTEGER;
    let onnx = with_value(|graph, planes, _| {
        let channels = inputs as i64;
        let turned = || vec![("perm", Attribute::Ints(vec![0, 2, 1]))];
        let rows = graph.reshape(planes, &[-1, channels, size.area() as i64]);
        let tokens = graph.node("Transpose", &[rows], turned());
        let rows = graph.node("Transpose", &[tokens], turned());
        let sides = [size.height, size.width].map(i64::from);
        let map = graph.reshape(rows, &[-1, channels, sides[0], sides[1]]);
        let map = rounded(graph, map, 0);
        let bytes = graph.signed_bytes("bytes", &[2, inputs, 1, 1], &vec![1; 2 * inputs]);
        let scales = graph.weights("scales", &[2], &[0.5; 2]);
        let axis = vec![("axis", Attribute::Int(0))];
        let weights = graph.node("DequantizeLinear", &[bytes, scales], axis);
        let map = graph.node("Conv", &[map, weights], vec![]);
        graph.reduce_mean(map, &[2, 3])
    });
    let refused = NativeModel::load_for("tokens", &onnx, None, Level::best(), true);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("tokens is rounded"), "{refused}");
}

#[test]
fn what_was_in_memory_before_is_not_read() {
    let Layer { size, inputs, .. } = Layer::INTEGER;
    let (channels, area) = (20, size.area() as i64);
    let perm = |order: &[i64]| vec![("perm", Attribute::Ints(order.to_vec()))];
    let onnx = with_value(|graph, planes, _| {
        let product = |graph: &mut GraphBuilder, x, name: &str, [from, to]: [usize; 2]| {
            let weights: Vec<f32> = (0..from * to).map(|i| number(1, i)).collect();
            let weights = graph.weights(name, &[from, to], &weights);
            graph.matmul(x, weights)
        };
        let rows = graph.reshape(planes, &[-1, inputs as i64, area]);
        let tokens = graph.node("Transpose", &[rows], perm(&[0, 2, 1]));
        let [query, key, value] = ["query", "key", "value"].map(|name| {
            let x = product(graph, tokens, &format!("of {name}"), [inputs, channels]);
            let heads = graph.reshape(x, &[-1, area, 4, 5]);
            let order = match name {
                "key" => [0, 2, 3, 1],
                _ => [0, 2, 1, 3],
            };
            graph.node("Transpose", &[heads], perm(&order))
        });
        let scores = graph.matmul(query, key);
        let shares = graph.node("Softmax", &[scores], vec![]);
        let mixed = graph.matmul(shares, value);
        let mixed = graph.node("Transpose", &[mixed], perm(&[0, 2, 1, 3]));
        let mixed = graph.reshape(mixed, &[-1, area, channels as i64]);
        let squares = graph.mul(mixed, mixed);
        let axes = vec![("axes", Attribute::Ints(vec![2]))];
        let mean = graph.node("ReduceMean", &[squares], axes);
        let epsilon = graph.weights("epsilon", &[1], &[1e-6]);
        let mean = graph.add(mean, epsilon);
        let root = graph.node("Sqrt", &[mean], vec![]);
        let normed = graph.node("Div", &[mixed, root], vec![]);
        let value = product(graph, normed, "last", [channels, 2]);
        graph.reduce_mean(value, &[1])
    });
    for (level, in_words) in Level::all()
        .into_iter()
        .flat_map(|level| [(level, false), (level, true)])
    {
        let model = NativeModel::load_for("net", &onnx, None, level, in_words).unwrap();
        let [mut fresh, mut spoilt] = [(); 2].map(|()| model.evaluator());
        spoilt.memory.spoil(&model.plan);
        suite::agree(&mut spoilt, &mut fresh, 0.0);
    }
}

#[test]
fn the_memory_of_the_planes_is_theirs_alone() {
    let plan = small(Level::best()).model.plan;
    let written = plan.steps.iter().filter_map(|step| match step {
        Step::Conv(step) => step.target.numbers,
        _ => None,
    });
    assert!(!written.collect::<Vec<_>>().contains(&plan.planes.slot));
}

#[test]
fn a_small_file_does_not_take_all_memory() {
    let inputs = Layer::INTEGER.inputs;
    let doubled =
        with_value(|graph, _, means| (0..60).fold(means, |all, _| graph.concat(&[all, all], 1)));
    let grouped = with_value(|graph, planes, _| {
        let (channels, groups) = (4000, 2000);
        let wide = graph.weights("wide", &[channels, 1, 1, 1], &vec![0.5; channels]);
        let wide = graph.grouped_conv(planes, wide, None, inputs);
        let dims = [channels, channels / groups, 5, 5];
        let kernel = vec![0.5; dims.iter().product()];
        let kernel = graph.weights("kernel", &dims, &kernel);
        let y = graph.grouped_conv(wide, kernel, None, groups);
        graph.reduce_mean(y, &[2, 3])
    });
    let lengths = with_value(|graph, _, means| {
        let shape = graph.node("Shape", &[means], vec![]);
        let long = (0..9).fold(shape, |all, _| graph.concat(&[all, all], 0));
        graph.node("Reshape", &[means, long], vec![])
    });
    for (onnx, words) in [
        (doubled, "take too much memory"),
        (lengths, "joins more than 8 lengths"),
        (grouped, "take too much memory"),
    ] {
        assert!(onnx.len() < 2 << 20);
        let refused = NativeModel::load("hostile", &onnx, None).unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Any result but a panic.
    #[test]
    fn damaged_files_are_refused_or_computed(
        integer in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in any::<prop::sample::Index>(),
        cut in prop::bool::weighted(0.2),
    ) {
        let mut onnx = if integer { layer(&Layer::INTEGER, 1) } else { SMALL.onnx(1) };
        // Weights may have any value: what matters is before and after them.
        let len = onnx.len();
        for (index, byte) in changes {
            let at = index.index(len.min(4000));
            onnx[if byte % 4 == 0 { len - 1 - at } else { at }] = byte;
        }
        if cut {
            onnx.truncate(end.index(len));
        }
        if let Ok(model) = NativeModel::load("damaged", &onnx, None) {
            let batch = random_batch(model.info.row_len(), 1, 1);
            model.evaluator().evaluate(&batch, &mut Outputs::new()).unwrap();
        }
    }
}
