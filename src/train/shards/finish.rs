//! Completes the rows of a finished game.

use std::sync::Arc;

use crate::shards::ending;
use crate::shards::row::Row;
use tengen::game::{Game, Move, Outcome};

/// Fills in moves, result and ending of a finished game's rows. `moves` leads from `start`, an
/// empty board, to the end of the game, unrecorded moves included. Results proven by a search
/// ([`Row::exact`]) stay.
///
/// `outcome` is the game's result. It is not taken from the last position, as a game may stop when
/// its winner is known: then `moves` should continue to the end, by any cheap policy that keeps the
/// result; otherwise the rows get no ending.
pub fn finish<G: Game>(rows: &mut [Row], start: &G, moves: &[Move], outcome: Outcome) {
    let ending = ending::of(start, moves).filter(|(_, ended)| *ended == outcome);
    let moves: Arc<[Move]> = moves.into();
    for row in rows {
        row.finish(outcome);
        row.moves = Arc::clone(&moves);
        row.ending = ending.map(|(black, _)| black.seen_by(row.to_move));
    }
}
