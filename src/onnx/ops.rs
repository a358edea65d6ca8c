//! Shorthands for the operators that networks of this engine are made of.

use super::{Attribute, GraphBuilder, Value};

impl GraphBuilder {
    /// 2-D convolution, stride 1, zero-padded so that an odd kernel keeps height and width.
    /// `kernel` holds `[out, in, height, width]` [weights](GraphBuilder::weights), `bias` `[out]`.
    pub fn conv(&mut self, x: Value, kernel: Value, bias: Option<Value>) -> Value {
        self.grouped_conv(x, kernel, bias, 1)
    }

    /// As [`GraphBuilder::conv`], in `groups` independent groups of channels; `kernel` holds
    /// `[out, in / groups, height, width]` weights.
    pub fn grouped_conv(
        &mut self,
        x: Value,
        kernel: Value,
        bias: Option<Value>,
        groups: usize,
    ) -> Value {
        let shape = self.kernel_shape(kernel);
        let half = shape.map(|len| len / 2);
        let mut inputs = vec![x, kernel];
        inputs.extend(bias);
        let attributes = vec![
            ("group", Attribute::Int(groups as i64)),
            ("pads", Attribute::Ints([half, half].concat())),
            ("kernel_shape", Attribute::Ints(shape.to_vec())),
        ];
        self.node("Conv", &inputs, attributes)
    }

    /// Fully connected layer `x * weight + bias`: `x` `[batch, in]`, `weight` `[in, out]`, `bias`
    /// `[out]`.
    pub fn gemm(&mut self, x: Value, weight: Value, bias: Value) -> Value {
        self.node("Gemm", &[x, weight, bias], Vec::new())
    }

    /// Matrix product.
    pub fn matmul(&mut self, a: Value, b: Value) -> Value {
        self.node("MatMul", &[a, b], Vec::new())
    }

    /// max(x, 0), element by element.
    pub fn relu(&mut self, x: Value) -> Value {
        self.node("Relu", &[x], Vec::new())
    }

    /// 1 / (1 + exp(-x)), element by element.
    pub fn sigmoid(&mut self, x: Value) -> Value {
        self.node("Sigmoid", &[x], Vec::new())
    }

    /// tanh(x), element by element.
    pub fn tanh(&mut self, x: Value) -> Value {
        self.node("Tanh", &[x], Vec::new())
    }

    /// a + b, broadcast.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.node("Add", &[a, b], Vec::new())
    }

    /// a - b, broadcast.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.node("Sub", &[a, b], Vec::new())
    }

    /// a x b, element by element, broadcast.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.node("Mul", &[a, b], Vec::new())
    }

    /// Mean over height and width: `[batch, channels, height, width]` to
    /// `[batch, channels, 1, 1]`.
    pub fn global_average_pool(&mut self, x: Value) -> Value {
        self.node("GlobalAveragePool", &[x], Vec::new())
    }

    /// Mean over `axes`, which disappear from the shape.
    pub fn reduce_mean(&mut self, x: Value, axes: &[i64]) -> Value {
        self.reduce("ReduceMean", x, axes)
    }

    /// Maximum over `axes`, which disappear from the shape.
    pub fn reduce_max(&mut self, x: Value, axes: &[i64]) -> Value {
        self.reduce("ReduceMax", x, axes)
    }

    /// The values one after another along `axis`.
    pub fn concat(&mut self, values: &[Value], axis: i64) -> Value {
        self.node("Concat", values, vec![("axis", Attribute::Int(axis))])
    }

    /// `[batch, a, b, ..]` to `[batch, a * b * ..]`.
    pub fn flatten(&mut self, x: Value) -> Value {
        self.node("Flatten", &[x], vec![("axis", Attribute::Int(1))])
    }

    /// Another shape for the same numbers; 0 keeps a dimension, one -1 takes what is left.
    pub fn reshape(&mut self, x: Value, dims: &[i64]) -> Value {
        let name = format!("shape_{}", self.node_count());
        let shape = self.integers(&name, &[dims.len()], dims);
        self.node("Reshape", &[x, shape], Vec::new())
    }

    fn reduce(&mut self, op: &'static str, x: Value, axes: &[i64]) -> Value {
        let attributes = vec![
            ("axes", Attribute::Ints(axes.to_vec())),
            ("keepdims", Attribute::Int(0)),
        ];
        self.node(op, &[x], attributes)
    }
}
