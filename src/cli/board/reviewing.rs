//! A review of the line on the board, as by `tengen review`.

use std::sync::Arc;

use serde_json::json;
use tengen::record::GameRecord;
use tengen::search::StopFlag;
use tengen::watch::{Eval, letter};

use super::super::flags::EngineFlags;
use super::super::review::{Game, NODES, Reviewer, Step, THRESHOLDS, annotated_sgf};

/// A finished review.
pub(super) struct Reviewed {
    /// As JSON, with the positions of the line.
    pub(super) json: String,
    /// As SGF with comments.
    pub(super) sgf: String,
    /// The evaluation of each position.
    pub(super) known: Vec<(usize, Eval)>,
}

/// Reviews a line through these positions; `see` is called with the number of finished ones.
///
/// # Errors
/// When the game cannot be reviewed.
pub(super) fn review(
    flags: Arc<EngineFlags>,
    record: &GameRecord,
    nodes: &[usize],
    stop: &StopFlag,
    see: &mut dyn FnMut(usize),
) -> anyhow::Result<Reviewed> {
    let mut reviewer = Reviewer::new(flags, NODES[0], 0, THRESHOLDS, stop.clone());
    let game = Game::new(String::new(), record);
    let mut done = 0;
    let reviewed = reviewer.review(game, record, &mut |step| {
        done += usize::from(step == Step::Searched);
        see(done);
    })?;
    let known = reviewed.positions.iter().filter_map(|position| {
        let eval = Eval {
            winrate: position.winrate?,
            lead: position.lead,
            visits: position.visits,
            proven: position.proven().map(letter),
        };
        Some((*nodes.get(position.moves)?, eval))
    });
    Ok(Reviewed {
        known: known.collect(),
        json: json!({ "nodes": nodes, "review": reviewed }).to_string(),
        sgf: annotated_sgf(record, &reviewed),
    })
}
