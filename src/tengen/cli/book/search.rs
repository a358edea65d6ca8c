//! The searches that books are made of, and compared with.

use anyhow::Context as _;
use tengen::engine::{AnalysisEffort, AnalysisRequest, Engine};
use tengen::game::{Color, Game, Move};
use tengen::record::{GameRecord, Play, Vertex};
use tengen::search::{AnalysisOptions, SearchReport, StopFlag};

/// Searches the position after these moves without those to `avoid` there.
///
/// # Errors
/// If there was no search.
pub(super) fn search<G: Game>(
    engine: &mut dyn Engine,
    empty: &G,
    moves: &[Move],
    avoid: Vec<Move>,
    visits: u64,
) -> anyhow::Result<SearchReport> {
    let mut record = GameRecord::of(empty);
    for (&mv, color) in moves.iter().zip(Color::BOTH.into_iter().cycle()) {
        let vertex = Vertex::of(mv, empty.size());
        record.push(Play { color, vertex });
    }
    engine.load(&record)?;
    let effort = AnalysisEffort::Bounded {
        visits: Some(visits),
        time: None,
    };
    let options = AnalysisOptions {
        avoid,
        ..AnalysisOptions::default()
    };
    let color = engine.to_move();
    let request = AnalysisRequest::new(color, effort, &StopFlag::new()).with(options);
    let report = engine.analyse(&request, &mut |_| {});
    let report = report.filter(|report| !report.moves.is_empty());
    report.context("the engine's log says why there was no search")
}
