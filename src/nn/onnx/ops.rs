//! Shorthands for the operators used in networks of this engine.

use super::{Attribute, GraphBuilder, Value};

impl GraphBuilder {
    /// 2-D convolution, stride 1, zero-padded so that an odd kernel keeps height and width.
    /// `kernel` holds `[out, in, height, width]` [weights](GraphBuilder::weights), `bias` `[out]`.
    pub fn conv(&mut self, x: Value, kernel: Value, bias: Option<Value>) -> Value {
        self.grouped_conv(x, kernel, bias, 1)
    }

    /// Like [`GraphBuilder::conv`], in `groups` independent groups of channels; `kernel` holds
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

    /// a x b, element by element, broadcast.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.node("Mul", &[a, b], Vec::new())
    }

    /// Mean over `axes`, which are removed from the shape.
    pub fn reduce_mean(&mut self, x: Value, axes: &[i64]) -> Value {
        self.reduce("ReduceMean", x, axes)
    }

    /// Maximum over `axes`, which are removed from the shape.
    pub fn reduce_max(&mut self, x: Value, axes: &[i64]) -> Value {
        self.reduce("ReduceMax", x, axes)
    }

    /// Sum over `axes`, which are removed from the shape.
    pub fn reduce_sum(&mut self, x: Value, axes: &[i64]) -> Value {
        // Unlike those of the other two, its axes are an input in this operator set.
        let name = format!("axes_{}", self.node_count());
        let axes = self.integers(&name, &[axes.len()], axes);
        self.node(
            "ReduceSum",
            &[x, axes],
            vec![("keepdims", Attribute::Int(0))],
        )
    }

    /// x times a number.
    pub fn scale(&mut self, x: Value, factor: f32) -> Value {
        let name = format!("factor_{}", self.node_count());
        let factor = self.weights(&name, &[1], &[factor]);
        self.mul(x, factor)
    }

    /// Concatenates the values along `axis`.
    pub fn concat(&mut self, values: &[Value], axis: i64) -> Value {
        self.node("Concat", values, vec![("axis", Attribute::Int(axis))])
    }

    /// `[batch, a, b, ..]` to `[batch, a * b * ..]`.
    pub fn flatten(&mut self, x: Value) -> Value {
        self.node("Flatten", &[x], vec![("axis", Attribute::Int(1))])
    }

    /// Reshapes; 0 keeps a dimension, one -1 takes the rest.
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

#[cfg(test)]
mod tests {
    use super::super::{Dim, Header};
    use super::*;

    #[test]
    fn every_operator_is_written() {
        let mut graph = GraphBuilder::new("operators");
        let image = [Dim::batch(), 4.into(), 5.into(), 3.into()];
        let x = graph.input("x", image.clone());
        let kernel = graph.weights("kernel", &[4, 2, 3, 3], &[0.1; 72]);
        let y = graph.grouped_conv(x, kernel, None, 2);
        let gate = graph.node("GlobalAveragePool", &[y], Vec::new());
        let gate = graph.sigmoid(gate);
        let y = graph.mul(y, gate);
        let y = graph.add(y, x);
        let y = graph.tanh(y);
        graph.output("image", y, image);
        let (max, mean) = (graph.reduce_max(y, &[2, 3]), graph.reduce_mean(y, &[2, 3]));
        let sum = graph.reduce_sum(y, &[2, 3]);
        let mean = graph.add(mean, sum);
        let mean = graph.scale(mean, 0.5);
        let pooled = graph.concat(&[max, mean], -1);
        let weight = graph.weights("weight", &[8, 6], &[0.1; 48]);
        let product = graph.matmul(pooled, weight);
        let product = graph.reshape(product, &[0, 2, -1]);
        graph.output("product", product, [Dim::batch(), 2.into(), 3.into()]);
        let onnx = graph.finish(&[]).unwrap();
        // Set to a folder to check the file with Python's onnx.checker manually.
        if let Ok(folder) = std::env::var("TENGEN_WRITE_TEST_NETWORK") {
            std::fs::write(format!("{folder}/operators.onnx"), &onnx).unwrap();
        }
        assert_eq!(Header::read(&onnx).unwrap().outputs.len(), 2);
        let holds = |text: &[u8]| onnx.windows(text.len()).any(|window| window == text);
        for op in [
            "Conv",
            "GlobalAveragePool",
            "Sigmoid",
            "Mul",
            "Add",
            "Tanh",
            "ReduceMax",
            "ReduceSum",
        ] {
            assert!(holds(op.as_bytes()), "{op}");
        }
        // Half of a 3x3 kernel on all four sides, each number unpacked in field 8.
        assert!(holds(b"pads@\x01@\x01@\x01@\x01"));
    }
}
