//! Converts a network to half precision, which GPUs compute several times as fast.

use std::collections::HashMap;

use half::f16;

use super::proto::DataType;
use super::{GraphBuilder, Model, Numbers, OnnxError, PRECISION, Value};

/// The network of an ONNX file with weights and all intermediate tensors in f16. Input and outputs
/// stay f32, so callers see no difference except in the last digits. A processor computes it in
/// f32.
///
/// # Errors
/// [`OnnxError::Foreign`] when the file is not an f32 network written by this program, or a weight
/// exceeds the range of half precision.
pub fn to_f16(onnx: &[u8]) -> Result<Vec<u8>, OnnxError> {
    let model = Model::read_whole(onnx)?;
    if let Some(precision) = model.header.metadata(PRECISION) {
        return Err(OnnxError::Foreign(format!("it is in {precision} already")));
    }
    let mut graph = GraphBuilder::new(&model.name);
    let mut values: HashMap<&str, Value> = HashMap::new();
    for input in &model.header.inputs {
        let value = graph.input(&input.name, input.dims.clone());
        values.insert(&input.name, graph.cast(value, DataType::Float16));
    }
    for tensor in &model.tensors {
        let (name, dims) = (&tensor.name, &tensor.dims);
        let value = match &tensor.numbers {
            Numbers::F32(numbers) => graph.half_weights(name, dims, &halves(name, numbers)?),
            Numbers::I64(numbers) => graph.integers(name, dims, numbers),
            Numbers::F16(_) | Numbers::U8(_) | Numbers::I8(_) | Numbers::I32(_) => {
                return Err(OnnxError::Foreign(format!("constant {name} is not f32")));
            }
        };
        values.insert(name, value);
    }
    for node in &model.nodes {
        let inputs = node.inputs.iter().map(|name| made(&values, name));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let value = graph.copy_node(node, &inputs);
        values.insert(&node.output, value);
    }
    for output in &model.header.outputs {
        let value = graph.cast(made(&values, &output.name)?, DataType::Float);
        graph.output(&output.name, value, output.dims.clone());
    }
    let mut metadata = model.header.metadata.clone();
    metadata.push((PRECISION.to_owned(), "f16".to_owned()));
    graph.finish(&metadata)
}

fn made(values: &HashMap<&str, Value>, name: &str) -> Result<Value, OnnxError> {
    let value = values.get(name).copied();
    value.ok_or_else(|| OnnxError::Foreign(format!("nothing makes {name}")))
}

fn halves(name: &str, numbers: &[f32]) -> Result<Vec<f16>, OnnxError> {
    let halves: Vec<f16> = numbers.iter().copied().map(f16::from_f32).collect();
    if halves.iter().all(|half| half.is_finite()) {
        return Ok(halves);
    }
    let most = f16::MAX;
    let message = format!("a number of {name} is beyond {most}, the greatest of half precision");
    Err(OnnxError::Foreign(message))
}

#[cfg(test)]
mod tests {
    use super::super::Dim;
    use super::*;

    fn network(weight: f32) -> Vec<u8> {
        let mut graph = GraphBuilder::new("small");
        let x = graph.input("x", [Dim::batch(), 2.into()]);
        let weights = graph.weights("weights", &[2, 1], &[weight, 1.0 / 3.0]);
        let bias = graph.weights("bias", &[1], &[0.0]);
        let y = graph.gemm(x, weights, bias);
        graph.output("y", y, [Dim::batch(), 1.into()]);
        let pairs = [("key".to_owned(), "value".to_owned())];
        graph.finish(&pairs).unwrap()
    }

    #[test]
    fn weights_become_halves_between_two_casts() {
        let onnx = to_f16(&network(1.0)).unwrap();
        let model = Model::read_whole(&onnx).unwrap();
        let ops: Vec<&str> = model.nodes.iter().map(|node| &*node.op).collect();
        assert_eq!(ops, ["Cast", "Gemm", "Cast"]);
        let to: Vec<_> = model.nodes.iter().map(|node| node.int("to")).collect();
        assert_eq!(to, [Some(10), None, Some(1)]);
        let third = f16::from_f32(1.0 / 3.0);
        let weights = Numbers::F16(vec![f16::ONE, third]);
        assert_eq!(model.tensor("weights").unwrap().numbers, weights);
        assert_eq!(model.header.metadata("key"), Some("value"));
        assert_eq!(model.header.metadata(PRECISION), Some("f16"));
        assert_eq!(model.header.outputs[0].name, "y");
    }

    #[test]
    fn what_cannot_be_halved_is_refused() {
        let message = to_f16(&network(1e6)).unwrap_err().to_string();
        assert!(message.contains("of weights is beyond 65504"), "{message}");
        let half = to_f16(&network(1.0)).unwrap();
        let message = to_f16(&half).unwrap_err().to_string();
        assert!(message.contains("in f16 already"), "{message}");
    }
}
