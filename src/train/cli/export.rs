//! `tengen-train export`: converts a checkpoint to an ONNX file.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;

use crate::durable;
use crate::export::{network_info, to_onnx};
use crate::fit::checkpoint::Checkpoint;
use crate::network::architecture::Outputs;
use tengen::record::file;
use tengen_nn::eval::ModelInfo;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// A checkpoint file, or a folder whose newest checkpoint is used
    #[arg(long)]
    checkpoint: PathBuf,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
    /// Also write the auxiliary heads as outputs: ownership, fate, score, lead, reply, where there
    /// are any. The engine reads lead and ownership, in games that count points
    #[arg(long)]
    all_heads: bool,
    /// Number of games that the weights were trained on before this fit (fit --start-from) and that
    /// are not in its data, for the file's metadata
    #[arg(long, value_name = "GAMES", default_value_t = 0)]
    earlier_games: u64,
    /// Number of steps before those of this fit
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    earlier_steps: u64,
}

/// Checks that a network can be written here, and that no other file is lost.
pub(crate) fn check_out(out: &Path) -> anyhow::Result<()> {
    let is_network = |old: &Path| ModelInfo::of_file(old).is_ok();
    file::check_kind(out, "a network of tengen-train", is_network)
        .with_context(|| out.display().to_string())
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    check_out(&args.out)?;
    let checkpoint = Checkpoint::open(&args.checkpoint)?;
    let mut info = network_info(&checkpoint);
    info.games = info.games.saturating_add(args.earlier_games);
    info.steps = info.steps.saturating_add(args.earlier_steps);
    let outputs = if args.all_heads {
        Outputs::All
    } else {
        Outputs::Play
    };
    let architecture = checkpoint.params.architecture;
    let onnx = to_onnx(architecture, &checkpoint.average, &info, outputs)?;
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
