//! Positions of a book along moves of the command line, and the searches that books are made of, and compared with.

use anyhow::{Context as _, ensure};
use tengen::book::Images;
use tengen::command::played;
use tengen::engine::{AnalysisEffort, AnalysisRequest, Engine};
use tengen::game::{Color, Game, Move, Proof};
use tengen::gtp::format_vertex;
use tengen::record::{GameRecord, Play, Vertex};
use tengen::search::{AnalysisOptions, SearchReport, StopFlag};

/// These moves from an empty board, and the position after them.
///
/// # Errors
/// Names the move that is none, or illegal.
pub(super) fn walk<G: Game>(empty: &G, moves: &str) -> anyhow::Result<(Vec<Move>, Images<G>)> {
    let size = empty.size();
    let record = played(G::NAME, size, moves)?;
    let mut images = Images::of_empty(empty);
    let mut position = empty.clone();
    let mut all = Vec::new();
    for (number, recorded) in (1..).zip(&record.plays) {
        let mv = recorded.play.vertex.index(size);
        let can_play = G::INFO.passes || recorded.play.vertex != Vertex::Pass;
        ensure!(
            can_play && recorded.play.color == position.to_move() && position.is_legal(mv),
            "move {number}, {} at {}, is not legal: a book has games in which both sides move in turn",
            recorded.play.color,
            format_vertex(recorded.play.vertex, size)
        );
        position.play(mv);
        images = images.after(mv);
        all.push(mv);
    }
    Ok((all, images))
}

/// A proven result as a word.
pub(super) fn proof_text(proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => "lost",
        Proof::Draw => "drawn",
        Proof::Win => "won",
    }
}

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
    let effort = AnalysisEffort::visits(visits);
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
