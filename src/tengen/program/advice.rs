//! What errors of the arguments say beside clap's own text: the flag or subcommand that may have been meant.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::settings::nearest;

/// The error of these words with a suggestion, if there is one.
pub(super) fn with_advice(
    mut error: clap::Error,
    command: &Command,
    words: &[OsString],
) -> clap::Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(given)) => given.clone(),
        _ => String::new(),
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let wrong = given(ContextKind::InvalidSubcommand);
            advise_on_subcommand(&mut error, &wrong, asked(command, words, &wrong));
        }
        ErrorKind::UnknownArgument => {
            let wrong = given(ContextKind::InvalidArg);
            if let Some(flag) = wrong.strip_prefix("--") {
                let asked = asked(command, words, &wrong);
                let advice = elsewhere(flag, asked, words, command);
                advise_on_flag(&mut error, flag, asked, advice);
            }
        }
        _ => {}
    }
    error
}

/// The command that the words before the wrong one ask for.
fn asked<'a>(command: &'a Command, words: &[OsString], wrong: &str) -> &'a Command {
    let is_right = |word: &&OsString| word.to_string_lossy().split('=').next() != Some(wrong);
    let before = words.iter().skip(1).take_while(is_right);
    before.fold(command, |at, word| at.find_subcommand(word).unwrap_or(at))
}

/// The subcommands that help lists.
fn shown_subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    let all = command.get_subcommands();
    all.filter(|subcommand| !subcommand.is_hide_set())
}

/// The flags that help lists.
fn shown_flags(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown.filter_map(Arg::get_long)
}

/// Names a similar subcommand also where clap finds none, as for two letters that change places.
fn advise_on_subcommand(error: &mut clap::Error, given: &str, command: &Command) {
    let names = shown_subcommands(command).map(Command::get_name);
    if let Some(similar) = nearest(given, names)
        && error.get(ContextKind::SuggestedSubcommand).is_none()
    {
        let similar = ContextValue::Strings(vec![similar.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, similar);
    }
}

/// A flag of the command that is similar.
fn similar_flag(flag: &str, command: &Command) -> Option<String> {
    nearest(flag, shown_flags(command)).map(|similar| format!("--{similar}"))
}

/// Where else the flag is: one like it in a subcommand that the words name, or itself in subcommands of the whole program.
fn elsewhere(flag: &str, asked: &Command, words: &[OsString], all: &Command) -> Option<String> {
    let mut named = words.iter().filter_map(|word| asked.find_subcommand(word));
    let named = named.find_map(|command| {
        let similar = similar_flag(flag, command)?;
        Some(format!("'{} {similar}' exists", command.get_name()))
    });
    let owners = shown_subcommands(all).filter(|owner| shown_flags(owner).any(|own| own == flag));
    let owners: Vec<&str> = owners.map(Command::get_name).collect();
    let owned = format!("'--{flag}' is a flag of {}", owners.join(", "));
    named.or((!owners.is_empty()).then_some(owned))
}

/// Names a flag that is similar, and not, as clap does, one that only has some of the same letters; else gives this advice.
fn advise_on_flag(error: &mut clap::Error, flag: &str, asked: &Command, advice: Option<String>) {
    let similar = similar_flag(flag, asked).map(ContextValue::String);
    if error.get(ContextKind::SuggestedArg) == similar.as_ref() && similar.is_some() {
        return;
    }
    if error.remove(ContextKind::SuggestedArg).is_some() {
        // It has that flag.
        let usage = ContextValue::StyledStr(asked.clone().render_usage());
        error.insert(ContextKind::Usage, usage);
    }
    if similar.is_some() || asked.has_subcommands() {
        // Of a command with subcommands it is the same about their flags.
        error.remove(ContextKind::Suggested);
    }
    if let Some(similar) = similar {
        error.insert(ContextKind::SuggestedArg, similar);
    } else if let Some(advice) = advice {
        let advice = ContextValue::StyledStrs(vec![advice.into()]);
        error.insert(ContextKind::Suggested, advice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_suggested_is_similar_or_elsewhere() {
        let flag = |name: &'static str| Arg::new(name).long(name);
        let said = |words: &str| {
            let board = Command::new("board").args(["lcb-deviations", "visits"].map(flag));
            let gtp = Command::new("gtp").args(["live-board", "time-per-move"].map(flag));
            let mut command = Command::new("p").subcommands([board, gtp]);
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let error = command.try_get_matches_from_mut(&words).unwrap_err();
            with_advice(error, &command, &words).to_string()
        };
        for (words, advice) in [
            ("p gpt", Some("exists: 'gtp'")),
            ("p gpt board x.sgf", Some("exists: 'gtp'")),
            ("p solve", None),
            ("p board --visit 1", Some("exists: '--visits'")),
            ("p gtp --time 1", Some("exists: '--time-per-move'")),
            (
                "p board --live-board 1",
                Some("'--live-board' is a flag of gtp"),
            ),
            (
                "p board --visits 1 --live-board=1",
                Some("'--live-board' is a flag of gtp"),
            ),
            ("p board --levels 1", None),
            ("p --visit 5 board", Some("'board --visits' exists")),
            ("p --live-board gtp", Some("'gtp --live-board' exists")),
            ("p --live-board 1", Some("'--live-board' is a flag of gtp")),
            ("p --levels 1 gtp", None),
        ] {
            let said = said(words);
            let advised = said.split_once("tip: ").map(|(_, tip)| tip);
            let is_right = match (advised, advice) {
                (Some(advised), Some(advice)) => advised.contains(advice),
                (advised, advice) => advised == advice,
            };
            assert!(is_right && !said.contains("lcb-"), "{words}: {said}");
            assert!(said.contains("\nUsage: p "), "{words}: {said}");
        }
    }
}
