//! Writes ONNX graphs: nodes and weights in, the bytes of a model file out.

use std::collections::HashSet;

use half::f16;
use prost::Message;

use super::proto::{
    AttributeProto, AttributeType, DataType, Dimension, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto, TensorTypeProto,
    TypeProto, ValueInfoProto,
};
use super::{Dim, OnnxError};

/// Version of the operator set: the newest whose `ReduceMean` and `ReduceMax` take their axes as
/// attributes, and within what tract 0.23 is tested against (9 to 18).
pub(super) const OPSET: i64 = 17;
/// Version of the file format that belongs to that operator set.
pub(super) const IR_VERSION: i64 = 8;

/// A tensor in a graph under construction: an input, an initialiser or the result of a node.
/// Belongs to the [`GraphBuilder`] that created it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value(usize);

/// A constant argument of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// One integer.
    Int(i64),
    /// Several integers.
    Ints(Vec<i64>),
    /// One number.
    Float(f32),
    /// A string.
    String(String),
}

/// Builds one ONNX graph. See the [module](super) for an example.
///
/// The methods that add nodes take and return [`Value`]s and cannot fail; the first mistake (a
/// weight whose length does not match its shape, a name used twice, ..) is kept and reported by
/// [`GraphBuilder::finish`].
#[derive(Debug)]
pub struct GraphBuilder {
    /// Names, and whether they may become that of an output: results of nodes that are none yet.
    values: Vec<(String, bool)>,
    /// Operator and attributes, inputs, output: without names, as outputs get theirs last.
    nodes: Vec<(NodeProto, Vec<Value>, Value)>,
    graph: GraphProto,
    mistake: Option<OnnxError>,
}

impl GraphBuilder {
    /// An empty graph.
    pub fn new(name: &str) -> GraphBuilder {
        GraphBuilder {
            values: Vec::new(),
            nodes: Vec::new(),
            graph: GraphProto {
                name: Some(name.to_owned()),
                ..GraphProto::default()
            },
            mistake: None,
        }
    }

    /// Adds an f32 input with this shape.
    pub fn input(&mut self, name: &str, shape: impl Into<Vec<Dim>>) -> Value {
        self.graph
            .input
            .push(ValueInfoProto::f32(name, shape.into()));
        self.value(name.to_owned(), false)
    }

    /// Makes the result of a node an f32 output of the graph, under `name`.
    pub fn output(&mut self, name: &str, value: Value, shape: impl Into<Vec<Dim>>) {
        let (value_name, may_be_output) = &mut self.values[value.0];
        if !std::mem::take(may_be_output) {
            return self.mistake(format!(
                "output {name} is not the result of a node, or is an output already"
            ));
        }
        *value_name = name.to_owned();
        self.graph
            .output
            .push(ValueInfoProto::f32(name, shape.into()));
    }

    /// Adds f32 weights, row-major.
    pub fn weights(&mut self, name: &str, dims: &[usize], data: &[f32]) -> Value {
        self.initialiser(name, dims, DataType::Float, data, f32::to_le_bytes)
    }

    /// Adds f16 weights, row-major.
    pub fn half_weights(&mut self, name: &str, dims: &[usize], data: &[f16]) -> Value {
        self.initialiser(name, dims, DataType::Float16, data, f16::to_le_bytes)
    }

    /// Adds an i64 constant, row-major.
    pub fn integers(&mut self, name: &str, dims: &[usize], data: &[i64]) -> Value {
        self.initialiser(name, dims, DataType::Int64, data, i64::to_le_bytes)
    }

    /// Adds u8 constants, row-major.
    pub fn unsigned_bytes(&mut self, name: &str, dims: &[usize], data: &[u8]) -> Value {
        self.initialiser(name, dims, DataType::Uint8, data, u8::to_le_bytes)
    }

    /// Adds i8 constants, row-major.
    pub fn signed_bytes(&mut self, name: &str, dims: &[usize], data: &[i8]) -> Value {
        self.initialiser(name, dims, DataType::Int8, data, i8::to_le_bytes)
    }

    /// Adds i32 constants, row-major.
    pub fn small_integers(&mut self, name: &str, dims: &[usize], data: &[i32]) -> Value {
        self.initialiser(name, dims, DataType::Int32, data, i32::to_le_bytes)
    }

    /// Adds any operator of the default domain with one output; the methods in the other `impl`
    /// block are shorthands for it.
    pub fn node(
        &mut self,
        op: &'static str,
        inputs: &[Value],
        attributes: Vec<(&'static str, Attribute)>,
    ) -> Value {
        let attributes = attributes.into_iter().map(AttributeProto::from);
        self.push_node(op, inputs, attributes.collect())
    }

    pub(super) fn push_node(
        &mut self,
        op: &str,
        inputs: &[Value],
        attributes: Vec<AttributeProto>,
    ) -> Value {
        let output = self.value(format!("{op}_{}", self.nodes.len()), true);
        let node = NodeProto {
            op_type: op.to_owned(),
            attribute: attributes,
            ..NodeProto::default()
        };
        self.nodes.push((node, inputs.to_vec(), output));
        output
    }

    /// Number of nodes so far.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Height and width of a convolution's kernel.
    pub(super) fn kernel_shape(&mut self, kernel: Value) -> [i64; 2] {
        let (name, _) = &self.values[kernel.0];
        let found = self.graph.initializer.iter().find(|i| i.name == *name);
        if let Some(&[_, _, height, width]) = found.map(|i| i.dims.as_slice()) {
            return [height, width];
        }
        let what = format!("{name} is not a convolution kernel of four dimensions");
        self.mistake(what);
        [1, 1]
    }

    fn mistake(&mut self, what: String) {
        self.mistake.get_or_insert(OnnxError::Unsound(what));
    }

    /// The finished file. `metadata` becomes the model's `metadata_props`, followed by a checksum.
    ///
    /// # Errors
    /// The first mistake made while building: an [`OnnxError`] other than `Malformed`.
    pub fn finish(mut self, metadata: &[(String, String)]) -> Result<Vec<u8>, OnnxError> {
        let mut seen = HashSet::new();
        let repeated = self.values.iter().find(|(name, _)| !seen.insert(name));
        let repeated =
            repeated.map(|(name, _)| OnnxError::Unsound(format!("the name {name} is used twice")));
        if let Some(mistake) = self.mistake.or(repeated) {
            return Err(mistake);
        }
        let name = |value: &Value| self.values[value.0].0.clone();
        for (mut node, inputs, output) in self.nodes {
            node.name = name(&output);
            node.output = vec![name(&output)];
            node.input = inputs.iter().map(name).collect();
            self.graph.node.push(node);
        }
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
        Ok(super::with_checksum(model.encode_to_vec()))
    }

    fn value(&mut self, name: String, may_be_output: bool) -> Value {
        self.values.push((name, may_be_output));
        Value(self.values.len() - 1)
    }

    fn initialiser<T: Copy, const BYTES: usize>(
        &mut self,
        name: &str,
        dims: &[usize],
        element: DataType,
        data: &[T],
        bytes: fn(T) -> [u8; BYTES],
    ) -> Value {
        if dims.iter().product::<usize>() != data.len() {
            let mistake = OnnxError::shape(name, dims, data.len());
            self.mistake.get_or_insert(mistake);
        }
        self.graph.initializer.push(TensorProto {
            dims: dims.iter().map(|&dim| dim as i64).collect(),
            data_type: element.into(),
            name: name.to_owned(),
            raw_data: Some(data.iter().flat_map(|&x| bytes(x)).collect()),
            ..TensorProto::default()
        });
        self.value(name.to_owned(), false)
    }
}

impl ValueInfoProto {
    /// An f32 input or output.
    fn f32(name: &str, shape: Vec<Dim>) -> ValueInfoProto {
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

#[cfg(test)]
mod tests {
    use super::super::Header;
    use super::*;

    #[test]
    fn mistakes_are_reported() {
        let mut graph = GraphBuilder::new("g");
        graph.weights("w", &[2, 2], &[0.0; 3]);
        let error = graph.finish(&[]).unwrap_err().to_string();
        assert_eq!(error, "weights w have 3 numbers, shape [2, 2] needs 4");

        let mut graph = GraphBuilder::new("g");
        graph.weights("w", &[1], &[0.0]);
        graph.weights("w", &[1], &[0.0]);
        let error = graph.finish(&[]).unwrap_err().to_string();
        assert_eq!(error, "the name w is used twice");

        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch()]);
        graph.conv(x, x, None);
        let error = graph.finish(&[]).unwrap_err().to_string();
        assert_eq!(error, "x is not a convolution kernel of four dimensions");

        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch()]);
        graph.output("y", x, [Dim::batch()]);
        let error = graph.finish(&[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "output y is not the result of a node, or is an output already"
        );
    }

    #[test]
    fn outputs_take_their_name_wherever_they_are_used() {
        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch(), Dim::Fixed(4)]);
        let first = graph.relu(x);
        let second = graph.tanh(first);
        graph.output("first", first, [Dim::batch(), Dim::Fixed(4)]);
        graph.output("second", second, [Dim::batch(), Dim::Fixed(4)]);
        let bytes = graph.finish(&[]).unwrap();
        let header = Header::read(&bytes).unwrap();
        assert_eq!(header.outputs[0].name, "first");
        assert_eq!(header.outputs[1].name, "second");
        assert!(!bytes.windows(6).any(|w| w == b"Relu_0"));
    }
}
