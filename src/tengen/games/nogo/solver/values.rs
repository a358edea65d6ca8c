//! Values of combinatorial games under normal play, in canonical form. Black is Left.
//!
//! Every game is stored once, so equal values have equal numbers; comparisons and sums are
//! memoised. Definitions, stops and the reduction to canonical form: Siegel, *Combinatorial Game
//! Theory* (2013), chapter II.

use std::collections::HashMap;

use super::hash::{Mixed, scramble};
use crate::game::Color;

/// A value: its index in the [`Values`] that created it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(u32);

/// Zero, the value of a finished game.
pub(super) const ZERO: Value = Value(0);

/// Numbers are stored in units of 1/64. A game of seven moves has no finer ones.
pub(super) const ONE: i32 = 64;

#[derive(Debug)]
struct Game {
    /// Where the options of Left and Right are in the pool: ascending, none dominated or
    /// reversible.
    options: [(u32, u32); 2],
    /// In units of 1/64.
    number: Option<i32>,
    /// The numbers that the game comes to if Left or Right moves first, in units of 1/64.
    stops: [i32; 2],
    /// Of the game and of its negative; the same in every `Values`.
    hashes: [u128; 2],
}

/// All values so far.
#[derive(Debug)]
pub(super) struct Values {
    games: Vec<Game>,
    /// The options of all games.
    pool: Vec<Value>,
    known: HashMap<u128, Value, Mixed>,
    at_most: HashMap<(Value, Value), bool, Mixed>,
    sums: HashMap<(Value, Value), Value, Mixed>,
}

impl Values {
    pub(super) fn new() -> Values {
        let mut values = Values {
            games: Vec::new(),
            pool: Vec::new(),
            known: HashMap::default(),
            at_most: HashMap::default(),
            sums: HashMap::default(),
        };
        values.intern(&[Vec::new(), Vec::new()]);
        values
    }

    /// Number of games, comparisons and sums kept.
    pub(super) fn len(&self) -> usize {
        self.games.len() + self.at_most.len() + self.sums.len()
    }

    fn game(&self, value: Value) -> &Game {
        &self.games[value.0 as usize]
    }

    /// In units of 1/64.
    pub(super) fn number(&self, value: Value) -> Option<i32> {
        self.game(value).number
    }

    /// The numbers that the game comes to if Left or Right moves first, in units of 1/64.
    pub(super) fn stops(&self, value: Value) -> [i32; 2] {
        self.game(value).stops
    }

    /// A hash of the game as `side` sees it: White's games are turned into Black's.
    pub(super) fn hash(&self, value: Value, side: Color) -> u128 {
        self.game(value).hashes[side.index()]
    }

    pub(super) fn options(&self, value: Value, side: Color) -> &[Value] {
        let (start, end) = self.game(value).options[side.index()];
        &self.pool[start as usize..end as usize]
    }

    /// The integer `n`.
    pub(super) fn integer(&mut self, n: i32) -> Value {
        let mut value = ZERO;
        for _ in 0..n.abs() {
            let (own, none) = (vec![value], Vec::new());
            value = self.intern(&if n > 0 { [own, none] } else { [none, own] });
        }
        value
    }

    /// The game with these options in canonical form.
    fn intern(&mut self, options: &[Vec<Value>; 2]) -> Value {
        let hashes = Color::BOTH.map(|seen_by| {
            let mut hash: u128 = 0x6a09_e667_f3bc_c908_bb67_ae85_84ca_a73b;
            for (place, side) in [seen_by, seen_by.opponent()].into_iter().enumerate() {
                // A sum, because the order of options depends on the order of creation.
                let of = |&v: &Value| scramble(self.hash(v, seen_by) ^ (place as u128 + 1));
                let sum = options[side.index()].iter().map(of);
                hash = scramble(hash ^ sum.fold(0, u128::wrapping_add));
            }
            hash
        });
        if let Some(&value) = self.known.get(&hashes[0]) {
            return value;
        }
        let number = self.number_of(options);
        let [lefts, rights] = options;
        let stops = number.map_or_else(
            || {
                let left = lefts.iter().map(|&option| self.stops(option)[1]).max();
                let right = rights.iter().map(|&option| self.stops(option)[0]).min();
                // In canonical form only integers have options on one side.
                [left.unwrap_or_default(), right.unwrap_or_default()]
            },
            |number| [number; 2],
        );
        debug_assert!(stops[0] >= stops[1], "a number finer than 1/64");
        let mut place = |list: &Vec<Value>| {
            let start = self.pool.len() as u32;
            self.pool.extend_from_slice(list);
            (start, self.pool.len() as u32)
        };
        let options = [place(lefts), place(rights)];
        let value = Value(self.games.len() as u32);
        self.games.push(Game {
            options,
            number,
            stops,
            hashes,
        });
        self.known.insert(hashes[0], value);
        value
    }

    fn number_of(&self, [left, right]: &[Vec<Value>; 2]) -> Option<i32> {
        let bound = |list: &[Value]| match list {
            [] => Some(None),
            [one] => self.number(*one).map(Some),
            _ => None,
        };
        match (bound(left)?, bound(right)?) {
            (None, None) => Some(0),
            (Some(l), None) => Some(l + ONE),
            (None, Some(r)) => Some(r - ONE),
            (Some(l), Some(r)) => (l < r && (l + r) % 2 == 0).then_some((l + r) / 2),
        }
    }

    /// -value.
    pub(super) fn negative(&mut self, value: Value) -> Value {
        if let Some(&negative) = self.known.get(&self.hash(value, Color::White)) {
            return negative;
        }
        let options = [Color::White, Color::Black].map(|side| {
            let mut list = self.options(value, side).to_vec();
            list.iter_mut().for_each(|one| *one = self.negative(*one));
            list.sort();
            list
        });
        self.intern(&options)
    }

    /// a <= b.
    pub(super) fn at_most(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
            return a <= b;
        }
        // The stops of a smaller game are no larger; and what stops below where the other stops at
        // worst is smaller.
        let (low, high) = (self.stops(a), self.stops(b));
        if low[0] > high[0] || low[1] > high[1] {
            return false;
        }
        if low[0] < high[1] {
            return true;
        }
        if let Some(&known) = self.at_most.get(&(a, b)) {
            return known;
        }
        let result = !self.any_option(a, Color::Black, |all, left| all.at_most(b, left))
            && !self.any_option(b, Color::White, |all, right| all.at_most(right, a));
        self.at_most.insert((a, b), result);
        result
    }

    /// Whether a is no better than b for `side`.
    fn no_better(&mut self, side: Color, a: Value, b: Value) -> bool {
        match side {
            Color::Black => self.at_most(a, b),
            Color::White => self.at_most(b, a),
        }
    }

    /// Whether `holds` for an option of `side`.
    fn any_option(
        &mut self,
        value: Value,
        side: Color,
        mut holds: impl FnMut(&mut Values, Value) -> bool,
    ) -> bool {
        (0..self.options(value, side).len()).any(|i| {
            let option = self.options(value, side)[i];
            holds(self, option)
        })
    }

    /// The value of the position from which Left moves to one of `left`, Right to one of `right`.
    pub(super) fn position(&mut self, left: Vec<Value>, right: Vec<Value>) -> Value {
        let mut options = [left, right];
        loop {
            for side in [Color::Black, Color::White] {
                self.drop_dominated(&mut options[side.index()], side);
            }
            let changed =
                self.bypass(&mut options, Color::Black) | self.bypass(&mut options, Color::White);
            if !changed {
                break;
            }
        }
        options.iter_mut().for_each(|list| list.sort());
        self.intern(&options)
    }

    fn drop_dominated(&mut self, list: &mut Vec<Value>, side: Color) {
        list.sort();
        list.dedup();
        let all = list.clone();
        list.retain(|&one| {
            let mut others = all.iter().filter(|&&other| other != one);
            !others.any(|&other| self.no_better(side, one, other))
        });
    }

    /// Replaces a reversible option of `side`: one that the other side can answer by something no
    /// worse for itself than the whole game.
    fn bypass(&mut self, options: &mut [Vec<Value>; 2], side: Color) -> bool {
        for i in 0..options[side.index()].len() {
            let option = options[side.index()][i];
            for answer in self.options(option, side.opponent()).to_vec() {
                if self.no_better_than_game(side, answer, options) {
                    let better = self.options(answer, side).to_vec();
                    options[side.index()].swap_remove(i);
                    options[side.index()].extend(better);
                    return true;
                }
            }
        }
        false
    }

    /// Whether a value is no better for `side` than the game with these options: the other side has no option in the
    /// game that is no better than the value, and `side` none in the value that is no worse than the game.
    fn no_better_than_game(
        &mut self,
        side: Color,
        value: Value,
        options: &[Vec<Value>; 2],
    ) -> bool {
        let other = side.opponent();
        let mut answers = options[other.index()].iter();
        !answers.any(|&answer| self.no_better(side, answer, value))
            && !self.any_option(value, side, |all, option| {
                all.no_better_than_game(other, option, options)
            })
    }

    /// a + b.
    pub(super) fn add(&mut self, a: Value, b: Value) -> Value {
        if a == ZERO {
            return b;
        }
        if b == ZERO {
            return a;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&sum) = self.sums.get(&pair) {
            return sum;
        }
        let mut lists = [Vec::new(), Vec::new()];
        for side in Color::BOTH {
            for (moved, other) in [(a, b), (b, a)] {
                // Moves in a number are never better than moves elsewhere (number translation).
                if self.number(moved).is_some() && self.number(other).is_none() {
                    continue;
                }
                for option in self.options(moved, side).to_vec() {
                    let sum = self.add(option, other);
                    lists[side.index()].push(sum);
                }
            }
        }
        let [left, right] = lists;
        let sum = self.position(left, right);
        self.sums.insert(pair, sum);
        sum
    }
}

#[cfg(test)]
pub(super) mod tests;
