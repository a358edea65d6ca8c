//! ONNX files: a writer of graphs, a reader of descriptions, and a reader of whole models.
//!
//! Knows the file format and nothing about networks, games or backends. An ONNX file is a
//! protocol-buffer message (`onnx.proto3`), encoded by `prost`; the writer produces files of
//! version 8 with operator set 17.
//!
//! ```
//! use tengen_nn::onnx::{Dim, GraphBuilder, Header};
//!
//! let mut graph = GraphBuilder::new("tiny");
//! let planes = graph.input("planes", [Dim::batch(), 2.into(), 9.into(), 9.into()]);
//! let kernel = graph.weights("stem.weight", &[4, 2, 3, 3], &[0.1; 72]);
//! let bias = graph.weights("stem.bias", &[4], &[0.0; 4]);
//! let x = graph.conv(planes, kernel, Some(bias));
//! let x = graph.relu(x);
//! let pooled = graph.reduce_mean(x, &[2, 3]);
//! let weight = graph.weights("value.weight", &[4, 2], &[0.5; 8]);
//! let bias = graph.weights("value.bias", &[2], &[0.0; 2]);
//! let value = graph.gemm(pooled, weight, bias);
//! graph.output("value", value, [Dim::batch(), 2.into()]);
//! let bytes = graph.finish(&[("tengen.game".to_owned(), "nogo".to_owned())])?;
//!
//! let header = Header::read(&bytes)?;
//! assert_eq!(header.metadata("tengen.game"), Some("nogo"));
//! assert_eq!(header.inputs[0].dims[1], Dim::Fixed(2));
//! # Ok::<(), tengen_nn::onnx::OnnxError>(())
//! ```

mod graph;
mod header;
mod model;
mod ops;
mod proto;
mod tensor;
mod to_f16;
mod validate;

pub use graph::{Attribute, GraphBuilder, Value};
pub use header::{CHECKSUM, Checksum, Header, TensorInfo, with_checksum};
pub use model::{Model, ModelNode};
pub use tensor::{Numbers, Tensor, element_name};
pub use to_f16::to_f16;
pub use validate::{KnownValues, validate, validate_attributes, validate_operators};

/// The element type f32 in ONNX's numbering.
pub const FLOAT: i32 = 1;

/// Metadata key for the precision of a file that is not in f32: `int8` or `f16`.
pub const PRECISION: &str = "tengen.precision";

use std::fmt;

use thiserror::Error;

/// One dimension of an input or output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A length fixed in the file.
    Fixed(usize),
    /// A length chosen at run time, by name; the name is empty when the file has none.
    Symbol(String),
}

impl Dim {
    /// The number of positions in a batch, chosen at run time.
    pub fn batch() -> Dim {
        Dim::Symbol("batch".to_owned())
    }
}

impl From<usize> for Dim {
    fn from(len: usize) -> Dim {
        Dim::Fixed(len)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Fixed(len) => len.fmt(f),
            Dim::Symbol(name) if name.is_empty() => f.write_str("?"),
            Dim::Symbol(name) => f.write_str(name),
        }
    }
}

/// Error when writing a graph or reading a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OnnxError {
    /// A valid model, but not one that this program writes.
    #[error("it is not a network of this program: {0}")]
    Foreign(String),
    /// Unusable for every backend, or built wrongly: too few, too many or non-finite numbers, a sparse tensor, an ambiguous
    /// name, an unknown version, a checksum that is not that of the bytes.
    #[error("{0}")]
    Unsound(String),
    /// The bytes are not messages of an ONNX model.
    #[error("not a readable ONNX model: {0}")]
    Decode(#[from] prost::DecodeError),
    /// The bytes are not an ONNX model.
    #[error("not a readable ONNX model: {0}")]
    Malformed(&'static str),
}

impl OnnxError {
    /// The number of an initialiser's weights does not go with its shape.
    fn shape(name: &str, dims: &[usize], len: usize) -> OnnxError {
        let needed = dims
            .iter()
            .fold(1, |all: usize, dim| all.saturating_mul(*dim));
        OnnxError::Unsound(format!(
            "weights {name} have {len} numbers, shape {dims:?} needs {needed}"
        ))
    }
}

/// Files that this program does not write, for tests: written files with a change.
#[cfg(test)]
pub(crate) mod testing {
    use prost::Message;

    use super::Header;
    pub(crate) use super::proto::ModelProto;
    #[cfg(all(feature = "tract", feature = "ort"))]
    pub(crate) use super::proto::{
        AttributeProto, FunctionProto, GraphProto, NodeProto, OperatorSetIdProto,
        SparseTensorProto, StringStringEntryProto, TensorProto, ValueInfoProto,
    };

    /// A file with a change, and without a checksum, which would reveal it.
    pub(crate) fn altered(onnx: &[u8], change: impl FnOnce(&mut ModelProto)) -> Vec<u8> {
        let seal = Header::read(onnx).unwrap().checksum;
        let covers = seal.map_or(onnx.len(), |seal| seal.covers);
        let mut model = ModelProto::decode(&onnx[..covers]).unwrap();
        change(&mut model);
        model.encode_to_vec()
    }
}
