//! Reviews as self-contained HTML files: a page includes its data as JSON, and those of earlier runs are read again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use tengen::chart::escape;
use tengen::game::Color;
use tengen::record::file;
use tengen::web;

use super::facts::{Game, Review, Settings};

/// Start of every review page.
const MARK: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"generator\" content=\"tengen review\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
/// No external resources are loaded, enforced by the browser.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">";
/// Text before and after the JSON.
const DATA: [&str; 2] = [
    "<script type=\"application/json\" id=\"review\">",
    "</script>",
];

/// The pages of a review.
pub(super) struct Pages {
    /// The page of each file.
    paths: HashMap<PathBuf, PathBuf>,
    /// Whether they are in a folder, where the ones of earlier runs are kept.
    is_folder: bool,
}

impl Pages {
    /// Decides the page of each file, and checks that it can be written. Only creates the folder.
    ///
    /// # Errors
    /// If a file that is not a review page is in the way, unless `force` is set, or the folder is
    /// not writable.
    pub(super) fn open(path: &Path, files: &[PathBuf], force: bool) -> anyhow::Result<Pages> {
        let (paths, is_folder) = places(path, files, &["html", "htm"])?;
        let folder = paths.values().next().and_then(|page| page.parent());
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        writable(folder.unwrap_or(Path::new(".")))?;
        for page in paths.values() {
            ensure!(
                force || !page.exists() || is_ours(page),
                "{} is not a page of a review: choose another place, or replace it with --force",
                page.display()
            );
        }
        Ok(Pages { paths, is_folder })
    }

    /// The review of this game with these settings from a folder's page.
    pub(super) fn earlier(&self, file: &Path, game: &Game, settings: &Settings) -> Option<Review> {
        let path = self.paths.get(file).filter(|_| self.is_folder)?;
        let review = read(path)?;
        let same = review.game == *game && review.settings == *settings && review.is_whole();
        same.then_some(review)
    }

    /// Writes a game's page. Returns its path.
    pub(super) fn add(&self, file: &Path, review: &Review) -> anyhow::Result<&Path> {
        let path = self.paths.get(file).context("a file has a page")?;
        write(path, &html(review)?)?;
        Ok(path)
    }
}

/// The page of a game.
fn html(review: &Review) -> anyhow::Result<String> {
    let [begin, end] = DATA;
    // No text in it can end the element.
    let json = serde_json::to_string(review)?.replace('<', "\\u003c");
    let [black, white] = Color::BOTH.map(|side| escape(review.game.player(side)));
    Ok(format!(
        "{MARK}{POLICY}<title>{black} - {white}</title><style>{}</style>{}\
         {begin}{json}{end}<script type=\"module\">{}</script></html>\n",
        web::STYLE,
        web::body(),
        web::file_script()
    ))
}

/// Whether a file is a review page.
fn is_ours(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    text.starts_with(MARK.as_bytes())
}

/// The review in a page, if it is a game's page of this version.
fn read(path: &Path) -> Option<Review> {
    let text = std::fs::read_to_string(path).ok()?;
    let [begin, end] = DATA;
    let (_, rest) = text.split_once(begin)?;
    let (json, _) = rest.split_once(end)?;
    text.starts_with(MARK)
        .then(|| serde_json::from_str(json).ok())?
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
    let mut taken = HashSet::new();
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

/// An error now is better than one after hours of work.
fn writable(folder: &Path) -> anyhow::Result<()> {
    ensure!(
        folder.is_dir(),
        "cannot write into {}: there is no such folder",
        folder.display()
    );
    file::check_folder(folder).with_context(|| format!("cannot write into {}", folder.display()))
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
