//! Commands that set up, play and show the game.

use super::analyze::decision_text;
use super::{Arguments, live};
use crate::engine::{EngineError, MoveKind, MoveRequest};
use crate::game::{BadKomi, BoardSize, HalfPoints};
use crate::gtp::{Failure, Session, board, parse_vertex};
use crate::record::Play;

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        match error {
            EngineError::IllegalMove(why) => Failure::IllegalMove(why.to_string()),
            EngineError::IllegalSetup { .. } => {
                Failure::IllegalMove("these stones cannot stand together".to_owned())
            }
            EngineError::CannotUndo => Failure::CannotUndo,
            EngineError::WrongGame | EngineError::IllegalRecord { .. } => {
                Failure::CannotLoad(error.to_string())
            }
        }
    }
}

/// The length of a board's side.
fn side(args: &Arguments<'_>, index: usize) -> Result<u8, Failure> {
    match u8::try_from(args.integer(index)?) {
        Ok(0) | Err(_) => {
            let reason = "a side has from 1 to 25 points";
            Err(Failure::UnacceptableSize(reason.to_owned()))
        }
        Ok(side) => Ok(side),
    }
}

/// Square, or with a height different from the width, as Lizzie sends it.
pub(super) fn boardsize(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let width = side(args, 0)?;
    let height = args.optional(1).map_or(Ok(width), |_| side(args, 1))?;
    session.set_size(BoardSize::new(width, height))?;
    Ok(String::new())
}

pub(super) fn rectangular_boardsize(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    session.set_size(BoardSize::new(side(args, 0)?, side(args, 1)?))?;
    Ok(String::new())
}

pub(super) fn clear_board(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    session.engine.clear();
    Ok(String::new())
}

pub(super) fn komi(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let text = args.text(0)?;
    let komi = text.parse().map_err(|error| match error {
        BadKomi::NotANumber => Failure::wrong(text, "number of points"),
        error @ BadKomi::NotHalfPoints(_) => Failure::Komi(error),
    })?;
    session.set_komi(komi);
    Ok(String::new())
}

pub(super) fn get_komi(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let komi = session.engine.record().komi.map_or(0.0, HalfPoints::points);
    Ok(komi.to_string())
}

pub(super) fn play(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let color = args.color(0)?;
    let vertex = parse_vertex(args.text(1)?, session.engine.size())?;
    session.engine.play(Play { color, vertex })?;
    Ok(String::new())
}

pub(super) fn undo(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    session.engine.undo()?;
    Ok(String::new())
}

pub(super) fn genmove(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let color = args.color(0)?;
    let decision = live::search(session, color, |engine, stop, options, observer| {
        engine.genmove(&MoveRequest::new(color, stop).with(options), observer)
    });
    decision_text(decision, &*session.engine)
}

pub(super) fn reg_genmove(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let color = args.color(0)?;
    let decision = session.name_move(color);
    decision_text(decision, &*session.engine)
}

/// As [`reg_genmove`], until there is any input.
pub(super) fn cancellable(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let color = args.color(0)?;
    let engine = &mut *session.engine;
    let decision = session.interrupts.until_input(|stop| {
        let request = MoveRequest::new(color, stop).of_kind(MoveKind::Named);
        let decision = engine.genmove(&request, &mut |_| {});
        (!stop.is_raised()).then_some(decision)
    });
    match decision {
        Some(decision) => decision_text(decision, &*session.engine),
        None => Ok("cancelled".to_owned()),
    }
}

/// Drops all that earlier searches have found.
pub(super) fn clear_cache(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    session.engine.forget();
    Ok(String::new())
}

/// Pairs of a name and a word on one line. `tengen-match` reads `visits`, `playouts` and `value`
/// (the mover's view, -1..=1) and keeps the line as a comment.
pub(super) fn report(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
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

pub(super) fn showboard(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    Ok(board::show(&*session.engine))
}
