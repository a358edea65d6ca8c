//! The messages of an ONNX file that this program writes, reads or rejects: names, field numbers
//! and types of `onnx.proto3`. Other fields are skipped when a file is read: they are descriptions
//! (`doc_string`, `value_info`) or for training (`training_info`).
//!
//! A field that is written even with its default value (an empty domain, an attribute of 0) is
//! optional here. Repeated integers are written one by one, not packed: every reader accepts that
//! form, and some (rten) accept no other.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ModelProto {
    #[prost(int64, tag = "1")]
    pub(crate) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(crate) producer_name: String,
    #[prost(string, tag = "3")]
    pub(crate) producer_version: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<GraphProto>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) opset_import: Vec<OperatorSetIdProto>,
    #[prost(message, repeated, tag = "14")]
    pub(crate) metadata_props: Vec<StringStringEntryProto>,
    #[prost(message, repeated, tag = "25")]
    pub(crate) functions: Vec<FunctionProto>,
}

/// An operator defined in the file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct FunctionProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "7")]
    pub(crate) node: Vec<NodeProto>,
    #[prost(string, tag = "10")]
    pub(crate) domain: String,
    #[prost(message, repeated, tag = "11")]
    pub(crate) attribute_proto: Vec<AttributeProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OperatorSetIdProto {
    #[prost(string, optional, tag = "1")]
    pub(crate) domain: Option<String>,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StringStringEntryProto {
    #[prost(string, optional, tag = "1")]
    pub(crate) key: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<NodeProto>,
    #[prost(string, optional, tag = "2")]
    pub(crate) name: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) input: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) output: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "15")]
    pub(crate) sparse_initializer: Vec<SparseTensorProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    pub(crate) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attribute: Vec<AttributeProto>,
    #[prost(string, optional, tag = "7")]
    pub(crate) domain: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub(crate) overload: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AttributeProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, optional, tag = "2")]
    pub(crate) f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(crate) i: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(crate) s: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub(crate) t: Option<TensorProto>,
    #[prost(message, optional, tag = "6")]
    pub(crate) g: Option<GraphProto>,
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub(crate) floats: Vec<f32>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(message, repeated, tag = "10")]
    pub(crate) tensors: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) graphs: Vec<GraphProto>,
    #[prost(enumeration = "AttributeType", tag = "20")]
    pub(crate) r#type: i32,
    /// In a function: the attribute of the function's node that gives the value.
    #[prost(string, optional, tag = "21")]
    pub(crate) ref_attr_name: Option<String>,
    #[prost(message, optional, tag = "22")]
    pub(crate) sparse_tensor: Option<SparseTensorProto>,
    #[prost(message, repeated, tag = "23")]
    pub(crate) sparse_tensors: Vec<SparseTensorProto>,
}

/// `AttributeProto.AttributeType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum AttributeType {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    TypeProto = 13,
    TypeProtos = 14,
}

/// The numbers are bytes (`raw_data`), in the field of their type, or in another file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(enumeration = "DataType", tag = "2")]
    pub(crate) data_type: i32,
    /// Not used by any version of the format.
    #[prost(message, optional, tag = "3")]
    pub(crate) segment: Option<Segment>,
    #[prost(float, repeated, tag = "4")]
    pub(crate) float_data: Vec<f32>,
    /// Integers of up to 32 bits, and the bits of `float16` and `bfloat16`.
    #[prost(int32, repeated, tag = "5")]
    pub(crate) int32_data: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub(crate) string_data: Vec<Vec<u8>>,
    #[prost(int64, repeated, tag = "7")]
    pub(crate) int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub(crate) raw_data: Option<Vec<u8>>,
    #[prost(double, repeated, tag = "10")]
    pub(crate) double_data: Vec<f64>,
    #[prost(uint64, repeated, tag = "11")]
    pub(crate) uint64_data: Vec<u64>,
    #[prost(message, repeated, tag = "13")]
    pub(crate) external_data: Vec<StringStringEntryProto>,
    /// 0: in this message. 1: in another file, which `external_data` names.
    #[prost(int32, optional, tag = "14")]
    pub(crate) data_location: Option<i32>,
}

/// `TensorProto.Segment`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Segment {}

/// The nonzero numbers of a tensor, and their indices, which are not read: it is always refused.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SparseTensorProto {}

/// `TensorProto.DataType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum DataType {
    Undefined = 0,
    Float = 1,
    Uint8 = 2,
    Int8 = 3,
    Uint16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    Uint32 = 12,
    Uint64 = 13,
    Bfloat16 = 16,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueInfoProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) r#type: Option<TypeProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TypeProto {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor_type: Option<TensorTypeProto>,
}

/// `TypeProto.Tensor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorTypeProto {
    #[prost(enumeration = "DataType", tag = "1")]
    pub(crate) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<TensorShapeProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorShapeProto {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dim: Vec<Dimension>,
}

/// `TensorShapeProto.Dimension`: a length or a name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(crate) dim_value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) dim_param: Option<String>,
}
