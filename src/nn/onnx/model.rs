//! Reads a whole model, including weights and nodes, for computing or rewriting. Only what
//! [`super::GraphBuilder`] writes is understood; anything else is rejected by name.

use prost::Message;

use super::graph::{IR_VERSION, OPSET};
use super::header::Header;
use super::proto::{AttributeProto, AttributeType, ModelProto, NodeProto};
use super::{Attribute, FLOAT, GraphBuilder, Numbers, OnnxError, Tensor, Value, validate};

/// A model in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Inputs, outputs and metadata.
    pub header: Header,
    /// The graph's name.
    pub name: String,
    /// The version of ONNX's operator set, which defines the nodes.
    pub opset: i64,
    /// The operators, in an order in which they can be computed.
    pub nodes: Vec<ModelNode>,
    /// Weights and other constants.
    pub tensors: Vec<Tensor>,
}

/// One operator with one output. One that splits a tensor is there once for each of its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelNode {
    /// The operator's name, such as `Conv`.
    pub op: String,
    /// Names of its input tensors.
    pub inputs: Vec<String>,
    /// Name of its output tensor.
    pub output: String,
    /// Constant arguments.
    pub attributes: Vec<(String, Attribute)>,
    /// Which output of how many it stands for, if its operator has several.
    pub part: Option<[usize; 2]>,
}

impl ModelNode {
    /// A constant argument that is one integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// A constant argument by name.
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

impl Model {
    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// [`OnnxError::Malformed`] when the bytes are not an ONNX model, [`OnnxError::Foreign`] when
    /// it contains something that this program does not write.
    pub fn read(bytes: &[u8]) -> Result<Model, OnnxError> {
        let header = Header::read(bytes)?;
        let mut room = MOST_COPIED;
        let read = |node| parts(node, &mut room);
        Model::from_proto(header, ModelProto::decode(bytes)?, read)
    }

    /// Like [`Model::read`], for a model that will be written again: a file with content that these
    /// types do not keep is rejected.
    ///
    /// # Errors
    /// Like [`Model::read`]; [`OnnxError::Foreign`] when something would be lost.
    pub fn read_whole(bytes: &[u8]) -> Result<Model, OnnxError> {
        let header = Header::read(bytes)?;
        let model = ModelProto::decode(bytes)?;
        let mut kinds = header.inputs.iter().chain(&header.outputs);
        let is_written = model.ir_version == IR_VERSION
            && validate::opset(&model)? == OPSET
            && kinds.all(|tensor| tensor.element == FLOAT);
        if !is_written || model.encode_to_vec() != bytes {
            let message = "it holds what this program does not write, which would be lost";
            return Err(OnnxError::Foreign(message.to_owned()));
        }
        Model::from_proto(header, model, |node| Ok(vec![ModelNode::try_from(node)?]))
    }

    fn from_proto(
        header: Header,
        model: ModelProto,
        read: impl FnMut(NodeProto) -> Result<Vec<ModelNode>, OnnxError>,
    ) -> Result<Model, OnnxError> {
        validate::check_operators(&model)?;
        let opset = validate::opset(&model)?;
        let graph = model.graph.unwrap_or_default();
        let nodes = graph.node.into_iter().map(read);
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let tensors = graph.initializer.into_iter();
        Ok(Model {
            header,
            name: graph.name.unwrap_or_default(),
            opset,
            nodes: nodes.into_iter().flatten().collect(),
            tensors: tensors.map(Tensor::try_from).collect::<Result<_, _>>()?,
        })
    }

    /// A constant by name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// Weights by name: their shape and numbers.
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

    /// The nodes that use a tensor.
    pub fn readers(&self, name: &str) -> impl Iterator<Item = &ModelNode> {
        let reads = move |node: &&ModelNode| node.inputs.iter().any(|input| input == name);
        self.nodes.iter().filter(reads)
    }
}

/// Bytes that the nodes for the outputs of all splits of a file may take: each is a copy of what the split says.
const MOST_COPIED: usize = 4 << 20;

/// A node that splits a tensor, as a node for each of its outputs, which takes some of `room`; other nodes as they are.
fn parts(mut node: NodeProto, room: &mut usize) -> Result<Vec<ModelNode>, OnnxError> {
    let count = node.output.len();
    if node.op_type != "Split" || count < 2 {
        return Ok(vec![ModelNode::try_from(node)?]);
    }
    let label = validate::label(&node);
    let outputs = std::mem::take(&mut node.output);
    let copied = node.encoded_len().checked_mul(count);
    let left = copied.and_then(|copied| room.checked_sub(copied));
    *room = left.ok_or_else(|| {
        OnnxError::Foreign(format!(
            "{label} splits a tensor into {count} parts, which are too many"
        ))
    })?;
    let part = |(index, output)| -> Result<ModelNode, OnnxError> {
        let node = NodeProto {
            output: vec![output],
            ..node.clone()
        };
        Ok(ModelNode {
            part: Some([index, count]),
            ..ModelNode::try_from(node)?
        })
    };
    outputs.into_iter().enumerate().map(part).collect()
}

impl TryFrom<NodeProto> for ModelNode {
    type Error = OnnxError;

    fn try_from(node: NodeProto) -> Result<ModelNode, OnnxError> {
        let label = validate::label(&node);
        let [output] = <[String; 1]>::try_from(node.output).map_err(|outputs| {
            OnnxError::Foreign(format!("{label} has {} outputs", outputs.len()))
        })?;
        let attributes = node.attribute.into_iter();
        let attributes = attributes.map(|attribute| named_attribute(attribute, &label));
        Ok(ModelNode {
            op: node.op_type,
            inputs: node.input,
            output,
            attributes: attributes.collect::<Result<_, _>>()?,
            part: None,
        })
    }
}

/// The value of an attribute lies in the field of its type; a missing one is 0 or empty.
fn named_attribute(
    attribute: AttributeProto,
    label: &str,
) -> Result<(String, Attribute), OnnxError> {
    let kind = attribute.r#type();
    let AttributeProto { name, f, i, s, .. } = attribute;
    let value = match kind {
        AttributeType::Float => Attribute::Float(f.unwrap_or_default()),
        AttributeType::Int => Attribute::Int(i.unwrap_or_default()),
        AttributeType::Ints => Attribute::Ints(attribute.ints),
        AttributeType::String => Attribute::String(
            String::from_utf8(s.unwrap_or_default())
                .map_err(|_| OnnxError::Malformed("a string is not UTF-8"))?,
        ),
        other => {
            let message = format!("{label}: its attribute {name} is of the type {other:?}");
            return Err(OnnxError::Foreign(message));
        }
    };
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Dim;
    use super::super::proto::{DataType, FunctionProto};
    use super::super::testing::altered;
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
        bytes[at - 3] = DataType::Bool as u8;
        let message = Model::read(&bytes).unwrap_err().to_string();
        assert!(message.contains("constant weights is bool"), "{message}");
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

    /// With all of it copied for each output a file of 200 KB took more than a gigabyte.
    #[test]
    fn a_split_into_parts_that_would_fill_the_memory_is_refused() {
        let split = |outputs: usize, numbers: usize| {
            let bytes = altered(&model(), |model| {
                let graph = model.graph.as_mut().unwrap();
                let padding = ("padding", Attribute::Ints(vec![1; numbers])).into();
                graph.node.push(NodeProto {
                    op_type: "Split".to_owned(),
                    input: vec!["x".to_owned()],
                    output: (0..outputs).map(|index| format!("part{index}")).collect(),
                    attribute: vec![padding],
                    ..NodeProto::default()
                });
            });
            Model::read(&bytes)
        };
        let whole = split(20_000, 10).unwrap();
        assert_eq!(whole.nodes.len(), 20_002);
        let last = &whole.nodes[20_001];
        assert_eq!(
            (&*last.output, last.part),
            ("part19999", Some([19_999, 20_000]))
        );
        let message = split(2_000, 50_000).unwrap_err().to_string();
        assert!(
            message.contains("Split part0 splits a tensor into 2000"),
            "{message}"
        );
    }

    /// Rewritten models use our own operator set, whose defaults another set may not share.
    #[test]
    fn another_set_of_operators_is_not_written_again() {
        for change in [
            |model: &mut ModelProto| model.opset_import[0].version = 16,
            |model: &mut ModelProto| model.ir_version = 9,
        ] {
            let bytes = altered(&model(), change);
            assert!(Model::read(&bytes).is_ok());
            let message = Model::read_whole(&bytes).unwrap_err().to_string();
            assert!(message.contains("would be lost"), "{message}");
        }
    }

    /// Writers of `proto3` omit a 0: a missing value is not the operator's default.
    #[test]
    fn an_attribute_without_a_value_is_zero_and_one_of_another_type_refused() {
        let alter = |change: &dyn Fn(&mut AttributeProto)| {
            let bytes = altered(&model(), |model| {
                let node = &mut model.graph.as_mut().unwrap().node[0];
                let group = node.attribute.iter_mut().find(|a| a.name == "group");
                change(group.unwrap());
            });
            Model::read(&bytes).map(|model| model.nodes[0].int("group"))
        };
        assert_eq!(alter(&|group| group.i = None), Ok(Some(0)));
        for (kind, words) in [
            (
                AttributeType::Tensor,
                "Conv Conv_0: its attribute group is of the type Tensor",
            ),
            (AttributeType::Floats, "Floats"),
            (AttributeType::Undefined, "Undefined"),
        ] {
            let refused = alter(&|group| group.set_type(kind)).unwrap_err();
            assert!(refused.to_string().contains(words), "{refused}");
        }
    }

    #[test]
    fn operators_of_others_are_refused() {
        let node = |change: fn(&mut NodeProto)| {
            altered(&model(), |model| {
                change(&mut model.graph.as_mut().unwrap().node[0]);
            })
        };
        let foreign = node(|node| node.domain = Some("com.example".to_owned()));
        let message = Model::read(&foreign).unwrap_err().to_string();
        assert!(
            message.contains("Conv Conv_0 is an operator of the domain com.example"),
            "{message}"
        );
        let named = node(|node| node.domain = Some("ai.onnx".to_owned()));
        assert!(Model::read(&named).is_ok());
        let own = altered(&model(), |model| {
            model.functions.push(FunctionProto {
                name: "Conv".to_owned(),
                ..FunctionProto::default()
            });
        });
        let message = Model::read(&own).unwrap_err().to_string();
        assert!(message.contains("defines the operator Conv"), "{message}");
    }

    /// So a network that is exported again from the same weights has the same bytes.
    #[test]
    fn released_networks_are_written_as_they_are() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
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
            // Any answer except a panic.
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
            // Any answer except a panic.
            let _ = Model::read(&bytes);
        }
    }
}
