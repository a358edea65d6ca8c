//! The matches of a generation's network.

use std::ops::ControlFlow;

use super::GenerationSteps;
use crate::TrainError;
use crate::cycle::StepName;
use crate::cycle::context::RunContext;
use crate::cycle::plan::{Gate, Rating};
use crate::cycle::ratings::{
    MatchRecord, anchor_name, match_records, network_name, next_anchor, score,
};
use crate::cycle::remote::{MatchJob, MatchOpponent, Remote};
use crate::cycle::run_folder::{load, save};
use crate::durable;
use crate::play::matches::{MatchParams, MatchPlayer, PairResult, play_match};
use crate::trainable::Trainable;
use tengen::stats::{Sprt, Verdict};
use tengen_nn::eval::EvaluatorFactory;

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Plays the missing rating matches of the network.
    pub(super) fn rate(
        &self,
        context: &mut RunContext<'_>,
        network: &EvaluatorFactory,
    ) -> Result<(), TrainError> {
        let Some(rating) = context.plan.rating.as_ref() else {
            return Ok(());
        };
        if !self.number.is_multiple_of(rating.every) {
            return Ok(());
        }
        let folder = context.run_folder.matches(self.number);
        durable::prepare_folder(&folder)?;
        let rated = |number: &u32| context.run_folder.matches(*number).exists();
        let last = (0..self.number).rev().find(rated);
        let met = match last {
            Some(last) => match_records(&context.run_folder.matches(last))?,
            None => Vec::new(),
        };
        let anchor = next_anchor(&rating.anchors, &met);
        // A run moved with `keep` has only the networks of its end.
        let has_network = |number: &u32| context.run_folder.network(*number).exists();
        let last = last.filter(has_network);
        if let Some(remote) = context.resources.remote {
            return self.rate_remotely(context, remote, anchor, last, rating);
        }
        let mut opponents = vec![(anchor_name(anchor), MatchPlayer::Rollouts(anchor))];
        if let Some(last) = last {
            let network = context
                .resources
                .runtime
                .open(&context.run_folder.network(last), self.start.size())?;
            let visits = rating.visits;
            let network = Box::new(network);
            opponents.push((network_name(last), MatchPlayer::Network { network, visits }));
        }
        let player = MatchPlayer::Network {
            network: Box::new(network.clone()),
            visits: rating.visits,
        };
        for (name, opponent) in opponents {
            let path = folder.join(format!("{name}.json"));
            if load::<MatchRecord>(&path)?.is_none() {
                let own = network_name(self.number);
                let pairs = self.meet(context, [&player, &opponent], [&own, &name], rating)?;
                let record = MatchRecord {
                    first: own,
                    second: name,
                    pairs,
                };
                save(&path, &record)?;
            }
        }
        Ok(())
    }

    /// Has other machines play the matches against an anchor and an earlier generation's network.
    fn rate_remotely(
        &self,
        context: &mut RunContext<'_>,
        remote: &dyn Remote,
        anchor: u64,
        last: Option<u32>,
        rating: &Rating,
    ) -> Result<(), TrainError> {
        let own = network_name(self.number);
        let mut opponents = vec![MatchOpponent {
            name: anchor_name(anchor),
            playouts: anchor,
            network: None,
        }];
        opponents.extend(last.map(|last| MatchOpponent {
            name: network_name(last),
            playouts: 0,
            network: Some(context.run_folder.network(last)),
        }));
        let folder = context.run_folder.matches(self.number);
        let path = |opponent: &MatchOpponent| folder.join(format!("{}.json", opponent.name));
        if opponents.iter().all(|opponent| path(opponent).exists()) {
            return Ok(());
        }
        let plan = self.match_plan(context, rating.pairs, rating.opening_plies);
        let job = MatchJob {
            generation: self.number,
            network: context.run_folder.network(self.number),
            opponents,
            pairs: rating.pairs,
            visits: rating.visits,
            opening_plies: rating.opening_plies,
            seed: plan.seed,
        };
        let met = remote.matches(&job, &mut |index, pairs| {
            let name = &job.opponents[index].name;
            let message = format!("{own} scores {} against {name}", percent(pairs));
            let (done, total) = (pairs.len() as u64, rating.pairs.into());
            context.tell(self.number, StepName::Rating, done, total, message)
        })?;
        for (opponent, pairs) in job.opponents.iter().zip(met) {
            let record = MatchRecord {
                first: own.clone(),
                second: opponent.name.clone(),
                pairs,
            };
            save(&path(opponent), &record)?;
        }
        Ok(())
    }

    fn meet(
        &self,
        context: &mut RunContext<'_>,
        players: [&MatchPlayer; 2],
        names: [&str; 2],
        rating: &Rating,
    ) -> Result<Vec<PairResult>, TrainError> {
        let plan = self.match_plan(context, rating.pairs, rating.opening_plies);
        let mut told = Ok(());
        let pairs = play_match(self.start, players, &plan, |pairs| {
            let (done, total) = (pairs.len() as u64, plan.pairs.into());
            let message = format!("{} scores {}", names[0], percent(pairs));
            let message = format!("{message} against {}", names[1]);
            told = context.tell(self.number, StepName::Rating, done, total, message);
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        told.map(|()| pairs)
    }

    fn match_plan(&self, context: &RunContext<'_>, pairs: u32, opening_plies: u16) -> MatchParams {
        MatchParams {
            first: 0,
            pairs,
            opening_plies,
            seed: context.plan.seed ^ u64::from(self.number),
            threads: context.resources.threads,
            concurrent: context.plan.self_play.concurrent,
        }
    }

    /// The generation whose network plays next: this one, unless it fails the gate.
    pub(super) fn gate(
        &self,
        context: &mut RunContext<'_>,
        network: &EvaluatorFactory,
    ) -> Result<u32, TrainError> {
        let (Some(gate), Some(before)) = (context.plan.gate.as_ref(), self.done.last()) else {
            return Ok(self.number);
        };
        let opponent = context.resources.runtime.open(
            &context.run_folder.network(before.plays_next),
            self.start.size(),
        )?;
        let [new, old] = [network.clone(), opponent].map(|network| MatchPlayer::Network {
            network: Box::new(network),
            visits: gate.visits,
        });
        let plan = self.match_plan(context, gate.pairs, Rating::default().opening_plies);
        let sprt = sprt(gate)?;
        let mut told = Ok(());
        let pairs = play_match(self.start, [&new, &old], &plan, |pairs| {
            let score = score(pairs);
            let (done, total) = (pairs.len() as u64, plan.pairs.into());
            told = context.tell(self.number, StepName::Gate, done, total, percent(pairs));
            let undecided = sprt.verdict(&score.pairs) == Verdict::Continue;
            if told.is_ok() && undecided {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        told?;
        let score = score(&pairs);
        let passes = match sprt.verdict(&score.pairs) {
            Verdict::AcceptElo1 => true,
            Verdict::AcceptElo0 => false,
            Verdict::Continue => score.score() > 0.5,
        };
        Ok(if passes {
            self.number
        } else {
            before.plays_next
        })
    }
}

/// A score as text.
fn percent(pairs: &[PairResult]) -> String {
    format!("{:.0}%", 100.0 * score(pairs).score())
}

/// The test of a gate, with error rates of 5%.
fn sprt(gate: &Gate) -> Result<Sprt, TrainError> {
    Sprt::new(gate.elo0, gate.elo1, 0.05, 0.05)
        .map_err(|error| TrainError::Setting(format!("[gate]: {error}")))
}
