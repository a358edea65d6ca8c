//! `tengen-train report`: the HTML page of a run.

use std::path::PathBuf;

use clap::Parser;
use tengen_train::cluster::refuse_store;
use tengen_train::cycle::RunFolder;
use tengen_train::cycle::report;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The folder of a run of tengen-train loop
    run: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let run_folder = RunFolder::new(&args.run);
    if run_folder.plan()?.is_none() {
        refuse_store(&args.run)?;
    }
    report::write(&run_folder, None)?;
    log::info!("the report is {}", run_folder.report().display());
    Ok(())
}
