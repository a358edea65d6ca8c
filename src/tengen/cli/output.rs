//! What is said outside the protocols: output of subcommands that are not sessions, messages for a user at a terminal,
//! error messages, progress; and the end by Ctrl-C.

use std::fmt::Display;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdin};
use std::path::Path;
use std::time::Duration;

use crate::clock::{Clock as _, SystemClock};
use crate::engine::{Backend, EngineOptions, built_in, built_in_name, none_built_in};
use crate::program;
use crate::search::StopFlag;
use anyhow::Context as _;
use env_logger::Target;
use serde::Serialize;
use tengen_nn::eval::{BackendKind, ModelSource};

/// Prints the error that ends the program, on the standard error stream.
pub(crate) fn complain(error: &anyhow::Error) {
    // If even that fails, nothing can be reported.
    let text = program::one_line(error.as_ref());
    let _ = writeln!(stderr(), "tengen: {text}");
}

/// Writes a line to the standard output; for subcommands that are not a session.
pub(super) fn print(line: &str) -> anyhow::Result<()> {
    // Flushed, so that tables appear row by row also through a pipe.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Writes a report to the standard output, as JSON or as text.
pub(super) fn print_report<R: Serialize>(
    report: &R,
    json: bool,
    text: impl FnOnce(&R) -> String,
) -> anyhow::Result<()> {
    print(&match json {
        true => serde_json::to_string(report)?,
        false => text(report),
    })
}

/// Whether the standard output was closed.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

// Ctrl-C in subcommands with results to report or to save: the first one asks it to end, the
// second ends it.

/// A flag that Ctrl-C or `kill` raises.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(super) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}

/// Key that ends the input.
pub(super) const END_OF_INPUT: &str = if cfg!(windows) {
    "Ctrl-Z and Enter"
} else {
    "Ctrl-D"
};

/// Whether a user is at the terminal, and not a board program.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Directs the log to the end of a file.
pub(super) fn log_into(path: &Path, logger: &mut env_logger::Builder) -> std::io::Result<()> {
    let log = File::options().create(true).append(true).open(path)?;
    logger.target(Target::Pipe(Box::new(log)));
    log_with_times(logger);
    Ok(())
}

/// Lines of the log have the time and the number of the process. An operator at the terminal sees the warnings, too.
pub(super) fn log_with_times(logger: &mut env_logger::Builder) {
    let (process, attended) = (std::process::id(), is_attended());
    logger.format(move |out, record| {
        let (level, text) = (record.level(), record.args());
        if attended && level <= log::Level::Warn {
            tell(&format!("tengen: {text}"));
        }
        let time = out.timestamp_millis();
        writeln!(out, "{time} {process} {level:5} {text}")
    });
}

/// Writes a line to the standard error stream.
pub(super) fn tell(line: &str) {
    program::tell(format_args!("{line}\n"));
}

/// Prints a greeting.
pub(super) fn greet(options: &EngineOptions, loaded: Option<BackendKind>, protocol: &str) {
    tell(&who(options, loaded, protocol));
    tell(&format!("Try `help`; `quit` or {END_OF_INPUT} ends."));
}

/// Program, game and player in one sentence. `loaded` is the backend by which a named network was loaded.
pub(super) fn who(options: &EngineOptions, loaded: Option<BackendKind>, protocol: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (game, size) = (&options.game, options.board());
    let player = player(options, loaded);
    format!("Tengen {version}, {protocol}: {game} {size}, {player}.")
}

/// The name of the network in use, if any.
pub(super) fn network(options: &EngineOptions, loaded: Option<BackendKind>) -> Option<String> {
    let (_, source) = source(options, loaded).ok()?;
    let info = source.info().ok()?;
    info.plays_on(options.board()).then_some(info.network)
}

/// The requested network and its backend; or the method without a network.
fn source(
    options: &EngineOptions,
    loaded: Option<BackendKind>,
) -> Result<(BackendKind, ModelSource), String> {
    let backend = match options.backend {
        Backend::Rollout => return Err("random playouts".to_owned()),
        Backend::Network(backend) => backend,
        Backend::Auto => loaded.unwrap_or_else(|| BackendKind::usual(options.device)),
    };
    let (game, board) = (&options.game, options.board());
    let source = match &options.model {
        Some(path) => Some(ModelSource::File(path.clone())),
        None => built_in(game, board, backend, options.device),
    };
    let source = source.ok_or_else(|| without(&none_built_in(game, board)))?;
    Ok((backend, source))
}

/// How moves are chosen without a network, for this reason.
fn without(reason: &dyn Display) -> String {
    format!("random playouts: {reason}")
}

/// Description of how moves are chosen.
fn player(options: &EngineOptions, loaded: Option<BackendKind>) -> String {
    let (backend, source) = match source(options, loaded) {
        Ok(found) => found,
        Err(player) => return player,
    };
    match source.info() {
        Ok(info) if info.plays_on(options.board()) => {
            let origin = match &source {
                ModelSource::File(path) => path.display().to_string(),
                ModelSource::Embedded(_) => {
                    let name = built_in_name(&options.game, options.board());
                    format!("{}, built in", name.unwrap_or_default())
                }
            };
            format!("network {} ({origin}) on {backend}", info.network)
        }
        Ok(info) => {
            let (network, boards) = (&info.network, info.boards_text());
            without(&format!("the network {network} is for {boards}"))
        }
        Err(error) => without(&error),
    }
}

/// Interval between lines without a terminal, and on one.
const LOG_INTERVAL: Duration = Duration::from_secs(30);
const INTERVAL: Duration = Duration::from_millis(200);

/// The progress of a review over a known number of positions, as a line on the standard error stream: rewritten on a
/// terminal, occasionally repeated in a log.
pub(super) struct Progress {
    clock: SystemClock,
    /// Positions to search, and those that were.
    total: usize,
    done: usize,
    terminal: bool,
    /// Time of the last line, and its columns.
    shown: Duration,
    columns: usize,
}

impl Progress {
    /// Starts progress over this many positions.
    pub(super) fn new(total: usize) -> Progress {
        Progress {
            clock: SystemClock::new(),
            total,
            done: 0,
            terminal: stderr().is_terminal(),
            shown: Duration::ZERO,
            columns: 0,
        }
    }

    /// Skips a game with this many positions, which need no work.
    pub(super) fn skip(&mut self, positions: usize) {
        self.total = self.total.saturating_sub(positions);
    }

    /// Counts one more position of `file`.
    pub(super) fn step(&mut self, file: &str) {
        self.done += 1;
        let now = self.clock.now();
        let interval = match self.terminal {
            true => INTERVAL,
            false => LOG_INTERVAL,
        };
        if now.saturating_sub(self.shown) < interval {
            return;
        }
        self.shown = now;
        let line = format!("{}  {file}", self.line(now));
        if !self.terminal {
            return program::tell(format_args!("{line}\n"));
        }
        let (text, columns) = program::rewritten(self.columns, &line);
        self.columns = columns;
        program::tell(text);
    }

    /// Clears the line for other output.
    pub(super) fn clear(&self) {
        if self.terminal && !self.shown.is_zero() {
            program::tell(program::rewritten(self.columns, "").0 + "\r");
        }
    }

    fn line(&self, now: Duration) -> String {
        let (done, total) = (self.done, self.total);
        let left = total.saturating_sub(done) as f64;
        let seconds = (now.as_secs_f64() / done.max(1) as f64 * left).round() as u64;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("position {done}/{total}, left {hours}:{minutes:02}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_reckoned_from_what_was_worked_on() {
        let mut progress = Progress::new(100);
        progress.skip(40);
        progress.done = 20;
        let line = progress.line(Duration::from_secs(200));
        assert_eq!(line, "position 20/60, left 0:06:40");
    }
}
