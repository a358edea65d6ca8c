//! Commands that set up, play and show the game, and about its end: its result, dead stones, and cleanup.

use super::Arguments;
use super::views::search_and_draw;
use crate::engine::{Decision, Engine, MoveKind};
use crate::game::{BadKomi, BoardSize, Color, HalfPoints, Outcome, PointStatus, Settled};
use crate::gtp::board::points_from_top;
use crate::gtp::{Failure, Reply, Session, format_moves, format_vertex, parse_vertex};
use crate::record::{Play, Vertex, result_text};

/// The length of a board's side.
fn side(args: &Arguments<'_>, index: usize) -> Result<u8, Failure> {
    match u8::try_from(args.integer(index)?) {
        Ok(0) | Err(_) => {
            let reason = "a side has from 1 to 50 points";
            Err(Failure::UnacceptableSize(reason.to_owned()))
        }
        Ok(side) => Ok(side),
    }
}

/// Square, or with a height different from the width, as Lizzie sends it.
pub(super) fn boardsize(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let width = side(args, 0)?;
    let height = args.optional(1).map_or(Ok(width), |_| side(args, 1))?;
    session.set_size(BoardSize::new(width, height))?;
    Ok(String::new())
}

pub(super) fn rectangular_boardsize(session: &mut Session, args: &Arguments<'_>) -> Reply {
    session.set_size(BoardSize::new(side(args, 0)?, side(args, 1)?))?;
    Ok(String::new())
}

pub(super) fn komi(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let text = args.text(0)?;
    match text.parse::<HalfPoints>() {
        Ok(komi) => session.engine.set_komi(komi),
        Err(BadKomi::NotANumber) => return Err(Failure::wrong(text, "number of points")),
        // Without points it says nothing: files that borrow Go's board have any, and Sabaki sends theirs.
        Err(BadKomi::NotHalfPoints(_)) if !session.engine.info().scored => {}
        Err(error @ BadKomi::NotHalfPoints(_)) => return Err(Failure::Komi(error)),
    }
    Ok(String::new())
}

/// Whether a game without passes is drawn. Controllers without rules, such as gogui-twogtp, end it by two passes, which
/// change nothing.
fn is_drawn(engine: &dyn Engine) -> bool {
    let outcome = engine.outcome().filter(|_| !engine.info().passes);
    outcome.is_some_and(|outcome| outcome.winner.is_none())
}

pub(super) fn play(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let vertex = parse_vertex(args.text(1)?, session.engine.size())?;
    if vertex == Vertex::Pass && is_drawn(&*session.engine) {
        return Ok(String::new());
    }
    session.engine.play(Play { color, vertex })?;
    Ok(String::new())
}

pub(super) fn genmove(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let decision = search_and_draw(session, color, |session, options, observer| {
        session.choose_shown(color, MoveKind::Play, options, observer)
    });
    decision_text(decision, &*session.engine)
}

/// The reply to `genmove`. In games without passes a pass means that the game is over and not lost.
pub(super) fn decision_text(decision: Decision, engine: &dyn Engine) -> Reply {
    let has_pass = engine.info().passes || is_drawn(engine);
    match decision {
        Decision::Play(Vertex::Pass) if !has_pass => Err(Failure::Refused(
            "the game is over, and this side has not lost: there is no move to make",
        )),
        Decision::Play(vertex) => Ok(format_vertex(vertex, engine.size())),
        Decision::Resign => Ok("resign".to_owned()),
    }
}

pub(super) fn reg_genmove(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let decision = session.choose(color, MoveKind::Named);
    decision_text(decision, &*session.engine)
}

/// As [`reg_genmove`], until there is any input.
pub(super) fn cancellable(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let options = session.root.of_moves(color);
    match session.name_until_input(color, options, &mut |_| {}) {
        Some(decision) => decision_text(decision, &*session.engine),
        None => Ok("cancelled".to_owned()),
    }
}

/// Pairs of a name and a word on one line. `tengen-match` reads `visits`, `playouts` and `value`
/// (the mover's view, -1..=1) and keeps the line as a comment.
pub(super) fn report(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let Some(report) = session.engine.last_report() else {
        return Ok("visits 0 playouts 0".to_owned());
    };
    Ok(format!(
        "visits {} playouts {} value {:.4} seconds {:.3} stop {}",
        report.visits,
        report.playouts,
        report.value,
        report.elapsed.as_secs_f64(),
        report.stop.to_string().replace(' ', "-"),
    ))
}

/// The score that the players may agree on, in games with dead stones.
fn settled(session: &mut Session) -> Result<Option<Settled>, Failure> {
    Ok(session.until_interrupted(|engine, stop| engine.settle(stop))?)
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
pub(super) fn final_score(session: &mut Session, _: &Arguments<'_>) -> Reply {
    if let Some(outcome) = result(session)? {
        return Ok(result_text(outcome));
    }
    let settled = settled(session)?.ok_or(Failure::Refused("cannot score"))?;
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
pub(super) fn final_status_list(session: &mut Session, args: &Arguments<'_>) -> Reply {
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
    Ok(format_moves(&points.collect::<Vec<_>>(), engine.size()))
}

pub(super) fn kgs_genmove_cleanup(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let decision = session.choose(color, MoveKind::Cleanup);
    decision_text(decision, &*session.engine)
}
