//! Views of the current position for GoGui. Except for [`search`], nothing here searches more than
//! one evaluation: the views show the tree of earlier searches.

use std::time::Duration;

use super::Arguments;
use super::gogui::legal_points;
use crate::engine::{AnalysisEffort, AnalysisRequest};
use crate::game::{Color, Move, PointStatus, Symmetry};
use crate::gtp::board::{self, format_move, format_moves, ownership, points_from_top, rows};
use crate::gtp::graphics::{self, Label};
use crate::gtp::numbers::rate;
use crate::gtp::{Failure, Reply, Session};
use crate::search::SearchReport;

/// Time of a [`search`] when none is given.
const SEARCH_TIME: Duration = Duration::from_secs(10);

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
    let report = session.look(color, effort).ok_or(Failure::NoSearch)?;
    Ok((report, color))
}

fn labelled(
    session: &mut Session,
    args: &Arguments<'_>,
    effort: AnalysisEffort,
    label: Label,
) -> Reply {
    let (report, color) = look(session, args, effort)?;
    let size = session.engine.size();
    Ok(graphics::moves(&report, label, color, size))
}

/// Searches the position, with its principal variation drawn if live graphics are on, and shows the
/// values of the moves. `# interrupt` ends it, like any search.
pub(super) fn search(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (color, time) = args.color_and_time(session.engine.to_move(), SEARCH_TIME)?;
    let effort = AnalysisEffort::Bounded {
        visits: None,
        time: Some(time),
    };
    let report = graphics::search_and_draw(session, color, |engine, stop, options, observer| {
        let request = AnalysisRequest::new(color, effort, stop).with(options);
        engine.analyse(&request, observer)
    });
    let report = report.ok_or(Failure::NoSearch)?;
    let size = session.engine.size();
    Ok(graphics::moves(&report, Label::Value, color, size))
}

pub(super) fn policy(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
    labelled(session, args, effort, Label::Prior)
}

pub(super) fn values(session: &mut Session, args: &Arguments<'_>) -> Reply {
    labelled(session, args, AnalysisEffort::OneEvaluation, Label::Value)
}

pub(super) fn visits(session: &mut Session, args: &Arguments<'_>) -> Reply {
    labelled(session, args, AnalysisEffort::OneEvaluation, Label::Visits)
}

pub(super) fn main_line(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (report, color) = look(session, args, AnalysisEffort::OneEvaluation)?;
    Ok(graphics::main_line(&report, color, session.engine.size()))
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

/// Owner of each point, from 1 for Black to -1 for White, as rows of numbers; dead stones count for
/// the other side.
pub(super) fn fate(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let settled = session.until_interrupted(|engine, stop| engine.settle(stop))?;
    let engine = &*session.engine;
    let owner = |fate: PointStatus, point: Move| {
        let side = match fate {
            PointStatus::Dame => return 0.0,
            PointStatus::Territory(side) => Some(side),
            PointStatus::Dead => engine.stone(point).map(Color::opponent),
            PointStatus::Alive | PointStatus::Seki => engine.stone(point),
        };
        side.unwrap_or(Color::White).signed(1.0)
    };
    let owners = settled.and_then(|settled| {
        let points = points_from_top(engine.size());
        let owners = points.map(|at| Some(owner(*settled.statuses.get(at.index())?, at)));
        owners.collect::<Option<Vec<f32>>>()
    });
    let owners = owners.unwrap_or_else(|| ownership(engine, Color::Black));
    let owners = owners.iter().map(|owner| format!("{owner:.1}"));
    Ok(rows(owners, engine.size()))
}

/// Empty points by the sides that may play there, and their numbers.
pub(super) fn points(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let engine = &*session.engine;
    let size = engine.size();
    let [black, white] = Color::BOTH.map(|color| engine.legal_moves(color));
    let empty = size.points().filter(|&point| engine.stone(point).is_none());
    let (mut blacks, mut whites, mut dead) = (Vec::new(), Vec::new(), Vec::new());
    for point in empty {
        match (black.contains(&point), white.contains(&point)) {
            (true, false) => blacks.push(point),
            (false, true) => whites.push(point),
            (false, false) => dead.push(point),
            (true, true) => {}
        }
    }
    let groups = [
        ("#404080", &blacks),
        ("#f0f0a0", &whites),
        ("#909090", &dead),
    ];
    let drawn = groups.iter().filter(|(_, points)| !points.is_empty());
    let mut lines: Vec<String> = drawn
        .map(|(color, points)| format!("COLOR {color} {}", format_moves(points, size)))
        .collect();
    lines.push(format!(
        "TEXT Black may play on {}, alone on {}; White on {}, alone on {}; neither on {}",
        black.len(),
        blacks.len(),
        white.len(),
        whites.len(),
        dead.len(),
    ));
    Ok(lines.join("\n"))
}
