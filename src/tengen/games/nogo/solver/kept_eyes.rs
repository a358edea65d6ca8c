//! Kept eyes: a bound by a promise.
//!
//! One side, Y, promises never to play on some points that X cannot play. X never will be able to
//! (legality is monotone), so these points stay empty for good: dead points, permanent liberties.
//! Blocks beside them become walls, and the rest often falls apart into parts with exact values.
//!
//! It is sound. What is judged is the real game without some of Y's moves: each of its lines is a
//! line of the real game, by the same rules, and only Y has fewer choices. (Where Y keeps the
//! promise it may be stuck, and lose, although it could still move.) A player who wins with fewer
//! choices wins with all, so Y's win here is a win; Y's loss says nothing.

use super::analyst::Analyst;
use super::board::Board;
use super::state::State;
use crate::game::{Bits, Color};

/// Blocks that a kept point has to serve: one that only has one is worth a move more.
const LEAST: usize = 2;

/// Moves that a promise may gain: of those that have to gain more, one in 40 or fewer decides. The
/// side that moves second has to gain one more for the same.
const DEFICIT: i32 = 8;

/// Whether the side to move wins, if a promise of either side shows it.
pub(super) fn verdict<const W: usize>(
    analyst: &mut Analyst<W>,
    board: &mut Board<W>,
    state: &State<W>,
) -> Option<bool> {
    let mover = board.to_move;
    for (side, most) in [(mover, DEFICIT), (mover.opponent(), DEFICIT - 1)] {
        if !analyst.hopes(state, mover, side, most) {
            continue;
        }
        let kept = kept_points(board, state.region, side);
        if kept.is_empty() {
            continue;
        }
        let promise = board.promised(side, kept);
        let verdict = analyst.verdict(board, state.region, state.sum);
        board.release(&promise);
        if verdict == Some(side == mover) {
            return verdict;
        }
    }
    None
}

/// Points for `side` to keep: those that serve most blocks without a permanent liberty first.
fn kept_points<const W: usize>(board: &Board<W>, region: Bits<W>, side: Color) -> Bits<W> {
    let y = side.index();
    let mut own = board.legal[y] & !board.legal[1 - y] & region;
    let mut kept = Bits::EMPTY;
    if own.is_empty() {
        return kept;
    }
    let walls = board.walls[0] | board.walls[1];
    let mut served = [Bits::EMPTY; 32];
    let mut count = 0;
    for root in ((board.roots[0] | board.roots[1]) & !walls).iter() {
        let liberties = board.block(root).liberties & own;
        if !liberties.is_empty() && count < served.len() {
            served[count] = liberties;
            count += 1;
        }
    }
    // Points that several of the remaining blocks share.
    loop {
        let mut best = (LEAST - 1, None);
        for point in own.iter() {
            let serves = served[..count]
                .iter()
                .filter(|block| block.contains(point))
                .count();
            if serves > best.0 {
                best = (serves, Some(point));
            }
        }
        let Some(point) = best.1 else { return kept };
        kept.insert(point);
        own.remove(point);
        let mut left = 0;
        for i in 0..count {
            if !served[i].contains(point) {
                served[left] = served[i];
                left += 1;
            }
        }
        count = left;
    }
}
