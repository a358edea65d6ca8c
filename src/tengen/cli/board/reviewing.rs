//! A review of the line on the board, as by `tengen review`.

use std::sync::Arc;

use serde_json::json;
use tengen::record::GameRecord;
use tengen::search::StopFlag;
use tengen::watch::Eval;

use super::super::flags::EngineFlags;
use super::super::review::{Game, Reviewer, THRESHOLDS, annotated_sgf};
use super::report::SearchedPosition;
use super::task::Task;

/// Solver nodes per position. People wait for it: with more nodes the first positions that cannot be solved take
/// minutes.
const NODES: u64 = 100_000;

/// A review of a line, or of its last part if it was stopped.
pub(super) struct Reviewed {
    /// As JSON, with the positions of the line.
    pub(super) json: String,
    /// As SGF with comments.
    pub(super) sgf: String,
}

/// Reviews a line through these positions; `see` gets each position's number, analysis and evaluation. When
/// stopped, what is done is the result; `None` if that is nothing.
///
/// # Errors
/// When the game cannot be reviewed.
pub(super) fn review(
    flags: Arc<EngineFlags>,
    record: &GameRecord,
    nodes: &[usize],
    stop: &StopFlag,
    see: &mut dyn FnMut(usize, String, Eval),
) -> anyhow::Result<Option<Reviewed>> {
    let mut reviewer = Reviewer::new(flags, NODES, 0, THRESHOLDS, stop.clone());
    let game = Game::new(String::new(), record);
    let reviewed = reviewer.review(game, record, &mut |found| {
        let (Some(report), Some(&node)) = (found.report, nodes.get(found.moves)) else {
            return;
        };
        let searched = SearchedPosition {
            node,
            task: Task::Review,
            mover: found.mover,
            size: record.size,
        };
        see(node, searched.text(report, true), searched.eval(report));
    })?;
    Ok((!reviewed.positions.is_empty()).then(|| Reviewed {
        json: json!({ "nodes": nodes, "review": reviewed }).to_string(),
        sgf: annotated_sgf(record, &reviewed, ""),
    }))
}
