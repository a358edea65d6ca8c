//! Commands about the end of a session, the network in use, and who wins with best play.

use super::Arguments;
use crate::gtp::board::format_move;
use crate::gtp::{Failure, Reply, Session};
use std::time::Duration;

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
    let solution = session.until_interrupted(|engine, stop| engine.solve(color, time, stop));
    let solution = solution.ok_or(Failure::NoSolver)?;
    let winner = match solution.outcome {
        None => "unknown".to_owned(),
        Some(outcome) => outcome
            .winner
            .map_or("nobody".to_owned(), |winner| winner.to_string()),
    };
    let size = session.engine.size();
    let line = solution.line.iter();
    let line = line.map(|&mv| format!(" {}", format_move(mv, size)));
    Ok(format!(
        "winner {winner} nodes {} seconds {:.3} line{}",
        solution.nodes,
        solution.elapsed.as_secs_f64(),
        line.collect::<String>(),
    ))
}
