//! Live graphics in GoGui during searches (`--live-graphics`).

use std::io::Write as _;
use std::time::Duration;

use crate::engine::Engine;
use crate::game::Color;
use crate::gtp::{Session, graphics};
use crate::search::{AnalysisOptions, Observer, StopFlag};

/// Minimum time between two drawings.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs an interruptible search for `color`. The options passed to `ask` let the main line be drawn
/// occasionally, if at all, and the drawing is cleared when the search ends.
pub(super) fn search<T>(
    session: &mut Session,
    color: Color,
    ask: impl FnOnce(&mut dyn Engine, &StopFlag, AnalysisOptions, &mut Observer<'_>) -> T,
) -> T {
    let (size, live) = (session.engine.size(), session.options.live_graphics);
    let options = AnalysisOptions {
        interval: live.then_some(INTERVAL),
        ..AnalysisOptions::default()
    };
    let found = session.search(|engine, stop| {
        ask(engine, stop, options, &mut |report| {
            draw(&graphics::live(report, color, size));
        })
    });
    if live {
        draw(graphics::CLEAR);
    }
    found
}

/// Writes graphics to the standard error stream; errors are ignored.
fn draw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
