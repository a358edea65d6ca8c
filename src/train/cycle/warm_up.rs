//! The files of other runs with which a run begins. They are checked before anything is written: the plan of a run that
//! has begun cannot be corrected.

use std::fmt::Display;
use std::path::Path;

use super::plan::CyclePlan;
use crate::TrainError;
use crate::fit::checkpoint::{Checkpoint, Origin};
use crate::fit::{FitParams, find_encoding, start_weights};
use crate::trainable::Trainable;
use tengen::encode::find;
use tengen_nn::eval::ModelSource;

/// Checks the files that the warm-up of a plan names.
///
/// # Errors
/// [`TrainError::Setting`] names key and file, and says why no run can begin with it.
pub(crate) fn check_warm_up<G: Trainable>(start: &G, plan: &CyclePlan) -> Result<(), TrainError> {
    let Some(warm_up) = &plan.warm_up else {
        return Ok(());
    };
    let starts = plan.starts(start)?;
    if let Some(path) = &warm_up.network {
        check_network(&starts, path)?;
    }
    if let Some(folder) = &warm_up.weights {
        read_weights(&starts, plan, folder)?;
    }
    Ok(())
}

/// Whether a network can play on all boards.
fn check_network<G: Trainable>(starts: &[G], path: &Path) -> Result<(), TrainError> {
    let source = ModelSource::File(path.to_path_buf());
    let info = source.info().map_err(|error| refused("network", &error))?;
    for start in starts {
        if let Err(mismatch) = find(&info, start) {
            let why = format!("{}: {mismatch}", path.display());
            return Err(refused("network", &why));
        }
    }
    Ok(())
}

/// Reads the checkpoint from whose weights the network of the first stage starts.
///
/// # Errors
/// [`TrainError::Setting`] when there is none, or the network cannot start from it.
pub(super) fn read_weights<G: Trainable>(
    starts: &[G],
    plan: &CyclePlan,
    folder: &Path,
) -> Result<Checkpoint, TrainError> {
    let given = Checkpoint::open(folder).map_err(|error| {
        let advice = "restore it from a copy, or name other weights";
        refused("weights", &error.advising(advice))
    })?;
    check_weights(starts, plan, &given).map_err(|error| {
        let why = format!(
            "{}: the first stage cannot start from it: {error}",
            folder.display()
        );
        refused("weights", &why)
    })?;
    Ok(given)
}

/// Whether the network of the first stage can start from these weights.
fn check_weights<G: Trainable>(
    starts: &[G],
    plan: &CyclePlan,
    given: &Checkpoint,
) -> Result<(), TrainError> {
    let stage = plan.stage.first();
    let stage = stage.ok_or_else(|| TrainError::plan("it has no [[stage]]"))?;
    let params = FitParams::of::<G>(stage.network, 1, &plan.fit);
    let planes = find_encoding::<G>(&params.encoding)?.planes();
    let origin = Origin::of(starts, &params.encoding, planes, 0);
    start_weights(given, &origin, &params).map(drop)
}

fn refused(key: &str, why: &dyn Display) -> TrainError {
    TrainError::plan(format_args!("{key} of [warm-up]: {why}"))
}
