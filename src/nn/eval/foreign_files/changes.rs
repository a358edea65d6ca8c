//! Modifications of a file.

use crate::onnx::Attribute;
use crate::onnx::testing::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};

pub(super) fn graph(model: &mut ModelProto) -> &mut GraphProto {
    model.graph.as_mut().unwrap()
}

/// The first node of an operator.
pub(super) fn node<'a>(model: &'a mut ModelProto, op: &str) -> &'a mut NodeProto {
    let mut nodes = graph(model).node.iter_mut();
    nodes.find(|node| node.op_type == op).unwrap()
}

/// Sets an attribute of the first node of an operator.
pub(super) fn set(
    op: &'static str,
    name: &'static str,
    value: Attribute,
) -> impl Fn(&mut ModelProto) {
    move |model| {
        let attributes = &mut node(model, op).attribute;
        attributes.retain(|attribute| attribute.name != name);
        attributes.push(AttributeProto::from((name, value.clone())));
    }
}

pub(super) fn int(op: &'static str, name: &'static str, value: i64) -> impl Fn(&mut ModelProto) {
    set(op, name, Attribute::Int(value))
}

pub(super) fn ints(
    op: &'static str,
    name: &'static str,
    values: &'static [i64],
) -> impl Fn(&mut ModelProto) {
    set(op, name, Attribute::Ints(values.to_vec()))
}

pub(super) fn word(
    op: &'static str,
    name: &'static str,
    value: &'static str,
) -> impl Fn(&mut ModelProto) {
    set(op, name, Attribute::String(value.to_owned()))
}

pub(super) fn float(op: &'static str, name: &'static str, value: f32) -> impl Fn(&mut ModelProto) {
    set(op, name, Attribute::Float(value))
}

/// Removes an attribute of the first node of an operator.
pub(super) fn without(op: &'static str, name: &'static str) -> impl Fn(&mut ModelProto) {
    move |model| {
        node(model, op)
            .attribute
            .retain(|attribute| attribute.name != name)
    }
}

pub(super) fn both(
    first: impl Fn(&mut ModelProto),
    second: impl Fn(&mut ModelProto),
) -> impl Fn(&mut ModelProto) {
    move |model| {
        first(model);
        second(model);
    }
}

pub(super) fn opset(version: i64) -> impl Fn(&mut ModelProto) {
    move |model| model.opset_import[0].version = version
}

/// A constant by name.
pub(super) fn tensor<'a>(model: &'a mut ModelProto, name: &str) -> &'a mut TensorProto {
    let mut tensors = graph(model).initializer.iter_mut();
    tensors.find(|tensor| tensor.name == name).unwrap()
}

/// The constant that is input number `index` of the first node of an operator.
pub(super) fn constant<'a>(
    model: &'a mut ModelProto,
    op: &str,
    index: usize,
) -> &'a mut TensorProto {
    let name = node(model, op).input[index].clone();
    tensor(model, &name)
}

/// Changes the shape of that constant.
pub(super) fn shape(
    op: &'static str,
    index: usize,
    dims: &'static [i64],
) -> impl Fn(&mut ModelProto) {
    move |model| constant(model, op, index).dims = dims.to_vec()
}

/// Adds a constant of integers.
pub(super) fn list(name: &str, numbers: &[i64]) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims: vec![numbers.len() as i64],
        data_type: 7,
        int64_data: numbers.to_vec(),
        ..TensorProto::default()
    }
}

/// Passes the axes of the first reduction of a kind as an input, as from operator set 18 on.
pub(super) fn axes_as_input(op: &'static str) -> impl Fn(&mut ModelProto) {
    move |model| {
        without(op, "axes")(model);
        let name = format!("{op}_axes");
        node(model, op).input.push(name.clone());
        graph(model).initializer.push(list(&name, &[2, 3]));
    }
}

/// Inserts a node behind the first one of an operator, in front of all its readers.
pub(super) fn behind(op: &'static str, make: fn(String) -> NodeProto) -> impl Fn(&mut ModelProto) {
    move |model| {
        let nodes = &mut graph(model).node;
        let at = nodes.iter().position(|node| node.op_type == op).unwrap();
        let made = nodes[at].output[0].clone();
        let added = make(made.clone());
        for input in nodes.iter_mut().flat_map(|node| &mut node.input) {
            if *input == made {
                input.clone_from(&added.output[0]);
            }
        }
        nodes.insert(at + 1, added);
    }
}

pub(super) fn new_node(op: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op.to_owned(),
        name: output.to_owned(),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

/// Quantisation step of the first kernel's weights.
const STEP: f32 = 1.0 / 64.0;

fn kernel_steps(kernel: &TensorProto) -> Vec<i8> {
    let raw = kernel.raw_data.as_deref().unwrap();
    let (numbers, _) = raw.as_chunks();
    let steps = numbers.iter().map(|&x| f32::from_le_bytes(x) / STEP);
    steps.map(|x| x.round() as i8).collect()
}

/// Rounds the first kernel's weights to whole steps.
pub(super) fn round_kernel(model: &mut ModelProto) {
    let kernel = constant(model, "Conv", 1);
    let steps = kernel_steps(kernel).into_iter();
    let raw = steps.flat_map(|step| (f32::from(step) * STEP).to_le_bytes());
    kernel.raw_data = Some(raw.collect());
}

/// Lets the first convolution read its rounded weights through a `DequantizeLinear`, with a scale
/// for each output channel, of axis 0.
pub(super) fn dequantise_kernel(model: &mut ModelProto) {
    let kernel = constant(model, "Conv", 1);
    let (name, outputs) = (kernel.name.clone(), kernel.dims[0]);
    let steps = kernel_steps(kernel);
    kernel.data_type = 3;
    kernel.raw_data = Some(steps.into_iter().map(i8::cast_unsigned).collect());
    let scale = TensorProto {
        name: "scale".to_owned(),
        dims: vec![outputs],
        data_type: 1,
        float_data: vec![STEP; outputs as usize],
        ..TensorProto::default()
    };
    graph(model).initializer.push(scale);
    let mut dequantised = new_node("DequantizeLinear", &[&name, "scale"], "dequantised");
    dequantised.attribute = vec![("axis", Attribute::Int(0)).into()];
    node(model, "Conv").input[1] = "dequantised".to_owned();
    graph(model).node.insert(0, dequantised);
}

/// One scale for all, without an axis.
pub(super) fn one_scale(model: &mut ModelProto) {
    dequantise_kernel(model);
    without("DequantizeLinear", "axis")(model);
    let scale = tensor(model, "scale");
    scale.dims.clear();
    scale.float_data.truncate(1);
}
