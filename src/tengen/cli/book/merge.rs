//! `tengen book merge`: joins books.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use tengen::book::{self, BookFile};

use crate::cli::terminal::tell;

/// Join books of the same game, board and rules that have grown apart.
///
/// Of a position that several have, the search with most visits counts. Values follow from all of them.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// The book that all are added to; it is created if there is none.
    out: PathBuf,
    /// The books.
    #[arg(required = true)]
    books: Vec<PathBuf>,
}

impl Merge {
    pub(super) fn run(self) -> anyhow::Result<()> {
        for path in &self.books {
            let name = || path.display().to_string();
            let (meta, from) = book::read(path).with_context(name)?;
            let out = || self.out.display().to_string();
            let opened = BookFile::open(&self.out, &meta);
            let (file, so_far, book) = opened.with_context(out)?;
            let visits = |key| book.searched(key).map(|searched| searched.visits);
            let better = from
                .iter()
                .filter(|(key, searched)| visits(*key).is_none_or(|known| known < searched.visits));
            let added: Vec<_> = better.collect();
            file.add(&so_far.with(&meta), added.iter().copied())
                .with_context(out)?;
            tell(&format!(
                "{}: {} of {} positions added",
                name(),
                added.len(),
                from.len()
            ));
        }
        Ok(())
    }
}
