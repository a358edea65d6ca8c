//! Weights into the ONNX file that the engine loads.

use super::TrainError;
use super::net::{Fold, Weights};
use super::recipe::Recipe;
use crate::eval::{ModelInfo, PLANES, POLICY, VALUE};
use crate::onnx::GraphBuilder;

/// The ONNX file of a network, `info` in its metadata.
///
/// # Errors
/// [`TrainError::Setting`] when the graph is inconsistent, which means that `info` is not about
/// these weights.
pub fn to_onnx(recipe: Recipe, weights: &Weights, info: &ModelInfo) -> Result<Vec<u8>, TrainError> {
    let mut graph = GraphBuilder::new(&info.network);
    let planes = graph.input(PLANES, info.planes_shape());
    let heads = recipe.describe(&mut Fold::new(weights, &mut graph), &planes);
    graph.output(POLICY, heads.policy, info.policy_shape());
    graph.output(VALUE, heads.value, info.value_shape());
    graph
        .finish(&info.to_metadata())
        .map_err(|error| TrainError::Setting(format!("cannot write {}: {error}", info.network)))
}

#[cfg(all(test, feature = "tract"))]
mod tests {
    use super::*;
    use crate::eval::{Batch, Evaluator, Outputs, TractModel};
    use crate::game::BoardSize;
    use crate::train::loader;
    use crate::train::net::{Forward, Mode, numbers};
    use crate::train::score::planes;
    use burn::tensor::Device;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// What Burn computes with running statistics is what the engine's backend computes with the
    /// folded file.
    #[test]
    fn the_exported_file_answers_as_the_fitted_network() {
        const ROWS: usize = 7;
        let (recipe, size): (Recipe, _) = ("az-2b16c".parse().unwrap(), BoardSize::new(6, 5));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut weights, _) = recipe.declare(12, size, 3);
        for weight in weights.tensors_mut() {
            // Norms that do something: any scale and shift, and positive variances.
            if weight.dims.len() == 1 {
                let numbers = weight.values.iter_mut();
                numbers.for_each(|number| *number = 0.5 + rng.random::<f32>());
            }
        }
        let info = ModelInfo {
            game: "nogo".to_owned(),
            size,
            encoding: "nogo-1".to_owned(),
            planes: 12,
            policy_len: size.area(),
            outcomes: 2,
            network: recipe.to_string(),
            games: 1,
            steps: 2,
            creator: "test".to_owned(),
        };
        let onnx = to_onnx(recipe, &weights, &info).unwrap();
        let mut evaluator = TractModel::load("test", &onnx)
            .unwrap()
            .evaluator()
            .unwrap();
        assert_eq!(*evaluator.info(), info);

        let (mut batch, mut out) = (Batch::new(info.row_len()), Outputs::new());
        for row in 0..ROWS {
            let numbers = batch.push(row as u128).iter_mut();
            numbers.for_each(|number| *number = f32::from(rng.random_range(0..3u8) / 2));
        }
        evaluator.evaluate(&batch, &mut out).unwrap();

        let rows = loader::Batch {
            len: ROWS,
            planes: batch.planes().to_vec(),
            mask: vec![],
            policy: vec![],
            value: vec![],
        };
        let device = Device::flex();
        let mut forward = Forward::new(&weights, &device, Mode::Infer);
        let heads = recipe.describe(&mut forward, &planes(&rows, size, &device));
        let (policy, value) = (numbers(heads.policy), numbers(heads.value));
        for row in 0..ROWS {
            let fitted = policy[row * size.area()..].iter().zip(out.policy(row));
            let fitted = fitted.chain(value[row * 2..].iter().zip(out.value_logits(row)));
            for (fitted, exported) in fitted {
                assert!((fitted - exported).abs() < 1e-4, "{fitted} {exported}");
            }
        }
        let spread = policy
            .iter()
            .copied()
            .fold(0.0, |most: f32, x| most.max(x.abs()));
        assert!(spread > 0.1, "the network says something: {spread}");
    }
}
