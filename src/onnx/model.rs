//! Reads a whole model, weights and nodes included, so that it can be computed with or rewritten.
//! Only what [`super::GraphBuilder`] writes is understood; anything else is refused by name.

use super::header::Header;
use super::wire::{Content, Fields};
use super::{Attribute, OnnxError};

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
        let mut model = Model {
            header: Header::read(bytes)?,
            name: String::new(),
            nodes: Vec::new(),
            tensors: Vec::new(),
        };
        for field in Fields(bytes) {
            if let (7, graph) = field? {
                for field in graph.fields()? {
                    match field? {
                        (1, content) => model.nodes.push(read_node(content)?),
                        (2, content) => model.name = content.string()?,
                        (5, content) => model.tensors.push(read_tensor(content)?),
                        _ => {}
                    }
                }
            }
        }
        Ok(model)
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

fn read_node(node: Content<'_>) -> Result<ModelNode, OnnxError> {
    let (mut read, mut outputs) = (
        ModelNode {
            op: String::new(),
            inputs: Vec::new(),
            output: String::new(),
            attributes: Vec::new(),
        },
        0,
    );
    for field in node.fields()? {
        match field? {
            (1, content) => read.inputs.push(content.string()?),
            (2, content) => {
                read.output = content.string()?;
                outputs += 1;
            }
            (4, content) => read.op = content.string()?,
            (5, content) => read.attributes.push(read_attribute(content)?),
            _ => {}
        }
    }
    if outputs == 1 {
        Ok(read)
    } else {
        Err(OnnxError::Foreign(format!(
            "{} has {outputs} outputs",
            read.op
        )))
    }
}

fn read_attribute(attribute: Content<'_>) -> Result<(String, Attribute), OnnxError> {
    let (mut name, mut value, mut ints) = (String::new(), None, Vec::new());
    for field in attribute.fields()? {
        match field? {
            (1, content) => name = content.string()?,
            (2, content) => value = Some(Attribute::Float(content.float()?)),
            (3, content) => value = Some(Attribute::Int(content.int()?)),
            (4, content) => value = Some(Attribute::String(content.string()?)),
            (8, content) => ints.append(&mut content.ints()?),
            _ => {}
        }
    }
    let value = value.unwrap_or(Attribute::Ints(ints));
    Ok((name, value))
}

fn read_tensor(tensor: Content<'_>) -> Result<Tensor, OnnxError> {
    let (mut name, mut dims, mut kind, mut raw) = (String::new(), Vec::new(), 0, &[][..]);
    for field in tensor.fields()? {
        match field? {
            (1, content) => {
                for dim in content.ints()? {
                    let dim = usize::try_from(dim)
                        .map_err(|_| OnnxError::Malformed("a length is negative"))?;
                    dims.push(dim);
                }
            }
            (2, content) => kind = content.int()?,
            (8, content) => name = content.string()?,
            (9, content) => raw = content.bytes()?,
            _ => {}
        }
    }
    let numbers = match kind {
        1 => Numbers::F32(chunks(raw).map(f32::from_le_bytes).collect()),
        2 => Numbers::U8(raw.to_vec()),
        3 => Numbers::I8(chunks(raw).map(i8::from_le_bytes).collect()),
        6 => Numbers::I32(chunks(raw).map(i32::from_le_bytes).collect()),
        7 => Numbers::I64(chunks(raw).map(i64::from_le_bytes).collect()),
        _ => {
            let message = format!("constant {name} has element type {kind}");
            return Err(OnnxError::Foreign(message));
        }
    };
    let len = numbers.len();
    if dims
        .iter()
        .try_fold(1, |area: usize, &dim| area.checked_mul(dim))
        == Some(len)
    {
        Ok(Tensor {
            name,
            dims,
            numbers,
        })
    } else {
        Err(OnnxError::Shape { name, dims, len })
    }
}

/// The bytes in groups of a number's length.
fn chunks<const LEN: usize>(raw: &[u8]) -> impl Iterator<Item = [u8; LEN]> {
    let (chunks, _) = raw.as_chunks::<LEN>();
    chunks.iter().copied()
}

#[cfg(test)]
mod tests {
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
    fn damaged_files_are_errors() {
        let bytes = model();
        for len in 0..bytes.len() {
            // Any answer but a panic.
            let _ = Model::read(&bytes[..len]);
        }
        assert!(Model::read(&bytes[..40]).is_err());
    }
}
