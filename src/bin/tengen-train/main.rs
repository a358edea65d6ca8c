//! `tengen-train`: makes networks. One file a subcommand; the work is in `tengen::train`.

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
}

fn main() -> anyhow::Result<()> {
    let filter = env_logger::Env::default().default_filter_or("info");
    env_logger::Builder::from_env(filter).init();
    match Cli::parse().command {
        Command::Selfplay(args) => selfplay::run(&args),
    }
}
