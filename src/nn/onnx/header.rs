//! Reads the description in an ONNX file: metadata, inputs and outputs, names of nodes, and the checksum in it. Weights
//! are skipped, so this takes microseconds and no backend.

use prost::Message;

use super::proto::{Dimension, ModelProto, StringStringEntryProto, ValueInfoProto};
use super::{Dim, OnnxError};

/// A graph input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// Its element type in ONNX's numbering, where 1 is f32; 0 when it is not a tensor.
    pub element: i32,
    /// Its shape; empty when the file states none.
    pub dims: Vec<Dim>,
}

/// The description in a model file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Graph inputs, in order.
    pub inputs: Vec<TensorInfo>,
    /// Graph outputs, in order.
    pub outputs: Vec<TensorInfo>,
    /// `metadata_props`, in order, without the checksum.
    pub metadata: Vec<(String, String)>,
    /// The checksum, if any.
    pub checksum: Option<Checksum>,
    nodes: Vec<NodeHeader>,
}

/// The fields of [`ModelProto`] that a header is made of; `prost` skips all others.
#[derive(Clone, PartialEq, Message)]
struct ModelHeader {
    #[prost(message, optional, tag = "7")]
    graph: Option<GraphHeader>,
    #[prost(message, repeated, tag = "14")]
    metadata_props: Vec<StringStringEntryProto>,
}

#[derive(Clone, PartialEq, Message)]
struct GraphHeader {
    #[prost(message, repeated, tag = "1")]
    node: Vec<NodeHeader>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<ValueInfoProto>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct NodeHeader {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
}

impl Header {
    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// [`OnnxError::Malformed`] when the bytes are not an ONNX model.
    pub fn read(bytes: &[u8]) -> Result<Header, OnnxError> {
        let cut_short = OnnxError::Malformed("the file is cut short or not an ONNX file");
        let model = ModelHeader::decode(bytes).map_err(|_| cut_short)?;
        let no_graph = OnnxError::Malformed("there is no graph in the file");
        let graph = model.graph.ok_or(no_graph)?;
        let tensors = |of: Vec<ValueInfoProto>| of.into_iter().map(TensorInfo::from).collect();
        let mut entries = model.metadata_props;
        let checksum = entries.iter().rposition(|entry| entry.key() == CHECKSUM);
        let checksum = checksum.map(|at| Checksum {
            covers: bytes.len().saturating_sub(written(&entries[at..]).len()),
            stated: entries[at].value().to_owned(),
        });
        entries.retain(|entry| entry.key() != CHECKSUM);
        let text = Option::unwrap_or_default;
        let metadata = entries.into_iter();
        Ok(Header {
            inputs: tensors(graph.input),
            outputs: tensors(graph.output),
            metadata: metadata
                .map(|entry| (text(entry.key), text(entry.value)))
                .collect(),
            checksum,
            nodes: graph.node,
        })
    }

    /// Compares the checksum, if there is one, with the bytes of the file.
    ///
    /// # Errors
    /// [`OnnxError::Unsound`] when they differ.
    pub fn verify(&self, onnx: &[u8]) -> Result<(), OnnxError> {
        let Some(Checksum { covers, stated }) = &self.checksum else {
            return Ok(());
        };
        let found = checksum(onnx.get(..*covers).unwrap_or(onnx));
        if found == *stated {
            return Ok(());
        }
        Err(OnnxError::Unsound(format!(
            "the file is damaged: its bytes have the checksum {found}, its metadata say {stated}"
        )))
    }

    /// The value of a metadata key.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let found = self.metadata.iter().find(|(k, _)| k == key);
        found.map(|(_, value)| value.as_str())
    }

    /// The input called `name`.
    pub fn input(&self, name: &str) -> Option<&TensorInfo> {
        self.inputs.iter().find(|tensor| tensor.name == name)
    }

    /// The output called `name`.
    pub fn output(&self, name: &str) -> Option<&TensorInfo> {
        self.outputs.iter().find(|tensor| tensor.name == name)
    }

    /// The operator that makes the numbers of a tensor: those that only give them another shape or type are passed
    /// over. `None` where it is an input or a constant.
    pub fn maker<'a>(&'a self, mut name: &'a str) -> Option<&'a str> {
        // A node reads what those before it make.
        for node in self.nodes.iter().rev() {
            if !node.output.iter().any(|made| made == name) {
                continue;
            }
            match (&*node.op_type, node.input.first()) {
                (
                    "Cast" | "Dropout" | "Flatten" | "Identity" | "Reshape" | "Squeeze"
                    | "Unsqueeze",
                    Some(read),
                ) => name = read,
                (operator, _) => return Some(operator),
            }
        }
        None
    }
}

impl From<ValueInfoProto> for TensorInfo {
    fn from(info: ValueInfoProto) -> TensorInfo {
        let tensor = info.r#type.and_then(|kind| kind.tensor_type);
        let tensor = tensor.unwrap_or_default();
        let dims = tensor.shape.unwrap_or_default().dim.into_iter();
        TensorInfo {
            name: info.name,
            element: tensor.elem_type,
            dims: dims.map(Dim::from).collect(),
        }
    }
}

impl From<Dimension> for Dim {
    fn from(dim: Dimension) -> Dim {
        // Some programs write -1 for a length that is open.
        let len = dim.dim_value.and_then(|len| usize::try_from(len).ok());
        let open = || Dim::Symbol(dim.dim_param.unwrap_or_default());
        len.map_or_else(open, Dim::Fixed)
    }
}

/// The checksum's metadata key. Its value is `crc32:` and eight hexadecimal digits: a CRC-32, as in zlib and PNG, which
/// any tool can compute.
///
/// Metadata are the end of the file, the checksum the last of them, and over all bytes before it: so it can be added to
/// a file without changing its other bytes.
pub const CHECKSUM: &str = "tengen.checksum";

/// The checksum of a model file, as the file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    /// Number of bytes covered: all before it.
    pub covers: usize,
    /// The checksum that the file states.
    pub stated: String,
}

/// Adds the checksum to the bytes of a model file that has none. They stay unchanged in every case:
/// the last bytes of a message may be those of one of its repeated fields.
pub fn with_checksum(mut onnx: Vec<u8>) -> Vec<u8> {
    let entry = StringStringEntryProto {
        key: Some(CHECKSUM.to_owned()),
        value: Some(checksum(&onnx)),
    };
    onnx.extend(written(&[entry]));
    onnx
}

/// Metadata as they are in a file.
fn written(entries: &[StringStringEntryProto]) -> Vec<u8> {
    let model = ModelProto {
        metadata_props: entries.to_vec(),
        ..ModelProto::default()
    };
    model.encode_to_vec()
}

fn checksum(bytes: &[u8]) -> String {
    format!("crc32:{:08x}", crc32fast::hash(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::GraphBuilder;
    use super::*;

    fn model() -> Vec<u8> {
        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch(), Dim::Fixed(300)]);
        let y = graph.relu(x);
        graph.output("y", y, [Dim::batch(), Dim::Fixed(300)]);
        let metadata = [("answer".to_owned(), "zweiundvierzig ü".to_owned())];
        graph.finish(&metadata).unwrap()
    }

    #[test]
    fn a_written_model_is_read_back() {
        let header = Header::read(&model()).unwrap();
        let dims = vec![Dim::batch(), Dim::Fixed(300)];
        let tensor = |name: &str| TensorInfo {
            name: name.to_owned(),
            element: 1,
            dims: dims.clone(),
        };
        assert_eq!(header.inputs, [tensor("x")]);
        assert_eq!(header.output("y"), Some(&tensor("y")));
        assert_eq!(header.metadata("answer"), Some("zweiundvierzig ü"));
        assert_eq!(header.metadata("question"), None);
    }

    #[test]
    fn what_makes_a_tensor_is_found_behind_other_shapes() {
        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch(), Dim::Fixed(4)]);
        let made = graph.tanh(x);
        let shaped = graph.reshape(made, &[0, 2, 2]);
        let y = graph.flatten(shaped);
        let z = graph.flatten(x);
        graph.output("y", y, [Dim::batch(), Dim::Fixed(4)]);
        graph.output("z", z, [Dim::batch(), Dim::Fixed(4)]);
        let header = Header::read(&graph.finish(&[]).unwrap()).unwrap();
        assert_eq!(header.maker("y"), Some("Tanh"));
        assert_eq!(header.maker("z"), None);
        assert_eq!(header.maker("x"), None);
    }

    #[test]
    fn a_negative_length_is_an_open_one() {
        let written = |dim_value| Dimension {
            dim_value: Some(dim_value),
            ..Dimension::default()
        };
        assert_eq!(Dim::from(written(-1)), Dim::Symbol(String::new()));
        assert_eq!(Dim::from(written(9)), Dim::Fixed(9));
    }

    #[test]
    fn a_file_without_a_graph_is_refused() {
        assert!(Header::read(b"").is_err());
        assert!(Header::read(b"version https://git-lfs.github.com/spec/v1").is_err());
    }

    #[test]
    fn the_checksum_is_that_of_zlib() {
        // The check value of CRC-32.
        assert_eq!(checksum(b"123456789"), "crc32:cbf43926");
    }

    #[test]
    fn every_changed_byte_is_found() {
        let whole = model();
        let verify = |onnx: &[u8]| Header::read(onnx)?.verify(onnx);
        let seal = Header::read(&whole)
            .unwrap()
            .checksum
            .expect("finish adds it");
        assert_eq!(verify(&whole), Ok(()));
        for at in 0..seal.covers {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            assert!(verify(&damaged).is_err(), "byte {at}");
        }
    }

    /// As another program may add them.
    #[test]
    fn metadata_behind_the_checksum_are_read_and_not_covered() {
        let mut onnx = model();
        onnx.extend(written(&[StringStringEntryProto {
            key: Some("more".to_owned()),
            value: Some("words".to_owned()),
        }]));
        let header = Header::read(&onnx).unwrap();
        assert_eq!(header.metadata("more"), Some("words"));
        assert_eq!(header.verify(&onnx), Ok(()));
    }

    #[test]
    fn a_file_of_before_can_be_sealed() {
        let whole = model();
        let covers = Header::read(&whole).unwrap().checksum.unwrap().covers;
        let bare = &whole[..covers];
        assert_eq!(Header::read(bare).unwrap().checksum, None);
        assert_eq!(with_checksum(bare.to_vec()), whole);
    }

    proptest! {
        #[test]
        fn a_damaged_file_never_panics(cut in 0usize..200, at in 0usize..200, to in any::<u8>()) {
            let mut bytes = model();
            bytes.truncate(cut.max(1));
            let at = at % bytes.len();
            bytes[at] = to;
            // Either answer is correct; a panic or an endless loop is not.
            let _ = Header::read(&bytes);
        }
    }
}
