//! The pages of current strength and of what did not help, and the table of the front page.

use std::fmt::Write as _;

use tengen::games::{GAMES, info};
use tengen::referee::MatchRecord;

use super::records::{Records, Topic, Tried, Words};

const HEAD: &str = "\
# Results

How strong Tengen is today. Scores are Tengen's, with the 95% interval in brackets; *games* are won, drawn (where there
are draws) and lost. *Network* names a file of [models](networks.md), or another program's network in both programs.
Gomoku is freestyle where no rule is named. Every row is a record in [`docs/results/`](results/README.md), newer ones
with their command, where all earlier matches and all other figures are, too; ideas without a gain are in [what did not
help](what-did-not-help.md). This page is made by `tengen-lab pages`.
";

/// The page.
pub(super) fn page(records: &Records) -> String {
    let mut text = format!(
        "{HEAD}\n## Strength\n\n{}\n",
        table(records, |_| true, &Words::new())
    );
    for (title, plot) in [
        ("Over time", "nogo-over-time"),
        ("By hours of training", "elo-by-hours"),
        ("Speed", "speed"),
    ] {
        // Writing into a string cannot fail.
        let _ = write!(text, "## {title}\n\n![{title}](results/{plot}.svg)\n\n");
    }
    text.push_str("The figures behind the last plot: [`speeds.toml`](results/speeds.toml).\n");
    text
}

/// The rows for a front page, in the words of its language.
pub(super) fn front(records: &Records, words: &Words) -> String {
    table(records, |row| row.front_page, words)
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
pub(super) fn tried(records: &Records) -> String {
    let mut text = TRIED_HEAD.to_owned();
    for topic in Topic::ALL {
        let of_topic = records.tried.iter().filter(|tried| tried.topic == topic);
        let lines = of_topic.map(
            |Tried {
                 idea, result, date, ..
             }| format!("- **{idea}**: {result} ({date})\n"),
        );
        let lines: String = lines.collect();
        if !lines.is_empty() {
            text += &format!("\n## {}\n\n{lines}", topic.title());
        }
    }
    text
}
