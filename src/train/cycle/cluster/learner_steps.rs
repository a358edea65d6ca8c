//! The learner's side of each step of the cycle.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::learner::Learner;
use super::manifest::Manifest;
use super::objects::{self, Snapshot};
use super::player::PairsResult;
use super::tickets::{GamesOffer, Part};
use super::worker::Worker;
use crate::TrainError;
use crate::cycle::{CyclePlan, GamesJob, MatchJob, hash, report, to_json};
use crate::play::generate::Progress;
use crate::play::matches::PairResult;
use crate::play::runtime::Runtime;
use crate::store::{AGAIN, probe};
use crate::trainable::Trainable;

/// Checksum of what a run's plan keeps when it is prolonged.
fn run_hash(plan: &CyclePlan) -> Result<String, TrainError> {
    let kept = CyclePlan {
        stage: Vec::new(),
        ..plan.clone()
    };
    Ok(hash(&to_json(&kept)?))
}

impl<G: Trainable> Learner<G> {
    /// Makes the run in the folder, which is locked, that of the store.
    ///
    /// # Errors
    /// [`TrainError`] when the store holds another run or cannot be used.
    pub(in crate::cycle) fn begin(&self, runtime: &Runtime) -> Result<(), TrainError> {
        if let Some(broken) = probe(&self.store)? {
            return Err(TrainError::Refused(broken));
        }
        Manifest::join(&self.run_folder, &self.plan, &self.store)?;
        // Before there is a report of its own.
        self.seen.borrow_mut().look()?;
        // Those of one machine alone, and one whose learner was killed before it had said so.
        for generation in self.run_folder.generations()? {
            self.finish_generation(generation.number)?;
        }
        if self.options.plays {
            let worker = Worker::new(&self.start, runtime, &self.store, &self.options.worker)?;
            *self.worker.borrow_mut() = Some(worker);
        }
        Ok(())
    }

    /// Offers a generation's games; again is harmless.
    ///
    /// # Errors
    /// [`TrainError`] when the store cannot be used, or offers other games.
    pub(in crate::cycle) fn publish(&self, job: &GamesJob) -> Result<(), TrainError> {
        let mut network = job.network.iter();
        network.try_for_each(|network| self.upload(network))?;
        let name = GamesOffer::object(job.generation);
        let offer = GamesOffer {
            job: job.clone(),
            games_per_ticket: self.plan.machines.games_per_ticket,
            run: run_hash(&self.plan)?,
            plan: self.plan.to_toml()?,
        };
        self.offer(&name, &offer)
    }

    /// Waits for the games of a published job, puts their shards into `folders`, one a board, and
    /// returns their statistics. `observe` is called often and may end the wait.
    ///
    /// # Errors
    /// [`TrainError`] of the store, of damaged games, and of `observe`.
    pub(in crate::cycle) fn games(
        &self,
        job: &GamesJob,
        folders: &[PathBuf],
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Progress, TrainError> {
        let name = GamesOffer::object(job.generation);
        let offer = self.store.get_checked(&name, GamesOffer::parse)?;
        let tickets = offer.tickets(&self.plan);
        let evaluations = self.seen.borrow().evaluations();
        let progress = Cell::new(Progress::default());
        let mut is_first_look = true;
        self.wait(
            &tickets,
            &mut |ticket| {
                if let Part::Games(range) = ticket.part {
                    let new = self.fetch(&offer, ticket, &folders[range.board], range)?;
                    progress.set(progress.get().join(new));
                }
                Ok(())
            },
            &mut || {
                let mut now = progress.get();
                if std::mem::take(&mut is_first_look) {
                    now.resumed = now.games;
                }
                let all = self.seen.borrow().evaluations();
                now.evaluations = all.saturating_sub(evaluations);
                progress.set(now);
                observe(now)
            },
        )?;
        Ok(progress.get())
    }

    /// Offers all matches of a job, and waits for those against one of its opponents; returns their pairs. `observe` gets
    /// those so far; an error of it ends the wait.
    ///
    /// # Errors
    /// As [`Self::games`].
    pub(in crate::cycle) fn meet(
        &self,
        job: &MatchJob,
        opponent: usize,
        mut observe: impl FnMut(&[PairResult]) -> Result<(), TrainError>,
    ) -> Result<Vec<PairResult>, TrainError> {
        self.upload(&job.network)?;
        let others = job.opponents.iter();
        others
            .filter_map(|opponent| opponent.network.as_ref())
            .try_for_each(|network| self.upload(network))?;
        self.offer(&MatchJob::object(job.generation), job)?;
        let mut tickets = job.tickets();
        tickets.retain(|ticket| match ticket.part {
            Part::Pairs(range) => range.opponent == opponent,
            Part::Games(_) => false,
        });
        // By first pair: results come in any order.
        let mut met: BTreeMap<u32, Vec<PairResult>> = BTreeMap::new();
        self.wait(
            &tickets,
            &mut |ticket| {
                let Part::Pairs(range) = ticket.part else {
                    return Ok(());
                };
                let parse = |bytes: Vec<u8>| {
                    let result = PairsResult::parse(&bytes, job, range);
                    result.map_err(|reason| format!("{reason}; {AGAIN}"))
                };
                let result = self.store.get_checked(&ticket.result(), parse)?;
                met.insert(range.first, result.pairs);
                observe(&met.values().flatten().copied().collect::<Vec<_>>())
            },
            &mut || Ok(()),
        )?;
        Ok(met.into_values().flatten().collect())
    }

    /// Tells all machines that a generation is finished.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(in crate::cycle) fn finish_generation(&self, number: u32) -> Result<(), TrainError> {
        Ok(self
            .store
            .keep(&objects::of(number, "done.json"), b"{}\n")?)
    }

    /// Tells all machines that the plan goes on with a generation, if it was complete before.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(in crate::cycle) fn begin_generation(&self, number: u32) -> Result<(), TrainError> {
        if Snapshot::read(&self.store, number)?.ends_plan() {
            self.store
                .keep(&objects::of(number, "prolonged.json"), b"{}\n")?;
        }
        Ok(())
    }

    /// Tells all machines that the plan is complete after this many generations.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub(in crate::cycle) fn finish(&self, generations: u32) -> Result<(), TrainError> {
        let name = objects::of(generations, "finished.json");
        self.store.keep(&name, b"{}\n")?;
        self.report("The plan is complete.")
    }

    /// Writes the folder's report, with what is known of the machines, and shows it to readers of the store.
    ///
    /// # Errors
    /// [`TrainError`] of the store and of files.
    pub(in crate::cycle) fn report(&self, now: &str) -> Result<(), TrainError> {
        let machines = self.seen.borrow_mut().look()?;
        report::write(&self.run_folder, now, &machines)?;
        if let Ok(bytes) = std::fs::read(self.run_folder.report()) {
            self.store.try_put("report.html", &bytes);
        }
        Ok(())
    }
}
