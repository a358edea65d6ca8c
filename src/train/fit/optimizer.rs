//! Gradient descent on plain numbers: Muon (Jordan et al. 2024) for weights that are matrices, Adam with decoupled
//! weight decay (AdamW; Loshchilov & Hutter 2019) for all others.
//!
//! On the host and not on the device: the state is small, a checkpoint copies it, and a resumed run
//! is equal to the bit.

use rayon::prelude::*;

use crate::fit::orthogonal::orthogonalise;
use crate::network::net::{Role, WeightTensor, Weights};

/// Numbers that it keeps for each fitted parameter.
pub(super) const NUMBERS: usize = 2;

/// Share of the earlier mean gradient in the new one, of a matrix; Jordan et al. have it.
const MOMENTUM: f32 = 0.95;

/// Change of a number of a matrix per step and unit of learning rate (root of the mean square); Adam's is at most 1.
///
/// At the usual learning rate of 0.001, 2 and 5 were equally good, 0.8 and 0.3 slower (docs/methods.md#networks).
const MATRIX_STEP: f32 = 2.0;

/// Rows and columns of the smallest weight that is a matrix: smaller ones end a head, or belong to a single channel.
const MATRIX_FROM: usize = 16;

/// AdamW's paper has them.
const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Settings of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Learning rate of this step.
    pub rate: f32,
    /// Per step and unit of learning rate, on weights only.
    pub weight_decay: f32,
    /// Maximum Euclidean norm of all gradients together; longer ones are scaled down.
    pub clip_norm: f32,
}

/// The optimiser's state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Optimizer {
    /// Steps made so far, on which the bias correction depends.
    pub(crate) steps: u64,
    /// Mean gradient, a tensor each; empty for statistics.
    pub(crate) first: Vec<Vec<f32>>,
    /// Mean squared gradient; zeros for matrices, which do not use it.
    pub(crate) second: Vec<Vec<f32>>,
}

impl Optimizer {
    /// An optimiser before its first step.
    pub fn new(weights: &Weights) -> Optimizer {
        let slot = |tensor: &WeightTensor| match tensor.role {
            Role::Buffer => Vec::new(),
            Role::Weight | Role::Bias => vec![0.0; tensor.values.len()],
        };
        let slots: Vec<Vec<f32>> = weights.tensors().iter().map(slot).collect();
        Optimizer {
            steps: 0,
            first: slots.clone(),
            second: slots,
        }
    }

    /// Changes the weights by one step; returns the norm of the gradient before clipping.
    ///
    /// `gradients` has one tensor per weight, empty if there is none.
    pub fn step(&mut self, weights: &mut Weights, gradients: &[Vec<f32>], step: Step) -> f32 {
        self.steps += 1;
        let norm = squared_norm(gradients).sqrt() as f32;
        let scale = if norm > step.clip_norm {
            step.clip_norm / norm
        } else {
            1.0
        };
        let rate = step.rate;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let unbias_1 = 1.0 - BETA_1.powi(steps);
        let unbias_2 = 1.0 - BETA_2.powi(steps);
        let slots = self.first.par_iter_mut().zip(&mut self.second);
        let tensors = weights.tensors_mut().par_iter_mut();
        let all = tensors.zip(slots).zip(gradients);
        all.for_each(|((weight, (first, second)), gradient)| {
            let decay = match weight.role {
                Role::Weight => step.weight_decay,
                Role::Bias => 0.0,
                Role::Buffer => return,
            };
            let gradient = gradient.iter().map(|g| g * scale);
            if let Some(rows) = matrix_rows(weight) {
                let direction = muon_direction(first, gradient, rows);
                for (w, d) in weight.values.iter_mut().zip(direction) {
                    *w -= rate * (d + decay * *w);
                }
                return;
            }
            let numbers = weight.values.iter_mut();
            for (((w, m), v), g) in numbers.zip(first).zip(second).zip(gradient) {
                *m += (1.0 - BETA_1) * (g - *m);
                *v += (1.0 - BETA_2) * (g * g - *v);
                let move_by = (*m / unbias_1) / ((*v / unbias_2).sqrt() + EPSILON);
                *w -= rate * (move_by + decay * *w);
            }
        });
        norm
    }
}

/// The direction of a matrix's step per unit of learning rate; moves its mean gradient on.
fn muon_direction(mean: &mut [f32], gradient: impl Iterator<Item = f32>, rows: usize) -> Vec<f32> {
    let moved = mean.iter_mut().zip(gradient).map(|(m, g)| {
        *m += (1.0 - MOMENTUM) * (g - *m);
        // Nesterov's: the mean as it will be if the next gradient is this one.
        *m + (1.0 - MOMENTUM) * (g - *m)
    });
    let mut direction: Vec<f32> = moved.collect();
    let columns = direction.len() / rows;
    orthogonalise(&mut direction, rows, columns);
    let length = MATRIX_STEP * (rows.max(columns) as f32).sqrt();
    direction.iter_mut().for_each(|d| *d *= length);
    direction
}

/// The rows of a weight that is a matrix: of a convolution, an output each.
fn matrix_rows(weight: &WeightTensor) -> Option<usize> {
    let rows = *weight.dims.first()?;
    let columns = weight.values.len() / rows.max(1);
    (weight.role == Role::Weight && rows.min(columns) >= MATRIX_FROM).then_some(rows)
}

/// The sum of all squares: of each tensor, then of all tensors in order, for any number of threads.
fn squared_norm(gradients: &[Vec<f32>]) -> f64 {
    let of_tensor = |tensor: &Vec<f32>| tensor.iter().map(|g| f64::from(*g).powi(2)).sum();
    let of_tensors: Vec<f64> = gradients.par_iter().map(of_tensor).collect();
    of_tensors.iter().sum()
}

/// Moves `average` towards `weights`: an exponential moving average, statistics included.
pub fn average(average: &mut Weights, weights: &Weights, decay: f32) {
    let averages = average.tensors_mut().par_iter_mut();
    averages.zip(weights.tensors()).for_each(|(mean, now)| {
        for (mean, now) in mean.values.iter_mut().zip(&now.values) {
            *mean += (1.0 - decay) * (now - *mean);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        let mut weights = Weights::default();
        for (name, role) in [("f", Role::Weight), ("o", Role::Bias), ("s", Role::Buffer)] {
            let values = vec![5.0, -3.0];
            weights.push(WeightTensor {
                name: name.to_owned(),
                dims: vec![2],
                role,
                values,
            });
        }
        weights
    }

    const STEP: Step = Step {
        rate: 0.05,
        weight_decay: 0.0,
        clip_norm: f32::INFINITY,
    };

    #[test]
    fn it_finds_the_minimum_and_leaves_statistics_alone() {
        let mut weights = weights();
        let mut optimizer = Optimizer::new(&weights);
        for _ in 0..500 {
            // The gradient of half the squared distance from (1, 2).
            let gradient = |w: &WeightTensor| vec![w.values[0] - 1.0, w.values[1] - 2.0];
            let gradients: Vec<_> = weights.tensors().iter().map(gradient).collect();
            optimizer.step(&mut weights, &gradients, STEP);
        }
        for name in ["f", "o"] {
            let values = &weights.get(name).values;
            assert!(
                (values[0] - 1.0).abs() + (values[1] - 2.0).abs() < 0.02,
                "{values:?}"
            );
        }
        assert_eq!(weights.get("s").values, [5.0, -3.0]);
    }

    #[test]
    fn a_matrix_comes_to_its_target() {
        let mut weights = Weights::default();
        weights.push(WeightTensor {
            name: "m".to_owned(),
            dims: vec![16, 2, 3, 3],
            role: Role::Weight,
            values: vec![0.5; 16 * 18],
        });
        let target = |index: usize| (index % 7) as f32 / 7.0;
        let off = |weights: &Weights| {
            let values = weights.get("m").values.iter().enumerate();
            values
                .map(|(i, w)| (w - target(i)).abs())
                .fold(0.0, f32::max)
        };
        let mut optimizer = Optimizer::new(&weights);
        for left in (0..300).rev() {
            let values = weights.get("m").values.iter().enumerate();
            let gradient = values.map(|(i, w)| w - target(i)).collect();
            let step = Step {
                rate: 0.05 * left as f32 / 300.0,
                ..STEP
            };
            optimizer.step(&mut weights, &[gradient], step);
        }
        assert!(off(&weights) < 0.02, "{}", off(&weights));
        assert!(optimizer.second[0].iter().all(|&v| v == 0.0));
    }

    #[test]
    fn decay_shrinks_factors_only_and_clipping_bounds_the_step() {
        let mut decayed = weights();
        let none = vec![vec![0.0; 2]; 3];
        let step = Step {
            weight_decay: 0.1,
            ..STEP
        };
        Optimizer::new(&decayed).step(&mut decayed, &none, step);
        assert!((decayed.get("f").values[0] - 5.0 * 0.995).abs() < 1e-5);
        assert_eq!(decayed.get("o").values, [5.0, -3.0]);

        let mut clipped = weights();
        let steep = vec![vec![300.0, 400.0], vec![], vec![]];
        let step = Step {
            clip_norm: 1.0,
            ..STEP
        };
        let mut optimizer = Optimizer::new(&clipped);
        let norm = optimizer.step(&mut clipped, &steep, step);
        assert_eq!(norm, 500.0);
        // A tenth of the gradient of length 1.
        assert!((optimizer.first[0][0] - 0.1 * 0.6).abs() < 1e-6);
        assert!((optimizer.second[0][1] - 0.001 * 0.64).abs() < 1e-6);
    }

    #[test]
    fn averages_follow_slowly() {
        let (mut mean, mut now) = (weights(), weights());
        now.tensors_mut()[2].values[0] = 6.0;
        average(&mut mean, &now, 0.9);
        assert!((mean.get("s").values[0] - 5.1).abs() < 1e-6);
        assert_eq!(mean.get("f").values, [5.0, -3.0]);
    }
}
