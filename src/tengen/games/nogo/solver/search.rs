//! Boolean alpha-beta: does the side to move win?
//!
//! A position is decided, in this order, by the [bounds](super::state) of its parts and the values
//! of the small ones, by the table, by a [promise](super::kept_eyes), or by its moves: those on the
//! board in the larger parts, and those in the values. The key of a position consists of its larger
//! parts and the values of its small ones: stones that no longer matter, spare moves already played
//! and the places of equal parts make no difference. Several threads search the same position and
//! share the table; each defers moves that another one is searching (Weill's ABDADA, 1996).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::analyst::Analyst;
use super::board::{Board, Undo};
use super::kept_eyes;
use super::order::{History, board_order, game_order, number_order, value_order};
use super::state::State;
use super::sum::Sum;
use super::table::ProofTable;
use crate::game::{Color, Move};
use crate::solver::SolveLimits;

/// Moves on the board from which all successors are analysed before one is searched: some are
/// decided (enhanced transposition cutoffs), and the others are ordered by their bounds.
const LOOK_AHEAD: usize = 12;

/// Moves from which threads announce what they search: smaller trees are not worth it.
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

    fn busy(&self, key: u128) -> Option<&AtomicU64> {
        self.busy
            .get(key as usize & self.busy.len().wrapping_sub(1))
    }
}

/// The search was stopped.
#[derive(Debug)]
pub(super) struct Halted;

/// What is known about a position without a search.
enum Look {
    Decided(bool),
    /// Nothing; its key.
    Open(u128),
}

/// A move of a position being searched.
#[derive(Debug, Clone, Copy)]
enum Choice {
    /// On the board.
    Point(Move),
    /// In the sum, with what the sum becomes.
    Sum(u32),
}

/// A choice with its place in the order.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    choice: Choice,
    /// Sort key, ascending.
    order: i32,
    /// The position after it, if it has been analysed.
    next: Option<u32>,
    /// Deferred because another thread searches it.
    later: bool,
}

impl Ordered {
    fn new(choice: Choice, order: i32, next: Option<u32>) -> Self {
        Ordered {
            choice,
            order,
            next,
            later: false,
        }
    }
}

/// One thread's search.
pub(super) struct Search<'s, const W: usize> {
    board: Board<W>,
    memory: &'s ProofTable,
    analyst: &'s mut Analyst<W>,
    shared: &'s Shared<'s>,
    /// Positions visited.
    nodes: u64,
    history: History<W>,
    /// The choices of all positions on the path.
    choices: Vec<Ordered>,
    /// Analysed positions after them.
    states: Vec<State<W>>,
    sums: Vec<Sum>,
}

impl<'s, const W: usize> Search<'s, W> {
    pub(super) fn new(
        board: Board<W>,
        memory: &'s ProofTable,
        analyst: &'s mut Analyst<W>,
        shared: &'s Shared<'s>,
    ) -> Self {
        analyst.prepare();
        Search {
            board,
            memory,
            analyst,
            shared,
            nodes: 0,
            history: History::default(),
            choices: Vec::with_capacity(512),
            states: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Searches the position: whether the side to move wins, and with which move. Stops the other
    /// threads when done.
    pub(super) fn run(mut self) -> Result<(bool, Option<Move>), Halted> {
        let result = self.root();
        if result.is_ok() {
            self.shared.done.store(true, Ordering::Relaxed);
        }
        let rest = self.nodes % PERIOD;
        self.shared.nodes.fetch_add(rest, Ordering::Relaxed);
        result
    }

    /// As [`Search::wins`], but a win comes with a move, if the limits suffice for both.
    fn root(&mut self) -> Result<(bool, Option<Move>), Halted> {
        if !self.wins()? {
            return Ok((false, None));
        }
        // Mostly the search has proven one. It need not have: moves in values stand for others.
        let legal = self.board.legal[self.board.to_move.index()];
        for search in [false, true] {
            for mv in legal.iter() {
                let undo = self.board.play(mv);
                let next = self.analyst.whole(&mut self.board);
                let wins = match self.look(&next) {
                    Look::Decided(wins) => Ok(wins),
                    Look::Open(_) if search => self.visit(&next),
                    Look::Open(_) => Ok(true),
                };
                self.board.take_back(&undo);
                match wins {
                    Ok(true) => {}
                    Ok(false) => return Ok((true, Some(mv))),
                    Err(Halted) => return Ok((true, None)),
                }
            }
        }
        Ok((true, None))
    }

    /// Whether the side to move wins.
    pub(super) fn wins(&mut self) -> Result<bool, Halted> {
        let state = self.analyst.whole(&mut self.board);
        self.visit(&state)
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

    /// Whether the side to move wins in this state of the board.
    fn visit(&mut self, state: &State<W>) -> Result<bool, Halted> {
        self.count()?;
        match self.look(state) {
            Look::Decided(wins) => Ok(wins),
            Look::Open(key) => self.expand(state, key),
        }
    }

    fn number(&self, state: &State<W>) -> i32 {
        self.board.to_move.signed(state.sum.number)
    }

    fn look(&mut self, state: &State<W>) -> Look {
        if let Some(wins) = state.verdict {
            return Look::Decided(wins);
        }
        let key = state.key(self.board.to_move, &self.analyst.values);
        match self.memory.get(key, self.number(state)) {
            Some(wins) => Look::Decided(wins),
            None => Look::Open(key),
        }
    }

    /// Searches an undecided position.
    fn expand(&mut self, state: &State<W>, key: u128) -> Result<bool, Halted> {
        let number = self.number(state);
        if let Some(wins) = kept_eyes::verdict(self.analyst, &mut self.board, state) {
            self.memory.put(key, number, wins, 1);
            return Ok(wins);
        }
        let first_node = self.nodes;
        let marks = (self.choices.len(), self.states.len(), self.sums.len());
        let wins = self.list(state) || self.try_choices(state, key, marks.0)?;
        self.choices.truncate(marks.0);
        self.states.truncate(marks.1);
        self.sums.truncate(marks.2);
        let cost = self.nodes - first_node + 1;
        self.memory.put(key, number, wins, cost);
        Ok(wins)
    }

    /// Lists the choices in the order in which they should be tried, but for those that are known
    /// to lose; returns whether one is known to win.
    fn list(&mut self, state: &State<W>) -> bool {
        let start = self.choices.len();
        let mover = self.board.to_move;
        let moves = state.region & self.board.legal[mover.index()];
        let look_ahead = moves.count() >= LOOK_AHEAD;
        for mv in moves.iter() {
            let undo = self.board.play(mv);
            let mut order = board_order(&self.board, state.region) - self.history.order(mover, mv);
            let mut next = None;
            let mut decided = None;
            if look_ahead {
                let state = self.analyst.state(&mut self.board, state.region, state.sum);
                match self.look(&state) {
                    Look::Decided(wins) => decided = Some(wins),
                    Look::Open(_) => {
                        order -= value_order(&state, mover);
                        next = Some(self.states.len() as u32);
                        self.states.push(state);
                    }
                }
            }
            self.board.take_back(&undo);
            match decided {
                Some(false) => return true,
                Some(true) => {}
                None => (self.choices).push(Ordered::new(Choice::Point(mv), order, next)),
            }
        }
        self.list_sum_moves(state, mover);
        self.choices[start..].sort_by_key(|ordered| ordered.order);
        false
    }

    /// Lists the moves in values, and the one in the number.
    fn list_sum_moves(&mut self, state: &State<W>, mover: Color) {
        // As if the board stayed as it is, with the other side to move.
        self.board.pass();
        let base = board_order(&self.board, state.region);
        self.board.pass();
        let values = &self.analyst.values;
        let (choices, sums) = (&mut self.choices, &mut self.sums);
        let mut push = |sum, order| {
            choices.push(Ordered::new(Choice::Sum(sums.len() as u32), order, None));
            sums.push(sum);
        };
        for i in state.sum.distinct() {
            let game = state.sum.games()[i];
            let [left, right] = values.stops(game);
            for &option in values.options(game, mover) {
                let [after_left, after_right] = values.stops(option);
                let gain = mover.signed(after_left + after_right - left - right);
                push(state.sum.replace(i, option, values), game_order(base, gain));
            }
        }
        if let Some(sum) = state.sum.number_move(mover) {
            push(sum, number_order(base));
        }
    }

    /// Makes a choice: the state after it, and how to undo it.
    fn make(&mut self, state: &State<W>, ordered: &Ordered) -> (State<W>, Option<Undo<W>>) {
        match ordered.choice {
            Choice::Point(mv) => {
                let undo = self.board.play(mv);
                let next = match ordered.next {
                    Some(next) => self.states[next as usize],
                    None => self.analyst.state(&mut self.board, state.region, state.sum),
                };
                (next, Some(undo))
            }
            Choice::Sum(sum) => {
                self.board.pass();
                let sum = self.sums[sum as usize];
                let next = self.analyst.after_sum_move(state, sum, self.board.to_move);
                (next, None)
            }
        }
    }

    /// Tries the listed choices; returns whether one wins.
    fn try_choices(&mut self, state: &State<W>, key: u128, start: usize) -> Result<bool, Halted> {
        let mover = self.board.to_move;
        let number = self.number(state);
        let share = !self.shared.busy.is_empty() && self.choices.len() - start >= SHARE;
        let mut waiting = false;
        for round in 0..2 {
            for i in start..self.choices.len() {
                let ordered = self.choices[i];
                if round == 1 && !ordered.later {
                    continue;
                }
                let (next, undo) = self.make(state, &ordered);
                let defer = share && round == 0 && i > start;
                let wins = self.visit_shared(&next, share, defer);
                match &undo {
                    Some(undo) => self.board.take_back(undo),
                    None => self.board.pass(),
                }
                let Some(wins) = wins? else {
                    self.choices[i].later = true;
                    waiting = true;
                    continue;
                };
                if let Choice::Point(mv) = ordered.choice {
                    self.history.count(mover, mv, !wins);
                }
                if !wins {
                    return Ok(true);
                }
                // Another thread may have decided this position meanwhile.
                if share && let Some(known) = self.memory.get(key, number) {
                    return Ok(known);
                }
            }
            if !waiting {
                break;
            }
        }
        Ok(false)
    }

    /// As [`Search::visit`], and tells the other threads, if they `share`; `None` if another one
    /// searches this position and it may be deferred, which needs sharing.
    fn visit_shared(
        &mut self,
        state: &State<W>,
        share: bool,
        defer: bool,
    ) -> Result<Option<bool>, Halted> {
        self.count()?;
        let key = match self.look(state) {
            Look::Decided(wins) => return Ok(Some(wins)),
            Look::Open(key) => key,
        };
        let (shared, own) = (self.shared, (key >> 64) as u64);
        let place = shared.busy(key).filter(|_| share);
        if defer && place.is_some_and(|place| place.load(Ordering::Relaxed) == own) {
            return Ok(None);
        }
        let announce = |key| {
            if let Some(place) = place {
                place.store(key, Ordering::Relaxed);
            }
        };
        announce(own);
        let wins = self.expand(state, key);
        announce(0);
        wins.map(Some)
    }
}
