//! The pages of all matches and measurements, and of what did not help.

use std::fmt::Write as _;

use tengen::games::GAMES;
use tengen::referee::MatchRecord;

use super::records::{Measure, Records, Topic};

/// All matches by game, then all measurements by topic, newest first.
pub(super) fn page(records: &Records) -> String {
    let mut text = String::from(
        "# History of results\n\n\
         All matches and figures, newest first; made by `tengen-match pages` from the records in \
         [`docs/results/`](results/README.md).\n\
         Scores are those of the first engine, with 95% intervals; *games* are won, drawn (where there are \
         draws) and lost.\nToday's strength: [results](results.md).\n",
    );
    for game in GAMES {
        let of_game: Vec<&MatchRecord> = records
            .matches
            .iter()
            .filter(|record| record.game == game.name)
            .collect();
        if of_game.is_empty() {
            continue;
        }
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "\n## Matches of {}\n\n| date | board | first | second | limit | games | score | Elo | more |\n\
             |---|---|---|---|---|---|---|---|---|\n",
            game.title
        );
        for record in of_game {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | [command](#{}) |",
                record.date,
                board(record),
                record.first,
                record.second,
                record.limit,
                record.tally(),
                record.share(),
                record.rating(),
                anchor(&record.id)
            );
        }
    }
    for topic in Topic::ALL {
        let of_topic: Vec<&Measure> = records
            .measures
            .iter()
            .filter(|measure| measure.topic == topic)
            .collect();
        if of_topic.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n", topic.title());
        for measure in of_topic {
            let _ = write!(
                text,
                "- {} ({})",
                sentence(&measure.what, &measure.result),
                measure.date
            );
            details(
                &mut text,
                measure.machine.as_deref().map(|name| records.machine(name)),
                measure.command.as_deref(),
            );
        }
    }
    text.push_str(&speeds(records));
    text.push_str(&commands(records));
    text
}

/// How each match was played.
fn commands(records: &Records) -> String {
    let mut text = String::from("\n## Commands of the matches\n");
    for record in &records.matches {
        let _ = write!(text, "\n#### {}\n\n", record.id);
        let _ = write!(text, "{}.", records.machine(&record.machine));
        if let Some(commit) = &record.commit {
            let _ = write!(text, " Commit {commit}.");
        }
        if let Some(openings) = &record.openings {
            let _ = write!(text, " Openings: {openings}.");
        }
        if let Some([lost, lost_half, split, won_half, won]) = record.pairs {
            let _ = write!(
                text,
                " Pairs with 0, 0.5, 1, 1.5, 2 points: {lost}, {lost_half}, {split}, {won_half}, {won}."
            );
        }
        if let Some(note) = &record.note {
            let _ = write!(text, " {note}");
        }
        text.push('\n');
        let engines = [
            (&record.first, &record.first_command),
            (&record.second, &record.second_command),
        ];
        for (name, command) in engines {
            if let Some(command) = command {
                let _ = writeln!(text, "\n{name}: `{command}`");
            }
        }
        if let Some(command) = &record.command {
            let _ = write!(text, "\n```sh\n{command}\n```\n");
        }
    }
    text
}

/// Ideas without a gain, by topic.
pub(super) fn tried_page(records: &Records) -> String {
    let mut text = String::from(
        "# What did not help\n\n\
         Ideas that were tried and measured without a gain, so that they are not tried again the same way. Made by \
         `tengen-match pages`\nfrom the records in [`docs/results/`](results/README.md).\n",
    );
    for topic in Topic::ALL {
        let mut of_topic = records
            .tried
            .iter()
            .filter(|tried| tried.topic == topic)
            .peekable();
        if of_topic.peek().is_none() {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n", topic.title());
        for tried in of_topic {
            let _ = writeln!(
                text,
                "- {} ({})",
                sentence(&tried.idea, &tried.result),
                tried.date
            );
        }
    }
    text
}

fn sentence(what: &str, result: &str) -> String {
    format!("**{what}**: {result}")
}

fn details(text: &mut String, machine: Option<&str>, command: Option<&str>) {
    if let Some(machine) = machine {
        let _ = write!(text, " {machine}.");
    }
    if let Some(command) = command {
        let _ = write!(text, " `{command}`");
    }
    text.push('\n');
}

fn board(record: &MatchRecord) -> String {
    match &record.rules {
        Some(rules) => format!("{}, {rules}", record.board),
        None => record.board.clone(),
    }
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.replace(|c: char| !(c.is_alphanumeric() || "-_".contains(c)), "")
}

fn speeds(records: &Records) -> String {
    let mut text = String::from(
        "\n## Speed of networks\n\nEvaluations a second at batch 1, and the best over batches of 1, 4, 8 and 16:\n\n\
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

/// A whole number with thousands separators.
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
