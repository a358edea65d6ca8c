//! `tengen-match`: which GTP engine is stronger, and how sure are we. One file a subcommand.

mod clock;
mod clock_rig;
mod elo;
mod interrupt;
mod openings;
mod options;
mod outcome;
mod output;
mod play;
mod progress;
mod results;
mod session;
mod sprt;
mod tournament;
mod tune;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tengen::{processor, program};

use crate::interrupt::Interrupt;
use crate::outcome::Outcome;

/// Matches between engines (GTP or Gomocup) under the rules of NoGo, Go or Gomoku.
///
/// Ends with 0 when all went well, with 1 when a match could not be played, and with 3 when it was
/// played but an engine did not play as it should: it complained on its error stream (a warning or
/// an error, such as a network that was replaced by something weaker), it refused komi, rules or
/// another thing that the match asked of it, or it lost a game by a crash, a hang, an illegal move or
/// an answer that is not GTP. Ctrl-C says what there is so far; the same command goes on.
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
    Tune(tune::TuneArgs),
    Elo(elo::EloArgs),
    Openings(openings::OpeningsArgs),
    ClockRig(clock_rig::ClockRigArgs),
    Clock(clock::ClockArgs),
    Pages(results::PagesArgs),
}

fn main() -> ExitCode {
    processor::check();
    run()
}

#[inline(never)]
fn run() -> ExitCode {
    let command = program::read::<Cli>().command;
    // Where games are played there is something to say.
    let caught = Interrupt::caught;
    let result = match command {
        Command::Play(args) => caught().and_then(|interrupt| play::run(&args, &interrupt)),
        Command::Sprt(args) => caught().and_then(|interrupt| sprt::run(&args, &interrupt)),
        Command::Tournament(args) => {
            caught().and_then(|interrupt| tournament::run(&args, &interrupt))
        }
        Command::Tune(args) => caught().and_then(|interrupt| tune::run(&args, &interrupt)),
        Command::Elo(args) => elo::run(&args).map(|()| Outcome::Sound),
        Command::Openings(args) => caught().and_then(|interrupt| openings::run(&args, &interrupt)),
        Command::ClockRig(args) => caught().and_then(|interrupt| clock_rig::run(&args, &interrupt)),
        Command::Clock(args) => clock::run(&args).map(|()| Outcome::Sound),
        Command::Pages(args) => results::run(&args).map(|()| Outcome::Sound),
    };
    match result {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            let text = program::one_line(error.as_ref());
            output::tell(format_args!("tengen-match: {text}\n"));
            ExitCode::FAILURE
        }
    }
}
