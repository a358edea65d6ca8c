//! `tengen-train report`: the HTML page of a run.

use std::path::PathBuf;

use clap::Parser;
use tengen::train::cycle::Place;
use tengen::train::report;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The folder of a run of tengen-train loop
    run: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let place = Place::new(&args.run);
    report::write(&place, None)?;
    log::info!("the report is {}", place.report().display());
    Ok(())
}
