//! `tengen-train export`: converts a checkpoint to an ONNX file.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Parser;
use tengen::game::BoardSize;
use tengen::games::{GAMES, known_name};
use tengen::train::durable;
use tengen::train::export::{network_info, to_onnx, untrained};
use tengen::train::fit::checkpoint::Checkpoint;
use tengen::train::network::architecture::{Architecture, Outputs};
use tengen::train::trainable::Trainable;

use crate::board::{OnBoard, on_board, usual_board};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// A checkpoint file, or a folder whose newest checkpoint is used
    #[arg(long, required_unless_present = "untrained")]
    checkpoint: Option<PathBuf>,
    /// Write an untrained network of this architecture, such as tengen-20b128c, to measure its
    /// speed
    #[arg(long, value_name = "NET", conflicts_with_all = ["checkpoint", "last_step", "all_heads"])]
    untrained: Option<Architecture>,
    /// The game of the untrained network
    #[arg(
        long,
        default_value = GAMES[0].name,
        value_parser = known_name,
        conflicts_with = "checkpoint"
    )]
    game: String,
    /// Side length of its board [default: that of the game's usual board]
    #[arg(long, conflicts_with = "checkpoint")]
    size: Option<u8>,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
    /// Export the weights of the last step instead of their moving average
    #[arg(long)]
    last_step: bool,
    /// Also write the auxiliary heads as outputs: ownership, fate, score, lead, reply, where there
    /// are any. The engine reads lead and ownership, in games that count points
    #[arg(long)]
    all_heads: bool,
    /// Number of games that the weights were trained on before this fit (fit --start-from) and that
    /// are not in its data, for the file's metadata
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = 0,
        conflicts_with = "untrained"
    )]
    earlier_games: u64,
    /// Number of steps before those of this fit
    #[arg(
        long,
        value_name = "STEPS",
        default_value_t = 0,
        conflicts_with = "untrained"
    )]
    earlier_steps: u64,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match (&args.checkpoint, args.untrained) {
        (Some(path), _) => export(args, path),
        (None, Some(architecture)) => {
            let work = Untrained {
                architecture,
                out: &args.out,
            };
            let size = args.size.map(BoardSize::square);
            on_board(
                &args.game,
                "",
                size.unwrap_or(usual_board(&args.game)),
                &work,
            )
        }
        (None, None) => bail!("neither --checkpoint nor --untrained is given"),
    }
}

/// An untrained network.
struct Untrained<'a> {
    architecture: Architecture,
    out: &'a Path,
}

impl OnBoard for Untrained<'_> {
    fn run<G: Trainable>(&self, start: &G) -> anyhow::Result<()> {
        let onnx = untrained(start, self.architecture, 1)?;
        durable::write(self.out, &onnx)?;
        log::info!(
            "{} without training: {} bytes in {}",
            self.architecture,
            onnx.len(),
            self.out.display()
        );
        Ok(())
    }
}

fn export(args: &Args, path: &Path) -> anyhow::Result<()> {
    let checkpoint = if path.is_dir() {
        let newest = Checkpoint::newest(path)?;
        newest.with_context(|| format!("{} contains no checkpoint", path.display()))?
    } else {
        Checkpoint::load(path)?
    };
    let mut info = network_info(&checkpoint);
    info.games += args.earlier_games;
    info.steps += args.earlier_steps;
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
