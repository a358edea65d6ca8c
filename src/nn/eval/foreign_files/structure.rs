//! Files that are invalid as a whole.

use super::changes::*;
use super::{Case, Change, Refused, Same, Unsound, case};
use crate::onnx::Attribute;
use crate::onnx::testing::{
    AttributeProto, FunctionProto, ModelProto, OperatorSetIdProto, SparseTensorProto,
    StringStringEntryProto, TensorProto,
};

pub(super) fn cases() -> Vec<Case> {
    let all = [
        versions(),
        names(),
        numbers(),
        places(),
        sparse(),
        sizes(),
        borders(),
    ];
    all.into_iter().flatten().collect()
}

fn versions() -> Vec<Case> {
    let import = |domain: &str, version| OperatorSetIdProto {
        domain: Some(domain.to_owned()),
        version,
    };
    vec![
        case(
            "versions: opset 99",
            opset(99),
            Unsound("of set 99 of ONNX; known are"),
        ),
        case("versions: opset 0", opset(0), Unsound("of set 0 of ONNX")),
        case(
            "versions: no opset",
            |model: &mut ModelProto| model.opset_import.clear(),
            Unsound("does not say which set"),
        ),
        case(
            "versions: the opset of another domain",
            move |model: &mut ModelProto| model.opset_import = vec![import("com.example", 1)],
            Unsound("does not say which set"),
        ),
        case(
            "versions: another domain beside",
            move |model: &mut ModelProto| model.opset_import.push(import("ai.onnx.ml", 3)),
            Same,
        ),
        case(
            "versions: two opsets",
            move |model: &mut ModelProto| model.opset_import.push(import("ai.onnx", 13)),
            Unsound("two sets of ONNX's operators, 17 and 13"),
        ),
        case(
            "versions: one opset twice",
            move |model: &mut ModelProto| model.opset_import.push(import("", 17)),
            Same,
        ),
        case(
            "versions: the file format's",
            |model: &mut ModelProto| model.ir_version = 99,
            Unsound("its file format has version 99"),
        ),
        case(
            "versions: no file format's",
            |model: &mut ModelProto| model.ir_version = 0,
            Unsound("its file format has version 0"),
        ),
        case(
            "versions: functions",
            |model: &mut ModelProto| {
                let mut function = FunctionProto {
                    name: "Relu".to_owned(),
                    domain: "com.example".to_owned(),
                    ..FunctionProto::default()
                };
                function.node.push(new_node("Tanh", &["x"], "y"));
                model.functions.push(function);
            },
            Refused("it defines the operator Relu (domain com.example) itself"),
        ),
    ]
}

fn names() -> Vec<Case> {
    vec![
        case(
            "names: a constant twice",
            |model: &mut ModelProto| {
                let twin = constant(model, "Conv", 1).clone();
                graph(model).initializer.push(twin);
            },
            Unsound("the name weight_1 is used twice"),
        ),
        case(
            "names: a constant that is the input",
            |model: &mut ModelProto| {
                let planes = TensorProto {
                    name: "planes".to_owned(),
                    ..constant(model, "Conv", 1).clone()
                };
                graph(model).initializer.push(planes);
            },
            Unsound("the name planes is used twice"),
        ),
        case(
            "names: a result twice",
            |model: &mut ModelProto| {
                let nodes = &mut graph(model).node;
                nodes[3].output = nodes[1].output.clone();
            },
            Unsound("is used twice"),
        ),
        case(
            "names: a result that is a constant",
            |model: &mut ModelProto| graph(model).node[3].output[0] = "weight_1".to_owned(),
            Unsound("the name weight_1 is used twice"),
        ),
        case(
            "names: out of order",
            |model: &mut ModelProto| graph(model).node.swap(0, 1),
            Unsound("Relu Relu_1 reads Conv_0, which nothing before it makes"),
        ),
        case(
            "names: a circle",
            |model: &mut ModelProto| {
                let nodes = &mut graph(model).node;
                nodes[0].input[0] = nodes[1].output[0].clone();
            },
            Unsound("Conv Conv_0 reads Relu_1, which nothing before it makes"),
        ),
        case(
            "names: an output that is an input",
            |model: &mut ModelProto| {
                let graph = graph(model);
                let mut output = graph.output[0].clone();
                output.name = "planes".to_owned();
                graph.output.push(output);
            },
            Unsound("its output planes is there twice, or an input"),
        ),
        case(
            "names: an output twice",
            |model: &mut ModelProto| {
                let output = graph(model).output[1].clone();
                graph(model).output.push(output);
            },
            Unsound("its output value is there twice"),
        ),
        case(
            "names: an output that nothing makes",
            |model: &mut ModelProto| {
                for node in &mut graph(model).node {
                    let made = node.output.iter_mut();
                    made.filter(|name| *name == "value")
                        .for_each(|name| name.push('s'));
                }
            },
            Unsound("nothing makes its output value"),
        ),
    ]
}

/// Replaces the third number of a constant.
fn third(index: usize, number: f32) -> impl Fn(&mut ModelProto) {
    move |model| {
        let tensor = constant(model, "Conv", index);
        let raw = tensor.raw_data.as_mut().unwrap();
        raw[8..12].copy_from_slice(&number.to_le_bytes());
    }
}

/// Moves all numbers into the typed field.
fn typed(model: &mut ModelProto) {
    for tensor in &mut graph(model).initializer {
        if tensor.data_type == 1 {
            let raw = tensor.raw_data.take().unwrap();
            let numbers = raw.as_chunks().0.iter();
            tensor.float_data = numbers.map(|&x| f32::from_le_bytes(x)).collect();
        }
    }
}

fn numbers() -> Vec<Case> {
    vec![
        case(
            "numbers: NaN",
            third(1, f32::NAN),
            Unsound("tensor weight_1 holds NaN (number 3 of 216)"),
        ),
        case(
            "numbers: infinity",
            third(2, f32::INFINITY),
            Unsound("tensor weight_2 holds inf"),
        ),
        case(
            "numbers: minus infinity",
            third(2, f32::NEG_INFINITY),
            Unsound("weight_2 holds -inf"),
        ),
        case(
            "numbers: NaN in a field of its type",
            both(third(1, f32::NAN), typed),
            Unsound("tensor weight_1 holds NaN"),
        ),
        case(
            "numbers: NaN in an attribute",
            float("Gemm", "alpha", f32::NAN),
            Unsound("its attribute alpha is NaN"),
        ),
    ]
}

fn places() -> Vec<Case> {
    let elsewhere = |model: &mut ModelProto| {
        let tensor = constant(model, "Conv", 1);
        tensor.raw_data = None;
        tensor.data_location = Some(1);
        tensor.external_data = vec![StringStringEntryProto {
            key: Some("location".to_owned()),
            value: Some("weights.bin".to_owned()),
        }];
    };
    vec![
        case("numbers: in fields of their type", typed, Same),
        case(
            "numbers: elsewhere",
            elsewhere,
            Unsound("tensor weight_1 has its numbers in another file (weights.bin)"),
        ),
        case(
            "numbers: in two places",
            |model: &mut ModelProto| constant(model, "Conv", 2).float_data = vec![0.0; 8],
            Unsound("tensor weight_2 has its numbers in two places"),
        ),
        case(
            "numbers: a byte too many",
            |model: &mut ModelProto| {
                constant(model, "Conv", 2)
                    .raw_data
                    .as_mut()
                    .unwrap()
                    .push(0);
            },
            Unsound("tensor weight_2 has 33 bytes, 4 a number"),
        ),
        case(
            "numbers: too few",
            |model: &mut ModelProto| constant(model, "Conv", 2).raw_data = Some(vec![0; 28]),
            Unsound("weights weight_2 have 7 numbers, shape [8] needs 8"),
        ),
        case(
            "numbers: of eight bits of a fraction",
            |model: &mut ModelProto| {
                let bias = constant(model, "Conv", 2);
                bias.data_type = 17;
                bias.raw_data = Some(vec![0; 8]);
            },
            Unsound("tensor weight_2 is of element type 17"),
        ),
        case(
            "numbers: a scale of zero",
            |model: &mut ModelProto| {
                dequantise_kernel(model);
                tensor(model, "scale").float_data[3] = 0.0;
            },
            Unsound("DequantizeLinear dequantised: its scale scale holds 0"),
        ),
        case(
            "numbers: a scale below zero",
            |model: &mut ModelProto| {
                dequantise_kernel(model);
                tensor(model, "scale").float_data[3] = -0.5;
            },
            Unsound("its scale scale holds -0.5"),
        ),
    ]
}

fn sparse() -> Vec<Case> {
    vec![
        case(
            "numbers: sparse ones",
            |model: &mut ModelProto| {
                let graph = graph(model);
                graph.initializer.retain(|tensor| tensor.name != "weight_1");
                graph.sparse_initializer.push(SparseTensorProto {});
            },
            Unsound("sparse tensors"),
        ),
        case(
            "numbers: sparse ones of an attribute",
            |model: &mut ModelProto| {
                let mut made = new_node("Constant", &[], "sparse");
                made.attribute = vec![AttributeProto {
                    name: "sparse_value".to_owned(),
                    r#type: 11,
                    sparse_tensor: Some(SparseTensorProto {}),
                    ..AttributeProto::default()
                }];
                graph(model).node.push(made);
            },
            Unsound("Constant sparse: its attribute sparse_value is a sparse tensor"),
        ),
    ]
}

/// Tensors that would fill the memory.
fn sizes() -> Vec<Case> {
    let filled = |op: &'static str, inputs: &'static [&'static str]| {
        move |model: &mut ModelProto| {
            let graph = graph(model);
            let lists: [(&str, &[i64]); 4] = [
                ("lengths", &[1 << 20, 1 << 20]),
                ("length", &[1 << 20]),
                ("least", &[-(1 << 40)]),
                ("zero", &[0]),
            ];
            let lists = lists.map(|(name, numbers)| list(name, numbers));
            graph.initializer.extend(lists);
            graph.initializer.push(TensorProto {
                name: "far".to_owned(),
                data_type: 1,
                float_data: vec![1e10],
                ..TensorProto::default()
            });
            let mut joined = new_node("Concat", &["length", "moved"], "joined");
            joined.attribute = vec![("axis", Attribute::Int(0)).into()];
            let moved = new_node("Identity", &["length"], "moved");
            let filled = new_node(op, inputs, "filled");
            graph.node.extend([moved, joined, filled]);
        }
    };
    vec![
        case(
            "sizes: very many numbers, made from two",
            filled("ConstantOfShape", &["lengths"]),
            Unsound("ConstantOfShape filled: it would make more than"),
        ),
        case(
            "sizes: very many numbers by lengths that are joined",
            filled("ConstantOfShape", &["joined"]),
            Unsound("ConstantOfShape filled: it would make more than"),
        ),
        case(
            "sizes: a range from far below zero",
            filled("Range", &["least", "zero"]),
            Unsound("Range filled: it would make more than"),
        ),
        case(
            "sizes: a range of fractions",
            filled("Range", &["zero", "far"]),
            Unsound("Range filled: it would make more than"),
        ),
    ]
}

/// Inputs and outputs of another element type, or more of them.
fn borders() -> Vec<Case> {
    fn kind(
        of: fn(&mut ModelProto) -> &mut crate::onnx::testing::ValueInfoProto,
        to: i32,
    ) -> Change {
        Box::new(move |model| {
            let tensor = of(model).r#type.as_mut().unwrap();
            tensor.tensor_type.as_mut().unwrap().elem_type = to;
        })
    }
    vec![
        case(
            "borders: planes in half precision",
            kind(|model| &mut graph(model).input[0], 10),
            Unsound("its input planes is float16, not float32"),
        ),
        case(
            "borders: a value in double precision",
            kind(|model| &mut graph(model).output[1], 11),
            Unsound("its output value is double, not float32"),
        ),
        case(
            "borders: planes of no type",
            |model: &mut ModelProto| graph(model).input[0].r#type = None,
            Unsound("its input planes is of element type 0"),
        ),
        case(
            "borders: a constant that is an input, too",
            |model: &mut ModelProto| {
                let mut input = graph(model).input[0].clone();
                input.name = "weight_1".to_owned();
                graph(model).input.push(input);
            },
            Unsound("weight_1"),
        ),
    ]
}
