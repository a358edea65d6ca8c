//! Positions of a book along moves of the command line.

use anyhow::ensure;
use tengen::book::Images;
use tengen::command::played;
use tengen::game::{BoardSize, Game, Move, Proof};
use tengen::gtp::format_vertex;
use tengen::record::Vertex;

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

/// Moves as text.
pub(super) fn text(size: BoardSize, moves: &[Move]) -> String {
    let names = moves
        .iter()
        .map(|mv| format_vertex(Vertex::of(*mv, size), size));
    names.collect::<Vec<String>>().join(" ")
}

/// A proven result as a word.
pub(super) fn proof_text(proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => "lost",
        Proof::Draw => "drawn",
        Proof::Win => "won",
    }
}
