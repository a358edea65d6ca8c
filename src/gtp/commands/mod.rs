//! The command table, and how handlers read their arguments. Arguments beyond those that a command
//! knows are ignored, as KGS wants it.

mod board;
mod clock;
mod files;
mod protocol;

use super::{Failure, Session};
use crate::game::Color;

/// One GTP command.
#[derive(Clone, Copy)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, for people.
    pub arguments: &'static str,
    /// What it does, for people.
    pub help: &'static str,
    pub(super) run: Handler,
}

/// Answers a command with the text of the reply.
type Handler = fn(&mut Session, &Arguments<'_>) -> Result<String, Failure>;

/// Every command, in the order in which `list_commands` names them.
#[rustfmt::skip]
pub const COMMANDS: &[Command] = &[
    command("protocol_version", "", "the version of GTP: 2", protocol::protocol_version),
    command("name", "", "the program's name", protocol::name),
    command("version", "", "the program's version", protocol::version),
    command("known_command", "NAME", "whether there is such a command", protocol::known_command),
    command("list_commands", "", "the names of all commands", protocol::list_commands),
    command("quit", "", "end the program", protocol::quit),
    command("boardsize", "N", "new game on a square board", board::boardsize),
    command("rectangular_boardsize", "WIDTH HEIGHT", "new game on any board", board::rectangular_boardsize),
    command("clear_board", "", "new game; komi and time settings stay", board::clear_board),
    command("komi", "POINTS", "set komi; NoGo and Gomoku only record it", board::komi),
    command("play", "COLOUR VERTEX", "play for either colour, also twice in a row", board::play),
    command("undo", "", "take the last move back", board::undo),
    command("genmove", "COLOUR", "choose and play a move; resign without a legal one", board::genmove),
    command("reg_genmove", "COLOUR", "choose a move without playing it", board::reg_genmove),
    command("tengen-report", "", "the last search: visits, playouts, value for the mover, seconds", board::report),
    command("showboard", "", "the board as text", board::showboard),
    command("final_score", "", "the result of a finished game", board::final_score),
    command("time_settings", "MAIN PERIOD STONES", "set both clocks, in seconds", clock::time_settings),
    command("kgs-time_settings", "SYSTEM [TIMES]", "none, absolute, canadian or byoyomi", clock::kgs_time_settings),
    command("time_left", "COLOUR SECONDS STONES", "set one clock", clock::time_left),
    command("cputime", "", "processor time used, in seconds", clock::cputime),
    command("loadsgf", "FILE [MOVE]", "load a game up to, not including, a move", files::loadsgf),
    command("printsgf", "[FILE]", "the game as SGF, into a file if one is named", files::printsgf),
];

const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: Handler,
) -> Command {
    Command {
        name,
        arguments,
        help,
        run,
    }
}

/// The command of this name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// A command's arguments.
pub(super) struct Arguments<'a>(pub(super) &'a [String]);

impl Arguments<'_> {
    /// An argument that may be missing.
    fn optional(&self, index: usize) -> Option<&str> {
        self.0.get(index).map(String::as_str)
    }

    fn text(&self, index: usize) -> Result<&str, Failure> {
        self.optional(index).ok_or(Failure::Syntax)
    }

    fn color(&self, index: usize) -> Result<Color, Failure> {
        match self.text(index)?.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Color::Black),
            "w" | "white" => Ok(Color::White),
            _ => Err(Failure::Syntax),
        }
    }

    /// A whole number; one too large for any use is the largest.
    fn integer(&self, index: usize) -> Result<i64, Failure> {
        let text = self.text(index)?;
        match text.parse() {
            Ok(number) => Ok(number),
            Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => Ok(i64::MAX),
            Err(error) if *error.kind() == std::num::IntErrorKind::NegOverflow => Ok(i64::MIN),
            Err(_) => Err(Failure::Syntax),
        }
    }

    /// A finite number.
    fn number(&self, index: usize) -> Result<f64, Failure> {
        match self.text(index)?.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Failure::Syntax),
        }
    }

    /// All arguments from the first.
    fn all(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}
