//! A review of the line on the board, as by `tengen review`.

use std::sync::Arc;

use serde_json::json;
use tengen::record::GameRecord;
use tengen::search::StopFlag;

use super::super::flags::EngineFlags;
use super::super::review::{Game, NODES, Reviewer, Step, THRESHOLDS};
use super::report::letter;
use super::tree::Eval;

/// A review as JSON with the positions of the line, and the evaluation of each.
pub(super) type Reviewed = (String, Vec<(usize, Eval)>);

/// Reviews a line through these positions; `see` is called with the number of finished ones.
///
/// # Errors
/// When the game cannot be reviewed.
pub(super) fn review(
    flags: Arc<EngineFlags>,
    (record, nodes): (&GameRecord, &[usize]),
    stop: &StopFlag,
    see: &mut dyn FnMut(usize),
) -> anyhow::Result<Reviewed> {
    let mut reviewer = Reviewer::new(flags, (NODES[0], 0), THRESHOLDS, stop.clone());
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
    let known = known.collect();
    let text = json!({ "nodes": nodes, "review": reviewed }).to_string();
    Ok((text, known))
}
