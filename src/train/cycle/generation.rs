//! A finished generation: its figures, and the continuation of the run.

use serde::{Deserialize, Serialize};

use super::measure::Measures;
use super::plan::{CyclePlan, Plateau};
use crate::fit::held_out::HeldOutLosses;

/// A finished generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// Index of its stage in the plan; `None` for the warm-up.
    pub stage: Option<usize>,
    /// Player of its games: a network's name, `nothing` or `rollouts`.
    pub players: String,
    /// Playouts of a full search in its games.
    pub visits: u64,
    /// The network that was fitted.
    pub network: String,
    /// Number of the generation whose network plays next: this one's, unless it failed the gate.
    pub plays_next: u32,
    /// Games of this generation.
    pub games: u64,
    /// Games of all generations so far.
    pub games_so_far: u64,
    /// Recorded positions of this generation.
    pub rows: u64,
    /// Recorded positions so far.
    pub rows_so_far: u64,
    /// White's share of the wins in these games.
    pub white_share: f64,
    /// Games per second in the last session.
    pub games_per_second: f64,
    /// Evaluations per second in the last session.
    pub evaluations_per_second: f64,
    /// Samples per second of the fit in the last session.
    pub samples_per_second: f64,
    /// Steps of the optimiser for this network so far.
    pub steps: u64,
    /// Losses of the network on held-out games.
    pub held_out: Option<HeldOutLosses>,
    /// Further measurements on them.
    pub measures: Measures,
    /// Time of the run in seconds when it was finished.
    pub seconds: f64,
}

/// The stage of the next generation, or `None` when the plan is complete. `rating` returns the
/// rating of a generation's network, if it has one.
#[must_use]
pub fn next_stage(
    plan: &CyclePlan,
    done: &[Generation],
    rating: impl Fn(u32) -> Option<f64>,
) -> Option<usize> {
    let current = done.last().and_then(|last| last.stage).unwrap_or(0);
    let own: Vec<&Generation> = done.iter().filter(|g| g.stage == Some(current)).collect();
    let stage = plan.stage.get(current)?;
    let ratings: Vec<f64> = own.iter().filter_map(|g| rating(g.number)).collect();
    let converged = stage.plateau.as_ref().is_some_and(|p| is_flat(&ratings, p));
    if own.len() < stage.generations as usize && !converged {
        return Some(current);
    }
    let next = current + 1;
    (next < plan.stage.len()).then_some(next)
}

/// The stage of a generation of a plan without plateaus; `None` after the last one.
#[must_use]
pub(super) fn planned_stage(plan: &CyclePlan, number: u32) -> Option<usize> {
    let mut left = number.saturating_sub(u32::from(plan.warm_up.is_some()));
    for (index, stage) in plan.stage.iter().enumerate() {
        if left < stage.generations {
            return Some(index);
        }
        left -= stage.generations;
    }
    None
}

/// Games of a generation of a plan without plateaus.
#[must_use]
pub(super) fn planned_games(plan: &CyclePlan, number: u32) -> u64 {
    match &plan.warm_up {
        Some(warm_up) if number == 0 => warm_up.games,
        _ => planned_stage(plan, number).map_or(0, |stage| plan.stage[stage].games),
    }
}

/// Whether none of the last ratings exceeds the best earlier one by enough.
fn is_flat(ratings: &[f64], plateau: &Plateau) -> bool {
    let Some(split) = ratings.len().checked_sub(plateau.generations as usize) else {
        return false;
    };
    let (before, last) = ratings.split_at(split);
    let best = |ratings: &[f64]| ratings.iter().copied().reduce(f64::max);
    match (best(before), best(last)) {
        (Some(before), Some(last)) => last < before + plateau.elo,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::plan::WarmUp;

    fn generation(number: u32, stage: Option<usize>) -> Generation {
        Generation {
            number,
            stage,
            players: "nothing".to_owned(),
            visits: 8,
            network: "az-1b8c".to_owned(),
            plays_next: number,
            games: 4,
            games_so_far: 4,
            rows: 4,
            rows_so_far: 4,
            white_share: 0.5,
            games_per_second: 1.0,
            evaluations_per_second: 1.0,
            samples_per_second: 1.0,
            steps: 1,
            held_out: None,
            measures: Measures::default(),
            seconds: 1.0,
        }
    }

    fn plan(plateau: &str) -> CyclePlan {
        let stage = "[[stage]]\nnetwork = \"az-1b8c\"\nvisits = 8\ngames = 4\ngenerations = 4\n";
        CyclePlan::parse(&format!("{stage}{plateau}{stage}[rating]\n")).unwrap()
    }

    #[test]
    fn stages_follow_each_other() {
        let plan = plan("");
        let mut done = vec![generation(0, None)];
        let mut stages = Vec::new();
        while let Some(stage) = next_stage(&plan, &done, |_| None) {
            stages.push(stage);
            done.push(generation(done.len() as u32, Some(stage)));
        }
        assert_eq!(stages, [0, 0, 0, 0, 1, 1, 1, 1]);
        let known: Vec<_> = (0..9).map(|number| planned_stage(&plan, number)).collect();
        let wanted: Vec<_> = stages.iter().map(|&stage| Some(stage)).collect();
        assert_eq!(known[..8], wanted, "without a warm-up");
        assert_eq!((known[8], planned_games(&plan, 8)), (None, 0));
        let warm_up = CyclePlan {
            warm_up: Some(WarmUp {
                games: 7,
                ..WarmUp::default()
            }),
            ..plan
        };
        let games: Vec<u64> = (0..10)
            .map(|number| planned_games(&warm_up, number))
            .collect();
        assert_eq!(games, [7, 4, 4, 4, 4, 4, 4, 4, 4, 0]);
        assert_eq!(planned_stage(&warm_up, 4), Some(0));
        assert_eq!(planned_stage(&warm_up, 5), Some(1));
    }

    #[test]
    fn a_converged_network_makes_room() {
        let plan = plan("plateau = { generations = 2, elo = 15.0 }\n");
        let done: Vec<_> = (0..3).map(|n| generation(n, Some(0))).collect();
        let next = |elo: [f64; 3]| next_stage(&plan, &done, |n| Some(elo[n as usize]));
        assert_eq!(next([100.0, 110.0, 114.0]), Some(1));
        assert_eq!(next([100.0, 116.0, 90.0]), Some(0), "one was better");
        assert_eq!(
            next_stage(&plan, &done[..2], |_| Some(0.0)),
            Some(0),
            "too few"
        );
        assert_eq!(next_stage(&plan, &done, |_| None), Some(0), "no ratings");
    }
}
