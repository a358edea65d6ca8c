//! The page of current strength.

use std::fmt::Write as _;

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
    // NoGo first; the sort keeps the order of dates within a game and board.
    let place = |row: &MatchRecord| {
        ["nogo", "go", "gomoku"]
            .iter()
            .position(|game| *game == row.game)
    };
    rows.sort_by_key(|row| (place(row), columns(row)));
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            game_name(&row.game),
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

/// Display name of a game.
pub(super) fn game_name(game: &str) -> &str {
    match game {
        "nogo" => "NoGo",
        "go" => "Go",
        "gomoku" => "Gomoku",
        other => other,
    }
}
