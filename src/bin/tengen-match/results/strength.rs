//! The page of current strength: one screen.

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
    text.push_str(&speeds(records));
    text
}

/// The rows that are marked as current, by game.
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

/// A game as people write it.
pub(super) fn game_name(game: &str) -> &str {
    match game {
        "nogo" => "NoGo",
        "go" => "Go",
        "gomoku" => "Gomoku",
        other => other,
    }
}

fn speeds(records: &Records) -> String {
    let mut text = String::from(
        "Evaluations a second at batch 1, and the best over batches of 1, 4, 8 and 16:\n\n\
         | network | board | precision | threads | backend | batch 1 | best | machine | date |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for speed in &records.speeds {
        let best = speed.best_per_second.map_or(String::new(), whole);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {best} | {} | {} |",
            speed.network,
            speed.board,
            speed.precision,
            speed.threads,
            speed.backend,
            whole(speed.per_second),
            records.machine(&speed.machine),
            speed.date
        );
    }
    let mut commands: Vec<&str> = records
        .speeds
        .iter()
        .map(|speed| speed.command.as_str())
        .collect();
    commands.dedup();
    for command in commands {
        let _ = writeln!(text, "\n`{command}`");
    }
    text
}

/// A whole number with its thousands apart.
fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(whole(7.2), "7");
        assert_eq!(whole(999.6), "1,000");
        assert_eq!(whole(1_234_567.0), "1,234,567");
    }
}
