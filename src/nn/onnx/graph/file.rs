//! A graph as the bytes of a model file.

use prost::Message;

use super::{Attribute, GraphBuilder, Node};
use crate::onnx::Dim;
use crate::onnx::proto::{
    AttributeProto, AttributeType, DataType, Dimension, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

/// Version of the operator set: the newest whose `ReduceMean` and `ReduceMax` take their axes as
/// attributes, and within what tract 0.23 is tested against (9 to 18).
pub(in crate::onnx) const OPSET: i64 = 17;
/// Version of the file format that belongs to that operator set.
pub(in crate::onnx) const IR_VERSION: i64 = 8;

impl GraphBuilder {
    /// The whole file.
    pub(super) fn file(mut self, metadata: &[(String, String)]) -> Vec<u8> {
        let nodes = self.nodes.iter().map(|node| self.node_proto(node));
        self.graph.node = nodes.collect();
        let opset = OperatorSetIdProto {
            domain: Some(String::new()),
            version: OPSET,
        };
        let entries = metadata.iter().map(|(key, value)| StringStringEntryProto {
            key: Some(key.clone()),
            value: Some(value.clone()),
        });
        let model = ModelProto {
            ir_version: IR_VERSION,
            producer_name: "tengen".to_owned(),
            producer_version: env!("CARGO_PKG_VERSION").to_owned(),
            graph: Some(self.graph),
            opset_import: vec![opset],
            metadata_props: entries.collect(),
            functions: Vec::new(),
        };
        model.encode_to_vec()
    }

    fn node_proto(&self, node: &Node) -> NodeProto {
        let output = &self.values[node.output.0].0;
        let inputs = node.inputs.iter();
        NodeProto {
            input: inputs.map(|input| self.values[input.0].0.clone()).collect(),
            output: vec![output.clone()],
            name: output.clone(),
            op_type: node.op.clone(),
            attribute: node.attributes.clone(),
            ..NodeProto::default()
        }
    }
}

impl ValueInfoProto {
    /// An f32 input or output.
    pub(super) fn f32(name: &str, shape: Vec<Dim>) -> ValueInfoProto {
        let dim = shape.into_iter().map(Dimension::from).collect();
        let tensor_type = TensorTypeProto {
            elem_type: DataType::Float.into(),
            shape: Some(TensorShapeProto { dim }),
        };
        ValueInfoProto {
            name: name.to_owned(),
            r#type: Some(TypeProto {
                tensor_type: Some(tensor_type),
            }),
        }
    }
}

impl From<Dim> for Dimension {
    fn from(dim: Dim) -> Dimension {
        let (dim_value, dim_param) = match dim {
            Dim::Fixed(len) => (Some(len as i64), None),
            Dim::Symbol(name) => (None, Some(name)),
        };
        Dimension {
            dim_value,
            dim_param,
        }
    }
}

impl From<(&str, Attribute)> for AttributeProto {
    fn from((name, value): (&str, Attribute)) -> AttributeProto {
        let mut proto = AttributeProto {
            name: name.to_owned(),
            ..AttributeProto::default()
        };
        let kind = match value {
            Attribute::Float(x) => {
                proto.f = Some(x);
                AttributeType::Float
            }
            Attribute::Int(x) => {
                proto.i = Some(x);
                AttributeType::Int
            }
            Attribute::String(x) => {
                proto.s = Some(x.into_bytes());
                AttributeType::String
            }
            Attribute::Ints(xs) => {
                proto.ints = xs;
                AttributeType::Ints
            }
        };
        proto.set_type(kind);
        proto
    }
}
