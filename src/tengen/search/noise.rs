//! Exploration at a root: temperature and Dirichlet noise on its priors.

use rand::Rng;
use rand_distr::{Distribution as _, Gamma};

use super::params::SearchParams;

/// Modifies a root's priors according to the settings: temperature first, then noise
/// (docs/methods.md#search).
pub fn add_root_noise(priors: &mut [f32], params: &SearchParams, rng: &mut impl Rng) {
    let exponent = 1.0 / params.root_policy_temperature;
    priors
        .iter_mut()
        .for_each(|prior| *prior = prior.powf(exponent));
    normalise(priors);
    if params.root_noise > 0.0 {
        let noise = dirichlet(params.root_noise_concentration, priors.len(), rng);
        for (prior, noise) in priors.iter_mut().zip(noise) {
            *prior += params.root_noise * (noise - *prior);
        }
    }
}

fn normalise(weights: &mut [f32]) {
    let total: f32 = weights.iter().sum();
    let even = 1.0 / weights.len() as f32;
    weights
        .iter_mut()
        .for_each(|w| *w = if total > 0.0 { *w / total } else { even });
}

/// A symmetric Dirichlet sample with this total concentration (more than 0): normalised gamma
/// samples.
fn dirichlet(concentration: f32, len: usize, rng: &mut impl Rng) -> Vec<f32> {
    let shape = f64::from(concentration) / len as f64;
    let Ok(gamma) = Gamma::new(shape, 1.0) else {
        return vec![1.0 / len as f32; len];
    };
    let sample = gamma.sample_iter(rng).take(len);
    let mut sample: Vec<f32> = sample.map(|number| number as f32).collect();
    normalise(&mut sample);
    sample
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn dirichlet_noise_has_the_right_mean_and_spread() {
        let (mut rng, len, concentration) = (Xoshiro256PlusPlus::seed_from_u64(1), 20, 2.43);
        let (mut sum, mut squares, trials) = (0.0, 0.0, 4000);
        for _ in 0..trials {
            let sample = dirichlet(concentration, len, &mut rng);
            assert!((sample.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            sum += f64::from(sample[0]);
            squares += f64::from(sample[0] * sample[0]);
        }
        let mean = sum / f64::from(trials);
        let variance = squares / f64::from(trials) - mean * mean;
        // Mean 1/K, variance (1/K)(1 - 1/K) / (concentration + 1).
        assert!((mean - 0.05).abs() < 0.01, "{mean}");
        let expected = 0.05 * 0.95 / 3.43;
        assert!(
            (variance / expected - 1.0).abs() < 0.2,
            "{variance} against {expected}"
        );
    }
}
