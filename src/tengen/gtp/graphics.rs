//! Search reports for GoGui, in its `gfx` language (GoGui manual, "Analyze Commands"). Labels are
//! whole percent without a sign, so that they fit on a point. With `--live-graphics` they are drawn during searches, too.

use std::io::Write as _;
use std::time::Duration;

use super::Session;
use super::board::format_move;
use super::numbers::rate;
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move, Proof};
use crate::search::{AnalysisOptions, MoveReport, Observer, SearchReport, StopFlag};

/// Number of main line moves drawn.
const LINE: usize = 10;

/// Content of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// Prior probability.
    Prior,
    /// Share of the visits.
    Visits,
    /// Winning chance, for visited moves.
    Value,
}

/// The moves of a report, labelled and shaded: the greener, the better.
pub(super) fn moves(report: &SearchReport, label: Label, color: Color, size: BoardSize) -> String {
    let total: u64 = report.moves.iter().map(|found| found.visits).sum();
    let share = |found: &MoveReport| match label {
        Label::Prior => Some(found.prior),
        Label::Visits => Some(found.visits as f32 / total.max(1) as f32),
        Label::Value => (found.visits > 0).then(|| rate(found.value)),
    };
    let shares = report.moves.iter().filter_map(|found| {
        let share = share(found)?;
        // Moves with hardly any visits would only clutter the board.
        (label == Label::Value || share >= 0.01).then_some((found.mv, share))
    });
    let shares: Vec<(Move, f32)> = shares.filter(|(_, share)| share.is_finite()).collect();
    let extreme = |pick: fn(f32, f32) -> f32, start| shares.iter().map(|s| s.1).fold(start, pick);
    let (low, high) = match label {
        Label::Value => (extreme(f32::min, 1.0), extreme(f32::max, 0.0)),
        Label::Prior | Label::Visits => (0.0, extreme(f32::max, 0.0)),
    };
    let mut lines = Vec::new();
    for &(mv, share) in &shares {
        let strength = (share - low) / (high - low).max(1e-6);
        let (color, point) = (green(strength), format_move(mv, size));
        lines.push(format!("COLOR {color} {point}"));
    }
    let labels: Vec<String> = shares
        .iter()
        .map(|&(mv, share)| format!(" {} {:.0}", format_move(mv, size), share * 100.0))
        .collect();
    if !labels.is_empty() {
        lines.push(format!("LABEL{}", labels.concat()));
    }
    lines.push(status(report, color));
    lines.join("\n")
}

/// The main line of a report, with `color` to move.
pub(super) fn main_line(report: &SearchReport, color: Color, size: BoardSize) -> String {
    let line = report.best().map_or(&[][..], |best| &best.pv);
    let letters = match color {
        Color::Black => ["b", "w"],
        Color::White => ["w", "b"],
    };
    let moves = line.iter().zip(letters.into_iter().cycle()).take(LINE);
    let moves = moves.map(|(&mv, letter)| format!(" {letter} {}", format_move(mv, size)));
    let moves: String = moves.collect();
    format!("VAR{moves}\n{}", status(report, color))
}

/// A line for the status bar.
fn status(report: &SearchReport, color: Color) -> String {
    let proof = match report.proof {
        Some(Proof::Win) => ", proven",
        Some(Proof::Loss) => ", proven lost",
        Some(Proof::Draw) => ", proven drawn",
        None => "",
    };
    let wins = rate(report.value) * 100.0;
    let lead = match &report.expected {
        Some(expected) if expected.black_ahead < 0.0 => {
            format!(", White ahead by {:.1}", -expected.black_ahead)
        }
        Some(expected) => format!(", Black ahead by {:.1}", expected.black_ahead),
        None => String::new(),
    };
    let visits = report.visits;
    format!("TEXT {color} wins {wins:.1}%{proof}{lead}; visits: {visits}")
}

/// White to green for 0 to 1.
fn green(strength: f32) -> String {
    let faded = (235.0 - 175.0 * strength.clamp(0.0, 1.0)).round() as u8;
    format!("#{faded:02x}{:02x}{faded:02x}", 235 - (235 - faded) / 5)
}

/// Minimum time between two drawings.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs an interruptible search for `color`. The options passed to `ask` let the main line be drawn
/// occasionally, if at all, and the drawing is cleared when the search ends.
pub(super) fn search_and_draw<T>(
    session: &mut Session,
    color: Color,
    ask: impl FnOnce(&mut dyn Engine, &StopFlag, AnalysisOptions, &mut Observer<'_>) -> T,
) -> T {
    let (size, live) = (session.engine.size(), session.options.live_graphics);
    let options = AnalysisOptions {
        interval: live.then_some(INTERVAL),
        ..AnalysisOptions::default()
    };
    let found = session.until_interrupted(|engine, stop| {
        ask(engine, stop, options, &mut |report| {
            let line = main_line(report, color, size);
            draw(&format!("gogui-gfx:\n{line}\n\n"));
        })
    });
    if live {
        draw("gogui-gfx: CLEAR\n");
    }
    found
}

/// Writes graphics to the standard error stream, from which GoGui reads them; errors are ignored.
fn draw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
