//! `tengen-lab endings`: positions with known winners and winning moves, to test engines.

mod line;
mod measure;
mod pick;
mod score;
mod solve;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use tengen_train::command::print;

use line::read;
use measure::Measure;
use pick::Pick;
use solve::{Solve, table};

const EXAMPLES: &str = "\
Examples:
  tengen-lab endings pick runs/games/sgf --out endings.txt     positions from games
  tengen-lab endings solve endings.txt --nodes 1000000         the easier half of them
  tengen-lab endings solve endings.txt --nodes 30000000        those that were left
  tengen-lab endings measure endings.txt --visits 400          how an engine does on them";

/// Make a set of positions of NoGo or Gomoku with their winners and all their winning moves.
///
/// A set is a text file, one position per line: the game and its rules unless it is NoGo
/// (gomoku:renju), the board from the top row down (x black, o white, numbers are empty points), the
/// side to move (b or w), the nodes spent on it, and the result for that side: - a loss, + a win and
/// its winning moves, ? unknown; after a win's moves ? and the moves of unknown result. After an
/// unknown result the moves that are not proven to lose, if others are. Last, value=-0.320: what
/// another program's search thought of it. `measure` tests engines on it.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Endings {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Pick(Pick),
    Solve(Solve),
    List(List),
    Measure(Box<Measure>),
}

/// Summarise a set ply by ply.
#[derive(Debug, Args)]
struct List {
    /// The set.
    file: PathBuf,
}

impl Endings {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Pick(command) => command.run(),
            Command::Solve(command) => command.run(),
            Command::List(command) => Ok(print(&table(&read(&command.file)?))?),
            Command::Measure(command) => command.run(),
        }
    }
}
