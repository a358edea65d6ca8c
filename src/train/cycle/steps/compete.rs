//! The matches of a generation's network.

use std::ops::ControlFlow;

use super::Work;
use crate::eval::EvaluatorFactory;
use crate::stats::{Sprt, Verdict};
use crate::train::contest::{Match, PairResult, Player, contest};
use crate::train::cycle::StepName;
use crate::train::cycle::ladder::{
    Encounter, anchor_name, encounters, network_name, next_anchor, score,
};
use crate::train::cycle::place::{load, save};
use crate::train::cycle::plan::{Gate, Rating};
use crate::train::cycle::run::Desk;
use crate::train::learn::Learn;
use crate::train::{TrainError, durable};

impl<G: Learn> Work<'_, G> {
    /// Plays the matches that rate the network, those that are not there yet.
    pub(super) fn rate(
        &self,
        desk: &mut Desk<'_>,
        network: &EvaluatorFactory,
    ) -> Result<(), TrainError> {
        let Some(rating) = desk.plan.rating.as_ref() else {
            return Ok(());
        };
        if !self.number.is_multiple_of(rating.every) {
            return Ok(());
        }
        let folder = desk.place.matches(self.number);
        durable::prepare_folder(&folder)?;
        let rated = |number: &u32| desk.place.matches(*number).exists();
        let last = (0..self.number).rev().find(rated);
        let met = match last {
            Some(last) => encounters(&desk.place.matches(last))?,
            None => Vec::new(),
        };
        let anchor = next_anchor(&rating.anchors, &met);
        let mut opponents = vec![(anchor_name(anchor), Player::Rollouts(anchor))];
        if let Some(last) = last {
            let network = desk.session.runtime.open(&desk.place.network(last))?;
            let visits = rating.visits;
            let network = Box::new(network);
            opponents.push((network_name(last), Player::Network { network, visits }));
        }
        let player = Player::Network {
            network: Box::new(network.clone()),
            visits: rating.visits,
        };
        for (name, opponent) in opponents {
            let path = folder.join(format!("{name}.json"));
            if load::<Encounter>(&path)?.is_none() {
                let own = network_name(self.number);
                let pairs = self.meet(desk, [&player, &opponent], [&own, &name], rating)?;
                let encounter = Encounter {
                    first: own,
                    second: name,
                    pairs,
                };
                save(&path, &encounter)?;
            }
        }
        Ok(())
    }

    fn meet(
        &self,
        desk: &mut Desk<'_>,
        players: [&Player; 2],
        names: [&str; 2],
        rating: &Rating,
    ) -> Result<Vec<PairResult>, TrainError> {
        let plan = self.match_plan(desk, rating.pairs, rating.opening_plies);
        let mut told = Ok(());
        let pairs = contest(self.start, players, &plan, |pairs| {
            let count = (pairs.len() as u64, plan.pairs.into());
            let message = format!("{} scores {}", names[0], percent(pairs));
            let message = format!("{message} against {}", names[1]);
            told = desk.tell(self.number, StepName::Rating, count, message);
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        told.map(|()| pairs)
    }

    fn match_plan(&self, desk: &Desk<'_>, pairs: u32, opening_plies: u16) -> Match {
        Match {
            pairs,
            opening_plies,
            seed: desk.plan.seed ^ u64::from(self.number),
            threads: desk.session.threads,
            concurrent: desk.plan.self_play.concurrent,
        }
    }

    /// Which generation's network plays next: this one, unless there is a gate and it fails.
    pub(super) fn gate(
        &self,
        desk: &mut Desk<'_>,
        network: &EvaluatorFactory,
    ) -> Result<u32, TrainError> {
        let (Some(gate), Some(before)) = (desk.plan.gate.as_ref(), self.done.last()) else {
            return Ok(self.number);
        };
        let opponent = desk
            .session
            .runtime
            .open(&desk.place.network(before.plays_next))?;
        let [new, old] = [network.clone(), opponent].map(|network| Player::Network {
            network: Box::new(network),
            visits: gate.visits,
        });
        let plan = self.match_plan(desk, gate.pairs, Rating::default().opening_plies);
        let sprt = sprt(gate)?;
        let mut told = Ok(());
        let pairs = contest(self.start, [&new, &old], &plan, |pairs| {
            let score = score(pairs);
            let count = (pairs.len() as u64, plan.pairs.into());
            told = desk.tell(self.number, StepName::Gate, count, percent(pairs));
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

/// A score for people.
fn percent(pairs: &[PairResult]) -> String {
    format!("{:.0}%", 100.0 * score(pairs).score())
}

/// The test of a gate, with error rates of 5%.
fn sprt(gate: &Gate) -> Result<Sprt, TrainError> {
    Sprt::new(gate.elo0, gate.elo1, 0.05, 0.05)
        .map_err(|error| TrainError::Setting(format!("[gate]: {error}")))
}
