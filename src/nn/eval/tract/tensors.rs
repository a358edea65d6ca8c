//! Values of a network's inner tensors, for calibration.

use tract_onnx::prelude::{IntoRunnable, Tensor, TypedSimpleState, tvec};

use super::{input_shape, loaded, optimised, run_error};
use crate::BoardSize;
use crate::eval::{EvalError, ModelInfo};

/// Runs a network and returns the requested tensors.
#[derive(Debug)]
pub struct InnerTensors {
    shape: [usize; 4],
    state: TypedSimpleState,
    count: usize,
}

impl InnerTensors {
    /// Loads the bytes of an ONNX file for a board, by default its own, to observe the f32 tensors
    /// `names`; `path` is only used in errors.
    ///
    /// # Errors
    /// As [`super::TractModel::load`]; [`EvalError::Load`] also when there is no such tensor.
    pub fn load(
        path: &str,
        onnx: &[u8],
        names: &[String],
        board: Option<BoardSize>,
    ) -> Result<InnerTensors, EvalError> {
        let info = ModelInfo::read_for(path, onnx, board)?;
        let plan = loaded(path, || optimised(&info, onnx, names)?.into_runnable())?;
        Ok(InnerTensors {
            shape: input_shape(&info),
            state: plan.spawn().map_err(|error| run_error(&error))?,
            count: names.len(),
        })
    }

    /// Evaluates rows of planes; for each row, `observe` gets the index of each name and the
    /// tensor's numbers, `[channel, row, column]`.
    ///
    /// # Errors
    /// [`EvalError::Run`] when tract fails.
    pub fn run(
        &mut self,
        planes: &[f32],
        mut observe: impl FnMut(usize, &[f32]),
    ) -> Result<(), EvalError> {
        let failed = |error| run_error(&error);
        for row in planes.chunks_exact(self.shape.iter().product()) {
            let input = Tensor::from_shape(&self.shape, row).map_err(failed)?;
            let found = self.state.run(tvec![input.into()]).map_err(failed)?;
            for (at, tensor) in found.iter().take(self.count).enumerate() {
                let tensor = tensor.try_as_plain_ram().map_err(failed)?;
                observe(at, tensor.as_slice::<f32>().map_err(failed)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::TractModel;
    use super::*;
    use crate::eval::testnet::{SMALL, random_batch};
    use crate::eval::{Evaluator, Outputs};
    use crate::onnx::Model;

    #[test]
    fn tensors_inside_are_those_that_the_answers_come_from() {
        let onnx = SMALL.onnx(1);
        let nodes = Model::read(&onnx).unwrap().nodes;
        // The policy is its last convolution, flattened.
        let conv = nodes.iter().rfind(|node| node.op == "Conv").unwrap();
        let relu = nodes.iter().find(|node| node.op == "Relu").unwrap();
        let names = [conv.output.clone(), relu.output.clone()];
        let mut tensors = InnerTensors::load("small", &onnx, &names, None).unwrap();
        let model = TractModel::load("small", &onnx, None).unwrap();
        let batch = random_batch(model.info().row_len(), 3, 9);
        let mut answers = Outputs::new();
        let mut evaluator = model.evaluator().unwrap();
        evaluator.evaluate(&batch, &mut answers).unwrap();
        let (mut policies, mut seen) = (Vec::new(), 0);
        let observe = |at: usize, numbers: &[f32]| match at {
            0 => policies.extend_from_slice(numbers),
            _ => {
                assert!(numbers.iter().all(|number| *number >= 0.0));
                assert!(numbers.iter().any(|number| *number > 0.0));
                seen += 1;
            }
        };
        tensors.run(batch.planes(), observe).unwrap();
        let rows = (0..batch.len()).flat_map(|row| answers.policy(row));
        for (found, expected) in policies.iter().zip(rows.clone()) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
        assert_eq!((policies.len(), seen), (rows.count(), batch.len()));
    }

    #[test]
    fn a_tensor_that_is_not_there_is_named() {
        let names = ["Relu_99".to_owned()];
        let error = InnerTensors::load("small", &SMALL.onnx(1), &names, None).unwrap_err();
        assert!(error.to_string().contains("Relu_99"), "{error}");
    }
}
