//! `tengen-match`: which GTP engine is stronger, and how sure are we. One file a subcommand.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program: reports go to stdout, progress to stderr"
)]

mod options;
mod play;
mod progress;
mod session;
mod sprt;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Matches between GTP engines under the rules of NoGo, Go and Gomoku.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Play(play::PlayArgs),
    Sprt(sprt::SprtArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Play(args) => play::run(&args),
        Command::Sprt(args) => sprt::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tengen-match: {error:#}");
            ExitCode::FAILURE
        }
    }
}
