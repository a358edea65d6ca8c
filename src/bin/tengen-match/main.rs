//! `tengen-match`: which GTP engine is stronger, and how sure are we. One file a subcommand.

mod clock;
mod clock_rig;
mod elo;
mod openings;
mod options;
mod output;
mod play;
mod progress;
mod session;
mod sprt;
mod tournament;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Matches between GTP engines under the rules of NoGo.
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
    Tournament(tournament::TournamentArgs),
    Elo(elo::EloArgs),
    Openings(openings::OpeningsArgs),
    ClockRig(clock_rig::ClockRigArgs),
    Clock(clock::ClockArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Play(args) => play::run(&args),
        Command::Sprt(args) => sprt::run(&args),
        Command::Tournament(args) => tournament::run(&args),
        Command::Elo(args) => elo::run(&args),
        Command::Openings(args) => openings::run(&args),
        Command::ClockRig(args) => clock_rig::run(&args),
        Command::Clock(args) => clock::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(format_args!("tengen-match: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}
