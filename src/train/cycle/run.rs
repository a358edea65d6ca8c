//! Runs generations in order.

use std::collections::HashSet;
use std::path::Path;

use super::RunEvent;
use super::cluster::learner::Learner;
use super::context::{Resources, RunContext, Stopwatch};
use super::generation::{Generation, stage_of};
use super::jobs::check_warm_up;
use super::plan::CyclePlan;
use super::ratings::{rating_of, ratings};
use super::run_folder::{RunFolder, save};
use super::steps::GenerationSteps;
use crate::TrainError;
use crate::trainable::Trainable;
use tengen::game::Game;

/// Executes a plan in a folder, from where it was interrupted. `start` has the rules and the
/// position type; boards are those of the plan.
///
/// # Errors
/// [`TrainError`] when the folder belongs to another run, or a step fails.
pub fn run<G: Trainable>(
    start: &G,
    plan: &CyclePlan,
    folder: &Path,
    resources: &Resources<'_>,
    observe: &mut dyn FnMut(&RunEvent),
) -> Result<Vec<Generation>, TrainError> {
    run_with(start, plan, folder, resources, None, observe)
}

/// The same with other machines, if there is a learner.
pub(super) fn run_with<G: Trainable>(
    start: &G,
    plan: &CyclePlan,
    folder: &Path,
    resources: &Resources<'_>,
    learner: Option<&Learner<G>>,
    observe: &mut dyn FnMut(&RunEvent),
) -> Result<Vec<Generation>, TrainError> {
    let starts = plan.starts(start)?;
    let boards = one_of_each_size(&starts);
    let run_folder = RunFolder::new(folder);
    // Before anything is written.
    if run_folder.plan()?.is_none() {
        check_warm_up(start, plan)?;
    }
    run_folder.generations()?;
    let _lock = run_folder.prepare(plan)?;
    log::info!("the report is {}", run_folder.report().display());
    for (name, why) in plan.self_play.without_effect(start) {
        log::warn!("{name} of [self-play] has no effect: {why}");
    }
    if let Some(learner) = learner {
        learner.begin(resources.runtime)?;
    }
    run_folder.keep_warm_up(plan)?;
    let mut done = run_folder.generations()?;
    let mut context = RunContext {
        run_folder: &run_folder,
        plan,
        resources,
        learner,
        watch: Stopwatch::start(&run_folder, resources.clock)?,
        observe,
    };
    // A killed session may have left some of any generation.
    let mut cleared = 0;
    loop {
        if let Some(last) = done.last() {
            let ratings = ratings(plan, &run_folder, done.len() as u32)?;
            let rated = rating_of(&ratings, last.number).cloned();
            (context.observe)(&RunEvent::Finished(Box::new(last.clone()), rated));
        }
        context.report(&format!("Generation {} begins.", done.len()))?;
        let Some(stage) = stage_of(plan, done.len() as u32) else {
            if let Some(last) = done.last() {
                log::info!("{}", last_network(&run_folder, last));
            }
            if let Some(learner) = learner {
                learner.finish(done.len() as u32)?;
            }
            return Ok(done);
        };
        if let Some(learner) = learner {
            learner.begin_generation(done.len() as u32)?;
        }
        let steps = GenerationSteps {
            start: &starts[0],
            starts: &starts,
            boards: &boards,
            number: done.len() as u32,
            stage,
            done: &done,
        };
        let generation = steps.generation(&mut context)?;
        context.watch.save()?;
        save(&run_folder.summary(generation.number), &generation)?;
        if let Some(learner) = learner {
            learner.finish_generation(generation.number)?;
        }
        done.push(generation);
        let old = (done.len() as u32).saturating_sub(2);
        (cleared..old).try_for_each(|number| remove_checkpoints(&run_folder, number))?;
        cleared = old;
    }
}

/// The last network of a run and, where the gate refused it, the one that it kept.
pub(super) fn last_network(run_folder: &RunFolder, last: &Generation) -> String {
    let file = |number| run_folder.network(number).display().to_string();
    let newest = format!("the last network is {}", file(last.number));
    match last.plays_next == last.number {
        true => newest,
        false => format!(
            "{newest}; the gate refused it and kept {}",
            file(last.plays_next)
        ),
    }
}

/// The first board of each size.
fn one_of_each_size<G: Game>(starts: &[G]) -> Vec<G> {
    let mut sizes = HashSet::new();
    let firsts = starts.iter().filter(|start| sizes.insert(start.size()));
    firsts.cloned().collect()
}

/// Removes a generation's checkpoints, which later ones no longer need.
fn remove_checkpoints(run_folder: &RunFolder, number: u32) -> Result<(), TrainError> {
    for folder in [run_folder.fit(number), run_folder.catch_up(number)] {
        let old = crate::durable::list(&folder, "step-", "checkpoint")?;
        crate::durable::remove(&old)?;
    }
    Ok(())
}
