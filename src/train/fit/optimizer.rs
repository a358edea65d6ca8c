//! Gradient descent on plain numbers: Adam with decoupled weight decay (AdamW; Loshchilov & Hutter 2019).
//!
//! On the host and not on the device: the state is small, a checkpoint copies it, and a resumed run
//! is equal to the bit.

use rayon::prelude::*;

use crate::network::net::{Role, WeightTensor, Weights};

/// Numbers that it keeps for each fitted parameter.
pub(super) const NUMBERS: usize = 2;

/// The paper's.
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
    steps: u64,
    /// Mean gradient, a tensor each; empty for statistics.
    pub(crate) first: Vec<Vec<f32>>,
    /// Mean squared gradient.
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

    /// Continues counting after `steps` steps: the bias correction depends on it.
    pub(crate) fn resume_at(&mut self, steps: u64) {
        self.steps = steps;
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
