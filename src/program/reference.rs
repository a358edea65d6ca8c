//! The flags of a program as a page of Markdown, for the reference in `docs/reference/`.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// Start of a default that is written at the end of a help text.
const DEFAULT: &str = "[default: ";

/// Start of the allowed values in a help text.
const VALUES: &str = "[values: ";

/// A table of flags for the program and for each subcommand that help lists, with those below it:
/// name, value, default and meaning.
#[must_use]
pub fn reference(command: &Command) -> String {
    let name = command.get_name();
    let mut page = String::new();
    if command.get_arguments().next().is_some() {
        let _ = write!(page, "## {name}\n\n{}", table(command));
    }
    subcommands(name, command, &mut page);
    page
}

fn subcommands(name: &str, command: &Command, page: &mut String) {
    for subcommand in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let about = subcommand.get_about().map(ToString::to_string);
        let about = one_line(&about.unwrap_or_default());
        let name = format!("{name} {}", subcommand.get_name());
        let table = table(subcommand);
        let _ = write!(page, "## {name}\n\n{about}.\n\n{table}");
        subcommands(&name, subcommand, page);
    }
}

fn table(command: &Command) -> String {
    let rows: String = command
        .get_arguments()
        // What only the long help lists are settings, which have a page of their own.
        .filter(|arg| !arg.is_hide_set() && !arg.is_hide_short_help_set())
        .map(row)
        .collect();
    match rows.is_empty() {
        true if command.has_subcommands() => String::new(),
        true => "No flags.\n\n".to_owned(),
        false => format!("| flag | value | default | meaning |\n|---|---|---|---|\n{rows}\n"),
    }
}

fn row(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let help = one_line(&help.map(ToString::to_string).unwrap_or_default());
    let (help, written) = without(help, DEFAULT);
    let (help, allowed) = without(help, VALUES);
    let names = arg.get_value_names().unwrap_or_default();
    let values: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let takes_value = arg.get_action().takes_values();
    let name = match (arg.get_long(), values.first()) {
        (Some(long), _) => format!("`--{long}`"),
        (None, value) => format!("`{}`", value.unwrap_or(&arg.get_id().as_str())),
    };
    let known: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| value.get_name().to_owned())
        .collect();
    let value = match (takes_value, known.is_empty(), allowed) {
        (false, ..) => "-".to_owned(),
        (true, false, _) => known.join(", "),
        (true, true, Some(allowed)) => allowed,
        (true, true, None) => values.join(" "),
    };
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|value| takes_value && !value.is_empty())
        .collect();
    let default = match (written, arg.is_required_set()) {
        (Some(written), _) => written,
        (None, true) => "required".to_owned(),
        (None, false) if defaults.is_empty() => "-".to_owned(),
        (None, false) => defaults.join(", "),
    };
    let cells = [name, value, default, help].map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}

/// A help text without the part in brackets that begins like this, and that part.
fn without(help: String, start: &str) -> (String, Option<String>) {
    let parts = help.rsplit_once(start);
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(']')?)));
    match parts {
        Some((before, (part, after))) => (
            format!("{}{after}", before.trim_end()),
            Some(part.to_owned()),
        ),
        None => (help, None),
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_flag_has_a_row() {
        let play = Command::new("play")
            .about("Play a game")
            .arg(
                Arg::new("n")
                    .long("games")
                    .value_name("N")
                    .help("Games [values: from 1] [default: 3] [go: 5]"),
            )
            .arg(Arg::new("file").required(true).help("A|B"))
            .arg(Arg::new("old").long("old").hide(true));
        let list = Command::new("list").about("List games");
        let games = Command::new("games").about("Sets of games");
        let command = Command::new("p")
            .subcommand(play)
            .subcommand(games.subcommand(list));
        assert_eq!(
            reference(&command),
            "## p play\n\nPlay a game.\n\n\
             | flag | value | default | meaning |\n|---|---|---|---|\n\
             | `--games` | from 1 | 3 | Games [go: 5] |\n\
             | `file` |  | required | A\\|B |\n\n\
             ## p games\n\nSets of games.\n\n\
             ## p games list\n\nList games.\n\nNo flags.\n\n"
        );
    }
}
