//! Reviews as self-contained HTML files: where they are, those of earlier runs, and what they contain: the data as JSON,
//! which `read` extracts again. And the index page of a folder of them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::chart::escape;
use crate::game::Color;
use crate::program::counted;
use crate::record::file;
use crate::web;
use anyhow::{Context as _, bail, ensure};

use super::facts::{Game, Review, Settings, Tally};
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
            check(page, is_ours, force)?;
        }
        Ok(Pages { paths, index })
    }

    /// The review of this game with these settings from a folder's page.
    pub(super) fn earlier(&self, file: &Path, game: &Game, settings: &Settings) -> Option<Review> {
        self.index.as_ref()?;
        let review = read(self.paths.get(file)?)?;
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
        write(path, &game_page(review, self.index.is_some())?)?;
        if let Some(index) = &mut self.index {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            index.rows.push(index_row(&name, review));
            write(&index.path, &index_page(&index.rows, summary))?;
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

/// Start of every review page.
const MARK: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"generator\" content=\"tengen review\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
/// No external resources are loaded, enforced by the browser.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">";
/// Style of the index page of a folder.
const STYLE: &str = include_str!("index.css");
/// Text before and after the JSON.
const DATA: [&str; 2] = [
    "<script type=\"application/json\" id=\"review\">",
    "</script>",
];

/// The page of a game; `in_folder`: there is an index page beside it.
fn game_page(review: &Review, in_folder: bool) -> anyhow::Result<String> {
    let [begin, end] = DATA;
    // No text in it can end the element.
    let json = serde_json::to_string(review)?.replace('<', "\\u003c");
    let [black, white] = Color::BOTH.map(|side| escape(review.game.player(side)));
    let back = match in_folder {
        true => "<p class=\"up\"><a href=\"index.html\">All games</a></p>",
        false => "",
    };
    Ok(format!(
        "{MARK}{POLICY}<title>{black} - {white}</title><style>{}</style>{back}{}\
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

/// Size of the curve in a row of the index, in pixels.
const CURVE: (f32, f32) = (120.0, 28.0);

/// The row of the index for a game whose page has this name.
fn index_row(page: &str, review: &Review) -> String {
    let game = &review.game;
    let [black, white] = Color::BOTH.map(|side| escape(game.player(side)));
    let both = |value: fn(&Tally) -> String| {
        let [black, white] = &review.players;
        format!("{}<td>{}", value(black), value(white))
    };
    let cut = match review.is_whole() {
        true => "",
        false => " (interrupted)",
    };
    let mut html = format!(
        "<tr><td><a href=\"{}\">{}</a>{cut}<td><i class=\"stone black\"></i>{black}<td>\
             <i class=\"stone white\"></i>{white}<td>{}<td>{}<td class=\"spark\">",
        escape(&link(page)),
        escape(page.trim_end_matches(".html")),
        escape(&game.result),
        game.moves.len(),
    );
    curve(&mut html, review);
    // Writing into a string cannot fail.
    let _ = write!(
        html,
        "<td>{}<td>{}</tr>",
        both(Tally::loss),
        both(|tally| match tally.blunders + tally.thrown_away {
            0 => "-".to_owned(),
            blunders => blunders.to_string(),
        }),
    );
    html
}

/// The index page of a folder of reviews: a row per game, and each player's statistics.
fn index_page(rows: &[String], summary: &Summary) -> String {
    let mut page = format!(
        "{MARK}<title>Reviewed games</title><style>{STYLE}</style><div class=\"index\">\
         <h1>{} reviewed</h1><div class=\"scroll\"><table class=\"games\"><tr><th>Game<th>Black<th>White\
         <th>Result<th>Moves<th>Black's winrate<th>Loss, Black<th>White<th>Blunders, Black<th>White</tr>",
        counted(rows.len(), "game")
    );
    page.extend(rows.iter().map(String::as_str));
    page.push_str(
        "</table></div><h2>Players</h2><div class=\"scroll\"><table><tr><th>Player<th>Games",
    );
    for (name, _) in Tally::default().columns() {
        let _ = write!(page, "<th>{}{}", name[..1].to_uppercase(), &name[1..]);
    }
    page.push_str("</tr>");
    for (name, games, tally) in summary.players() {
        let _ = write!(page, "<tr><td>{}<td>{games}", escape(name));
        for (_, figure) in tally.columns() {
            let _ = write!(page, "<td>{figure}");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></div></div></html>\n");
    page
}

/// A file name in a link: besides ASCII letters and digits only safe characters.
fn link(name: &str) -> String {
    let mut link = String::from("./");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            link.push(char::from(byte));
        } else {
            let _ = write!(link, "%{byte:02X}");
        }
    }
    link
}

fn curve(html: &mut String, review: &Review) {
    let (width, height) = CURVE;
    let moves = review.game.moves.len().max(1) as f32;
    let points = review.positions.iter().filter_map(|position| {
        let x = width * position.moves as f32 / moves;
        Some(format!("{x:.1},{:.1}", height * (1.0 - position.winrate?)))
    });
    let points: Vec<String> = points.collect();
    let middle = height / 2.0;
    let _ = write!(
        html,
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 -1 {width} {}\"><path class=\"half\" \
         d=\"M0 {middle}H{width}\"/><polyline class=\"line\" points=\"{}\"/></svg>",
        height + 2.0,
        points.join(" ")
    );
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

    #[test]
    fn names_of_files_become_links() {
        assert_eq!(link("a b#1.html"), "./a%20b%231.html");
        assert_eq!(link("天.html"), "./%E5%A4%A9.html");
    }
}
