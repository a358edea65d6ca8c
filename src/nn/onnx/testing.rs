//! Files that this program does not write, for tests: written files with a change.

use prost::Message;

use super::Header;
pub(crate) use super::proto::ModelProto;
#[cfg(all(feature = "tract", feature = "ort"))]
pub(crate) use super::proto::{
    AttributeProto, FunctionProto, GraphProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    StringStringEntryProto, TensorProto, ValueInfoProto,
};

/// A file with a change, and without a checksum, which would reveal it.
pub(crate) fn altered(onnx: &[u8], change: impl FnOnce(&mut ModelProto)) -> Vec<u8> {
    let seal = Header::read(onnx).unwrap().checksum;
    let covers = seal.map_or(onnx.len(), |seal| seal.covers);
    let mut model = ModelProto::decode(&onnx[..covers]).unwrap();
    change(&mut model);
    model.encode_to_vec()
}
