//! Victory by continuous fours: the attacker makes one four after the other, each with a single
//! answer, until there is none (docs/methods.md#threats).

use std::cmp::Reverse;

use super::board::Board;
use super::table::{Known, Table};
use crate::game::{Color, Game as _, Move};
use crate::games::gomoku::{Points, Shape};

/// No limit on the length of a line.
pub(super) const ANY_LENGTH: u16 = u16::MAX;

/// Stones put between two checks of the stop flag.
const ASK_EVERY: u64 = 256;

/// Occasionally checks whether to stop.
pub(super) struct Halt<'a> {
    ask: &'a dyn Fn(u64) -> bool,
    /// The board's nodes at the last check.
    asked: u64,
}

impl<'a> Halt<'a> {
    /// For a search that begins at this number of nodes.
    pub(super) fn new(ask: &'a dyn Fn(u64) -> bool, nodes: u64) -> Self {
        Halt { ask, asked: nodes }
    }

    /// Whether to stop, at this number of nodes.
    pub(super) fn is_due(&mut self, nodes: u64) -> bool {
        if nodes < self.asked + ASK_EVERY {
            return false;
        }
        self.asked = nodes;
        (self.ask)(nodes)
    }
}

/// A ply limit after one of them.
pub(super) fn one_less(plies: u16) -> u16 {
    match plies {
        ANY_LENGTH => ANY_LENGTH,
        _ => plies.saturating_sub(1),
    }
}

/// A search for such a line, with its own keys in the table.
pub(super) struct Fours<'a> {
    pub(super) board: &'a mut Board,
    pub(super) table: &'a mut Table,
    pub(super) attacker: Color,
    /// Remaining stones.
    pub(super) left: u64,
    /// Whether to stop, where that may matter.
    pub(super) halt: Option<Halt<'a>>,
    /// The line that was found, from its last move to its first.
    pub(super) line: Vec<Move>,
}

/// Result of a search for fours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// A win in this many plies.
    Win(u16),
    /// There is no such line.
    Nothing,
    /// The limits were too small to decide.
    Unknown,
}

impl Fours<'_> {
    /// Searches for a line of at most this many plies from a position with the attacker to move;
    /// [`Fours::line`] has it afterwards, last move first. Its last move is the four that has no
    /// answer (the five after it is left out), or a five.
    pub(super) fn search(&mut self, plies: u16) -> Finding {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        if let Some(five) = self.board.fives(attacker).lowest() {
            self.line = vec![five];
            return Finding::Win(1);
        }
        let theirs = self.board.fives(defender);
        if plies < 3 || !theirs.is_empty() && !theirs.is_single() {
            return Finding::Nothing;
        }
        let mut candidates = self.board.fours(attacker);
        if !theirs.is_empty() {
            candidates &= theirs;
        }
        if candidates.is_empty() {
            return Finding::Nothing;
        }
        let key = self.board.position.key() ^ salt(attacker);
        let mut first = None;
        match self.table.get(key) {
            Some(known) if known.is_win() && known.plies <= plies => first = known.best,
            Some(known) if known.disproof == 0 && known.plies >= plies => return Finding::Nothing,
            _ => {}
        }
        let before = self.left;
        let mut complete = true;
        for (_, mv) in self.order(candidates, first) {
            match self.attempt(mv, plies) {
                Finding::Win(plies) => {
                    self.line.push(mv);
                    let known = Known::win(plies, Some(mv));
                    self.table.put(key, known, before - self.left);
                    return Finding::Win(plies);
                }
                Finding::Nothing => {}
                Finding::Unknown => {
                    complete = false;
                    if self.left == 0 {
                        break;
                    }
                }
            }
        }
        if complete {
            let known = Known {
                plies,
                ..Known::refuted(0)
            };
            self.table.put(key, known, before - self.left);
            return Finding::Nothing;
        }
        Finding::Unknown
    }

    /// The most promising first, with its promise: immediate wins, then shapes better than a four.
    fn order(&self, candidates: Points, first: Option<Move>) -> Vec<(u32, Move)> {
        let worth = |mv: Move| -> u32 {
            if first == Some(mv) {
                return u32::MAX;
            }
            let shapes = self.board.map.shapes(self.attacker, mv);
            let worth = shapes.iter().map(|shape| match shape {
                Shape::StraightFour | Shape::TwoFours => 1000,
                Shape::Four => 100,
                Shape::Three => 30,
                Shape::ClosedThree => 12,
                Shape::Two => 4,
                Shape::ClosedTwo => 1,
                _ => 0,
            });
            worth.sum()
        };
        let mut moves: Vec<(u32, Move)> = candidates.iter().map(|mv| (worth(mv), mv)).collect();
        moves.sort_unstable_by_key(|&(worth, mv)| (Reverse(worth), mv));
        moves
    }

    /// Makes one four and continues from its answer.
    fn attempt(&mut self, mv: Move, plies: u16) -> Finding {
        if !self.board.may_attack(self.attacker, mv) {
            return Finding::Nothing;
        }
        let nodes = self.board.nodes;
        if self.left < 2 || self.halt.as_mut().is_some_and(|halt| halt.is_due(nodes)) {
            self.left = 0;
            return Finding::Unknown;
        }
        self.left -= 1;
        self.board.put(self.attacker, mv);
        let found = self.answered(plies);
        self.board.take_back(self.attacker, mv);
        found
    }

    fn answered(&mut self, plies: u16) -> Finding {
        let defender = self.attacker.opponent();
        if !self.board.fives(defender).is_empty() {
            return Finding::Nothing;
        }
        let answers = self.board.answers_to_four(self.attacker);
        if answers.is_empty() {
            // A side without any move is not beaten, but gets a draw.
            return match self.board.position.has_move(defender) {
                true => {
                    self.line.clear();
                    Finding::Win(3)
                }
                false => Finding::Nothing,
            };
        }
        let (Some(answer), true) = (answers.lowest(), answers.is_single()) else {
            return Finding::Nothing;
        };
        self.left -= 1;
        self.board.put(defender, answer);
        // An unlimited refutation is valid for every search that reaches the position again.
        let found = self.search(one_less(one_less(plies)));
        self.board.take_back(defender, answer);
        match found {
            Finding::Win(plies) => {
                self.line.push(answer);
                Finding::Win(plies + 2)
            }
            other => other,
        }
    }
}

/// Part of the keys of this search besides the stones.
const fn salt(attacker: Color) -> u128 {
    match attacker {
        Color::Black => 0x6f75_7273_0b1a_c4d5_91d0_55c1_3a7e_8f21,
        Color::White => 0x2f0c_99e1_77b3_14a6_e83b_60fd_4c92_d5b7,
    }
}
