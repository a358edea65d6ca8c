//! `tengen-train`: makes networks. One file a subcommand; the work is in `tengen::train`.

mod export;
mod fit;
mod inspect;
mod progress;
mod selfplay;

use clap::{Parser, Subcommand};

/// Makes networks for Tengen: self-play, fitting, export.
#[derive(Debug, Parser)]
#[command(name = "tengen-train", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays games against itself and records them as shards.
    Selfplay(selfplay::Args),
    /// Fits a network to recorded games.
    Fit(fit::Args),
    /// Writes a fitted network as an ONNX file.
    Export(export::Args),
    /// Says what a network, a checkpoint or a folder of shards is.
    Inspect(inspect::Args),
}

fn main() -> anyhow::Result<()> {
    let filter = env_logger::Env::default().default_filter_or("info");
    env_logger::Builder::from_env(filter).init();
    match Cli::parse().command {
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Inspect(args) => inspect::run(&args),
    }
}
