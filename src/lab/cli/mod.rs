//! `tengen-lab`: papers and truth sets. Each subcommand is a file; the work is in the library.

mod endings;
mod gtp;
mod mucgo;
mod pages;
mod studies;

use clap::{Parser, Subcommand};
use tengen::program;
use tengen_train::command::{GOES_ON, Interrupt, start};

/// Reproduce papers: ablation studies, the adaptive critic of 1997, Mucgo of 2019; make and use truth sets.
///
/// docs/papers.md has the commands and the results.
#[derive(Debug, Parser)]
#[command(name = "tengen-lab", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an ablation study: several arms and seeds, matches between their networks, and a table.
    Ablate(studies::AblateArgs),
    /// Train adaptive critics as in 1997 from a plan, and compare them.
    Critic(studies::CriticArgs),
    /// Play over GTP as a paper does.
    Gtp(Box<gtp::Args>),
    Endings(endings::Endings),
    Pages(pages::PagesArgs),
    /// Fit to recorded games what Mucgo's search of 2019 knows: move weights and stages of a game.
    Mucgo(mucgo::Args),
}

/// Runs the program, to the end of its process.
#[inline(never)]
pub fn run() -> ! {
    start("tengen-lab", run_command)
}

fn run_command() -> anyhow::Result<()> {
    match program::read::<Cli>().command {
        Command::Ablate(args) => studies::run_ablation(&args, &Interrupt::caught(GOES_ON)?),
        Command::Critic(args) => studies::run_critic(&args, &Interrupt::caught(GOES_ON)?),
        Command::Endings(args) => args.run(),
        Command::Pages(args) => pages::run(&args),
        Command::Gtp(args) => gtp::run(*args),
        Command::Mucgo(args) => mucgo::run(&args),
    }
}
