//! Checks for defects that make a file unusable for every backend: numbers stored elsewhere or not
//! finite, sparse tensors, ambiguous names, versions that are missing or newer than these checks, tensors that would
//! fill the memory.
//!
//! A backend may miss all of them: a ReLU turns a NaN into 0, and an operator of another domain is
//! taken for the ONNX operator of the same name.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use prost::Message;

use super::proto::{AttributeProto, AttributeType, GraphProto, ModelProto, NodeProto, TensorProto};
use super::{Numbers, OnnxError, Tensor};

/// File format versions: from the first with named operator sets to that of onnx 1.23.
const IR_VERSIONS: RangeInclusive<i64> = 3..=14;
/// Versions of ONNX's operator set; the newest is that of onnx 1.23.
const OPSETS: RangeInclusive<i64> = 1..=28;

/// Checks the bytes of a file for every backend.
///
/// # Errors
/// [`OnnxError::Unsound`] names the tensor, the node or the version.
pub fn validate(onnx: &[u8]) -> Result<(), OnnxError> {
    let model = ModelProto::decode(onnx)?;
    if !IR_VERSIONS.contains(&model.ir_version) {
        return unsound(format!(
            "its file format has version {}; known are {}",
            model.ir_version,
            ends(&IR_VERSIONS)
        ));
    }
    opset(&model)?;
    for function in &model.functions {
        check_attributes(&function.attribute_proto, &function.name)?;
        check_nodes(&function.node, true)?;
    }
    let graph = model.graph.unwrap_or_default();
    // Before the names: theirs are not known.
    refuse_sparse_constants(&graph)?;
    check_names(&graph)?;
    check_graph(&graph)
}

/// Checks that a file uses only standard ONNX operators, for backends that identify them by name
/// alone.
///
/// # Errors
/// [`OnnxError::Foreign`] names the node.
pub fn validate_operators(onnx: &[u8]) -> Result<(), OnnxError> {
    check_operators(&ModelProto::decode(onnx)?)
}

/// An operator, one of its attributes, and the values of it that a backend knows; an attribute that is not there is an
/// empty text.
pub type KnownValues = (&'static str, &'static str, &'static [&'static str]);

/// Checks that operators have no other values of attributes than the known ones, for a backend that would compute
/// something else without saying so.
///
/// # Errors
/// [`OnnxError::Foreign`] names the node.
pub fn validate_attributes(onnx: &[u8], known: &[KnownValues]) -> Result<(), OnnxError> {
    let model = ModelProto::decode(onnx)?;
    for node in model.graph.iter().flat_map(|graph| &graph.node) {
        for (_, name, values) in known.iter().filter(|(op, ..)| *op == node.op_type) {
            let attribute = node.attribute.iter().find(|one| one.name == *name);
            let found = attribute.map(text).unwrap_or_default();
            if !values.contains(&&*found) {
                let value = match attribute {
                    Some(_) => format!("{name} {found}"),
                    None => format!("the usual {name}"),
                };
                let label = label(node);
                return Err(OnnxError::Foreign(format!(
                    "{label} with {value} is computed otherwise than ONNX says"
                )));
            }
        }
    }
    Ok(())
}

/// The value of an attribute that is a number, a word or a list of integers.
fn text(attribute: &AttributeProto) -> String {
    match attribute.r#type() {
        AttributeType::Float => attribute.f.unwrap_or_default().to_string(),
        AttributeType::Int => attribute.i.unwrap_or_default().to_string(),
        AttributeType::String => {
            let word = attribute.s.as_deref().unwrap_or_default();
            String::from_utf8_lossy(word).into_owned()
        }
        _ => format!("{:?}", attribute.ints),
    }
}

/// Like [`validate_operators`].
pub(super) fn check_operators(model: &ModelProto) -> Result<(), OnnxError> {
    if let Some(function) = model.functions.first() {
        let (name, domain) = (&function.name, &function.domain);
        return Err(OnnxError::Foreign(format!(
            "it defines the operator {name} (domain {domain}) itself"
        )));
    }
    let mut nodes = model.graph.iter().flat_map(|graph| &graph.node);
    nodes.try_for_each(check_operator)
}

fn check_operator(node: &NodeProto) -> Result<(), OnnxError> {
    let domain = node.domain.as_deref().unwrap_or_default();
    if !is_onnx(domain) {
        let label = label(node);
        return Err(OnnxError::Foreign(format!(
            "{label} is an operator of the domain {domain}"
        )));
    }
    let graphs = |attribute: &AttributeProto| {
        let graphs = attribute.g.iter().chain(&attribute.graphs);
        graphs
            .flat_map(|graph| &graph.node)
            .try_for_each(check_operator)
    };
    node.attribute.iter().try_for_each(graphs)
}

/// Whether a domain is that of ONNX's own operators.
pub(super) fn is_onnx(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

/// The version of ONNX's operator set that a file declares.
pub(super) fn opset(model: &ModelProto) -> Result<i64, OnnxError> {
    let imports = model.opset_import.iter();
    let mut versions = imports
        .filter(|import| is_onnx(import.domain.as_deref().unwrap_or_default()))
        .map(|import| import.version);
    let first = versions.next();
    // Some programs name the same one twice.
    match (first, versions.find(|&other| Some(other) != first)) {
        (Some(version), None) if OPSETS.contains(&version) => Ok(version),
        (Some(version), None) => unsound(format!(
            "its operators are of set {version} of ONNX; known are {}",
            ends(&OPSETS)
        )),
        (Some(one), Some(other)) => unsound(format!(
            "it names two sets of ONNX's operators, {one} and {other}"
        )),
        (None, _) => unsound("it does not say which set of ONNX's operators it uses".to_owned()),
    }
}

fn ends(range: &RangeInclusive<i64>) -> String {
    format!("{} to {}", range.start(), range.end())
}

fn unsound<T>(what: String) -> Result<T, OnnxError> {
    Err(OnnxError::Unsound(what))
}

/// Name of a node in an error: its operator and its output.
pub(super) fn label(node: &NodeProto) -> String {
    let made = node.output.first().map_or("nothing", |name| name);
    format!("{} {made}", node.op_type)
}

/// Every name is defined once, and before its use.
fn check_names(graph: &GraphProto) -> Result<(), OnnxError> {
    let mut made = HashSet::new();
    let constants = graph.initializer.iter().map(|tensor| &*tensor.name);
    let inputs = graph.input.iter().map(|input| &*input.name);
    for name in constants.chain(inputs) {
        if !made.insert(name) {
            return unsound(format!("the name {name} is used twice"));
        }
    }
    let mut by_nodes: HashSet<&str> = HashSet::new();
    for node in &graph.node {
        let read = node.input.iter().filter(|name| !name.is_empty());
        if let Some(name) = read.into_iter().find(|name| !made.contains(&***name)) {
            let label = label(node);
            return unsound(format!(
                "{label} reads {name}, which nothing before it makes"
            ));
        }
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            if !made.insert(name) {
                return unsound(format!("the name {name} is used twice"));
            }
            by_nodes.insert(&**name);
        }
    }
    // A remaining output is not the result of a node, or is listed twice.
    let mut outputs = graph.output.iter().map(|output| &*output.name);
    match outputs.find(|name| !by_nodes.remove(name)) {
        Some(name) if made.contains(name) => unsound(format!(
            "its output {name} is there twice, or an input or a constant"
        )),
        Some(name) => unsound(format!("nothing makes its output {name}")),
        None => Ok(()),
    }
}

fn refuse_sparse_constants(graph: &GraphProto) -> Result<(), OnnxError> {
    match graph.sparse_initializer.is_empty() {
        true => Ok(()),
        false => unsound("it has constants that are sparse tensors".to_owned()),
    }
}

fn check_graph(graph: &GraphProto) -> Result<(), OnnxError> {
    refuse_sparse_constants(graph)?;
    for tensor in &graph.initializer {
        check_tensor(tensor)?;
    }
    check_nodes(&graph.node, false)?;
    let constants = constants(graph);
    let short = constants.iter();
    let short = short.filter_map(|(&name, tensor)| Some((name, short_list(tensor)?)));
    let mut short: HashMap<&str, Vec<f64>> = short.collect();
    for node in &graph.node {
        check_scales(node, &constants)?;
        check_fill(node, &short)?;
        // What only moves or joins such numbers leaves them known.
        let joined = match &*node.op_type {
            "Cast" | "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" => 1,
            "Concat" => SHORT,
            _ => 0,
        };
        let lists = node.input.iter().take(joined);
        let lists: Option<Vec<_>> = lists.map(|name| short.get(&**name).cloned()).collect();
        let list = lists.unwrap_or_default().concat();
        if let (1..=SHORT, [made]) = (list.len(), &node.output[..]) {
            short.insert(made, list);
        }
    }
    Ok(())
}

fn check_nodes(nodes: &[NodeProto], in_function: bool) -> Result<(), OnnxError> {
    for node in nodes {
        let label = label(node);
        check_attributes(&node.attribute, &label)?;
        let mut attributes = node.attribute.iter();
        let borrowed = attributes.find(|attribute| attribute.ref_attr_name.is_some());
        if let (Some(attribute), false) = (borrowed, in_function) {
            let name = &attribute.name;
            return unsound(format!(
                "{label}: its attribute {name} is that of a function, and there is none around it"
            ));
        }
    }
    Ok(())
}

fn check_attributes(attributes: &[AttributeProto], label: &str) -> Result<(), OnnxError> {
    let mut names = HashSet::new();
    for attribute in attributes {
        let name = &attribute.name;
        if !names.insert(name) {
            return unsound(format!("{label} has two attributes {name}"));
        }
        let mut floats = attribute.f.iter().chain(&attribute.floats);
        if let Some(number) = floats.find(|number| !number.is_finite()) {
            return unsound(format!("{label}: its attribute {name} is {number}"));
        }
        if attribute.sparse_tensor.is_some() || !attribute.sparse_tensors.is_empty() {
            return unsound(format!("{label}: its attribute {name} is a sparse tensor"));
        }
        for tensor in attribute.t.iter().chain(&attribute.tensors) {
            check_tensor(tensor)
                .or_else(|error| unsound(format!("{label}: in its attribute {name} {error}")))?;
        }
        for graph in attribute.g.iter().chain(&attribute.graphs) {
            check_graph(graph)?;
        }
    }
    Ok(())
}

/// All numbers of a tensor are present and finite.
fn check_tensor(tensor: &TensorProto) -> Result<(), OnnxError> {
    let (_, dims) = tensor.stored()?;
    let Some((at, number)) = tensor.find(|number| !number.is_finite()) else {
        return Ok(());
    };
    let (name, count) = (&tensor.name, dims.iter().product::<usize>());
    unsound(format!(
        "tensor {name} holds {number} (number {} of {count}): its training failed, or the file is damaged",
        at + 1
    ))
}

/// The constants of a graph by name.
fn constants(graph: &GraphProto) -> HashMap<&str, &TensorProto> {
    let initialisers = graph.initializer.iter();
    let mut constants: HashMap<&str, &TensorProto> =
        initialisers.map(|tensor| (&*tensor.name, tensor)).collect();
    for node in &graph.node {
        let made = node.output.first().filter(|_| node.op_type == "Constant");
        let value = node.attribute.iter().find_map(|value| value.t.as_ref());
        constants.extend(made.map(|name| &**name).zip(value));
    }
    constants
}

/// Scales of integers are greater than zero.
fn check_scales(
    node: &NodeProto,
    constants: &HashMap<&str, &TensorProto>,
) -> Result<(), OnnxError> {
    let scales: &[usize] = match &*node.op_type {
        "QuantizeLinear" | "DequantizeLinear" => &[1],
        "QLinearConv" | "QLinearMatMul" => &[1, 4, 6],
        _ => &[],
    };
    for &input in scales {
        let name = node.input.get(input).map_or("", |name| name);
        let wrong = constants
            .get(name)
            .and_then(|scale| scale.find(|number| number <= 0.0));
        if let Some((_, number)) = wrong {
            let label = label(node);
            return unsound(format!("{label}: its scale {name} holds {number}"));
        }
    }
    Ok(())
}

/// Numbers of the longest list that may hold lengths of axes.
const SHORT: usize = 16;

/// The numbers of a constant that may hold lengths of axes.
fn short_list(tensor: &TensorProto) -> Option<Vec<f64>> {
    let (_, dims) = tensor.stored().ok()?;
    if dims.iter().product::<usize>() > SHORT {
        return None;
    }
    let numbers = Tensor::try_from(tensor.clone()).ok()?.numbers;
    Some(match numbers {
        Numbers::I64(numbers) => numbers.into_iter().map(|number| number as f64).collect(),
        Numbers::I32(numbers) => numbers.into_iter().map(f64::from).collect(),
        Numbers::F32(numbers) => numbers.into_iter().map(f64::from).collect(),
        _ => return None,
    })
}

/// The most numbers of a tensor that is made from a few: those of a layer of a large network are a tenth.
const MOST_MADE: f64 = 16_777_216.0;

/// What is made from a few numbers is not made large by them: backends compute such tensors while they load a file.
/// `short` has the lists of numbers that are known.
fn check_fill(node: &NodeProto, short: &HashMap<&str, Vec<f64>>) -> Result<(), OnnxError> {
    let known = |input: usize| short.get(&**node.input.get(input)?);
    let first = |input, usual| {
        known(input)
            .and_then(|list| list.first().copied())
            .unwrap_or(usual)
    };
    let lengths = |list: &Vec<f64>| -> f64 { list.iter().map(|len| len.abs().max(1.0)).product() };
    let made: f64 = match &*node.op_type {
        "ConstantOfShape" => known(0).map_or(0.0, lengths),
        "Expand" | "OneHot" | "Pad" | "Tile" => known(1).map_or(0.0, lengths),
        "Resize" => known(3).map_or(0.0, lengths),
        "Range" => ((first(1, 0.0) - first(0, 0.0)) / first(2, 1.0)).abs(),
        _ => 0.0,
    };
    match made > MOST_MADE {
        true => unsound(format!(
            "{}: it would make more than {MOST_MADE} numbers",
            label(node)
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_tensors_with_numbers_are_seen() {
        // Values (field 1) and indices (field 2), in an initialiser and in an attribute of a node.
        let sparse = [0x0a_u8, 2, 8, 1, 0x12, 2, 8, 1];
        let constant = [&[0x7a, 8][..], &sparse].concat();
        let attribute = [&[0x0a, 13, 0x2a, 11, 0xb2, 1, 8][..], &sparse].concat();
        for bytes in [constant, attribute] {
            let graph = GraphProto::decode(&bytes[..]).unwrap();
            let error = check_graph(&graph).unwrap_err().to_string();
            assert!(error.contains("sparse tensor"), "{error}");
        }
    }
}
