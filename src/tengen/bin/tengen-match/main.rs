//! `tengen-match`: compares GTP engines, with statistics. Each subcommand is in a file of its name, `sprt` in that of `play`, `elo` in that of
//! `tournament`, `clock-rig` in that of `clock`.

mod clock;
mod openings;
mod options;
mod output;
mod play;
mod record;
mod session;
mod tournament;
mod tune;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use tengen::{processor, program, system};

use crate::output::Interrupt;

/// Matches between engines (GTP or Gomocup) under the rules of NoGo, Go or Gomoku.
///
/// The exit code is 0 if all went well, 1 if a match could not be played to its end, and 3 if it was played
/// but an engine did not play as requested: it complained on its error stream (a warning or an
/// error, such as a network that was replaced by something weaker), it refused komi, rules or
/// another setting of the match, or it lost a game by a crash, a hang, an illegal move or an answer
/// that is not GTP. Ctrl-C prints the result so far; the same command continues.
#[derive(Parser)]
#[command(name = "tengen-match", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Play(play::PlayArgs),
    Sprt(play::SprtArgs),
    Tournament(tournament::TournamentArgs),
    Tune(tune::TuneArgs),
    Elo(tournament::EloArgs),
    Openings(openings::OpeningsArgs),
    ClockRig(clock::ClockRigArgs),
    Clock(clock::ClockArgs),
    /// Write manual pages into a folder, for a release.
    #[command(hide = true)]
    Man {
        /// Where the pages go
        folder: std::path::PathBuf,
    },
    /// Kill the engines of a match that has died: started by each match.
    #[command(hide = true)]
    Guard,
}

fn main() -> ExitCode {
    processor::check();
    run()
}

#[inline(never)]
fn run() -> ExitCode {
    let command = program::read::<Cli>().command;
    let filter = env_logger::Env::default().default_filter_or("warn");
    env_logger::Builder::from_env(filter).init();
    match command.run() {
        Ok(code) => code,
        Err(error) => {
            let text = program::one_line(error.as_ref());
            output::tell(format_args!("tengen-match: {text}\n"));
            ExitCode::FAILURE
        }
    }
}

impl Command {
    fn run(self) -> anyhow::Result<ExitCode> {
        // During a match there is a result to report.
        let caught = Interrupt::caught;
        match self {
            Command::Play(args) => return play::run(&args, &caught()?),
            Command::Sprt(args) => return play::run_sprt(&args, &caught()?),
            Command::Tournament(args) => return tournament::run(&args, &caught()?),
            Command::Tune(args) => return tune::run(&args, &caught()?),
            Command::Openings(args) => return openings::run(&args, &caught()?),
            Command::ClockRig(args) => return clock::run_rig(&args, &caught()?),
            Command::Elo(args) => tournament::run_elo(&args)?,
            Command::Clock(args) => clock::run(&args)?,
            Command::Man { folder } => program::man_pages(Cli::command(), &folder)?,
            Command::Guard => system::watch(std::io::stdin().lock()),
        }
        Ok(ExitCode::SUCCESS)
    }
}
