//! `tengen-train`: makes networks. One file a subcommand; the work is in `tengen::train`.

mod ablate;
mod board;
mod correct;
mod critic;
mod cycle;
mod export;
mod fit;
mod fsck;
mod inspect;
mod interrupt;
mod progress;
mod quantize;
mod report;
mod seal;
mod selfplay;
mod weights;

use clap::{Parser, Subcommand};
use tengen::{processor, program};

use crate::interrupt::Interrupt;

/// Where a command that was interrupted goes on when it is given again.
const GOES_ON: &str = "Whole games and checkpoints are kept; the same command goes on from there.";

/// Makes networks for Tengen: self-play, fitting, export. A long command says at Ctrl-C what there is so
/// far; the same command goes on.
#[derive(Debug, Parser)]
#[command(name = "tengen-train", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Games, fit, network, rating, again and again; shows how it goes in report.html.
    Loop(cycle::Args),
    /// Plays games against itself and records them as shards.
    Selfplay(selfplay::Args),
    /// Rewrites games with the results of best play as far as the solver reaches.
    Correct(correct::Args),
    /// Fits a network to recorded games.
    Fit(fit::Args),
    /// Writes a fitted network as an ONNX file, or an untrained one.
    Export(export::Args),
    /// Runs arms with several seeds, has their networks meet, and writes the table.
    Ablate(ablate::Args),
    /// Teaches adaptive critics as in 1997, by a plan, and compares what they learn.
    Critic(critic::Args),
    /// Regenerate the report of a run of loop.
    Report(report::Args),
    /// Looks for damage in shards, checkpoints, networks and JSON files.
    Fsck(fsck::Args),
    /// Turns an f32 network into an int8 one and compares both.
    Quantize(quantize::Args),
    /// Adds a checksum to networks that were written without one.
    Seal(seal::Args),
    /// Says what a network, a checkpoint or a folder of shards is.
    Inspect(inspect::Args),
    /// Learns from games what moves weigh in the playouts of Go.
    Weights(weights::Args),
}

fn main() {
    processor::check();
    start();
}

#[expect(
    clippy::print_stderr,
    reason = "a command-line program says why it ends"
)]
#[inline(never)]
fn start() {
    let status = match run() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("tengen-train: {}", program::one_line(error.as_ref()));
            1
        }
    };
    program::end(status)
}

fn run() -> anyhow::Result<()> {
    let filter = env_logger::Env::default().default_filter_or("info");
    env_logger::Builder::from_env(filter).init();
    // Fitting makes thousands of short parallel steps a second from this thread. As one of the
    // pool's threads it does its share at once, instead of waking another thread and waiting for
    // it, which on a busy machine takes longer than the step.
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()?;
    match program::read::<Cli>().command {
        Command::Loop(args) => cycle::run_loop(&args, &Interrupt::caught(GOES_ON)?),
        Command::Selfplay(args) => selfplay::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Correct(args) => correct::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Fit(args) => fit::run(&args, &Interrupt::caught(GOES_ON)?),
        Command::Export(args) => export::run(&args),
        Command::Ablate(args) => ablate::run_ablation(&args, &Interrupt::caught(GOES_ON)?),
        Command::Critic(args) => critic::run_critic(&args, &Interrupt::caught(GOES_ON)?),
        Command::Report(args) => report::run(&args),
        Command::Fsck(args) => fsck::run(&args),
        Command::Quantize(args) => quantize::run(&args),
        Command::Seal(args) => seal::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Weights(args) => weights::run(&args),
    }
}
