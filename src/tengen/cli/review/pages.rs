//! Locations of pages, and pages of earlier runs.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use tengen::record::file;

use super::facts::{Game, Review, Settings};
use super::html;
use super::text::Summary;

const INDEX: &str = "index.html";

/// The pages of a review.
pub(super) struct Pages {
    /// The page of each file.
    paths: HashMap<PathBuf, PathBuf>,
    /// Rows of a folder's index page so far.
    index: Option<Index>,
}

struct Index {
    path: PathBuf,
    rows: Vec<String>,
}

impl Pages {
    /// Decides the page of each file, and checks that it can be written. Only creates the folder.
    ///
    /// # Errors
    /// If a file that is not a review page is in the way, unless `force` is set, or one cannot be written.
    pub(super) fn open(path: &Path, files: &[PathBuf], force: bool) -> anyhow::Result<Pages> {
        let (paths, is_folder) = places(path, files, &["html", "htm"])?;
        let index = is_folder.then(|| Index {
            path: path.join(INDEX),
            rows: Vec::new(),
        });
        for page in paths.values().chain(index.iter().map(|index| &index.path)) {
            check(page, html::is_ours, force)?;
        }
        Ok(Pages { paths, index })
    }

    /// The review of this game with these settings from a folder's page.
    pub(super) fn earlier(&self, file: &Path, game: &Game, settings: &Settings) -> Option<Review> {
        self.index.as_ref()?;
        let review = html::read(self.paths.get(file)?)?;
        let same = review.game == *game && review.settings == *settings && review.is_whole();
        same.then_some(review)
    }

    /// Writes a game's page and updates the index page, with the summary of all games so far. Returns the page's path.
    pub(super) fn add(
        &mut self,
        file: &Path,
        review: &Review,
        summary: &Summary,
    ) -> anyhow::Result<&Path> {
        let path = self.paths.get(file).context("a file has a page")?;
        write(path, &html::page(review, self.index.is_some())?)?;
        if let Some(index) = &mut self.index {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            index.rows.push(html::index_row(&name, review));
            write(&index.path, &html::index(&index.rows, summary))?;
        }
        Ok(path)
    }
}

/// A path for what is written of each file, and whether these are in a folder, which is made: so they are unless there is
/// one file and the path has one of these extensions.
///
/// # Errors
/// If the folder cannot be made.
pub(super) fn places(
    path: &Path,
    files: &[PathBuf],
    extensions: &[&str],
) -> anyhow::Result<(HashMap<PathBuf, PathBuf>, bool)> {
    let (own, folder, extension) = (path.extension().unwrap_or_default(), path, extensions[0]);
    let is_file = extensions
        .iter()
        .any(|extension| own.eq_ignore_ascii_case(extension));
    if let [file] = files
        && is_file
        && !path.is_dir()
    {
        return Ok((HashMap::from([(file.clone(), path.to_owned())]), false));
    }
    if folder.is_file() {
        let name = folder.display();
        match files {
            [_] => bail!(
                "{name} exists and is no .{extension} file that `tengen review` wrote: choose another \
                 place"
            ),
            _ => bail!("{name} is a file, and several games need a folder"),
        }
    }
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut taken = HashSet::from(["index".to_owned()]);
    let mut paths = HashMap::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let (mut name, mut number) = (stem.to_string(), 1);
        while !taken.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{stem}-{number}");
        }
        paths.insert(file.clone(), folder.join(format!("{name}.{extension}")));
    }
    Ok((paths, true))
}

/// Replaces a file atomically.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    file::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Checks that [`write()`] can replace a file, and unless `force` is set that it is from an earlier review.
pub(super) fn check(path: &Path, is_ours: fn(&Path) -> bool, force: bool) -> anyhow::Result<()> {
    ensure!(
        force || !path.exists() || is_ours(path),
        "{} is not from an earlier review: choose another place, or replace it with --force",
        path.display()
    );
    file::check(path).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_way_is_named_for_what_it_is() {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let games = ["one.sgf", "two.sgf"].map(PathBuf::from);
        for (games, words) in [
            (&games[..1], "exists and is no .html file"),
            (&games[..], "several games need a folder"),
        ] {
            let error = places(file, games, &["html"]).expect_err("it is a file");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
