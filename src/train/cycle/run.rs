//! Generation after generation.

use std::path::Path;

use crate::train::device::FitDevice;

use super::generation::{Generation, next_stage};
use super::ladder::{Encounter, Rated, anchor_name, encounters, network_name, rate};
use super::place::{Place, save};
use super::plan::CyclePlan;
use super::steps::Work;
use super::stopwatch::Stopwatch;
use super::{News, StepName};
use crate::clock::Clock;
use crate::train::TrainError;
use crate::train::learn::Learn;
use crate::train::open::Runtime;
use crate::train::report;

/// What a session needs beside the plan.
pub struct Session<'a> {
    /// Where networks run.
    pub runtime: &'a Runtime,
    /// Threads that play.
    pub threads: usize,
    /// Where networks are fitted, recording gradients.
    pub fit_device: FitDevice,
    /// Time.
    pub clock: &'a dyn Clock,
}

/// What every step needs: the run, and somebody to tell.
pub(super) struct Desk<'a> {
    pub(super) place: &'a Place,
    pub(super) plan: &'a CyclePlan,
    pub(super) session: &'a Session<'a>,
    pub(super) watch: Stopwatch<'a>,
    pub(super) observe: &'a mut dyn FnMut(&News),
}

impl Desk<'_> {
    /// Tells how far a step is, and now and then brings the report up to date.
    pub(super) fn tell(
        &mut self,
        generation: u32,
        step: StepName,
        (done, total): (u64, u64),
        message: String,
    ) -> Result<(), TrainError> {
        if self.watch.tick()? {
            let (title, unit) = (step.title(), step.unit());
            let now =
                format!("Generation {generation}, {title}: {done} of {total} {unit}, {message}.");
            report::write(self.place, Some(&now))?;
        }
        (self.observe)(&News::Step {
            generation,
            step,
            done,
            total,
            message,
        });
        Ok(())
    }
}

/// Does what a plan says in a folder, from where it was left.
///
/// # Errors
/// [`TrainError`] when the folder holds another run, or a step fails.
pub fn run<G: Learn>(
    start: &G,
    plan: &CyclePlan,
    folder: &Path,
    session: &Session<'_>,
    observe: &mut dyn FnMut(&News),
) -> Result<Vec<Generation>, TrainError> {
    let place = Place::new(folder);
    let _claim = place.prepare(plan)?;
    let mut done = place.generations()?;
    let mut desk = Desk {
        place: &place,
        plan,
        session,
        watch: Stopwatch::start(&place, session.clock)?,
        observe,
    };
    loop {
        let ratings = ratings(&place, plan, done.len() as u32)?;
        let rating = |generation: u32| {
            let name = network_name(generation);
            ratings.iter().find(|rated| rated.name == name)
        };
        if let Some(last) = done.last() {
            let rated = rating(last.number).cloned();
            (desk.observe)(&News::Finished(Box::new(last.clone()), rated));
        }
        report::write(&place, Some(&format!("Generation {} begins.", done.len())))?;
        let warm_up = done.is_empty() && plan.warm_up.is_some();
        let stage = next_stage(plan, &done, |number| rating(number).map(|r| r.elo));
        let Some(stage) = stage else {
            return Ok(done);
        };
        let work = Work {
            start,
            number: done.len() as u32,
            warm_up,
            stage,
            done: &done,
        };
        let generation = work.generation(&mut desk)?;
        desk.watch.save()?;
        save(&place.summary(generation.number), &generation)?;
        done.push(generation);
        forget(&place, done.len() as u32)?;
    }
}

/// Checkpoints that no later generation starts from.
fn forget(place: &Place, generations: u32) -> Result<(), TrainError> {
    let Some(old) = generations.checked_sub(3) else {
        return Ok(());
    };
    for folder in [place.fit(old), place.catch_up(old)] {
        let old = crate::train::durable::list(&folder, "step-", "checkpoint")?;
        crate::train::durable::remove(&old)?;
    }
    Ok(())
}

/// All matches of a run's first generations.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub(crate) fn all_encounters(place: &Place, count: u32) -> Result<Vec<Encounter>, TrainError> {
    let mut all = Vec::new();
    for generation in 0..count {
        all.extend(encounters(&place.matches(generation))?);
    }
    Ok(all)
}

/// The ratings of a run, the weakest anchor at 0.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub(crate) fn ratings(
    place: &Place,
    plan: &CyclePlan,
    generations: u32,
) -> Result<Vec<Rated>, TrainError> {
    let Some(first) = plan.rating.as_ref().and_then(|r| r.anchors.first()) else {
        return Ok(Vec::new());
    };
    Ok(rate(
        &all_encounters(place, generations)?,
        &anchor_name(*first),
    ))
}
