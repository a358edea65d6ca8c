//! Boolean alpha-beta: does the side to move win?
//!
//! A position is decided, in this order, by having no move, by the [bounds](super::bounds), as a
//! sum of [small parts](super::parts), by the table, or by its moves. Moves that leave the opponent
//! few exclusive points come first. The key of a position consists of its larger parts and the
//! values of its small ones: stones that no longer matter, spare moves already played and the
//! places of equal parts make no difference. Several threads search the same position and share the table;
//! each defers moves that another one is searching (Weill's ABDADA, 1996).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::board::Board;
use super::bounds::MoveBounds;
use super::parts::PartValues;
use super::table::{Known, ProofTable};
use crate::game::{Bits, Move};
use crate::solver::SolveLimits;

/// Legal moves from which all successors are looked up before one is searched (enhanced
/// transposition cutoffs). Lower saves nodes and costs time: with 0, 30% fewer nodes take twice as
/// long (positions at ply 54 of RAVE games).
const LOOK_AHEAD: usize = 12;

/// Legal moves from which threads announce what they search: smaller trees are not worth it.
const SHARE: usize = 10;

/// Nodes between checks of the limits.
const PERIOD: u64 = 256;

/// State shared by the threads of one search.
pub(super) struct Shared<'s> {
    effort: SolveLimits<'s>,
    /// Set when one thread has the result.
    done: AtomicBool,
    nodes: AtomicU64,
    /// Keys of positions being searched; empty with one thread.
    busy: Vec<AtomicU64>,
}

impl<'s> Shared<'s> {
    pub(super) fn new(effort: &SolveLimits<'s>) -> Self {
        let busy = if effort.threads > 1 { 1 << 14 } else { 0 };
        Shared {
            effort: *effort,
            done: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            busy: (0..busy).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Positions visited by all threads, available once they have ended.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Tells the other threads to stop.
    fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    fn busy(&self, key: u64) -> Option<&AtomicU64> {
        self.busy
            .get(key as usize & self.busy.len().wrapping_sub(1))
    }
}

/// The search was stopped.
#[derive(Debug)]
pub(super) struct Halted;

/// A move of a position being searched.
#[derive(Debug, Clone, Copy)]
struct OrderedMove {
    mv: Move,
    /// Sort key, ascending.
    order: i16,
    /// Deferred because another thread searches it.
    later: bool,
}

/// One thread's search.
pub(super) struct Search<'s, const W: usize> {
    board: Board<W>,
    memory: &'s ProofTable,
    part_values: &'s mut PartValues<W>,
    shared: &'s Shared<'s>,
    /// Positions visited.
    nodes: u64,
    /// The moves of all positions on the path.
    choices: Vec<OrderedMove>,
}

impl<'s, const W: usize> Search<'s, W> {
    pub(super) fn new(
        board: Board<W>,
        memory: &'s ProofTable,
        part_values: &'s mut PartValues<W>,
        shared: &'s Shared<'s>,
    ) -> Self {
        Search {
            board,
            memory,
            part_values,
            shared,
            nodes: 0,
            choices: Vec::with_capacity(512),
        }
    }

    /// Searches the position: whether the side to move wins, and with which move. Stops the other
    /// threads when done.
    pub(super) fn run(mut self) -> Result<Known, Halted> {
        let result = self.root();
        if result.is_ok() {
            self.shared.finish();
        }
        let rest = self.nodes % PERIOD;
        self.shared.nodes.fetch_add(rest, Ordering::Relaxed);
        result
    }

    /// As [`Search::wins`], but a win comes with a move.
    fn root(&mut self) -> Result<Known, Halted> {
        let wins = self.wins()?;
        let lost = Known { wins, best: None };
        if !wins {
            return Ok(lost);
        }
        let mover = self.board.to_move;
        let sum = self.part_values.sum(&mut self.board);
        let key = self.part_values.key(&sum, mover);
        // The same key may belong to a position with the same parts but other moves.
        let known = self.memory.get(key).and_then(|known| known.best);
        let known = known.filter(|&best| self.board.legal[mover.index()].contains(best));
        let start = self.choices.len();
        self.list_moves(self.board.legal[mover.index()]);
        let listed: Vec<Move> = self.choices.drain(start..).map(|c| c.mv).collect();
        for mv in known.into_iter().chain(listed) {
            let undo = self.board.play(mv);
            let wins = self.wins();
            self.board.take_back(&undo);
            if !wins? {
                return Ok(Known {
                    wins: true,
                    best: Some(mv),
                });
            }
        }
        // One of the moves wins, since the position does.
        Ok(Known { wins, best: None })
    }

    fn count(&mut self) -> Result<(), Halted> {
        let limit = self.shared.effort.nodes;
        if self.nodes >= limit {
            return Err(Halted);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(PERIOD) {
            let all = self.shared.nodes.fetch_add(PERIOD, Ordering::Relaxed) + PERIOD;
            let done = self.shared.done.load(Ordering::Relaxed);
            if done || all > limit || (self.shared.effort.halt)(all) {
                return Err(Halted);
            }
        }
        Ok(())
    }

    /// Whether the side to move wins.
    pub(super) fn wins(&mut self) -> Result<bool, Halted> {
        self.count()?;
        let mover = self.board.to_move;
        let legal = self.board.legal[mover.index()];
        if legal.is_empty() {
            return Ok(false);
        }
        let bounds = MoveBounds::new(&self.board);
        if let Some(wins) = bounds.verdict() {
            return Ok(wins);
        }
        // Spare moves are equivalent: one represents all.
        let spare = bounds.spare[mover.index()];
        let mut moves = legal & !spare;
        if let Some(one) = spare.lowest() {
            moves.insert(one);
        }
        let sum = self.part_values.sum(&mut self.board);
        if let Some(wins) = self.part_values.verdict(&sum, mover) {
            return Ok(wins);
        }
        let key = self.part_values.key(&sum, mover);
        if let Some(known) = self.memory.get(key) {
            return Ok(known.wins);
        }
        let (first_node, start) = (self.nodes, self.choices.len());
        let known = if moves.count() >= LOOK_AHEAD {
            self.look_ahead(moves)
        } else {
            self.list_moves(moves);
            None
        };
        let best = match known {
            Some(mv) => Some(mv),
            None => self.try_moves(start, key)?,
        };
        self.choices.truncate(start);
        let cost = self.nodes - first_node + 1;
        self.memory.put(key, best.is_some(), best, cost);
        Ok(best.is_some())
    }

    /// Lists moves in the order in which they should be tried.
    fn list_moves(&mut self, moves: Bits<W>) {
        let start = self.choices.len();
        for mv in moves.iter() {
            let undo = self.board.play(mv);
            let order = self.order();
            self.board.take_back(&undo);
            self.choices.push(OrderedMove {
                mv,
                order,
                later: false,
            });
        }
        self.choices[start..].sort_by_key(|choice| choice.order);
    }

    /// As [`Search::list_moves`], without moves that are known to lose; a move that is known to win
    /// is returned.
    fn look_ahead(&mut self, moves: Bits<W>) -> Option<Move> {
        let start = self.choices.len();
        for mv in moves.iter() {
            let undo = self.board.play(mv);
            let order = self.order();
            let mover = self.board.to_move;
            let sum = self.part_values.sum(&mut self.board);
            let known = self.memory.get(self.part_values.key(&sum, mover));
            self.board.take_back(&undo);
            match known {
                Some(known) if !known.wins => return Some(mv),
                Some(_) => {}
                None => self.choices.push(OrderedMove {
                    mv,
                    order,
                    later: false,
                }),
            }
        }
        self.choices[start..].sort_by_key(|choice| choice.order);
        None
    }

    /// Sort key of the move just played: exclusive points are good for their side, shared points
    /// are unsettled. The weights solved most of 120 positions at plies 52 to 56 (81 against 69
    /// with 1, 1, 0).
    fn order(&self) -> i16 {
        let [theirs, mine] = [self.board.to_move, self.board.to_move.opponent()]
            .map(|side| self.board.legal[side.index()]);
        let count = |points: Bits<W>| points.count() as i16;
        4 * count(theirs & !mine) - 3 * count(mine & !theirs) + 2 * count(theirs & mine)
    }

    /// Tries the listed moves; returns a winning one, if any.
    fn try_moves(&mut self, start: usize, key: u128) -> Result<Option<Move>, Halted> {
        let share = !self.shared.busy.is_empty() && self.choices.len() - start >= SHARE;
        let mut waiting = false;
        for round in 0..2 {
            for i in start..self.choices.len() {
                let choice = self.choices[i];
                if round == 1 && !choice.later {
                    continue;
                }
                let undo = self.board.play(choice.mv);
                let place = share.then(|| self.board.key() as u64).and_then(|own| {
                    let place = self.shared.busy(own)?;
                    Some((place, own))
                });
                if let Some((place, own)) = place
                    && round == 0
                    && i > start
                    && place.load(Ordering::Relaxed) == own
                {
                    self.board.take_back(&undo);
                    self.choices[i].later = true;
                    waiting = true;
                    continue;
                }
                if let Some((place, own)) = place {
                    place.store(own, Ordering::Relaxed);
                }
                let wins = self.wins();
                if let Some((place, _)) = place {
                    place.store(0, Ordering::Relaxed);
                }
                self.board.take_back(&undo);
                if !wins? {
                    return Ok(Some(choice.mv));
                }
                // Another thread may have decided this position meanwhile.
                if share && let Some(known) = self.memory.get(key) {
                    return Ok(known.best.filter(|_| known.wins));
                }
            }
            if !waiting {
                break;
            }
        }
        Ok(None)
    }
}
