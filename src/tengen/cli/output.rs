//! What is said outside the protocols: output of subcommands that are not sessions, messages for a user at a terminal,
//! error messages; and the end by Ctrl-C.

use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdin};

use anyhow::Context as _;
use serde::Serialize;
use tengen::engine::{Backend, EngineOptions, built_in, built_in_name, none_built_in};
use tengen::program;
use tengen::program::one_line;
use tengen::search::StopFlag;
use tengen_nn::eval::{BackendKind, Candidate, ModelSource};

/// Prints the error that ends the program, on the standard error stream.
pub(crate) fn complain(error: &anyhow::Error) {
    // If even that fails, nothing can be reported.
    let text = one_line(error.as_ref());
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
const END_OF_INPUT: &str = if cfg!(windows) {
    "Ctrl-Z and Enter"
} else {
    "Ctrl-D"
};

/// Whether a user is at the terminal, and not a board program.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
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
        Backend::Auto => match loaded {
            Some(backend) => backend,
            None => Candidate::best(&options.load())
                .map_err(|error| format!("random playouts: {error}"))?,
        },
    };
    let own = || built_in(&options.game, options.board(), backend, options.device);
    let source = match &options.model {
        Some(path) => Some(ModelSource::File(path.clone())),
        None => own(),
    };
    let none = || none_built_in(&options.game, options.board());
    let source = source.ok_or_else(|| format!("random playouts: {}", none()))?;
    Ok((backend, source))
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
        Ok(info) => format!(
            "random playouts: the network {} is for {}",
            info.network,
            info.boards_text()
        ),
        Err(error) => format!("random playouts: {error}"),
    }
}
