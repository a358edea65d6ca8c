//! A position as a sum: larger parts, which stay on the board, and the values of all others, which
//! have left it. Most positions are decided by bounds of the former and the stops of the latter.

use super::analyst::Analyst;
use super::board::Board;
use super::bounds::MoveBounds;
use super::hash::scramble;
use super::parts::Parts;
use super::sum::Sum;
use super::values::{ONE, Values};
use crate::game::{Bits, Color};

/// Points of the largest part that gets an exact value. Larger parts save nodes but take more time.
const LARGEST_PART: usize = 4;

/// Points of the largest board on which larger parts are recognised wherever and however turned
/// they are. On 9x9 hardly any comes twice, and looking takes time.
const LARGEST_BOARD_OF_SHAPES: usize = 36;

/// A position. The side to move is the board's.
#[derive(Debug, Clone, Copy)]
pub(super) struct State<const W: usize> {
    /// The points of the larger parts.
    pub(super) region: Bits<W>,
    /// The values of the other parts, and all spare moves.
    pub(super) sum: Sum,
    /// Whether the side to move wins, if the bounds decide.
    pub(super) verdict: Option<bool>,
    /// Key of the larger parts, as each side sees them; only without a verdict.
    keys: [u128; 2],
    /// Moves that Black gains in the larger parts, at least and at most.
    gain: [i32; 2],
    /// Each side's independent claims in the larger parts, as far as they were counted.
    claims: [i32; 2],
}

impl<const W: usize> State<W> {
    /// Twice the moves that Black may expect to gain, the games of the sum left out.
    pub(super) fn middle(&self) -> i32 {
        self.sum.number / (ONE / 2) + self.gain[0] + self.gain[1]
    }

    /// A key of everything but the number: equal only for positions with the same results.
    pub(super) fn key(&self, mover: Color, values: &Values) -> u128 {
        let games = self.sum.games_key(mover, values);
        scramble(games.wrapping_add(self.keys[mover.index()]))
    }
}

impl<const W: usize> Analyst<W> {
    /// The whole board.
    pub(super) fn whole(&mut self, board: &mut Board<W>) -> State<W> {
        self.state(board, board.empty, Sum::number(0))
    }

    /// The position of a region, which consists of whole parts, and a sum.
    pub(super) fn state(&mut self, board: &mut Board<W>, region: Bits<W>, sum: Sum) -> State<W> {
        let mut found = self.buffer();
        let mut state = self.judge(board, region, sum, &mut found);
        if state.verdict.is_none() {
            for part in &found.parts {
                if !(part.points & state.region).is_empty() {
                    let keys = match board.frame.size().area() <= LARGEST_BOARD_OF_SHAPES {
                        true => self.shapes.keys(part, found.blocks(part)),
                        false => {
                            let key = found.key_in_place(part);
                            [key, !key]
                        }
                    };
                    for (all, key) in state.keys.iter_mut().zip(keys) {
                        *all = all.wrapping_add(scramble(key));
                    }
                }
            }
        }
        self.keep(found);
        state
    }

    /// Whether the side to move wins the position of a region and a sum, if the bounds decide.
    pub(super) fn verdict(
        &mut self,
        board: &mut Board<W>,
        region: Bits<W>,
        sum: Sum,
    ) -> Option<bool> {
        let mut found = self.buffer();
        let verdict = self.judge(board, region, sum, &mut found).verdict;
        self.keep(found);
        verdict
    }

    /// The position after a move in the sum, which leaves the board as it is.
    pub(super) fn after_sum_move(&mut self, state: &State<W>, sum: Sum, mover: Color) -> State<W> {
        let mut next = State { sum, ..*state };
        next.verdict = self.bounds_decide(&next, mover);
        next
    }

    /// The state without keys, and the parts found in it.
    fn judge(
        &mut self,
        board: &mut Board<W>,
        region: Bits<W>,
        sum: Sum,
        found: &mut Parts<W>,
    ) -> State<W> {
        let bounds = MoveBounds::new(board);
        let mut state = State {
            region: region & (board.legal[0] | board.legal[1]),
            sum,
            verdict: None,
            keys: [0; 2],
            gain: [0; 2],
            claims: [0; 2],
        };
        // Mostly there is no need for parts.
        self.bound(board, &bounds, &mut state);
        if state.verdict.is_some() {
            return state;
        }
        let spare = found.find(board, &bounds, state.region);
        let mut left = Bits::EMPTY;
        state.sum = state.sum.plus(spare);
        for part in &found.parts {
            if part.points.count() > LARGEST_PART || state.sum.is_full() {
                left |= part.points;
            } else {
                let value = self.value(board, found, part);
                state.sum.add(value, &self.values);
            }
        }
        if left != state.region {
            state.region = left;
            self.bound(board, &bounds, &mut state);
        }
        state
    }

    /// Sets bounds and verdict.
    fn bound(&mut self, board: &Board<W>, bounds: &MoveBounds<W>, state: &mut State<W>) {
        let (mover, region) = (board.to_move, state.region);
        let lower = [0, 1].map(|x| bounds.lower(board, x, region));
        let upper = [0, 1].map(|x| bounds.upper(board, x, region));
        state.gain = [lower[0] - upper[1], upper[0] - lower[1]];
        state.claims = [0; 2];
        state.verdict = self.bounds_decide(state, mover);
        let shared = (board.legal[0] & board.legal[1] & region).count() as i32;
        if state.verdict.is_some() || shared == 0 {
            return;
        }
        for x in 0..2 {
            let Some(needed) = self.claims_needed(state, mover, x, shared) else {
                continue;
            };
            state.claims[x] = bounds.claims(board, x, region, needed);
            state.verdict = self.bounds_decide(state, mover);
            if state.verdict.is_some() {
                return;
            }
        }
    }

    /// The fewest claims of colour `x` that would decide, if `most` would.
    fn claims_needed(
        &mut self,
        state: &State<W>,
        mover: Color,
        x: usize,
        most: i32,
    ) -> Option<i32> {
        let mut hoped = *state;
        let mut decide = |claims| {
            hoped.claims[x] = claims;
            self.bounds_decide(&hoped, mover).is_some()
        };
        let (mut few, mut enough) = (0, most);
        if !decide(most) {
            return None;
        }
        while few + 1 < enough {
            let middle = (few + enough) / 2;
            match decide(middle) {
                true => enough = middle,
                false => few = middle,
            }
        }
        Some(enough)
    }

    /// Whether the bounds would show that `side` wins if it gained `moves` more than is certain.
    pub(super) fn hopes(
        &mut self,
        state: &State<W>,
        mover: Color,
        side: Color,
        moves: i32,
    ) -> bool {
        let low = match side {
            Color::Black => state.gain[0],
            Color::White => -state.gain[1],
        };
        let sum = state.sum.plus(side.signed(low + moves));
        let mover_wins = self.winners.first_wins(mover, &sum, &self.values);
        mover_wins == (side == mover)
    }

    /// Whether `mover` wins, if the bounds decide: it gains at least `low` and at most `high` moves
    /// on the board. A claim is worth two moves, and each side gets every second one of its own.
    fn bounds_decide(&mut self, state: &State<W>, mover: Color) -> Option<bool> {
        let values = &self.values;
        let [low, high] = match mover {
            Color::Black => state.gain,
            Color::White => [-state.gain[1], -state.gain[0]],
        };
        let [mine, theirs] = [mover, mover.opponent()].map(|side| state.claims[side.index()]);
        let mut first_wins = |side, moves| {
            let sum = state.sum.plus(mover.signed(moves));
            self.winners.first_wins(side, &sum, values)
        };
        if first_wins(mover, low + mine / 2 * 2) {
            return Some(true);
        }
        // Of an odd number it takes one now.
        if mine % 2 == 1 && !first_wins(mover.opponent(), low + mine) {
            return Some(true);
        }
        if !first_wins(mover, high - theirs / 2 * 2) {
            return Some(false);
        }
        None
    }
}
