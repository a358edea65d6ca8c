//! A graph as the bytes of a model file.
//!
//! Field numbers are those of onnx.proto3. Repeated integers are written one by one, not packed:
//! every reader takes that form, some (rten) take no other.

use super::{Attribute, ElementType, GraphBuilder, Node, Value};
use crate::onnx::Dim;
use crate::onnx::wire::Message;

/// Version of the operator set: the newest whose `ReduceMean` and `ReduceMax` take their axes as
/// attributes, and within what tract 0.23 is tested against (9 to 18).
const OPSET: i64 = 17;
/// Version of the file format that belongs to that operator set.
const IR_VERSION: i64 = 8;

impl GraphBuilder {
    /// The whole file.
    pub(super) fn file(&self, metadata: &[(String, String)]) -> Vec<u8> {
        let mut opset = Message::new();
        opset.string(1, "");
        opset.int(2, OPSET);
        let mut model = Message::new();
        model.int(1, IR_VERSION);
        model.string(2, env!("CARGO_PKG_NAME"));
        model.string(3, env!("CARGO_PKG_VERSION"));
        model.message(7, &self.graph_message());
        model.message(8, &opset);
        for (key, value) in metadata {
            let mut entry = Message::new();
            entry.string(1, key);
            entry.string(2, value);
            model.message(14, &entry);
        }
        model.into_bytes()
    }

    fn graph_message(&self) -> Message {
        let mut graph = Message::new();
        for node in &self.nodes {
            graph.message(1, &self.node_message(node));
        }
        graph.string(2, &self.name);
        for initialiser in &self.initialisers {
            let mut tensor = Message::new();
            for &dim in &initialiser.dims {
                tensor.int(1, dim as i64);
            }
            tensor.int(2, initialiser.element as i64);
            tensor.string(8, &self.values[initialiser.value.0].0);
            tensor.bytes(9, &initialiser.raw);
            graph.message(5, &tensor);
        }
        for (value, shape) in &self.inputs {
            graph.message(11, &self.value_info(*value, shape));
        }
        for (value, shape) in &self.outputs {
            graph.message(12, &self.value_info(*value, shape));
        }
        graph
    }

    fn node_message(&self, node: &Node) -> Message {
        let output = &self.values[node.output.0].0;
        let mut message = Message::new();
        for input in &node.inputs {
            message.string(1, &self.values[input.0].0);
        }
        message.string(2, output);
        message.string(3, output);
        message.string(4, &node.op);
        for (name, attribute) in &node.attributes {
            message.message(5, &attribute_message(name, attribute));
        }
        message
    }

    fn value_info(&self, value: Value, dims: &[Dim]) -> Message {
        let mut shape = Message::new();
        for dim in dims {
            let mut message = Message::new();
            match dim {
                Dim::Fixed(len) => message.int(1, *len as i64),
                Dim::Symbol(name) => message.string(2, name),
            }
            shape.message(1, &message);
        }
        let mut tensor = Message::new();
        tensor.int(1, ElementType::F32 as i64);
        tensor.message(2, &shape);
        let mut tensor_type = Message::new();
        tensor_type.message(1, &tensor);
        let mut info = Message::new();
        info.string(1, &self.values[value.0].0);
        info.message(2, &tensor_type);
        info
    }
}

fn attribute_message(name: &str, attribute: &Attribute) -> Message {
    let mut message = Message::new();
    message.string(1, name);
    // The second number is `AttributeProto.AttributeType`, in field 20.
    let kind = match attribute {
        Attribute::Float(x) => {
            message.float(2, *x);
            1
        }
        Attribute::Int(x) => {
            message.int(3, *x);
            2
        }
        Attribute::String(x) => {
            message.string(4, x);
            3
        }
        Attribute::Ints(xs) => {
            for &x in xs {
                message.int(8, x);
            }
            7
        }
    };
    message.int(20, kind);
    message
}
