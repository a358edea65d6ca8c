//! Commands for openings with proposals, swaps and offers: swap, swap2, and the rules by which
//! Black offers several fifth moves (docs/programs-and-servers.md#openings).

use super::Arguments;
use crate::engine::Engine;
use crate::game::{Color, Move, Symmetry};
use crate::gtp::analysis::vertex;
use crate::gtp::{Failure, Session, parse_vertex};
use crate::record::{Play, Vertex};
use crate::search::SearchReport;

/// The game's named openings, or one of them played on the empty board.
pub(super) fn openings(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let size = session.engine.size();
    let openings = (session.engine.info().openings)(size);
    let Some(name) = args.optional(0) else {
        let lines = openings.iter().map(|(name, moves)| {
            let moves: Vec<String> = moves.iter().map(|&mv| vertex(mv, size)).collect();
            format!("{name}: {}", moves.join(" "))
        });
        return Ok(lines.collect::<Vec<_>>().join("\n"));
    };
    let named = |full: &str| full.split(' ').any(|word| word.eq_ignore_ascii_case(name));
    let moves = openings.into_iter().find(|(full, _)| named(full));
    let unknown = || Failure::wrong(name, "opening of this game: tengen-openings lists all");
    let (_, moves) = moves.ok_or_else(unknown)?;
    let record = session.engine.record();
    if !record.plays.is_empty() || !record.setup.is_empty() {
        return Err(Failure::NotEmpty);
    }
    for (&mv, color) in moves.iter().zip(Color::BOTH.into_iter().cycle()) {
        let vertex = Vertex::Point(mv);
        session.engine.play(Play { color, vertex })?;
    }
    Ok(String::new())
}

/// A search for the side to move, like that of genmove.
fn search(session: &mut Session) -> Option<SearchReport> {
    let color = session.engine.to_move();
    session.name_move(color);
    let report = session.engine.last_report().cloned();
    report.filter(|report| !report.moves.is_empty())
}

/// Expected value for the side to move, in [-1, 1].
fn value(session: &mut Session) -> Option<f32> {
    if let Some(outcome) = session.engine.outcome() {
        return Some(outcome.value_for(session.engine.to_move()));
    }
    search(session).and_then(|report| Some(report.moves.first()?.value))
}

/// The preferred side, and its expected value.
pub(super) fn side(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let mover = session.engine.to_move();
    let value = value(session).ok_or(Failure::NoSearch)?;
    let side = if value < 0.0 { mover.opponent() } else { mover };
    Ok(format!("{side} value {:.4}", value.abs()))
}

/// The best moves, symmetric ones listed once.
pub(super) fn candidates(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let wanted = args.count(0)?;
    let report = search(session).ok_or(Failure::NoSearch)?;
    let engine = &*session.engine;
    let turns = turns(engine);
    let mut kept: Vec<Move> = Vec::new();
    for found in &report.moves {
        let same = |mv: &Move| {
            turns
                .iter()
                .any(|turn| turn.apply(engine.size(), *mv) == found.mv)
        };
        if kept.len() < wanted && !kept.iter().any(same) {
            kept.push(found.mv);
        }
    }
    let size = engine.size();
    let kept = kept.into_iter().map(|mv| vertex(mv, size));
    Ok(kept.collect::<Vec<_>>().join(" "))
}

/// The symmetries of the position.
fn turns(engine: &dyn Engine) -> Vec<Symmetry> {
    let size = engine.size();
    let points = || (0..size.area() as u16).map(Move);
    let same = |turn: &Symmetry| {
        points().all(|point| engine.stone(point) == engine.stone(turn.apply(size, point)))
    };
    Symmetry::all(size).filter(same).collect()
}

/// Of the offered moves, the one that is best for the other side.
pub(super) fn keep(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let (size, color) = (session.engine.size(), session.engine.to_move());
    let offered = args.all();
    let offered = offered.iter().map(|text| parse_vertex(text, size));
    let offered: Vec<Vertex> = offered.collect::<Result<_, _>>()?;
    // All are checked before any search.
    for &vertex in &offered {
        session.engine.play(Play { color, vertex })?;
        session.engine.undo()?;
    }
    let mut best: Option<(Vertex, f32)> = None;
    for vertex in offered {
        session.engine.play(Play { color, vertex })?;
        let value = value(session);
        session.engine.undo()?;
        let value = value.ok_or(Failure::NoSearch)?;
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((vertex, value));
        }
    }
    let (kept, value) = best.ok_or_else(|| args.missing())?;
    let kept = crate::gtp::format_vertex(kept, size);
    Ok(format!("{kept} value {value:.4}"))
}
