//! `tengen-lab pages`: generates the pages of results from the records in `docs/results/`: of current strength, of what
//! did not help, and the table of the front page.

mod plots;
mod records;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use tengen::games::{GAMES, info};
use tengen::referee::MatchRecord;
use tengen_train::command::print;

use records::{Records, TOPICS, Words};

/// Marks around the strength table on the front page.
const TABLE_BEGIN: &str = "<!-- strength: made by `tengen-lab pages` -->\n";
const TABLE_END: &str = "<!-- end of strength -->\n";

/// Generate the pages and plots of results from the records in docs/results.
///
/// A record is a [[match]] (every match leaves one in record.toml), a [[measure]], a [[tried]] for
/// what did not help, a [[speed]] or a [[chart]]. See docs/results/README.md.
#[derive(Debug, Args)]
pub(crate) struct PagesArgs {
    /// Root of the repository
    #[arg(default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// Write nothing; fail if a page is stale
    #[arg(long)]
    check: bool,
}

/// A generated file: its path and content.
type Page = (PathBuf, String);

/// Runs the subcommand.
pub(crate) fn run(args: &PagesArgs) -> Result<()> {
    let records = Records::read(&args.root.join("docs/results"))?;
    let pages = pages(&args.root, &records)?;
    let mut stale = Vec::new();
    for (path, content) in &pages {
        if fs::read_to_string(path).unwrap_or_default() == *content {
            continue;
        }
        let name = path.display().to_string();
        if args.check {
            stale.push(name);
        } else {
            fs::write(path, content).with_context(|| name.clone())?;
            print(&name)?;
        }
    }
    if !stale.is_empty() {
        bail!("stale pages: {}; run `tengen-lab pages`", stale.join(", "));
    }
    Ok(())
}

fn pages(root: &Path, records: &Records) -> Result<Vec<Page>> {
    let docs = root.join("docs");
    let mut pages = vec![
        (docs.join("results.md"), results(records)),
        (docs.join("what-did-not-help.md"), tried(records)),
        front_page(&root.join("README.md"), records, &Words::new())?,
        front_page(&root.join("README.zh-CN.md"), records, &records.chinese)?,
    ];
    let plots = plots::files(records)?.into_iter();
    pages.extend(plots.map(|(name, plot)| (docs.join("results").join(name), plot)));
    Ok(pages)
}

/// A front page with its strength table between the marks.
fn front_page(path: &Path, records: &Records, words: &Words) -> Result<Page> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let marked = text.split_once(TABLE_BEGIN);
    let Some((before, (_, after))) =
        marked.and_then(|(before, rest)| Some((before, rest.split_once(TABLE_END)?)))
    else {
        bail!(
            "{}: the marks around the strength table are missing",
            path.display()
        );
    };
    let table = table(records, |row| row.front_page, words);
    let content = format!("{before}{TABLE_BEGIN}\n{table}\n{TABLE_END}{after}");
    Ok((path.to_owned(), content))
}

const RESULTS_HEAD: &str = "\
# Results

How strong Tengen is today. Scores are Tengen's, with the 95% interval in brackets; *games* are won, drawn (where there
are draws) and lost. *Network* names a file of [models](networks.md), or another program's network in both programs.
Gomoku is freestyle where no rule is named. Every row is a record in [`docs/results/`](results/README.md), newer ones
with their command, where all earlier matches and all other figures are, too; ideas without a gain are in [what did not
help](what-did-not-help.md). This page is made by `tengen-lab pages`.
";

const PLOTS: &str = "\
## Over time

![Over time](results/nogo-over-time.svg)

## By hours of training

![By hours of training](results/elo-by-hours.svg)

## Speed

![Speed](results/speed.svg)

The figures behind the last plot: [`speeds.toml`](results/speeds.toml).
";

/// The page of current strength.
fn results(records: &Records) -> String {
    let table = table(records, |_| true, &Words::new());
    format!("{RESULTS_HEAD}\n## Strength\n\n{table}\n{PLOTS}")
}

/// The head of the table.
const COLUMNS: [&str; 7] = [
    "game", "board", "network", "limit", "opponent", "games", "score",
];

/// Some of the rows marked as current, by game.
fn table(records: &Records, shown: impl Fn(&MatchRecord) -> bool, words: &Words) -> String {
    let head = COLUMNS.map(|column| in_words(words, column)).join(" | ");
    let mut text = format!("| {head} |\n|{}\n", "---|".repeat(COLUMNS.len()));
    let rows = records.matches.iter();
    let mut rows: Vec<&MatchRecord> = rows.filter(|row| row.current && shown(row)).collect();
    // In the order of the list of games; the sort keeps the order of dates within a game and board.
    let place = |row: &MatchRecord| GAMES.iter().position(|game| game.name == row.game);
    rows.sort_by_key(|row| (place(row), columns(row)));
    for row in rows {
        let network = row.network.as_deref().unwrap_or_default();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            in_words(words, title(&row.game)),
            row.board,
            in_words(words, network),
            in_words(words, &row.limit),
            in_words(words, &row.second),
            row.tally(),
            row.share()
        );
    }
    text
}

/// What stands for a text in these words.
fn in_words<'a>(words: &'a Words, text: &'a str) -> &'a str {
    words.get(text).map_or(text, String::as_str)
}

fn columns(row: &MatchRecord) -> u32 {
    let columns = row.board.split('x').next();
    columns.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A game's name for people.
fn title(game: &str) -> &str {
    info(game).map_or(game, |info| info.title)
}

const TRIED_HEAD: &str = "\
# What did not help

Ideas that were tried and measured without a gain, so that they are not tried again the same way. Where an interval
contains 50% the idea is undecided, and a longer match is welcome. Made by `tengen-lab pages` from
[`docs/results/tried.toml`](results/tried.toml).
";

/// The page of ideas without a gain, by topic, newest first.
fn tried(records: &Records) -> String {
    let mut text = TRIED_HEAD.to_owned();
    for (topic, title) in TOPICS {
        let of_topic = records.tried.iter().filter(|tried| tried.topic == topic);
        let lines = of_topic.map(|tried| {
            let (idea, result, date) = (&tried.idea, &tried.result, &tried.date);
            format!("- **{idea}**: {result} ({date})\n")
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            text += &format!("\n## {title}\n\n{lines}");
        }
    }
    text
}
