//! Converts a network to half precision, which GPUs compute several times as fast.

use std::collections::{HashMap, HashSet};

use half::f16;

use super::proto::DataType;
use super::{Attribute, GraphBuilder, Model, Numbers, OnnxError, PRECISION, Value};

/// The network of an ONNX file with weights and nearly all intermediate tensors in f16. Input and outputs
/// stay f32, so callers see no difference except in the last digits; so do normalisations by the root of the mean
/// square, since squares of numbers from 256 on are beyond half precision. A processor computes it in f32.
///
/// # Errors
/// [`OnnxError::Foreign`] when the file is not an f32 network written by this program, or a weight
/// exceeds the range of half precision.
pub fn to_f16(onnx: &[u8]) -> Result<Vec<u8>, OnnxError> {
    let model = Model::read_whole(onnx)?;
    if let Some(precision) = model.header.metadata(PRECISION) {
        return Err(OnnxError::Foreign(format!("it is in {precision} already")));
    }
    let mut writer = Writer {
        model: &model,
        graph: GraphBuilder::new(&model.name),
        values: HashMap::new(),
    };
    for input in &model.header.inputs {
        let value = writer.graph.input(&input.name, input.dims.clone());
        writer.values.insert((&*input.name, DataType::Float), value);
    }
    let mut squares: HashSet<&str> = HashSet::new();
    for node in &model.nodes {
        let is_exact = match (&*node.op, &node.inputs[..]) {
            ("Mul", [x, y]) => x == y,
            ("ReduceMean" | "Add" | "Sqrt" | "Div", inputs) => {
                inputs.iter().any(|name| squares.contains(&**name))
            }
            _ => false,
        };
        if is_exact && node.op != "Div" {
            squares.insert(&*node.output);
        }
        let element = if is_exact {
            DataType::Float
        } else {
            DataType::Float16
        };
        let inputs = node.inputs.iter().map(|name| writer.value(name, element));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let value = writer.graph.copy_node(node, &inputs);
        writer.values.insert((&*node.output, element), value);
    }
    for output in &model.header.outputs {
        let value = writer.value(&output.name, DataType::Float)?;
        writer
            .graph
            .output(&output.name, value, output.dims.clone());
    }
    let mut metadata = model.header.metadata.clone();
    metadata.push((PRECISION.to_owned(), "f16".to_owned()));
    writer.graph.finish(&metadata)
}

struct Writer<'a> {
    model: &'a Model,
    graph: GraphBuilder,
    /// The value of each tensor of the model in the new graph, by its precision there.
    values: HashMap<(&'a str, DataType), Value>,
}

impl<'a> Writer<'a> {
    /// A tensor of the model in this precision, or one of its constants.
    fn value(&mut self, name: &'a str, element: DataType) -> Result<Value, OnnxError> {
        if let Some(value) = self.values.get(&(name, element)) {
            return Ok(*value);
        }
        let other = match element {
            DataType::Float16 => DataType::Float,
            _ => DataType::Float16,
        };
        let value = match self.values.get(&(name, other)) {
            Some(&value) => {
                let to = Attribute::Int(i32::from(element).into());
                self.graph.node("Cast", &[value], vec![("to", to)])
            }
            None => self.constant(name, element)?,
        };
        self.values.insert((name, element), value);
        Ok(value)
    }

    fn constant(&mut self, name: &'a str, element: DataType) -> Result<Value, OnnxError> {
        let missing = || OnnxError::Foreign(format!("nothing makes {name}"));
        let tensor = self.model.tensor(name).ok_or_else(missing)?;
        let dims = &tensor.dims;
        Ok(match &tensor.numbers {
            Numbers::F32(numbers) if element == DataType::Float => {
                self.graph.weights(name, dims, numbers)
            }
            Numbers::F32(numbers) => self.graph.half_weights(name, dims, &halves(name, numbers)?),
            Numbers::I64(numbers) => self.graph.integers(name, dims, numbers),
            Numbers::F16(_) | Numbers::U8(_) | Numbers::I8(_) | Numbers::I32(_) => {
                return Err(OnnxError::Foreign(format!("constant {name} is not f32")));
            }
        })
    }
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
    fn normalisations_stay_in_f32() {
        let mut graph = GraphBuilder::new("normalised");
        let x = graph.input("x", [Dim::batch(), 2.into()]);
        let x = graph.relu(x);
        let squares = graph.mul(x, x);
        let axes = ("axes", Attribute::Ints(vec![1]));
        let mean = graph.node("ReduceMean", &[squares], vec![axes]);
        let epsilon = graph.weights("epsilon", &[1], &[1e-6]);
        let mean = graph.add(mean, epsilon);
        let root = graph.node("Sqrt", &[mean], Vec::new());
        let normed = graph.node("Div", &[x, root], Vec::new());
        let y = graph.add(x, normed);
        graph.output("y", y, [Dim::batch(), 2.into()]);
        let onnx = to_f16(&graph.finish(&[]).unwrap()).unwrap();
        let model = Model::read_whole(&onnx).unwrap();
        let ops = model.nodes.iter().map(|node| &*node.op);
        assert_eq!(
            ops.collect::<Vec<_>>().join(" "),
            "Cast Relu Cast Mul ReduceMean Add Sqrt Div Cast Add Cast"
        );
        let epsilon = &model.tensor("epsilon").unwrap().numbers;
        assert_eq!(epsilon, &Numbers::F32(vec![1e-6]));
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
