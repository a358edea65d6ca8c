//! `tengen book`: books of openings.

mod build;
mod show;
mod walk;

use std::path::PathBuf;

use crate::book::{BookFile, BookSource};
use anyhow::Context as _;
use build::Build;
use clap::{Args, Subcommand};
use show::{Export, Show};

use crate::cli::output::tell;

const EXAMPLES: &str = "\
Examples:
  tengen book build nogo.book --hours 8       grow a book of NoGo 9x9, or go on with it
  tengen book build go.book --game go --size 9 --visits 5000 --steps 1000
  tengen book show nogo.book C3 G7            what it knows after two moves
  tengen book export nogo.book nogo.sgf       its lines as a game with variations
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
    Export(Export),
    Merge(Merge),
}

impl Book {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Build(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Merge(command) => command.run(),
        }
    }
}

/// Join books of the same game, board and rules that have grown apart.
///
/// Of a position that several have, the search that proved its result counts, else the one with most visits. Values
/// follow from all of them. The searches and hours of a book count by the share of its positions that are added.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// The book that all are added to; it is created if there is none.
    out: PathBuf,
    /// The books.
    #[arg(required = true, value_name = "FILE")]
    books: Vec<BookSource>,
}

impl Merge {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let out = || self.out.display().to_string();
        // A book that does not fit leaves the others unmerged.
        let read = |source: &BookSource| source.read().with_context(|| source.to_string());
        let all: Vec<_> = self.books.iter().map(read).collect::<Result<_, _>>()?;
        let about = all.first().context("there is no book")?.0.unsearched();
        for (source, (meta, _)) in self.books.iter().zip(&all) {
            meta.check(&about).with_context(|| source.to_string())?;
        }
        for (source, (meta, from)) in self.books.iter().zip(all) {
            let opened = BookFile::open(&self.out, &about);
            let (file, so_far, book) = opened.with_context(out)?;
            let better = from.iter().filter(|(key, found)| {
                let known = book.searched(*key);
                known.is_none_or(|known| found.is_better_than(known))
            });
            let added: Vec<_> = better.collect();
            let share = added.len() as f64 / from.len().max(1) as f64;
            file.add(&so_far.with(share, &meta), added.iter().copied())
                .with_context(out)?;
            let (added, all) = (added.len(), from.len());
            tell(&format!("{source}: {added} of {all} positions added"));
        }
        Ok(())
    }
}
