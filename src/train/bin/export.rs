//! `tengen-train export`: converts a checkpoint to an ONNX file.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Parser;

use tengen::game::BoardSize;
use tengen::games::{GAMES, known_name, usual_board, with_game};
use tengen_train::durable;
use tengen_train::export::{network_info, to_onnx, untrained};
use tengen_train::fit::checkpoint::Checkpoint;
use tengen_train::network::architecture::{Architecture, Outputs};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// A checkpoint file, or a folder whose newest checkpoint is used
    #[arg(long, required_unless_present = "untrained")]
    checkpoint: Option<PathBuf>,
    /// Write an untrained network of this architecture, such as tengen-20b128c, to measure its
    /// speed
    #[arg(long, value_name = "NET", conflicts_with_all = ["checkpoint", "all_heads"])]
    untrained: Option<Architecture>,
    /// The game of the untrained network
    #[arg(
        long,
        default_value = GAMES[0].name,
        value_parser = known_name,
        conflicts_with = "checkpoint"
    )]
    game: String,
    /// Its board, as 9 or 13x9 [default: the game's usual one]
    #[arg(long, conflicts_with = "checkpoint")]
    size: Option<BoardSize>,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
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
            let size = args.size.unwrap_or_else(|| usual_board(&args.game));
            let onnx = with_game!(&args.game, size, |start| untrained(&start, architecture, 1))??;
            durable::write(&args.out, &onnx)?;
            log::info!(
                "{architecture} without training: {} bytes in {}",
                onnx.len(),
                args.out.display()
            );
            Ok(())
        }
        (None, None) => bail!("neither --checkpoint nor --untrained is given"),
    }
}

fn export(args: &Args, path: &Path) -> anyhow::Result<()> {
    let checkpoint = Checkpoint::open(path)?;
    let mut info = network_info(&checkpoint);
    info.games += args.earlier_games;
    info.steps += args.earlier_steps;
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
