//! Settings of the search, and the noise that they put on a root: one table generates the struct, the parser, the help
//! and the documentation.

use rand::Rng;
use rand_distr::{Distribution as _, Gamma};

crate::settings! {
    /// Settings of the search; every field is a line of the table in this file.
    #[derive(Debug, Clone, PartialEq)]
    SearchParams, "Search" {
        cpuct: f32 = 1.1, 0.0..=100.0,
            "Exploration constant of PUCT, for values in [-1, 1].", "Gao & Wu 2021, 3.1; 2.0 lost 32-48 to it at 200 visits (az-5b32c, 2026-11)";
        cpuct_growth: f32 = 0.45, 0.0..=100.0,
            "Added to cpuct times ln((visits + b) / b), where b is cpuct-base.", "KataGo";
        cpuct_base: f32 = 500.0, 1.0..=1e9,
            "Visits at which cpuct begins to grow.", "KataGo";
        fpu_reduction: f32 = 0.2, 0.0..=2.0,
            "FPU: an unvisited move's value is the node's value less this times the square root of \
             the visited policy mass.",
            "KataGo";
        root_fpu_reduction: f32 = 0.2, 0.0..=2.0,
            "fpu-reduction at the root; 0 is usual in self-play.", "as in the tree; KataGo's self-play uses 0";
        virtual_loss: f32 = 0.0, 0.0..=10.0,
            "Virtual loss: losses that a visit in flight counts as; 0 counts it as a visit only.", "Liu et al. 2020, WU-UCT";
        root_policy_temperature: f32 = 1.0, 0.1..=10.0,
            "Flattens (above 1) or sharpens the root's priors.", "1.03 in self-play, Gao & Wu 2021, 3.1";
        root_noise: f32 = 0.0, 0.0..=1.0,
            "Share of Dirichlet noise in the root's priors.", "0.25 in self-play, Gao & Wu 2021, 3.1; none in play";
        root_noise_concentration: f32 = 2.43, 0.01..=1000.0,
            "Total concentration of the root's Dirichlet noise, shared by the legal moves.", "0.03 * 81, Gao & Wu 2021, 3.1";
        lcb_deviations: f32 = 5.0, 0.0..=100.0,
            "Standard errors between the value and the lower confidence bound.", "KataGo";
        lcb_min_visits: f32 = 0.15, 0.0..=1.0,
            "Minimum share of the most visited move's visits for a move to be chosen by its lower \
             confidence bound.", "KataGo";
        subtree_bias_factor: f32 = 0.0, 0.0..=1.0,
            "Share by which a position's value is corrected for the mean error of the values of positions after the \
             same two moves in the same surroundings.", "KataGo: 0.45";
        lead_weight: f32 = 0.1, 0.0..=0.9,
            "Weight of the score in a position's value, where the network predicts the score.",
            "KataGo: 0.1 on a fixed scale, and more on one around the current lead";
        move_temperature: f32 = 0.0, 0.0..=10.0,
            "Temperature of the move choice at the game's start: (visits + prior)^(1/temperature); 0 plays the best move.", "KataGo self-play uses 0.75";
        move_least_share: f32 = 0.0, 0.0..=1.0,
            "A move is not drawn by that temperature if it has less than this share of the largest weight.", "ours, for levels";
        move_temperature_halflife: f32 = 9.0, 0.1..=1e6,
            "Half-life of move-temperature in plies.", "board side, KataGo";
        batch: u32 = 0, 0..=4096,
            "Maximum leaves per evaluation of a thread; 0 uses the evaluator's preferred batch size.", "Minigo and KataGo, docs/methods.md#search";
        memory_mib: u32 = 1024, 16..=1_000_000,
            "Memory of the search tree in MiB, about two 9x9 positions per KiB; when it is full, \
             the least visited parts are pruned. A tree over playouts stops growing.", "ours";
    }
}

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
