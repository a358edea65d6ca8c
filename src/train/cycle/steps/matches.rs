//! The matches of a generation's network.

use std::ops::ControlFlow;

use super::GenerationSteps;
use crate::TrainError;
use crate::cycle::StepName;
use crate::cycle::context::RunContext;
use crate::cycle::jobs::{MatchJob, NetworkRef, Opponent};
use crate::cycle::plan::Rating;
use crate::cycle::ratings::{MatchRecord, anchor_name, match_records, next_anchor, score};
use crate::cycle::run_folder::{load, network_name, save};
use crate::durable;
use crate::play::matches::{MatchParams, MatchPlayer, PairResult, play_match};
use crate::trainable::Trainable;
use tengen::stats::{Sprt, Verdict};
use tengen_nn::eval::EvaluatorFactory;

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Plays the missing rating matches of the network.
    pub(super) fn rate(&self, context: &mut RunContext<'_, G>) -> Result<(), TrainError> {
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
        // A run as it is released has only the networks of its end.
        let has_network = |number: &u32| context.run_folder.network(*number).exists();
        let last = last.filter(has_network);
        let mut opponents = vec![Opponent {
            name: anchor_name(anchor),
            playouts: anchor,
            network: None,
        }];
        if let Some(last) = last {
            opponents.push(Opponent {
                name: network_name(last),
                playouts: 0,
                network: Some(NetworkRef::of(&context.run_folder.network(last))?),
            });
        }
        let job = MatchJob {
            generation: self.number,
            network: NetworkRef::of(&context.run_folder.network(self.number))?,
            opponents,
            pairs: rating.pairs,
            pairs_per_ticket: context.plan.machines.pairs_per_ticket,
            visits: rating.visits,
            opening_plies: rating.opening_plies,
            seed: self.match_seed(context),
        };
        for (index, opponent) in job.opponents.iter().enumerate() {
            let path = folder.join(format!("{}.json", opponent.name));
            if load::<MatchRecord>(&path)?.is_some() {
                continue;
            }
            let pairs = match context.learner {
                Some(learner) => learner.meet(&job, index, |pairs| {
                    self.tell_rating(context, &job, opponent, pairs)
                })?,
                None => self.meet(context, &job, opponent)?,
            };
            let record = MatchRecord {
                first: network_name(self.number),
                second: opponent.name.clone(),
                pairs,
            };
            save(&path, &record)?;
        }
        Ok(())
    }

    /// Reports the progress of a match.
    fn tell_rating(
        &self,
        context: &mut RunContext<'_, G>,
        job: &MatchJob,
        opponent: &Opponent,
        pairs: &[PairResult],
    ) -> Result<(), TrainError> {
        let (own, score) = (network_name(self.number), percent(pairs));
        let message = format!("{own} scores {score} against {}", opponent.name);
        let (done, total) = (pairs.len() as u64, job.pairs.into());
        context.tell(self.number, StepName::Rating, done, total, message)
    }

    /// Plays a match on this machine.
    fn meet(
        &self,
        context: &mut RunContext<'_, G>,
        job: &MatchJob,
        opponent: &Opponent,
    ) -> Result<Vec<PairResult>, TrainError> {
        let [own, other] = job.players(opponent, |network| {
            let path = context.run_folder.named(&network.name);
            context.resources.runtime.open(&path, self.start.size())
        })?;
        let plan = self.match_plan(context, job.pairs, job.opening_plies);
        play_match(self.start, [&own, &other], &plan, |pairs| {
            self.tell_rating(context, job, opponent, pairs)
                .map(ControlFlow::Continue)
        })
    }

    fn match_seed(&self, context: &RunContext<'_, G>) -> u64 {
        context.plan.seed ^ u64::from(self.number)
    }

    fn match_plan(
        &self,
        context: &RunContext<'_, G>,
        pairs: u32,
        opening_plies: u16,
    ) -> MatchParams {
        MatchParams {
            first: 0,
            pairs,
            opening_plies,
            seed: self.match_seed(context),
            threads: context.resources.threads,
            concurrent: context.plan.self_play.concurrent,
        }
    }

    /// The generation whose network plays next: this one, unless it fails the gate; and its score there, if it met one.
    pub(super) fn gate(
        &self,
        context: &mut RunContext<'_, G>,
        network: &EvaluatorFactory,
    ) -> Result<(u32, Option<f64>), TrainError> {
        let (Some(gate), Some(before)) = (context.plan.gate.as_ref(), self.done.last()) else {
            return Ok((self.number, None));
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
        let sprt = Sprt::new(gate.elo0, gate.elo1)
            .map_err(|error| TrainError::Setting(format!("[gate]: {error}")))?;
        let pairs = play_match(self.start, [&new, &old], &plan, |pairs| {
            let (done, total) = (pairs.len() as u64, plan.pairs.into());
            context.tell(self.number, StepName::Gate, done, total, percent(pairs))?;
            let undecided = sprt.verdict(&score(pairs).pairs) == Verdict::Continue;
            Ok(match undecided {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        let score = score(&pairs);
        let passes = match sprt.verdict(&score.pairs) {
            Verdict::AcceptElo1 => true,
            Verdict::AcceptElo0 => false,
            Verdict::Continue => score.score() > 0.5,
        };
        let plays_next = if passes {
            self.number
        } else {
            before.plays_next
        };
        Ok((plays_next, Some(score.score())))
    }
}

/// A score as text.
fn percent(pairs: &[PairResult]) -> String {
    format!("{:.0}%", 100.0 * score(pairs).score())
}
