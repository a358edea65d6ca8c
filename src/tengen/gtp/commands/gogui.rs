//! Commands for GoGui: rules of games other than Go, setups, and its menu.

use super::Arguments;
use super::board::result;
use crate::game::{Color, Move};
use crate::gtp::board::{mark, points_from_top, rows};
use crate::gtp::{Failure, Reply, Session, parse_vertex};
use crate::record::{GameRecord, Play, Vertex};

pub(super) fn title(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let name = &session.options.name;
    let (game, size) = (game_id(session), session.engine.size());
    Ok(format!("{name}: {game} {size}"))
}

/// The game's name as GoGui compares it: one capital, then small letters.
pub(super) fn game_id(session: &Session) -> String {
    let name = session.engine.info().name;
    let (first, rest) = name.split_at(1.min(name.len()));
    format!("{}{rest}", first.to_ascii_uppercase())
}

/// One number, as GoGui reads it; two for a board that is not square.
pub(super) fn rules_board_size(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let size = session.engine.size();
    if size.is_square() {
        return Ok(size.width.to_string());
    }
    Ok(format!("{} {}", size.width, size.height))
}

pub(super) fn rules_board(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let engine = &*session.engine;
    let marks = points_from_top(engine.size()).map(|point| mark(engine, point).to_owned());
    Ok(rows(marks, engine.size()))
}

pub(super) fn rules_final_result(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let Some(outcome) = result(session)? else {
        return Ok("The game is not over".to_owned());
    };
    let resigned = session.engine.resigned().is_some();
    Ok(match (outcome.winner, outcome.margin) {
        (Some(winner), None) => {
            let [winner, loser] = [winner, winner.opponent()].map(Color::capital);
            let why = match resigned {
                true => "has resigned",
                false => session.engine.info().lost_because,
            };
            format!("{winner} wins: {loser} {why}")
        }
        (Some(winner), Some(margin)) => format!("{} wins by {margin}", winner.capital()),
        (None, _) => "Draw".to_owned(),
    })
}

/// Pairs of a colour and a vertex.
fn plays(session: &Session, args: &Arguments<'_>) -> Result<Vec<Play>, Failure> {
    let count = args.all().len();
    if !count.is_multiple_of(2) {
        return Err(args.missing());
    }
    let play = |index| {
        let vertex = parse_vertex(args.text(index + 1)?, session.engine.size())?;
        let color = args.color(index)?;
        Ok(Play { color, vertex })
    };
    (0..count).step_by(2).map(play).collect()
}

/// Plays all moves, or none if one of them is illegal.
pub(super) fn play_sequence(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let plays = plays(session, args)?;
    for (played, play) in plays.into_iter().enumerate() {
        if let Err(error) = session.engine.play(play) {
            for _ in 0..played {
                session.engine.undo()?;
            }
            return Err(error.into());
        }
    }
    Ok(String::new())
}

pub(super) fn setup(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let stones = stones(session, args)?;
    let mut record = session.empty_record()?;
    record.setup = stones;
    session.load(&record)?;
    Ok(String::new())
}

/// KataGo's form of it, which replaces the game: Black is to move, and nothing was played before.
pub(super) fn set_position(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let stones = stones(session, args)?;
    let engine = &*session.engine;
    let mut record = GameRecord::new(engine.info().name, engine.size());
    if !stones.is_sorted_by(|one, next| one.0 < next.0) {
        return Err(Failure::BAD_VERTICES);
    }
    record.setup = stones;
    record.to_move = Some(Color::Black);
    session.load(&record)?;
    Ok(String::new())
}

/// Stones by point.
fn stones(session: &Session, args: &Arguments<'_>) -> Result<Vec<(Move, Color)>, Failure> {
    let stone = |play: Play| match play.vertex {
        Vertex::Point(point) => Ok((point, play.color)),
        _ => Err(Failure::Syntax("a pass cannot be set up".to_owned())),
    };
    let stones = plays(session, args)?.into_iter().map(stone);
    let mut stones: Vec<(Move, Color)> = stones.collect::<Result<_, _>>()?;
    stones.sort_by_key(|(point, _)| *point);
    Ok(stones)
}

pub(super) fn setup_player(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let mut record = session.engine.record();
    if !record.plays.is_empty() {
        return Err(Failure::NOT_EMPTY);
    }
    record.to_move = Some(args.color(0)?);
    session.load(&record)?;
    Ok(String::new())
}

/// Undoes several moves, or none if there are not enough.
pub(super) fn undo_several(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let count = args.count(0, 0)?;
    if count > session.engine.record().plays.len() {
        return Err(Failure::CANNOT_UNDO);
    }
    for _ in 0..count {
        session.engine.undo()?;
    }
    Ok(String::new())
}
