//! Code shared by the command lines of all three programs.

mod advice;
mod flags;
mod help;

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Command, Parser};

use advice::with_advice;
pub use flags::{FlagSet, Flags, flag, given, with_note};
pub use help::man_pages;
use help::with_short_help;

use crate::system;
pub use crate::system::own_temporary_folder;

/// Parses the arguments of this process; ends it on errors and after printing help.
pub fn read<Cli: Parser>() -> Cli {
    read_from(std::env::args_os())
}

/// As [`read`], with given arguments instead of the process's.
pub fn read_from<Cli: Parser, T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Cli {
    try_read(arguments).unwrap_or_else(|error| end_with(&error))
}

/// As [`read_from`], with the arguments that stand in a file: errors name it.
pub fn read_from_file<Cli: Parser, T: Into<OsString> + Clone>(
    file: &Path,
    arguments: impl IntoIterator<Item = T>,
) -> Cli {
    try_read(arguments).unwrap_or_else(|error| {
        if error.use_stderr() {
            tell(format_args!("in {}:\n", file.display()));
        }
        end_with(&error)
    })
}

fn try_read<Cli: Parser, T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let mut command = with_short_help(with_negative_numbers(Cli::command()));
    let found = command.try_get_matches_from_mut(&words);
    Cli::from_arg_matches(&found.map_err(|error| with_advice(error, &command, &words))?)
}

/// Prints an error of the arguments, or the help that was asked for, and ends the process.
fn end_with(error: &clap::Error) -> ! {
    let printed = error.print();
    let lost = printed.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe);
    end(error.exit_code().max(lost.into()))
}

/// Lets the value of every option be a negative number, so that `--visits -1` is refused with the
/// allowed range and not as an unknown option `-1`.
fn with_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        arg.allow_negative_numbers(takes_value)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// The level of the log with this name.
///
/// # Errors
/// The names that there are.
pub fn log_level(name: &str) -> Result<log::LevelFilter, &'static str> {
    let level = name.parse();
    level.map_err(|_| "one of off, error, warn, info and debug")
}

/// Written before UTF-8 by some programs, mostly on Windows; ignored.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// An error with its causes in one line, without duplicates: some errors repeat their cause.
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

/// A number of things: `1 game`, `2 games`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    let ending = match thing {
        _ if number == N::from(1) => "",
        _ if ["ch", "ss"].iter().any(|end| thing.ends_with(end)) => "es",
        _ => "s",
    };
    format!("{number} {thing}{ending}")
}

/// Writes a report to the standard output, at once. A reader that has closed its pipe, as `| head` does, has read what
/// it wants.
///
/// # Errors
/// Any other error of the system: the report is lost.
pub fn print(text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = write!(out, "{text}").and_then(|()| out.flush());
    written.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        kind => Err(io::Error::new(
            kind,
            format!("the report cannot be written: {error}"),
        )),
    })
}

/// A flag raised by `kill`, by which systems stop their services: it tells that from Ctrl-C, if it is asked for before
/// [`stop_on_ctrl_c`].
///
/// # Errors
/// Errors of the operating system.
pub fn told_by_kill() -> io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    system::raise_on_kill(&raised)?;
    Ok(raised)
}

/// A flag raised by the first Ctrl-C or `kill`, whose second one ends the process, and at the end of the terminal
/// (SIGHUP), unless that is ignored or the system does not say whether it is. Call it once per process.
///
/// # Errors
/// Errors of the operating system.
pub fn stop_on_ctrl_c() -> io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    system::raise_on_interrupt(&raised)?;
    system::raise_on_hangup(&raised)?;
    Ok(raised)
}

/// Writes text to the standard error stream. Nobody may read it any more, such as when the terminal was closed: that
/// ends nothing.
pub fn tell(text: impl Display) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Text that writes a line over the last one of a terminal, which had this many columns; and the columns of the new one, at
/// most. Blanks cover what is left: a sequence that clears it is shown as it is by Windows' console, which understands
/// none until it is told to.
pub fn rewritten(columns: usize, line: &str) -> (String, usize) {
    // Letters before these, as of Cyrillic, are as wide as ASCII.
    let of_char = |c| if c < '\u{1100}' { 1 } else { 2 };
    let width: usize = line.chars().map(of_char).sum();
    let rest = columns.saturating_sub(width);
    (format!("\r{line}{}", " ".repeat(rest)), width)
}

/// Ends the process as an uncaught Ctrl-C would, after final output: by the signal on Unix, with
/// the status `0xC000013A` on Windows. So a shell ends its loop, too.
///
/// # Errors
/// Errors of the operating system.
pub fn end_as_interrupted() -> io::Result<()> {
    let _ = io::stdout().flush();
    system::end_as_interrupted()
}

/// Ends the process at once, after all output is written. Threads may still search or hold a
/// device: ordinary cleanup would unload ONNX Runtime under them and crash the process.
///
/// If Windows opened a console window for the program, it stays open until Enter is pressed, so
/// that the error can be read.
pub fn end(status: i32) -> ! {
    // If even that fails, nothing can be reported.
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
    fn levels_of_the_log_are_named_where_there_is_no_such() {
        assert_eq!(log_level("INFO"), Ok(log::LevelFilter::Info));
        assert!(log_level("verbose").is_err_and(|why| why.contains("debug")));
    }

    #[test]
    fn one_thing_is_not_several() {
        assert_eq!(counted(1_u64, "game"), "1 game");
        assert_eq!(counted(0_usize, "game"), "0 games");
        assert_eq!(counted(2_u32, "search"), "2 searches");
    }

    #[test]
    fn nothing_is_left_of_a_line_that_is_rewritten() {
        let (text, columns) = rewritten(0, "对局 9/10");
        assert_eq!((&*text, columns), ("\r对局 9/10", 9));
        assert_eq!(rewritten(9, "对局 9/10").0, "\r对局 9/10");
        assert_eq!(rewritten(0, "партии").1, 6);
        assert_eq!(rewritten(columns, "10/10"), ("\r10/10    ".to_owned(), 5));
        assert_eq!(rewritten(5, "").0, "\r     ");
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
