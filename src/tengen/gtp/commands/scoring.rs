//! Commands about the end of a game: its result, dead stones, and cleanup.

use super::Arguments;
use super::analyze::decision_text;
use crate::engine::{MoveKind, MoveRequest};
use crate::game::{Color, Outcome, PointStatus, Settled};
use crate::gtp::board::points_from_top;
use crate::gtp::{Failure, Session, format_vertex};
use crate::record::{Vertex, result_text};

/// The score that the players may agree on, in games with dead stones.
fn settled(session: &mut Session) -> Result<Option<Settled>, Failure> {
    Ok(session.search(|engine, stop| engine.settle(stop))?)
}

/// The result of a finished game: without dead stones, if the players agree on them. All commands
/// and records take their result from here.
pub(super) fn result(session: &mut Session) -> Result<Option<Outcome>, Failure> {
    let as_it_stands = session.engine.outcome();
    let counted = as_it_stands.is_some_and(|outcome| outcome.margin.is_some());
    if !counted || !session.engine.agrees_on_dead() {
        return Ok(as_it_stands);
    }
    let Some(settled) = settled(session)? else {
        return Ok(as_it_stands);
    };
    if !settled.is_certain() {
        log::warn!(
            "a guess, for not all dead stones are certain: {}",
            span(&settled)
        );
    }
    Ok(Some(settled.outcome()))
}

/// The result of a finished game; before the end, in games with dead stones, an estimate, which the
/// log marks as a guess.
pub(super) fn final_score(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    if let Some(outcome) = result(session)? {
        return Ok(result_text(outcome));
    }
    let settled = settled(session)?.ok_or(Failure::CannotScore)?;
    log::warn!("a guess, for the game is not over: {}", span(&settled));
    Ok(result_text(settled.outcome()))
}

/// The range of possible results.
fn span(settled: &Settled) -> String {
    let [least, most] = settled.range.map(Outcome::by_points).map(result_text);
    let told = result_text(settled.outcome());
    format!("{told}, and between {least} and {most}")
}

/// The points of one status, top row first. In games without dead stones all stones are alive.
pub(super) fn final_status_list(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let status = args.text(0)?;
    let wanted = match status {
        "alive" => PointStatus::Alive,
        "dead" => PointStatus::Dead,
        "seki" => PointStatus::Seki,
        "black_territory" => PointStatus::Territory(Color::Black),
        "white_territory" => PointStatus::Territory(Color::White),
        "dame" => PointStatus::Dame,
        _ => {
            let known = "alive, dead, seki, black_territory, white_territory or dame";
            return Err(Failure::wrong(status, format!("status: {known}")));
        }
    };
    let settled = settled(session)?;
    let engine = &*session.engine;
    let points = points_from_top(engine.size()).filter(|&point| match &settled {
        Some(settled) => settled.statuses.get(point.index()) == Some(&wanted),
        None => wanted == PointStatus::Alive && engine.stone(point).is_some(),
    });
    let points = points.map(|point| format_vertex(Vertex::Point(point), engine.size()));
    Ok(points.collect::<Vec<_>>().join(" "))
}

pub(super) fn kgs_genmove_cleanup(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let color = args.color(0)?;
    let decision = session.search(|engine, stop| {
        let request = MoveRequest::new(color, stop).of_kind(MoveKind::Cleanup);
        engine.genmove(&request, &mut |_| {})
    });
    decision_text(decision, &*session.engine)
}
