//! Generation after generation.

use std::path::Path;

use crate::train::device::FitDevice;

use super::generation::{Generation, next_stage};
use super::plan::CyclePlan;
use super::ratings::{MatchRecord, RatedPlayer, anchor_name, match_records, network_name, rate};
use super::run_folder::{RunFolder, save};
use super::steps::GenerationSteps;
use super::stopwatch::Stopwatch;
use super::{RunEvent, StepName};
use crate::clock::Clock;
use crate::train::TrainError;
use crate::train::report;
use crate::train::runtime::Runtime;
use crate::train::trainable::Trainable;

/// What a session has beside the plan.
pub struct Resources<'a> {
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
pub(super) struct RunContext<'a> {
    pub(super) run_folder: &'a RunFolder,
    pub(super) plan: &'a CyclePlan,
    pub(super) resources: &'a Resources<'a>,
    pub(super) watch: Stopwatch<'a>,
    pub(super) observe: &'a mut dyn FnMut(&RunEvent),
}

impl RunContext<'_> {
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
            report::write(self.run_folder, Some(&now))?;
        }
        (self.observe)(&RunEvent::Step {
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
pub fn run<G: Trainable>(
    start: &G,
    plan: &CyclePlan,
    folder: &Path,
    resources: &Resources<'_>,
    observe: &mut dyn FnMut(&RunEvent),
) -> Result<Vec<Generation>, TrainError> {
    let run_folder = RunFolder::new(folder);
    let _lock = run_folder.prepare(plan)?;
    let mut done = run_folder.generations()?;
    let mut context = RunContext {
        run_folder: &run_folder,
        plan,
        resources,
        watch: Stopwatch::start(&run_folder, resources.clock)?,
        observe,
    };
    loop {
        let ratings = ratings(&run_folder, plan, done.len() as u32)?;
        let rating = |generation: u32| {
            let name = network_name(generation);
            ratings.iter().find(|rated| rated.name == name)
        };
        if let Some(last) = done.last() {
            let rated = rating(last.number).cloned();
            (context.observe)(&RunEvent::Finished(Box::new(last.clone()), rated));
        }
        report::write(
            &run_folder,
            Some(&format!("Generation {} begins.", done.len())),
        )?;
        let warm_up = done.is_empty() && plan.warm_up.is_some();
        let stage = next_stage(plan, &done, |number| rating(number).map(|r| r.elo));
        let Some(stage) = stage else {
            return Ok(done);
        };
        let steps = GenerationSteps {
            start,
            number: done.len() as u32,
            warm_up,
            stage,
            done: &done,
        };
        let generation = steps.generation(&mut context)?;
        context.watch.save()?;
        save(&run_folder.summary(generation.number), &generation)?;
        done.push(generation);
        remove_old_checkpoints(&run_folder, done.len() as u32)?;
    }
}

/// Checkpoints that no later generation starts from.
fn remove_old_checkpoints(run_folder: &RunFolder, generations: u32) -> Result<(), TrainError> {
    let Some(old) = generations.checked_sub(3) else {
        return Ok(());
    };
    for folder in [run_folder.fit(old), run_folder.catch_up(old)] {
        let old = crate::train::durable::list(&folder, "step-", "checkpoint")?;
        crate::train::durable::remove(&old)?;
    }
    Ok(())
}

/// All matches of a run's first generations.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub(crate) fn all_match_records(
    run_folder: &RunFolder,
    count: u32,
) -> Result<Vec<MatchRecord>, TrainError> {
    let mut all = Vec::new();
    for generation in 0..count {
        all.extend(match_records(&run_folder.matches(generation))?);
    }
    Ok(all)
}

/// The ratings of a run, the weakest anchor at 0.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub(crate) fn ratings(
    run_folder: &RunFolder,
    plan: &CyclePlan,
    generations: u32,
) -> Result<Vec<RatedPlayer>, TrainError> {
    let Some(first) = plan.rating.as_ref().and_then(|r| r.anchors.first()) else {
        return Ok(Vec::new());
    };
    Ok(rate(
        &all_match_records(run_folder, generations)?,
        &anchor_name(*first),
    ))
}
