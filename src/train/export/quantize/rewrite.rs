//! Rewrites a network with integer convolutions.
//!
//! ONNX Runtime looks for `DequantizeLinear -> Conv -> QuantizeLinear` (including a ReLU before the
//! last) and for the same around `Add`, and computes each such group in integers. So each tensor
//! between such operators passes through a pair of `QuantizeLinear` and `DequantizeLinear`, once
//! for all readers. Weights are i8 with a scale for each output channel, activations u8, biases i32
//! at the product of both scales.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::range::Range;
use tengen_nn::onnx::{
    Attribute, GraphBuilder, Model, ModelNode, Numbers, OnnxError, PRECISION, Value,
};

/// Greatest weight as a byte.
const MAX_WEIGHT: f32 = 127.0;

/// Names of the tensors to quantise.
pub(super) fn quantised(model: &Model) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in model.nodes.iter().filter(|node| is_integer(model, node)) {
        let inputs = node.inputs.iter();
        names.extend(inputs.filter(|name| model.tensor(name).is_none()).cloned());
        names.insert(result(model, node).to_owned());
    }
    names
}

/// Whether a node is computed in integers: sums of two maps, and convolutions of all channels except the
/// first, which reads the planes, and the last, which compute logits. The first is 5% of the work and
/// caused most of the error: in `nogo-9x9` the value's mean error fell from 0.021 to 0.008 without
/// it.
fn is_integer(model: &Model, node: &ModelNode) -> bool {
    let is_input = |name: &String| model.header.input(name).is_some();
    match node.op.as_str() {
        "Conv" if node.inputs.iter().any(is_input) => false,
        // One that reads fewer than all channels for each of its outputs is next to no work.
        "Conv" if node.int("group").is_some_and(|groups| groups != 1) => false,
        "Conv" => !model
            .readers(&node.output)
            .any(|reader| reader.op == "Flatten"),
        "Add" => !node.inputs.iter().any(|name| is_vector(model, name)),
        _ => false,
    }
}

/// Whether a tensor is a vector converted to one number per channel.
fn is_vector(model: &Model, name: &str) -> bool {
    let maker = model.nodes.iter().find(|node| node.output == name);
    maker.is_some_and(|node| node.op == "Reshape")
}

/// The tensor that stores a node's result: that of the ReLU behind it, if that is its only reader.
fn result<'a>(model: &'a Model, node: &'a ModelNode) -> &'a str {
    let mut readers = model.readers(&node.output);
    match (readers.next(), readers.next()) {
        (Some(only), None) if only.op == "Relu" => &only.output,
        _ => &node.output,
    }
}

/// The network in QDQ form.
///
/// # Errors
/// [`OnnxError`] when the graph cannot be written, or a range is missing.
pub(super) fn rewrite(
    model: &Model,
    ranges: &BTreeMap<String, Range>,
) -> Result<Vec<u8>, OnnxError> {
    let mut writer = Writer {
        model,
        ranges,
        graph: GraphBuilder::new(&model.name),
        values: HashMap::new(),
        rounded: HashMap::new(),
    };
    for input in &model.header.inputs {
        let value = writer.graph.input(&input.name, input.dims.clone());
        writer.values.insert(&input.name, value);
    }
    for node in &model.nodes {
        let value = writer.node(node)?;
        writer.values.insert(&node.output, value);
    }
    for output in &model.header.outputs {
        let value = writer.value(&output.name)?;
        writer
            .graph
            .output(&output.name, value, output.dims.clone());
    }
    let mut metadata = model.header.metadata.clone();
    metadata.push((PRECISION.to_owned(), "int8".to_owned()));
    writer.graph.finish(&metadata)
}

struct Writer<'a> {
    model: &'a Model,
    ranges: &'a BTreeMap<String, Range>,
    graph: GraphBuilder,
    /// The value of each tensor of the model in the new graph.
    values: HashMap<&'a str, Value>,
    /// The same after quantisation.
    rounded: HashMap<&'a str, Value>,
}

impl<'a> Writer<'a> {
    fn node(&mut self, node: &'a ModelNode) -> Result<Value, OnnxError> {
        let integer = is_integer(self.model, node);
        if integer && node.op == "Conv" {
            return self.conv(node);
        }
        let mut inputs = Vec::new();
        for name in &node.inputs {
            // All readers of a quantised tensor read the bytes.
            let kept = self.ranges.contains_key(name) && node.op != "Relu";
            inputs.push(if kept {
                self.rounded(name)?
            } else {
                self.value(name)?
            });
        }
        Ok(self.graph.copy_node(node, &inputs))
    }

    /// A tensor of the model or one of its constants.
    fn value(&mut self, name: &'a str) -> Result<Value, OnnxError> {
        if let Some(value) = self.values.get(name) {
            return Ok(*value);
        }
        let missing = || OnnxError::Foreign(format!("nothing makes {name}"));
        let tensor = self.model.tensor(name).ok_or_else(missing)?;
        let value = match &tensor.numbers {
            Numbers::F32(numbers) => self.graph.weights(name, &tensor.dims, numbers),
            Numbers::I64(numbers) => self.graph.integers(name, &tensor.dims, numbers),
            Numbers::F16(_) | Numbers::U8(_) | Numbers::I8(_) | Numbers::I32(_) => {
                let message = format!("constant {name} is not in f32");
                return Err(OnnxError::Foreign(message));
            }
        };
        self.values.insert(name, value);
        Ok(value)
    }

    /// A tensor after a round trip through eight bits.
    fn rounded(&mut self, name: &'a str) -> Result<Value, OnnxError> {
        if let Some(value) = self.rounded.get(name) {
            return Ok(*value);
        }
        let range = self.range(name)?;
        let value = self.value(name)?;
        let graph = &mut self.graph;
        let scale = graph.weights(&format!("{name}.scale"), &[], &[range.scale]);
        let zero = graph.unsigned_bytes(&format!("{name}.zero"), &[], &[range.zero]);
        let bytes = graph.node("QuantizeLinear", &[value, scale, zero], vec![]);
        let value = graph.node("DequantizeLinear", &[bytes, scale, zero], vec![]);
        self.rounded.insert(name, value);
        Ok(value)
    }

    fn range(&self, name: &str) -> Result<Range, OnnxError> {
        let range = self.ranges.get(name).copied();
        range.ok_or_else(|| OnnxError::Foreign(format!("{name} was not calibrated")))
    }

    fn conv(&mut self, node: &'a ModelNode) -> Result<Value, OnnxError> {
        let foreign = |what: &str| OnnxError::Foreign(format!("{} has no {what}", node.output));
        let (input, weight, bias) = match &node.inputs[..] {
            [input, weight] => (input, weight, None),
            [input, weight, bias] => (input, weight, Some(bias)),
            _ => return Err(foreign("input and weights")),
        };
        let (dims, factors) = self
            .model
            .weights(weight)
            .ok_or_else(|| foreign("weights"))?;
        let offsets = match bias {
            Some(bias) => self.model.weights(bias).ok_or_else(|| foreign("bias"))?.1,
            // KataGo's blocks end with such a convolution.
            None => &vec![0.0; dims[0]],
        };
        let bias = bias.map_or_else(|| format!("{weight}.bias"), Clone::clone);
        let x = self.rounded(input)?;
        let input_scale = self.range(input)?.scale;
        let (scales, bytes) = channel_bytes(factors, offsets.len());

        let axis = || vec![("axis", Attribute::Int(0))];
        let (graph, channels) = (&mut self.graph, offsets.len());
        let scale = graph.weights(&format!("{weight}.scale"), &[channels], &scales);
        let zeros = vec![0; channels];
        let zero = graph.signed_bytes(&format!("{weight}.zero"), &[channels], &zeros);
        let bytes = graph.signed_bytes(weight, dims, &bytes);
        let factors = graph.node("DequantizeLinear", &[bytes, scale, zero], axis());

        let bias_scales: Vec<f32> = scales.iter().map(|scale| scale * input_scale).collect();
        let steps = offsets.iter().zip(&bias_scales);
        let steps: Vec<i32> = steps
            .map(|(offset, scale)| (offset / scale).round() as i32)
            .collect();
        let scale = graph.weights(&format!("{bias}.scale"), &[channels], &bias_scales);
        let zeros = vec![0; channels];
        let zero = graph.small_integers(&format!("{bias}.zero"), &[channels], &zeros);
        let steps = graph.small_integers(&bias, &[channels], &steps);
        let bias = graph.node("DequantizeLinear", &[steps, scale, zero], axis());
        Ok(graph.copy_node(node, &[x, factors, bias]))
    }
}

/// The scale of each output channel, and all weights as bytes.
fn channel_bytes(factors: &[f32], channels: usize) -> (Vec<f32>, Vec<i8>) {
    let kernels = factors.chunks_exact(factors.len() / channels);
    let scales: Vec<f32> = kernels
        .clone()
        .map(|kernel| {
            let most = kernel.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            if most > 0.0 { most / MAX_WEIGHT } else { 1.0 }
        })
        .collect();
    let bytes = kernels
        .zip(&scales)
        .flat_map(|(kernel, scale)| kernel.iter().map(move |x| (x / scale).round() as i8));
    let bytes = bytes.collect();
    (scales, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_nearest_steps_of_their_channel() {
        let factors = [127.0, -0.6, 1.4, -63.5, 0.2, 31.4, 0.0, 0.0, 0.0];
        let (scales, bytes) = channel_bytes(&factors, 3);
        assert_eq!(scales, [1.0, 0.5, 1.0]);
        assert_eq!(bytes, [127, -1, 1, -127, 0, 63, 0, 0, 0]);
    }
}
