//! Commands about the protocol itself and the network in use, and who wins with best play.

use super::Arguments;
use super::command::Command;
use crate::gtp::board::format_move;
use crate::gtp::{Failure, Reply, Session};
use std::time::Duration;

/// The commands for the current game.
fn listed<'a>(session: &Session, commands: &'a [Command]) -> impl Iterator<Item = &'a Command> {
    commands.iter().filter(|command| command.is_listed(session))
}

pub(super) fn known_command(
    session: &Session,
    commands: &[Command],
    args: &Arguments<'_>,
) -> Reply {
    let name = args.text(0)?;
    let known = listed(session, commands).any(|command| command.name == name);
    Ok(known.to_string())
}

pub(super) fn list_commands(session: &Session, commands: &[Command], _: &Arguments<'_>) -> Reply {
    let names: Vec<&str> = listed(session, commands)
        .map(|command| command.name)
        .collect();
    Ok(names.join("\n"))
}

/// For users; programs read `list_commands`.
pub(super) fn help(session: &Session, commands: &[Command], args: &Arguments<'_>) -> Reply {
    if let Some(name) = args.optional(0) {
        let command = commands.iter().find(|command| command.name == name);
        let command = command.ok_or(Failure::UnknownCommand)?;
        return Ok(format!(
            "{} {}\n{}",
            command.name, command.arguments, command.help
        ));
    }
    let lines = listed(session, commands).map(|command| format!("\n{command}"));
    Ok(format!(
        "A game: play b E5, genmove w, showboard, undo, clear_board. All commands:{}",
        lines.collect::<String>()
    ))
}

pub(super) fn quit(session: &mut Session, _: &Arguments<'_>) -> Reply {
    session.over = true;
    Ok(String::new())
}

pub(super) fn kgs_game_over(session: &mut Session, _: &Arguments<'_>) -> Reply {
    session.engine.rest();
    Ok(String::new())
}

/// The network and backend in use, and those that were skipped or failed before.
pub(super) fn network(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let log = session.engine.thinker_log();
    if log.is_empty() {
        return Ok("nothing is loaded before the first search".to_owned());
    }
    Ok(log.join("\n"))
}

/// Time when none is given.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Pairs of a name and a word on one line; `line` comes last and takes the rest. `winner` is
/// `nobody` in a draw, and `unknown` if the time was too short.
pub(super) fn solve(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (color, time) = args.color_and_time(session.engine.to_move(), DEFAULT_TIME)?;
    let solution = session.search(|engine, stop| engine.solve(color, time, stop));
    let solution = solution.ok_or(Failure::NoSolver)?;
    let winner = match solution.outcome {
        None => "unknown".to_owned(),
        Some(outcome) => outcome
            .winner
            .map_or("nobody".to_owned(), |winner| winner.to_string()),
    };
    let size = session.engine.size();
    let line = solution
        .line
        .iter()
        .map(|&mv| format!(" {}", format_move(mv, size)));
    Ok(format!(
        "winner {winner} nodes {} seconds {:.3} line{}",
        solution.nodes,
        solution.elapsed.as_secs_f64(),
        line.collect::<String>(),
    ))
}
