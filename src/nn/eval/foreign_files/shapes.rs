//! Other shapes and element types, operators of other sets and domains.

use super::changes::*;
use super::{Case, Near, Refused, Same, case};
use crate::onnx::Attribute;
use crate::onnx::testing::{AttributeProto, ModelProto};

/// Another shape for the per-channel numbers.
fn reshaped(dims: &'static [i64]) -> impl Fn(&mut ModelProto) {
    move |model| {
        let name = node(model, "Reshape").input[1].clone();
        *tensor(model, &name) = list(&name, dims);
    }
}

pub(super) fn reshapes() -> Vec<Case> {
    vec![
        case("reshape: keeps both", reshaped(&[0, 0, 1, 1]), Same),
        case(
            "reshape: takes what is left",
            reshaped(&[0, -1, 1, 1]),
            Same,
        ),
        case(
            "reshape: two take what is left",
            reshaped(&[-1, -1, 1, 1]),
            Refused("it makes a shape [-1, -1, 1, 1] of 8 numbers"),
        ),
        case(
            "reshape: another number",
            reshaped(&[-1, 4, 1, 1]),
            Refused("[-1, 4, 1, 1]"),
        ),
        case(
            "reshape: columns",
            reshaped(&[0, 1, 1, 8]),
            Refused("it makes a shape"),
        ),
        case(
            "reshape: usual allowzero",
            int("Reshape", "allowzero", 0),
            Same,
        ),
        case(
            "reshape: allowzero",
            both(int("Reshape", "allowzero", 1), reshaped(&[0, -1, 1, 1])),
            Refused("allowzero is 1"),
        ),
        case(
            "reshape: allowzero before its time",
            both(opset(13), int("Reshape", "allowzero", 0)),
            Refused("allowzero (0) is not known"),
        ),
    ]
}

pub(super) fn casts() -> Vec<Case> {
    vec![
        case(
            "relu: an attribute",
            float("Relu", "alpha", 0.1),
            Refused("alpha (0.1)"),
        ),
        case(
            "add: an axis of old",
            int("Add", "axis", 1),
            Refused("axis (1)"),
        ),
        case(
            "cast: to half and back",
            both(
                behind("ReduceMean", |name| {
                    let mut half = new_node("Cast", &[&name], "half");
                    half.attribute = vec![("to", Attribute::Int(10)).into()];
                    half
                }),
                behind("Cast", |name| {
                    let mut single = new_node("Cast", &[&name], "single");
                    single.attribute = vec![("to", Attribute::Int(1)).into()];
                    single
                }),
            ),
            Near,
        ),
        case(
            "cast: to half only",
            behind("ReduceMean", |name| {
                let mut half = new_node("Cast", &[&name], "half");
                half.attribute = vec![("to", Attribute::Int(10)).into()];
                half
            }),
            Refused("is float32, not float16"),
        ),
        case(
            "cast: to double",
            behind("ReduceMean", |name| {
                let mut double = new_node("Cast", &[&name], "double");
                double.attribute = vec![("to", Attribute::Int(11)).into()];
                double
            }),
            Refused("its attribute to is 11"),
        ),
    ]
}

pub(super) fn sets() -> Vec<Case> {
    vec![
        case(
            "an operator over the batch",
            behind("ReduceMean", |name| {
                let mut softmax = new_node("Softmax", &[&name], "softmax");
                softmax.attribute = vec![("axis", Attribute::Int(0)).into()];
                softmax
            }),
            Refused("the native backend knows this operator as a part of attention alone"),
        ),
        case(
            "an operator of another domain",
            |model: &mut ModelProto| node(model, "Relu").domain = Some("com.example".to_owned()),
            Refused("is an operator of the domain com.example"),
        ),
        case(
            "an operator of ONNX by its long name",
            |model: &mut ModelProto| node(model, "Relu").domain = Some("ai.onnx".to_owned()),
            Same,
        ),
        case(
            "the newest operators",
            both(
                opset(22),
                both(axes_as_input("ReduceMean"), axes_as_input("ReduceMax")),
            ),
            Same,
        ),
        case(
            "old operators",
            opset(12),
            Refused("set 12 of ONNX; known are 13 to"),
        ),
        case(
            "a constant by a node",
            |model: &mut ModelProto| {
                let name = node(model, "Reshape").input[1].clone();
                let value = list("", &[-1, 8, 1, 1]);
                graph(model)
                    .initializer
                    .retain(|tensor| tensor.name != name);
                let mut constant = new_node("Constant", &[], &name);
                constant.attribute = vec![AttributeProto {
                    name: "value".to_owned(),
                    t: Some(value),
                    r#type: 4,
                    ..AttributeProto::default()
                }];
                graph(model).node.insert(0, constant);
            },
            Refused("its attribute value is of the type Tensor"),
        ),
    ]
}

/// A file for boards as wide as the network has channels.
pub(super) fn columns() -> Vec<Case> {
    let added = |model: &mut ModelProto| {
        let nodes = &mut graph(model).node;
        let at = nodes
            .iter()
            .position(|node| node.op_type == "Reshape")
            .unwrap();
        let reshape = nodes.remove(at);
        for input in nodes.iter_mut().flat_map(|node| &mut node.input) {
            if *input == reshape.output[0] {
                input.clone_from(&reshape.input[0]);
            }
        }
    };
    vec![case(
        "add: numbers a column",
        added,
        Refused("it adds a [batch, 8, height, width] and a [batch, 8]"),
    )]
}
