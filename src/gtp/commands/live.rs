//! Searches that are drawn in GoGui while they run, where the user wants that (`--live-graphics`).

use std::io::Write as _;
use std::time::Duration;

use crate::engine::Engine;
use crate::game::Color;
use crate::gtp::{Session, graphics};
use crate::search::{AnalysisOptions, SearchReport, StopFlag};

/// Time between two drawings: GoGui should not be kept busy.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs a search for `color` that the controller can interrupt. What `ask` is to hand to the engine has
/// the main line drawn now and then, if at all, and the drawing is gone when the search ends.
pub(super) fn search<T>(
    session: &mut Session,
    color: Color,
    ask: impl FnOnce(&mut dyn Engine, &StopFlag, &AnalysisOptions, &mut dyn FnMut(&SearchReport)) -> T,
) -> T {
    let (size, live) = (session.engine.size(), session.options.live_graphics);
    let analysis = AnalysisOptions {
        interval: live.then_some(INTERVAL),
        ..AnalysisOptions::default()
    };
    let found = session.search(|engine, stop| {
        ask(engine, stop, &analysis, &mut |report| {
            draw(&graphics::live(report, color, size));
        })
    });
    if live {
        draw(graphics::CLEAR);
    }
    found
}

/// Writes graphics to the standard error stream; nothing is lost when nobody reads it.
fn draw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
