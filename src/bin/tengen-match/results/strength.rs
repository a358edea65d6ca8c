//! The page of current strength.

use std::fmt::Write as _;

use tengen::games::{GAMES, info};
use tengen::referee::MatchRecord;

use super::records::Records;

const HEAD: &str = "\
# Results

How strong Tengen is today. Scores are Tengen's, with the 95% interval in brackets; *games* are won, drawn (where
there are draws) and lost. Every row is a record in [`docs/results/`](results/README.md) with its command; earlier
matches and all other figures are in the [history](results-history.md), ideas without a gain in
[what did not help](what-did-not-help.md). This page is made by `tengen-match pages`.
";

/// The page.
pub(super) fn page(records: &Records) -> String {
    let mut text = format!("{HEAD}\n## Strength\n\n{}\n", table(records));
    for (title, plot) in [
        ("Over time", "nogo-over-time"),
        ("By hours of training", "elo-by-hours"),
        ("Speed", "speed"),
    ] {
        // Writing into a string cannot fail.
        let _ = write!(text, "## {title}\n\n![{title}](results/{plot}.svg)\n\n");
    }
    text.push_str(
        "The figures behind the last plot: [history](results-history.md#speed-of-networks).\n",
    );
    text
}

/// The rows marked as current, by game.
pub(super) fn table(records: &Records) -> String {
    let mut text = String::from(
        "| game | board | Tengen's limit | opponent | games | score |\n|---|---|---|---|---|---|\n",
    );
    let mut rows: Vec<&MatchRecord> = records.matches.iter().filter(|row| row.current).collect();
    // In the order of the list of games; the sort keeps the order of dates within a game and board.
    let place = |row: &MatchRecord| GAMES.iter().position(|game| game.name == row.game);
    rows.sort_by_key(|row| (place(row), columns(row)));
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            title(&row.game),
            row.board,
            row.limit,
            row.second,
            row.tally(),
            row.share()
        );
    }
    text
}

fn columns(row: &MatchRecord) -> u32 {
    let columns = row.board.split('x').next();
    columns.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A game's name for people.
fn title(game: &str) -> &str {
    info(game).map_or(game, |info| info.title)
}
