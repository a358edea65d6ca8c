//! Commands about the end of a game: its result, what is dead, and clearing up.

use super::Arguments;
use super::analyze::decision_text;
use crate::game::{Color, Fate, Settled};
use crate::gtp::board::points_from_top;
use crate::gtp::{Failure, Session, format_vertex};
use crate::record::{Vertex, result_text};

/// The position as the players may agree to count it, in games with dead stones.
fn settled(session: &mut Session) -> Option<Settled> {
    session.search(|engine, stop| engine.settle(stop))
}

/// Of a game that is counted by agreement, the result without dead stones, at any time; of others,
/// the result by the rules once there is one.
pub(super) fn final_score(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let by_rules = session.engine.outcome();
    let agreed = match by_rules {
        Some(_) if !session.engine.agrees_on_dead() => None,
        _ => settled(session).map(|settled| settled.outcome()),
    };
    let outcome = agreed.or(by_rules).ok_or(Failure::CannotScore)?;
    Ok(result_text(outcome))
}

/// The points of one status, top row first. Where nothing ever dies all stones are alive.
pub(super) fn final_status_list(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let wanted = match args.text(0)? {
        "alive" => Fate::Alive,
        "dead" => Fate::Dead,
        "seki" => Fate::Seki,
        "black_territory" => Fate::Territory(Color::Black),
        "white_territory" => Fate::Territory(Color::White),
        "dame" => Fate::Dame,
        _ => return Err(Failure::Syntax),
    };
    let settled = settled(session);
    let engine = &*session.engine;
    let points = points_from_top(engine.size()).filter(|&point| match &settled {
        Some(settled) => settled.fates.get(point.index()) == Some(&wanted),
        None => wanted == Fate::Alive && engine.stone(point).is_some(),
    });
    let points = points.map(|point| format_vertex(Vertex::Point(point), engine.size()));
    Ok(points.collect::<Vec<_>>().join(" "))
}

pub(super) fn kgs_genmove_cleanup(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let color = args.color(0)?;
    let decision = session.search(|engine, stop| engine.genmove_cleanup(color, stop));
    Ok(decision_text(decision, session.engine.size()))
}
