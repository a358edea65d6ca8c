//! Positions of a book along moves of the command line.

use std::collections::HashSet;

use crate::book::Images;
use crate::command::played;
use crate::game::{Game, Move, Proof};
use crate::gtp::format_vertex;
use crate::record::Vertex;
use anyhow::ensure;

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
        let (color, vertex) = (recorded.play.color, recorded.play.vertex);
        let name = || format!("move {number}, {color} at {}", format_vertex(vertex, size));
        ensure!(
            color == position.to_move(),
            "{}, is out of turn: a book has games in which both sides move in turn",
            name()
        );
        let why = || position.why_illegal(mv);
        ensure!(
            can_play && position.is_legal(mv),
            "{}, is not legal: {}",
            name(),
            why()
        );
        position.play(mv);
        images = images.after(mv);
        all.push(mv);
    }
    Ok((all, images))
}

/// Moves of a position to positions of a book that no kept move leads to (`unlinked`): growth from a line of moves and
/// merging bring such.
pub(super) fn entries<G: Game>(unlinked: &HashSet<u128>, images: &Images<G>) -> Vec<Move> {
    if unlinked.is_empty() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let leads_in = |mv: &Move| {
        let key = images.after(*mv).key();
        unlinked.contains(&key) && seen.insert(key)
    };
    images.position().legal_moves().filter(leads_in).collect()
}

/// A proven result as a word.
pub(super) fn proof_text(proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => "lost",
        Proof::Draw => "drawn",
        Proof::Win => "won",
    }
}
