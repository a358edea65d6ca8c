//! Writes ONNX graphs: nodes and weights in, the bytes of a model file out.

mod file;

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Dim, OnnxError};

/// `TensorProto.DataType`.
#[derive(Debug, Clone, Copy)]
enum ElementType {
    F32 = 1,
    U8 = 2,
    I8 = 3,
    I32 = 6,
    I64 = 7,
}

/// A tensor in a graph that is being built: an input, an initialiser or the result of a node.
/// Belongs to the [`GraphBuilder`] that gave it out.
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
    /// A word.
    String(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Input,
    Initialiser,
    Node,
    Output,
}

#[derive(Debug)]
struct Node {
    op: Cow<'static, str>,
    inputs: Vec<Value>,
    output: Value,
    attributes: Vec<(Cow<'static, str>, Attribute)>,
}

#[derive(Debug)]
struct Initialiser {
    value: Value,
    element: ElementType,
    dims: Vec<usize>,
    raw: Vec<u8>,
}

/// Builds one ONNX graph. See the [module](super) for an example.
///
/// The methods that add nodes take and return [`Value`]s and cannot fail; the first mistake (a
/// weight whose numbers do not fill its shape, a name used twice, ..) is kept and reported by
/// [`GraphBuilder::finish`].
#[derive(Debug)]
pub struct GraphBuilder {
    name: String,
    values: Vec<(String, Origin)>,
    nodes: Vec<Node>,
    initialisers: Vec<Initialiser>,
    inputs: Vec<(Value, Vec<Dim>)>,
    outputs: Vec<(Value, Vec<Dim>)>,
    mistake: Option<OnnxError>,
}

impl GraphBuilder {
    /// An empty graph.
    #[must_use]
    pub fn new(name: &str) -> GraphBuilder {
        GraphBuilder {
            name: name.to_owned(),
            values: Vec::new(),
            nodes: Vec::new(),
            initialisers: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            mistake: None,
        }
    }

    /// Adds an f32 input of the given shape.
    pub fn input(&mut self, name: &str, shape: impl Into<Vec<Dim>>) -> Value {
        let value = self.value(name.to_owned(), Origin::Input);
        self.inputs.push((value, shape.into()));
        value
    }

    /// Makes the result of a node an f32 output of the graph, under `name`.
    pub fn output(&mut self, name: &str, value: Value, shape: impl Into<Vec<Dim>>) {
        let (value_name, origin) = &mut self.values[value.0];
        if *origin != Origin::Node {
            self.mistake.get_or_insert(OnnxError::Output {
                name: name.to_owned(),
            });
            return;
        }
        *origin = Origin::Output;
        *value_name = name.to_owned();
        self.outputs.push((value, shape.into()));
    }

    /// Adds f32 weights, row-major.
    pub fn weights(&mut self, name: &str, dims: &[usize], data: &[f32]) -> Value {
        let raw = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.initialiser(name, dims, data.len(), (ElementType::F32, raw))
    }

    /// Adds an i64 constant, row-major.
    pub fn integers(&mut self, name: &str, dims: &[usize], data: &[i64]) -> Value {
        let raw = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.initialiser(name, dims, data.len(), (ElementType::I64, raw))
    }

    /// Adds u8 constants, row-major.
    pub fn unsigned_bytes(&mut self, name: &str, dims: &[usize], data: &[u8]) -> Value {
        self.initialiser(name, dims, data.len(), (ElementType::U8, data.to_vec()))
    }

    /// Adds i8 constants, row-major.
    pub fn signed_bytes(&mut self, name: &str, dims: &[usize], data: &[i8]) -> Value {
        let raw = data.iter().map(|x| x.cast_unsigned()).collect();
        self.initialiser(name, dims, data.len(), (ElementType::I8, raw))
    }

    /// Adds i32 constants, row-major.
    pub fn small_integers(&mut self, name: &str, dims: &[usize], data: &[i32]) -> Value {
        let raw = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.initialiser(name, dims, data.len(), (ElementType::I32, raw))
    }

    /// Adds any operator of the default domain with one output; the methods of this type's other
    /// block are shorthands for it.
    pub fn node(
        &mut self,
        op: &'static str,
        inputs: &[Value],
        attributes: Vec<(&'static str, Attribute)>,
    ) -> Value {
        let attributes = attributes.into_iter();
        let attributes = attributes.map(|(name, value)| (name.into(), value));
        self.push_node(op.into(), inputs, attributes.collect())
    }

    /// Adds a node of another model, reading `inputs`.
    pub fn copy_node(&mut self, node: &super::ModelNode, inputs: &[Value]) -> Value {
        let attributes = node.attributes.iter();
        let attributes = attributes.map(|(name, value)| (name.clone().into(), value.clone()));
        self.push_node(node.op.clone().into(), inputs, attributes.collect())
    }

    fn push_node(
        &mut self,
        op: Cow<'static, str>,
        inputs: &[Value],
        attributes: Vec<(Cow<'static, str>, Attribute)>,
    ) -> Value {
        let output = self.value(format!("{op}_{}", self.nodes.len()), Origin::Node);
        self.nodes.push(Node {
            op,
            inputs: inputs.to_vec(),
            output,
            attributes,
        });
        output
    }

    /// Number of nodes so far.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Height and width of a convolution's kernel.
    pub(super) fn kernel_shape(&mut self, kernel: Value) -> [i64; 2] {
        let found = self.initialisers.iter().find(|i| i.value == kernel);
        if let Some([_, _, height, width]) = found.map(|i| i.dims.as_slice()) {
            return [*height as i64, *width as i64];
        }
        self.mistake.get_or_insert(OnnxError::Kernel {
            name: self.values[kernel.0].0.clone(),
        });
        [1, 1]
    }

    /// The finished file. `metadata` becomes the model's `metadata_props`, with a checksum after it.
    ///
    /// # Errors
    /// The first mistake made while building: an [`OnnxError`] other than `Malformed`.
    pub fn finish(mut self, metadata: &[(String, String)]) -> Result<Vec<u8>, OnnxError> {
        let mut seen = HashSet::new();
        let repeated = self.values.iter().find(|(name, _)| !seen.insert(name));
        if let Some((name, _)) = repeated {
            let name = name.clone();
            self.mistake.get_or_insert(OnnxError::Name { name });
        }
        if let Some(mistake) = self.mistake {
            return Err(mistake);
        }
        Ok(super::seal(self.file(metadata)))
    }

    fn value(&mut self, name: String, origin: Origin) -> Value {
        self.values.push((name, origin));
        Value(self.values.len() - 1)
    }

    fn initialiser(
        &mut self,
        name: &str,
        dims: &[usize],
        len: usize,
        (element, raw): (ElementType, Vec<u8>),
    ) -> Value {
        if dims.iter().product::<usize>() != len {
            self.mistake.get_or_insert(OnnxError::Shape {
                name: name.to_owned(),
                dims: dims.to_vec(),
                len,
            });
        }
        let value = self.value(name.to_owned(), Origin::Initialiser);
        self.initialisers.push(Initialiser {
            value,
            element,
            dims: dims.to_vec(),
            raw,
        });
        value
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
        assert!(matches!(graph.finish(&[]), Err(OnnxError::Kernel { .. })));

        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch()]);
        graph.output("y", x, [Dim::batch()]);
        assert!(matches!(graph.finish(&[]), Err(OnnxError::Output { .. })));
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
