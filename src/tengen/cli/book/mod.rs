//! `tengen book`: books of openings.

mod build;
mod show;

use build::Build;
use clap::{Args, Subcommand};
use show::Show;

const EXAMPLES: &str = "\
Examples:
  tengen book build nogo.book --hours 8       grow a book of NoGo 9x9, or go on with it
  tengen book build go.book --game go --size 9 --visits 5000 --steps 1000
  tengen book show nogo.book C3 G7            what it knows after two moves
  tengen gtp --book nogo.book                 play from it";

/// Make a book of openings: positions that are searched in advance, and played at once.
///
/// A book is one file, which grows by a search at a time: each is of the position whose value matters
/// most, at the end of the line of good moves that costs both sides least. Positions that are equal by
/// symmetry, or reached in several ways, are searched once. Wherever `--book` names the file the engine
/// plays from it.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Book {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(Build),
    Show(Show),
}

impl Book {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Build(command) => command.run(),
            Command::Show(command) => command.run(),
        }
    }
}
