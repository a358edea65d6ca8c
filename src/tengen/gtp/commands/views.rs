//! Views of the current position for GoGui, in its `gfx` language (GoGui manual, "Analyze Commands"). Labels are whole
//! percent without a sign, so that they fit on a point. Except for [`search`], nothing here searches more than one
//! evaluation: the views show the tree of earlier searches. With `--live-graphics` searches are drawn while they run.

use std::io::Write as _;
use std::time::Duration;

use super::Arguments;
use crate::engine::{AnalysisEffort, AnalysisRequest};
use crate::game::{BoardSize, Color, Move, Proof, Symmetry};
use crate::gtp::board::{self, format_move, format_moves, ownership, rows};
use crate::gtp::numbers::rate;
use crate::gtp::{Failure, Reply, Session};
use crate::search::{AnalysisOptions, MoveReport, Observer, SearchReport};

/// The side: the given colour, or the side to move.
fn mover(session: &Session, args: &Arguments<'_>) -> Result<Color, Failure> {
    match args.optional(0) {
        Some(_) => args.color(0),
        None => Ok(session.engine.to_move()),
    }
}

fn look(
    session: &mut Session,
    args: &Arguments<'_>,
    effort: AnalysisEffort,
) -> Result<(SearchReport, Color), Failure> {
    let color = mover(session, args)?;
    let report = session.look(color, effort).ok_or(Failure::NO_SEARCH)?;
    Ok((report, color))
}

/// The moves with these labels.
pub(super) fn labelled(session: &mut Session, args: &Arguments<'_>, label: Label) -> Reply {
    let effort = match label {
        Label::Prior => AnalysisEffort::Network(Symmetry::IDENTITY),
        Label::Visits | Label::Value => AnalysisEffort::OneEvaluation,
    };
    let (report, color) = look(session, args, effort)?;
    let size = session.engine.size();
    Ok(moves(&report, label, color, size))
}

/// Searches the position, with its principal variation drawn if live graphics are on, and shows the
/// values of the moves. `# interrupt` ends it, like any search.
pub(super) fn search(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (color, time) = args.color_and_time(session.engine.to_move())?;
    let effort = AnalysisEffort::Bounded {
        visits: None,
        time: Some(time),
    };
    let report = search_and_draw(session, color, |session, options, observer| {
        session.until_interrupted(|engine, stop| {
            let request = AnalysisRequest::new(color, effort, stop).with(options);
            engine.analyse(&request, observer)
        })
    });
    let report = report.ok_or(Failure::NO_SEARCH)?;
    let size = session.engine.size();
    Ok(moves(&report, Label::Value, color, size))
}

pub(super) fn main_line(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (report, color) = look(session, args, AnalysisEffort::OneEvaluation)?;
    Ok(drawn_line(&report, color, session.engine.size()))
}

/// The ten best moves as a table.
pub(super) fn table(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (report, _) = look(session, args, AnalysisEffort::OneEvaluation)?;
    let size = session.engine.size();
    let mut lines = vec!["move   visits   win %  prior %  main line".to_owned()];
    for found in report.moves.iter().take(10) {
        let line = found.pv.get(..8).unwrap_or(&found.pv);
        lines.push(format!(
            "{:<4} {:>8} {:>7.1} {:>8.1}  {}",
            format_move(found.mv, size),
            found.visits,
            rate(found.value) * 100.0,
            found.prior * 100.0,
            format_moves(line, size),
        ));
    }
    Ok(lines.join("\n"))
}

/// The points where a colour could play if it were to move.
pub(super) fn legal_points(session: &Session, color: Color) -> String {
    format_moves(&session.engine.legal_moves(color), session.engine.size())
}

pub(super) fn legal(session: &mut Session, args: &Arguments<'_>) -> Reply {
    Ok(legal_points(session, mover(session, args)?))
}

/// Playouts to estimate ownership without a network.
const PLAYOUTS: u64 = 1000;

/// Expected owner of each point, from 1 for Black to -1 for White, as rows of numbers: from earlier
/// searches, else from one evaluation of the network, or from playouts.
pub(super) fn expected_owners(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let color = session.engine.to_move();
    let mut report = session.look(color, AnalysisEffort::OneEvaluation);
    let is_playout = |report: &SearchReport| report.visits < 2 && !report.by_network();
    if report.as_ref().is_some_and(is_playout) {
        let effort = AnalysisEffort::visits(PLAYOUTS);
        report = session.look(color, effort);
    }
    let size = session.engine.size();
    let expected = report.and_then(|report| report.expected);
    let owners = match expected {
        Some(expected) => board::owners(&expected, size, Color::Black),
        None => ownership(&*session.engine, Color::Black),
    };
    let owners = owners.iter().map(|owner| format!("{owner:.2}"));
    Ok(rows(owners, size))
}

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
fn moves(report: &SearchReport, label: Label, color: Color, size: BoardSize) -> String {
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
fn drawn_line(report: &SearchReport, color: Color, size: BoardSize) -> String {
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

/// Runs a search for `color`. The options passed to it let the main line be drawn occasionally, if at all, and the
/// drawing is cleared when the search ends.
pub(super) fn search_and_draw<T>(
    session: &mut Session,
    color: Color,
    search: impl FnOnce(&mut Session, AnalysisOptions, &mut Observer<'_>) -> T,
) -> T {
    let (size, live) = (session.engine.size(), session.options.live_graphics);
    let options = AnalysisOptions {
        interval: live.then_some(INTERVAL),
        ..session.root.of_moves(color)
    };
    let found = search(session, options, &mut |report| {
        let line = drawn_line(report, color, size);
        draw(&format!("gogui-gfx:\n{line}\n\n"));
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
