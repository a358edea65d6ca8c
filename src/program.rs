//! What the command lines of all three programs have in common.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Command, Parser};

use crate::system;

/// What the arguments of this process ask for; ends it when they are wrong or ask for help.
#[must_use]
pub fn read<Cli: Parser>() -> Cli {
    read_from(std::env::args_os())
}

/// As [`read`], from other arguments than the process was given.
#[must_use]
pub fn read_from<Cli: Parser, T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Cli {
    let matches = with_negative_numbers(Cli::command()).try_get_matches_from(arguments);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    cli.unwrap_or_else(|error| {
        // Where even that fails there is no one left to tell.
        let _ = error.print();
        end(error.exit_code())
    })
}

/// Lets the value of every option be a negative number, so that `--visits -1` is told what it should
/// be, and not that `-1` is an unknown option.
fn with_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        arg.allow_negative_numbers(takes_value)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// What some programs, mostly on Windows, put before UTF-8; it says nothing.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a file that a user has named, without a byte order mark.
///
/// # Errors
/// As [`std::fs::read_to_string`].
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    let bare = text.strip_prefix(BYTE_ORDER_MARK);
    Ok(bare.map(str::to_owned).unwrap_or(text))
}

/// An error with its causes in one line, each said once: some errors name their cause themselves.
#[must_use]
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// A flag that the first Ctrl-C raises, or a plain `kill`; the second one ends the process. To be
/// called once in a process.
///
/// # Errors
/// As the system's.
pub fn stop_on_ctrl_c() -> io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    system::raise_on_interrupt(&raised)?;
    Ok(raised)
}

/// Ends the process as Ctrl-C ends one that does not catch it, for after what was to be said: by the
/// signal on Unix, with the status `0xC000013A` on Windows. So a shell ends its loop, too.
///
/// # Errors
/// As the system's.
pub fn end_as_interrupted() -> io::Result<()> {
    let _ = io::stdout().flush();
    system::end_as_interrupted()
}

/// Ends the process at once, when all is written. Threads may still search or hold a device: the usual end
/// would clear up ONNX Runtime under them, and they would crash the process.
///
/// A window that Windows has made for the program stays until Enter is pressed, where it says why
/// the program ends.
pub fn end(status: i32) -> ! {
    // Nobody is left to tell when even that fails.
    let _ = io::stdout().flush();
    if status != 0 {
        system::hold_window();
    }
    system::end(status)
}

#[cfg(test)]
mod tests {
    use thiserror::Error;

    use super::*;

    #[derive(Debug, Error)]
    #[error("{path}: {source}")]
    struct Named {
        path: &'static str,
        source: std::io::Error,
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let path = std::env::temp_dir().join(format!("tengen-mark-{}", std::process::id()));
        for text in ["\u{feff}a = 1\n", "a = 1\n"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read_text(&path).unwrap(), "a = 1\n");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(read_text(&path).is_err());
    }

    #[test]
    fn a_cause_is_said_once() {
        let source = std::io::Error::other("the disk\nis full");
        let error = Named { path: "a", source };
        assert_eq!(one_line(&error), "a: the disk is full");
        let error = anyhow::Error::new(error).context("cannot save");
        assert_eq!(one_line(error.as_ref()), "cannot save: a: the disk is full");
    }
}
