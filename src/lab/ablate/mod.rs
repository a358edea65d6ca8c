//! Ablation studies of architectures: several arms, several seeds, equal games and samples, matches
//! between the resulting networks, and a table beside the paper's numbers.
//!
//! A study takes many sessions, possibly on several machines. Permanent results are in one small
//! folder that may be committed: networks and figures of finished runs, matches, and the newest
//! checkpoint of the current run. Games stay in a working folder; a run that moves to another
//! machine continues without its old games.

mod plan;
mod run;
mod table;

pub use plan::{AblationPlan, Arm, ArmResult, MatchSettings};
pub use run::{AblationEvent, Folders, run};
pub use table::table;

use std::fs;
use std::path::Path;

use tengen_train::TrainError;
use tengen_train::cycle::{RunFolder, copy_network, int8};
use tengen_train::durable::{self, copy};

/// Preserves an unfinished run in a small folder: figures of its generations, its newest network and
/// checkpoint. Updates `kept` with what the run in `run` needs to continue, and no more. Files are written
/// before the figures that refer to them, so that a crash leaves a consistent state.
fn keep(run: &Path, kept: &Path) -> Result<(), TrainError> {
    let (from, to) = (RunFolder::new(run), RunFolder::new(kept));
    let generations = from.generations()?;
    let Some(last) = generations.last() else {
        return Ok(());
    };
    let fit = from.fit(last.number);
    if let Some(newest) = durable::list(&fit, "step-", "checkpoint")?.last() {
        let name = newest.file_name().unwrap_or_default();
        copy(newest, &to.fit(last.number).join(name))?;
    }
    for number in [last.number, last.plays_next] {
        copy_network(&from.network(number), &to.network(number))?;
    }
    for name in ["plan.toml", "hours.json"] {
        copy(&run.join(name), &kept.join(name))?;
    }
    for generation in &generations {
        let name = format!("generation-{:04}.json", generation.number);
        if !kept.join(&name).exists() {
            copy(&run.join(&name), &kept.join(&name))?;
        }
    }
    for old in 0..last.number {
        let network = to.network(old);
        for form in [int8(&network), network] {
            if old != last.plays_next && form.exists() {
                durable::remove(&[form])?;
            }
        }
        let folder = kept.join(format!("generation-{old:04}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(TrainError::io(&folder))?;
        }
    }
    Ok(())
}

/// Copies the content of [`keep`] into the empty folder of a run.
fn restore(kept: &Path, run: &Path) -> Result<(), TrainError> {
    if !kept.exists() || run.join("plan.toml").exists() {
        return Ok(());
    }
    let mut files = durable::files_below(kept)?;
    // The plan last: it marks the copy as complete.
    files.sort_by_key(|path| path.ends_with("plan.toml"));
    for path in files {
        if let Ok(name) = path.strip_prefix(kept) {
            copy(&path, &run.join(name))?;
        }
    }
    Ok(())
}
