//! A person who types to the program: what it says first, and beside the conversation.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};

use tengen::engine::{Backend, EngineOptions, built_in};
use tengen::eval::{Candidate, ModelSource};

/// Whether a person types and reads here, and no board program.
pub(super) fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Writes a line to the standard error stream.
pub(super) fn tell(line: &str) {
    // Nobody to tell it to is no reason to stop.
    let _ = writeln!(stderr(), "{line}");
}

/// Says who is there. Looks at the network's file, but does not load it.
pub(super) fn greet(options: &EngineOptions, protocol: &str) {
    let version = env!("CARGO_PKG_VERSION");
    let (game, size) = (&options.game, options.board());
    let player = player(options);
    tell(&format!(
        "Tengen {version}, {protocol}: {game} {size}, {player}."
    ));
    tell("Try `help`; `quit` or Ctrl-D ends.");
}

/// What will choose the moves.
fn player(options: &EngineOptions) -> String {
    let backend = match options.backend {
        Backend::Rollout => return "random playouts".to_owned(),
        Backend::Critic => {
            let path = options.model.as_deref().map(std::path::Path::display);
            return path.map_or(String::new(), |path| format!("critic {path}, no search"));
        }
        Backend::Network(backend) => backend,
        Backend::Auto => match Candidate::best(&options.load()) {
            Ok(backend) => backend,
            Err(error) => return format!("random playouts: {error}"),
        },
    };
    let source = match &options.model {
        Some(path) => ModelSource::File(path.clone()),
        None => match built_in(&options.game, options.board(), backend, options.device) {
            Some(source) => source,
            None => return "random playouts: no network is built in for this game".to_owned(),
        },
    };
    match source.info() {
        Ok(info) if info.plays_on(options.board()) => {
            let origin = match &source {
                ModelSource::File(path) => path.display().to_string(),
                ModelSource::Embedded(_) => "built in".to_owned(),
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
