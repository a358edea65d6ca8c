//! Who wins with best play.

use std::time::Duration;

use super::Arguments;
use crate::clock::seconds;
use crate::game::Color;
use crate::gtp::analysis::vertex;
use crate::gtp::{Failure, Session};

/// Time when none is given.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Pairs of a name and a word on one line; `line` comes last and takes the rest. `winner` is
/// `nobody` in a draw, and `unknown` when the time was not enough.
pub(super) fn solve(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let mut rest = args.all().into_iter().peekable();
    let named = rest.next_if(|text| text.parse::<f64>().is_err()).is_some();
    let color: Color = if named {
        args.color(0)?
    } else {
        session.engine.to_move()
    };
    let time = match rest.next() {
        Some(text) => seconds(text).map_err(|_| Failure::Syntax)?,
        None => DEFAULT_TIME,
    };
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
