//! `tengen-train export`: a checkpoint into an ONNX file.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use tengen::train::architecture::Outputs;
use tengen::train::checkpoint::Checkpoint;
use tengen::train::durable;
use tengen::train::export::{network_info, to_onnx};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// A checkpoint file, or a folder whose newest checkpoint is taken
    #[arg(long)]
    checkpoint: PathBuf,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
    /// Export the weights of the last step instead of their moving average
    #[arg(long)]
    last_step: bool,
    /// Also write the auxiliary heads as outputs: ownership, fate, score, reply, where there are
    /// any
    #[arg(long)]
    all_heads: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let path = &args.checkpoint;
    let checkpoint = if path.is_dir() {
        let newest = Checkpoint::newest(path)?;
        newest.with_context(|| format!("{} holds no checkpoint", path.display()))?
    } else {
        Checkpoint::load(path)?
    };
    let info = network_info(&checkpoint);
    let weights = if args.last_step {
        &checkpoint.weights
    } else {
        &checkpoint.average
    };
    let outputs = if args.all_heads {
        Outputs::All
    } else {
        Outputs::Play
    };
    let onnx = to_onnx(checkpoint.params.architecture, weights, &info, outputs)?;
    durable::write(&args.out, &onnx)?;
    log::info!(
        "{} after {} games and {} steps: {} bytes in {}",
        info.network,
        info.games,
        info.steps,
        onnx.len(),
        args.out.display()
    );
    Ok(())
}
