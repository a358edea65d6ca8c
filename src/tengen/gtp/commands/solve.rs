//! Who wins with best play.

use std::time::Duration;

use super::Arguments;
use crate::gtp::analysis::vertex;
use crate::gtp::{Failure, Session};

/// Time when none is given.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Pairs of a name and a word on one line; `line` comes last and takes the rest. `winner` is
/// `nobody` in a draw, and `unknown` if the time was too short.
pub(super) fn solve(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
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
        .map(|&mv| format!(" {}", vertex(mv, size)));
    Ok(format!(
        "winner {} nodes {} seconds {:.3} line{}",
        winner,
        solution.nodes,
        solution.elapsed.as_secs_f64(),
        line.collect::<String>(),
    ))
}
