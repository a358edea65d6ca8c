//! `tengen-train`: trains networks. Each subcommand is a file; the work is in the library.

mod cycle;
mod export;
mod fit;
mod import;
mod inspect;
mod memory;
mod quantize;
mod selfplay;

use clap::{CommandFactory as _, Parser, Subcommand};
use tengen::program;

use crate::command::{GOES_ON, Interrupt, start};

/// How an interrupted run is continued.
const RUN_GOES_ON: &str = "Whole games are kept, and of a fit all but its last minute; the same command continues from there.";

/// How the work of an interrupted worker is continued.
const ANOTHER_GOES_ON: &str = "If it was at a ticket, another worker plays that again.";

/// Train networks for Tengen: self-play, fitting, export.
///
/// At Ctrl-C a long command prints the result so far; the same command continues.
#[derive(Debug, Parser)]
#[command(name = "tengen-train", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Repeat self-play, fit, export and rating; progress is shown in report.html.
    Loop(cycle::Args),
    /// Play for a run of several machines, until its plan is complete.
    Work(cycle::WorkArgs),
    /// Play games of self-play and write them as shards.
    Selfplay(selfplay::Args),
    /// Turn recorded games (SGF, ZIP archives, Rapfi's text, the TYGEM collection) into shards.
    Import(import::Args),
    /// Fit a network to recorded games.
    Fit(fit::Args),
    /// Write a fitted network as an ONNX file.
    Export(export::Args),
    /// Check shards, checkpoints, networks and JSON files for damage.
    Fsck(inspect::FsckArgs),
    /// Convert an f32 network to int8 and compare both.
    Quantize(quantize::Args),
    /// Print information about a network, a checkpoint or a folder of shards.
    Inspect(inspect::Args),
    /// Write manual pages into a folder, for a release.
    #[command(hide = true)]
    Man {
        /// Where the pages go
        folder: std::path::PathBuf,
    },
}

/// Runs the program, to the end of its process.
#[inline(never)]
pub fn run() -> ! {
    start("tengen-train", run_command)
}

fn run_command() -> anyhow::Result<()> {
    let command = program::read::<Cli>().command;
    if matches!(command, Command::Loop(_) | Command::Fit(_)) {
        memory::keep_freed();
    }
    match command {
        Command::Loop(args) => cycle::run_loop(&args, &Interrupt::caught(RUN_GOES_ON)?),
        Command::Work(args) => cycle::work(&args, &Interrupt::caught(ANOTHER_GOES_ON)?),
        Command::Selfplay(args) => selfplay::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Import(args) => import::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Fit(args) => fit::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Export(args) => export::run(&args),
        Command::Fsck(args) => inspect::fsck(&args),
        Command::Quantize(args) => quantize::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Man { folder } => Ok(program::man_pages(Cli::command(), &folder)?),
    }
}
