//! The learner's side of each step of the cycle.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::learner::Learner;
use super::objects;
use super::player::PairsResult;
use super::term::{self, Outcome, Term};
use super::tickets::{GamesOffer, MatchesOffer, Part};
use super::working_copy::{self, Done};
use crate::TrainError;
use crate::cycle::{GamesJob, Generation, MatchJob, report, save, to_json};
use crate::play::generate::Progress;
use crate::play::matches::PairResult;
use crate::trainable::Trainable;

impl<G: Trainable> Learner<G> {
    /// Brings the folder, which is locked, to the state of the store.
    ///
    /// # Errors
    /// [`TrainError`] when the store holds another run or cannot be used.
    pub(in crate::cycle) fn begin(&self) -> Result<(), TrainError> {
        // Another learner may have prolonged it meanwhile.
        self.manifest.check_plan(&self.store, &self.plan)?;
        let nonce = getrandom::u64().unwrap_or_default();
        let own = Term {
            learner: format!("{}-{nonce:016x}", self.name),
            plan: self.plan.to_toml()?,
        };
        self.term.set(term::begin_term(&self.store, &own)?);
        working_copy::bring_up(&self.store, &self.run_folder, &self.manifest.id, &self.plan)
    }

    /// Offers a generation's games; again is harmless.
    ///
    /// # Errors
    /// [`TrainError`] when the store cannot be used, or offers other games.
    pub(in crate::cycle) fn publish(&self, job: &GamesJob) -> Result<(), TrainError> {
        let mut job = job.clone();
        job.network
            .iter_mut()
            .try_for_each(|network| self.upload(network))?;
        let name = GamesOffer::object(job.generation);
        let offer = GamesOffer {
            job,
            games_per_ticket: self.plan.machines.games_per_ticket,
            run: self.manifest.plan_hash.clone(),
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
        self.generation.set(job.generation);
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
        self.complete.borrow_mut().insert(job.generation);
        Ok(progress.get())
    }

    /// Puts the shards of an earlier generation into `folders`, one a board, where they are missing.
    ///
    /// # Errors
    /// [`TrainError`] of the store and of files.
    pub(in crate::cycle) fn fetch_games(
        &self,
        generation: u32,
        folders: &[PathBuf],
    ) -> Result<(), TrainError> {
        if self.complete.borrow().contains(&generation) {
            return Ok(());
        }
        let name = GamesOffer::object(generation);
        let offer = self.store.get_checked(&name, GamesOffer::parse)?;
        for ticket in offer.tickets(&self.plan) {
            if let Part::Games(range) = ticket.part {
                self.fetch(&offer, &ticket, &folders[range.board], range)?;
            }
        }
        self.complete.borrow_mut().insert(generation);
        Ok(())
    }

    /// Has matches played; returns the pairs against each opponent. `observe` gets the pairs against
    /// one of them, by its index; an error of it ends them.
    ///
    /// # Errors
    /// As [`Self::games`].
    pub(in crate::cycle) fn matches(
        &self,
        job: &MatchJob,
        mut observe: impl FnMut(usize, &[PairResult]) -> Result<(), TrainError>,
    ) -> Result<Vec<Vec<PairResult>>, TrainError> {
        self.generation.set(job.generation);
        let mut job = job.clone();
        self.upload(&mut job.network)?;
        let others = job.opponents.iter_mut();
        others
            .filter_map(|opponent| opponent.network.as_mut())
            .try_for_each(|network| self.upload(network))?;
        let name = MatchesOffer::object(job.generation);
        let offer = MatchesOffer {
            job,
            plan: self.plan.to_toml()?,
        };
        self.offer(&name, &offer)?;
        // By opponent and first pair: results come in any order.
        let mut met: Vec<BTreeMap<u32, Vec<PairResult>>> =
            vec![BTreeMap::new(); offer.job.opponents.len()];
        let joined = |met: &BTreeMap<u32, Vec<PairResult>>| -> Vec<PairResult> {
            met.values().flatten().copied().collect()
        };
        self.wait(
            &offer.tickets(),
            &mut |ticket| {
                let Part::Pairs(range) = ticket.part else {
                    return Ok(());
                };
                let replay = objects::replay(self.store.name(), &ticket.full_name());
                let parse = |bytes: Vec<u8>| {
                    let result = PairsResult::parse(&bytes, &offer, range);
                    result.map_err(|reason| format!("{reason}; delete it, and {replay}"))
                };
                let result = self.store.get_checked(&ticket.result(), parse)?;
                let against = &mut met[range.opponent];
                against.insert(range.first, result.pairs);
                observe(range.opponent, &joined(against))
            },
            &mut || Ok(()),
        )?;
        Ok(met.iter().map(joined).collect())
    }

    /// Keeps a finished generation; returns it, or the one that another learner has finished, to
    /// which the folder is then brought.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when another learner has taken over; others of the store.
    pub(in crate::cycle) fn commit(
        &self,
        generation: Generation,
    ) -> Result<Generation, TrainError> {
        let (number, run_folder) = (generation.number, &self.run_folder);
        let done = Done::upload(&self.store, run_folder, self.term.get(), generation)?;
        let name = working_copy::object(number);
        match term::commit(&self.store, self.term.get(), &name, &to_json(&done)?)? {
            Outcome::Ours => Ok(done.generation),
            Outcome::Superseded => Err(self.superseded()),
            Outcome::Adopt(bytes) => {
                log::warn!("generation {number} was finished by the learner before this one");
                let found = Done::parse(number, bytes);
                let found = found.map_err(|reason| self.store.error(&name, reason))?;
                working_copy::bring_up(&self.store, run_folder, &self.manifest.id, &self.plan)?;
                Ok(found.generation)
            }
        }
    }

    /// Tells all machines that the plan is complete after these generations, and the user where the last network is.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(in crate::cycle) fn finish(&self, done: &[Generation]) -> Result<(), TrainError> {
        let name = objects::of(done.len() as u32, "finished.json");
        self.store.keep(&name, b"{}\n")?;
        if let Some(last) = done.last() {
            let done = Done::read(&self.store, last.number)?;
            for (name, hash) in done.iter().flat_map(|done| &done.networks) {
                let (store, object) = (self.store.name(), objects::network(hash));
                log::info!("{name} is {object} in {store}");
            }
        }
        Ok(())
    }

    /// Writes the folder's report, with what is known of the machines, and shows it to readers of the store.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when another learner has taken over; others of the store and of files.
    pub(in crate::cycle) fn report(&self, now: Option<&str>) -> Result<(), TrainError> {
        if !term::is_newest(&self.store, self.term.get())? {
            return Err(self.superseded());
        }
        let mut seen = self.seen.borrow_mut();
        let machines = seen.look(self.generation.get(), self.term.get())?;
        save(&self.run_folder.machines(), &machines)?;
        report::write(&self.run_folder, now)?;
        if let Ok(bytes) = std::fs::read(self.run_folder.report()) {
            self.store.try_put("report.html", &bytes);
        }
        Ok(())
    }
}
