//! Tips for words on the command line that the programs do not know.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error};

/// What people look for under a name that is no subcommand.
fn of_subcommand(name: &str) -> Option<&'static str> {
    Some(match name {
        "play" => {
            "`tengen board --open` plays in the browser, `tengen gtp` in the terminal; `tengen-match play` lets engines \
             play"
        }
        "match" => "`tengen-match play` plays matches between engines",
        "train" => "`tengen-train loop` trains a network",
        "selfplay" => "`tengen-train selfplay` plays games to learn from",
        "analyze" | "analyse" => {
            "`tengen review` analyses a game, `tengen analysis` answers programs such as KaTrain"
        }
        "benchmark" => "`tengen bench --throughput` measures the speed",
        _ => return None,
    })
}

/// What people look for under a flag that there is not.
fn of_flag(name: &str) -> Option<&'static str> {
    (name == "--time").then_some(
        "clocks come from the board program (GTP: time_settings) or from `tengen-match --time`; \
         --time-per-move SECONDS limits each move",
    )
}

/// Mistakes in a name that still let it be recognised.
const MAX_MISTAKES: usize = 2;

/// The error with a tip, where there is one.
pub(super) fn with_tip(mut error: Error, command: &Command) -> Error {
    let given = |error: &Error, kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let word = given(&error, ContextKind::InvalidSubcommand);
    let flag = given(&error, ContextKind::InvalidArg);
    let of_flag = || flag.as_deref().and_then(of_flag);
    if let Some(tip) = word.as_deref().and_then(of_subcommand).or_else(of_flag) {
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
        // Instead of a flag that looks like it.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
    } else if let Some(word) = word
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(nearest) = nearest(&word, command)
    {
        let nearest = ContextValue::Strings(vec![nearest]);
        error.insert(ContextKind::SuggestedSubcommand, nearest);
    }
    error
}

/// The subcommand of the most similar name: clap's own measure does not know exchanged letters.
fn nearest(word: &str, command: &Command) -> Option<String> {
    let names = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mistakes = |name: &str| strsim::damerau_levenshtein(name, word);
    let nearest = names
        .map(Command::get_name)
        .min_by_key(|name| mistakes(name))?;
    (mistakes(nearest) <= MAX_MISTAKES).then(|| nearest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str]) -> String {
        let gtp = Command::new("gtp").arg(clap::Arg::new("rise").long("time-rise"));
        let command = Command::new("tengen").subcommands([gtp, Command::new("board")]);
        let error = command.clone().try_get_matches_from(arguments).unwrap_err();
        with_tip(error, &command).to_string()
    }

    #[test]
    fn unknown_words_get_a_tip() {
        for (arguments, tip) in [
            (&["tengen", "gpt"][..], "'gtp'"),
            (
                &["tengen", "play"],
                "`tengen board --open` plays in the browser",
            ),
            (&["tengen", "gtp", "--time", "5m"], "`tengen-match --time`"),
        ] {
            let said = said(arguments);
            assert!(said.contains("tip: ") && said.contains(tip), "{said}");
        }
        assert!(!said(&["tengen", "something"]).contains("tip: "));
        assert!(!said(&["tengen", "gtp", "--time", "5m"]).contains("rise"));
    }
}
