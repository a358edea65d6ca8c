//! Reads a whole model, weights and nodes included, so that it can be computed with or rewritten.
//! Only what [`super::GraphBuilder`] writes is understood; anything else is refused by name.

use half::f16;
use prost::Message;

use super::header::Header;
use super::proto::{AttributeProto, DataType, ModelProto, NodeProto, TensorProto};
use super::{Attribute, GraphBuilder, OnnxError, Value};

/// A model in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Inputs, outputs and metadata.
    pub header: Header,
    /// The graph's name.
    pub name: String,
    /// The operators, in an order in which they can be computed.
    pub nodes: Vec<ModelNode>,
    /// The weights and other constants.
    pub tensors: Vec<Tensor>,
}

/// One operator with one output.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelNode {
    /// The operator's name, such as `Conv`.
    pub op: String,
    /// Names of the tensors it reads.
    pub inputs: Vec<String>,
    /// Name of the tensor it makes.
    pub output: String,
    /// Constant arguments.
    pub attributes: Vec<(String, Attribute)>,
}

impl ModelNode {
    /// A constant argument that is one integer.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// A constant argument by name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }
}

impl GraphBuilder {
    /// Adds a node of another model, reading `inputs`.
    pub fn copy_node(&mut self, node: &ModelNode, inputs: &[Value]) -> Value {
        let attributes = node.attributes.iter();
        let attributes = attributes.map(|(name, value)| (&**name, value.clone()).into());
        self.push_node(&node.op, inputs, attributes.collect())
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub dims: Vec<usize>,
    /// Its numbers, row-major.
    pub numbers: Numbers,
}

/// The numbers of a constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Weights.
    F32(Vec<f32>),
    /// Weights in half precision.
    F16(Vec<f16>),
    /// Shapes.
    I64(Vec<i64>),
    /// Zero points of activations in integers.
    U8(Vec<u8>),
    /// Weights in integers.
    I8(Vec<i8>),
    /// Biases in integers.
    I32(Vec<i32>),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Numbers::F32(numbers) => numbers.len(),
            Numbers::F16(numbers) => numbers.len(),
            Numbers::I64(numbers) => numbers.len(),
            Numbers::U8(numbers) => numbers.len(),
            Numbers::I8(numbers) => numbers.len(),
            Numbers::I32(numbers) => numbers.len(),
        }
    }
}

impl Model {
    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// [`OnnxError::Malformed`] when the bytes are not an ONNX model, [`OnnxError::Foreign`] when it
    /// holds something that this program does not write.
    pub fn read(bytes: &[u8]) -> Result<Model, OnnxError> {
        let header = Header::read(bytes)?;
        Model::from_proto(header, ModelProto::decode(bytes)?)
    }

    /// As [`Model::read`], for a model that is to be written again: a file that says anything that
    /// these types do not keep is refused.
    ///
    /// # Errors
    /// As [`Model::read`]; [`OnnxError::Foreign`] when something would be lost.
    pub fn read_whole(bytes: &[u8]) -> Result<Model, OnnxError> {
        let header = Header::read(bytes)?;
        let model = ModelProto::decode(bytes)?;
        if model.encode_to_vec() != bytes {
            let message = "it holds what this program does not write, which would be lost";
            return Err(OnnxError::Foreign(message.to_owned()));
        }
        Model::from_proto(header, model)
    }

    fn from_proto(header: Header, model: ModelProto) -> Result<Model, OnnxError> {
        let graph = model.graph.unwrap_or_default();
        let (nodes, tensors) = (graph.node.into_iter(), graph.initializer.into_iter());
        Ok(Model {
            header,
            name: graph.name.unwrap_or_default(),
            nodes: nodes.map(ModelNode::try_from).collect::<Result<_, _>>()?,
            tensors: tensors.map(Tensor::try_from).collect::<Result<_, _>>()?,
        })
    }

    /// A constant by name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// Weights by name: their shape and numbers.
    #[must_use]
    pub fn weights(&self, name: &str) -> Option<(&[usize], &[f32])> {
        match self.tensor(name)? {
            Tensor {
                dims,
                numbers: Numbers::F32(numbers),
                ..
            } => Some((dims, numbers)),
            _ => None,
        }
    }

    /// The nodes that read a tensor.
    pub fn readers(&self, name: &str) -> impl Iterator<Item = &ModelNode> {
        let reads = move |node: &&ModelNode| node.inputs.iter().any(|input| input == name);
        self.nodes.iter().filter(reads)
    }
}

impl TryFrom<NodeProto> for ModelNode {
    type Error = OnnxError;

    fn try_from(node: NodeProto) -> Result<ModelNode, OnnxError> {
        let op = node.op_type;
        let [output] = <[String; 1]>::try_from(node.output)
            .map_err(|outputs| OnnxError::Foreign(format!("{op} has {} outputs", outputs.len())))?;
        let attributes = node.attribute.into_iter().map(named_attribute);
        Ok(ModelNode {
            op,
            inputs: node.input,
            output,
            attributes: attributes.collect::<Result<_, _>>()?,
        })
    }
}

fn named_attribute(attribute: AttributeProto) -> Result<(String, Attribute), OnnxError> {
    let AttributeProto { name, ints, .. } = attribute;
    let value = match (attribute.f, attribute.i, attribute.s) {
        (Some(x), _, _) => Attribute::Float(x),
        (_, Some(x), _) => Attribute::Int(x),
        (_, _, Some(x)) => Attribute::String(
            String::from_utf8(x).map_err(|_| OnnxError::Malformed("a string is not UTF-8"))?,
        ),
        _ => Attribute::Ints(ints),
    };
    Ok((name, value))
}

impl TryFrom<TensorProto> for Tensor {
    type Error = OnnxError;

    fn try_from(tensor: TensorProto) -> Result<Tensor, OnnxError> {
        let TensorProto { name, dims, .. } = tensor;
        let raw = tensor.raw_data.unwrap_or_default();
        let numbers = match DataType::try_from(tensor.data_type) {
            Ok(DataType::Float) => Numbers::F32(numbers(&raw, f32::from_le_bytes)),
            Ok(DataType::Float16) => Numbers::F16(numbers(&raw, f16::from_le_bytes)),
            Ok(DataType::Uint8) => Numbers::U8(raw),
            Ok(DataType::Int8) => Numbers::I8(numbers(&raw, i8::from_le_bytes)),
            Ok(DataType::Int32) => Numbers::I32(numbers(&raw, i32::from_le_bytes)),
            Ok(DataType::Int64) => Numbers::I64(numbers(&raw, i64::from_le_bytes)),
            Ok(DataType::Undefined) | Err(_) => {
                let kind = tensor.data_type;
                let message = format!("constant {name} has element type {kind}");
                return Err(OnnxError::Foreign(message));
            }
        };
        let dims: Option<Vec<usize>> = dims.iter().map(|&dim| dim.try_into().ok()).collect();
        let dims = dims.ok_or(OnnxError::Malformed("a length is negative"))?;
        let len = numbers.len();
        let area = dims
            .iter()
            .try_fold(1, |area: usize, &dim| area.checked_mul(dim));
        if area != Some(len) {
            return Err(OnnxError::Shape { name, dims, len });
        }
        Ok(Tensor {
            name,
            dims,
            numbers,
        })
    }
}

/// Numbers from their bytes.
fn numbers<T, const LEN: usize>(raw: &[u8], from: impl Fn([u8; LEN]) -> T) -> Vec<T> {
    let (chunks, _) = raw.as_chunks::<LEN>();
    chunks.iter().map(|&chunk| from(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Dim, GraphBuilder};
    use super::*;

    fn model() -> Vec<u8> {
        let mut graph = GraphBuilder::new("small");
        let x = graph.input("x", [Dim::batch(), 1.into(), 2.into(), 3.into()]);
        let kernel = graph.weights("kernel", &[2, 1, 3, 3], &[0.5; 18]);
        let y = graph.conv(x, kernel, None);
        let y = graph.reshape(y, &[0, -1]);
        graph.output("y", y, [Dim::batch(), 12.into()]);
        let pairs = [("key".to_owned(), "value".to_owned())];
        graph.finish(&pairs).unwrap()
    }

    #[test]
    fn what_was_written_is_read_whole() {
        let model = Model::read(&model()).unwrap();
        assert_eq!(model.name, "small");
        assert_eq!(model.header.metadata("key"), Some("value"));
        let ops: Vec<&str> = model.nodes.iter().map(|node| &*node.op).collect();
        assert_eq!(ops, ["Conv", "Reshape"]);
        let conv = &model.nodes[0];
        assert_eq!(conv.int("group"), Some(1));
        let pads = Attribute::Ints(vec![1, 1, 1, 1]);
        assert_eq!(conv.attribute("pads"), Some(&pads));
        let (dims, numbers) = model.weights("kernel").unwrap();
        assert_eq!((dims, numbers), (&[2, 1, 3, 3][..], &[0.5; 18][..]));
        let shape = model.tensor(&model.nodes[1].inputs[1]).unwrap();
        assert_eq!(shape.numbers, Numbers::I64(vec![0, -1]));
        assert!(model.readers("x").eq([conv]));
        assert_eq!(model.nodes[1].output, "y");
    }

    #[test]
    fn a_node_is_copied_with_its_arguments() {
        let model = Model::read(&model()).unwrap();
        let mut graph = GraphBuilder::new("copy");
        let x = graph.input("x", [Dim::batch(), 1.into(), 2.into(), 3.into()]);
        let kernel = graph.weights("kernel", &[2, 1, 3, 3], &[0.5; 18]);
        let y = graph.copy_node(&model.nodes[0], &[x, kernel]);
        graph.output("y", y, [Dim::batch()]);
        let copy = Model::read(&graph.finish(&[]).unwrap()).unwrap();
        assert_eq!(copy.nodes[0].attributes, model.nodes[0].attributes);
    }

    #[test]
    fn integers_are_read_and_other_element_types_refused() {
        let mut graph = GraphBuilder::new("bytes");
        let x = graph.input("x", [Dim::batch()]);
        graph.signed_bytes("weights", &[2], &[-1, 127]);
        graph.unsigned_bytes("zero", &[], &[200]);
        graph.small_integers("bias", &[1], &[-70_000]);
        let y = graph.relu(x);
        graph.output("y", y, [Dim::batch()]);
        let mut bytes = graph.finish(&[]).unwrap();
        let model = Model::read(&bytes).unwrap();
        let numbers = |name| &model.tensor(name).unwrap().numbers;
        assert_eq!(numbers("weights"), &Numbers::I8(vec![-1, 127]));
        assert_eq!(numbers("zero"), &Numbers::U8(vec![200]));
        assert_eq!(numbers("bias"), &Numbers::I32(vec![-70_000]));

        // Field 2 of the tensor, its element type, comes right before its name, field 8.
        let at = bytes.windows(7).position(|w| w == b"weights").unwrap();
        bytes[at - 3] = 5;
        let message = Model::read(&bytes).unwrap_err().to_string();
        assert!(message.contains("weights has element type 5"), "{message}");
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let mut bytes = model();
        assert_eq!(Model::read_whole(&bytes), Model::read(&bytes));
        // Field 6, the model's own documentation.
        bytes.extend(b"\x32\x05words");
        assert!(Model::read(&bytes).is_ok());
        let message = Model::read_whole(&bytes).unwrap_err().to_string();
        assert!(message.contains("would be lost"), "{message}");
    }

    /// So a network that is made again from the same weights has the same bytes as ever.
    #[test]
    fn released_networks_are_written_as_they_are() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
        let files = std::fs::read_dir(folder).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let networks: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "onnx"))
            .collect();
        assert!(networks.len() > 3, "{networks:?}");
        for path in networks {
            let read = Model::read_whole(&std::fs::read(&path).unwrap());
            assert!(read.is_ok(), "{}: {:?}", path.display(), read.err());
        }
    }

    #[test]
    fn files_cut_short_are_errors() {
        let bytes = model();
        for len in 0..bytes.len() {
            // Any answer but a panic.
            let _ = Model::read(&bytes[..len]);
        }
        assert!(Model::read(&bytes[..40]).is_err());
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(at in 0usize..300, to in any::<[u8; 3]>()) {
            let mut bytes = model();
            let at = at % (bytes.len() - 3);
            bytes[at..at + 3].copy_from_slice(&to);
            // Any answer but a panic.
            let _ = Model::read(&bytes);
        }
    }
}
