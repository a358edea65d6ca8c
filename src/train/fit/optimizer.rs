//! Gradient descent on plain numbers: SGD with momentum, and AdamW.
//!
//! On the host and not on the device: the state is small, a checkpoint copies it, and a resumed run
//! is equal to the bit.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::network::net::{Role, Weights};

/// Update rule, with its constants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum OptimizerKind {
    /// Stochastic gradient descent with Nesterov momentum.
    Sgd {
        /// In [0, 1); 0.9 is usual.
        momentum: f32,
    },
    /// Adam with decoupled weight decay (Loshchilov & Hutter 2019), betas 0.9 and 0.999.
    AdamW,
}

impl OptimizerKind {
    /// Numbers that it keeps for each fitted parameter.
    pub(super) fn numbers(self) -> usize {
        match self {
            OptimizerKind::Sgd { .. } => 1,
            OptimizerKind::AdamW => 2,
        }
    }
}

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const ADAM_EPSILON: f32 = 1e-8;

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

/// The optimiser's state: one or two numbers for each parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimizer {
    rule: OptimizerKind,
    steps: u64,
    /// Momentum (SGD) or mean gradient (AdamW), a tensor each; empty for statistics.
    pub(crate) first: Vec<Vec<f32>>,
    /// Mean squared gradient (AdamW); empty tensors for SGD.
    pub(crate) second: Vec<Vec<f32>>,
}

impl Optimizer {
    /// An optimiser before its first step.
    pub fn new(rule: OptimizerKind, weights: &Weights) -> Optimizer {
        let slots = |wanted: bool| {
            let tensors = weights.tensors().iter();
            let fitted = |role| wanted && role != Role::Buffer;
            tensors
                .map(|w| vec![0.0; if fitted(w.role) { w.values.len() } else { 0 }])
                .collect()
        };
        Optimizer {
            rule,
            steps: 0,
            first: slots(true),
            second: slots(rule.numbers() > 1),
        }
    }

    /// Continues counting after `steps` steps: AdamW's bias correction depends on it.
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
        let rule = self.rule;
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
            match rule {
                OptimizerKind::Sgd { momentum } => {
                    for ((w, v), g) in numbers.zip(first).zip(gradient) {
                        let g = g + decay * *w;
                        *v = momentum * *v + g;
                        *w -= rate * (g + momentum * *v);
                    }
                }
                OptimizerKind::AdamW => {
                    for (((w, m), v), g) in numbers.zip(first).zip(second).zip(gradient) {
                        *m += (1.0 - BETA_1) * (g - *m);
                        *v += (1.0 - BETA_2) * (g * g - *v);
                        let move_by = (*m / unbias_1) / ((*v / unbias_2).sqrt() + ADAM_EPSILON);
                        *w -= rate * (move_by + decay * *w);
                    }
                }
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
    use crate::network::net::WeightTensor;

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
    fn both_rules_find_the_minimum_and_leave_statistics_alone() {
        for rule in [OptimizerKind::Sgd { momentum: 0.9 }, OptimizerKind::AdamW] {
            let mut weights = weights();
            let mut optimizer = Optimizer::new(rule, &weights);
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
    }

    #[test]
    fn decay_shrinks_factors_only_and_clipping_bounds_the_step() {
        let mut decayed = weights();
        let none = vec![vec![0.0; 2]; 3];
        let step = Step {
            weight_decay: 0.1,
            ..STEP
        };
        Optimizer::new(OptimizerKind::AdamW, &decayed).step(&mut decayed, &none, step);
        assert!((decayed.get("f").values[0] - 5.0 * 0.995).abs() < 1e-5);
        assert_eq!(decayed.get("o").values, [5.0, -3.0]);

        let mut clipped = weights();
        let steep = vec![vec![300.0, 400.0], vec![], vec![]];
        let step = Step {
            clip_norm: 1.0,
            ..STEP
        };
        let rule = OptimizerKind::Sgd { momentum: 0.0 };
        let norm = Optimizer::new(rule, &clipped).step(&mut clipped, &steep, step);
        assert_eq!(norm, 500.0);
        assert!((clipped.get("f").values[0] - (5.0 - 0.05 * 0.6)).abs() < 1e-5);
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
