//! Values of combinatorial games under normal play, in canonical form: values of independent parts,
//! and the winner of their sum. Black is Left.
//!
//! Every game is stored once, so equal values have equal numbers; comparisons and sums are
//! memoised. Definitions and the reduction to canonical form: Siegel, *Combinatorial Game Theory*
//! (2013), chapter II.

use std::collections::HashMap;

use super::hash::{Mixed, scramble};
use crate::game::Color;

/// A value: its index in the [`Values`] that created it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(u32);

/// Zero, the value of a finished game.
pub(super) const ZERO: Value = Value(0);

/// Numbers are stored in units of 1/64; games with finer ones are left to the search.
pub(super) const ONE: i32 = 64;

#[derive(Debug)]
struct Game {
    /// Options of Left and Right, ascending, none dominated or reversible.
    options: [Box<[Value]>; 2],
    /// In units of 1/64.
    number: Option<i32>,
    /// The same in every `Values`.
    hash: u128,
}

/// All values so far.
#[derive(Debug)]
pub(super) struct Values {
    games: Vec<Game>,
    known: HashMap<[Box<[Value]>; 2], Value, Mixed>,
    at_most: HashMap<(Value, Value), bool, Mixed>,
    sums: HashMap<(Value, Value), Value, Mixed>,
    wins: HashMap<u128, bool, Mixed>,
}

impl Values {
    pub(super) fn new() -> Values {
        let mut values = Values {
            games: Vec::new(),
            known: HashMap::default(),
            at_most: HashMap::default(),
            sums: HashMap::default(),
            wins: HashMap::default(),
        };
        values.intern([Box::default(), Box::default()]);
        values
    }

    /// Number of games kept.
    pub(super) fn len(&self) -> usize {
        self.games.len() + self.wins.len() + self.at_most.len() + self.sums.len()
    }

    /// In units of 1/64.
    pub(super) fn number(&self, value: Value) -> Option<i32> {
        self.games[value.0 as usize].number
    }

    pub(super) fn hash(&self, value: Value) -> u128 {
        self.games[value.0 as usize].hash
    }

    fn options(&self, value: Value, side: Color) -> &[Value] {
        &self.games[value.0 as usize].options[side.index()]
    }

    /// The integer `n`.
    pub(super) fn integer(&mut self, n: i32) -> Value {
        let mut value = ZERO;
        for _ in 0..n.abs() {
            let own: Box<[Value]> = Box::new([value]);
            let options = if n > 0 {
                [own, Box::default()]
            } else {
                [Box::default(), own]
            };
            value = self.intern(options);
        }
        value
    }

    /// The game with these options in canonical form.
    fn intern(&mut self, options: [Box<[Value]>; 2]) -> Value {
        if let Some(&value) = self.known.get(&options) {
            return value;
        }
        let number = self.number_of(&options);
        let mut hash: u128 = 0x6a09_e667_f3bc_c908_bb67_ae85_84ca_a73b;
        for (side, list) in options.iter().enumerate() {
            // A sum, because the order of options depends on the order of creation.
            let of = |v: &Value| scramble(self.hash(*v) ^ (side as u128 + 1));
            let sum = list.iter().map(of).fold(0, u128::wrapping_add);
            hash = scramble(hash ^ sum);
        }
        let value = Value(self.games.len() as u32);
        self.games.push(Game {
            options: options.clone(),
            number,
            hash,
        });
        self.known.insert(options, value);
        value
    }

    fn number_of(&self, [left, right]: &[Box<[Value]>; 2]) -> Option<i32> {
        let bound = |list: &[Value]| match list {
            [] => Some(None),
            [one] => self.number(*one).map(Some),
            _ => None,
        };
        match (bound(left)?, bound(right)?) {
            (None, None) => Some(0),
            // In canonical form only integers have options on one side.
            (Some(l), None) => Some(l + ONE),
            (None, Some(r)) => Some(r - ONE),
            (Some(l), Some(r)) => (l < r && (l + r) % 2 == 0).then_some((l + r) / 2),
        }
    }

    /// a <= b.
    pub(super) fn at_most(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
            return a <= b;
        }
        if let Some(&known) = self.at_most.get(&(a, b)) {
            return known;
        }
        let lefts = self.options(a, Color::Black).to_vec();
        let rights = self.options(b, Color::White).to_vec();
        let result = !lefts.into_iter().any(|l| self.at_most(b, l))
            && !rights.into_iter().any(|r| self.at_most(r, a));
        self.at_most.insert((a, b), result);
        result
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
        self.intern(options.map(Vec::into_boxed_slice))
    }

    fn drop_dominated(&mut self, list: &mut Vec<Value>, side: Color) {
        list.sort();
        list.dedup();
        let all = list.clone();
        list.retain(|&one| {
            !all.iter().any(|&other| {
                other != one
                    && match side {
                        Color::Black => self.at_most(one, other),
                        Color::White => self.at_most(other, one),
                    }
            })
        });
    }

    /// Replaces a reversible option of `side`: one that the other side can answer by something no
    /// worse for itself than the whole game.
    fn bypass(&mut self, options: &mut [Vec<Value>; 2], side: Color) -> bool {
        for i in 0..options[side.index()].len() {
            let option = options[side.index()][i];
            for answer in self.options(option, side.opponent()).to_vec() {
                let reverses = match side {
                    Color::Black => self.below_game(answer, options),
                    Color::White => self.above_game(answer, options),
                };
                if reverses {
                    let better = self.options(answer, side).to_vec();
                    options[side.index()].swap_remove(i);
                    options[side.index()].extend(better);
                    return true;
                }
            }
        }
        false
    }

    /// value <= the game with these options.
    fn below_game(&mut self, value: Value, options: &[Vec<Value>; 2]) -> bool {
        // No right option of the game <= value; no left option of value >= the game.
        if options[1].iter().any(|&r| self.at_most(r, value)) {
            return false;
        }
        let lefts = self.options(value, Color::Black).to_vec();
        !lefts.into_iter().any(|l| self.above_game(l, options))
    }

    /// value >= the game with these options.
    fn above_game(&mut self, value: Value, options: &[Vec<Value>; 2]) -> bool {
        if options[0].iter().any(|&l| self.at_most(value, l)) {
            return false;
        }
        let rights = self.options(value, Color::White).to_vec();
        !rights.into_iter().any(|r| self.below_game(r, options))
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

    /// Whether `mover`, moving first, wins the sum of `games`, none a number, and a number in 1/64.
    pub(super) fn first_wins(&mut self, mover: Color, games: &[Value], number: i32) -> bool {
        let sign = mover.signed(1);
        if games.is_empty() {
            return number * sign > 0;
        }
        let key = self.key(games, number, mover);
        if let Some(&known) = self.wins.get(&key) {
            return known;
        }
        let mut wins = false;
        'all: for i in 0..games.len() {
            let game = games[i];
            if i > 0 && games[..i].contains(&game) {
                continue;
            }
            for option in self.options(game, mover).to_vec() {
                let mut rest = games.to_vec();
                rest.swap_remove(i);
                let mut number = number;
                match self.number(option) {
                    Some(n) => number += n,
                    None => rest.push(option),
                }
                if !self.first_wins(mover.opponent(), &rest, number) {
                    wins = true;
                    break 'all;
                }
            }
        }
        if !wins && let Some(next) = number_move(number, sign) {
            // Needed only where the games together are a number.
            wins = !self.first_wins(mover.opponent(), games, next);
        }
        self.wins.insert(key, wins);
        wins
    }

    /// A key of the sum with this side to move, the same in every `Values`.
    pub(super) fn key(&self, games: &[Value], number: i32, mover: Color) -> u128 {
        let sum = games
            .iter()
            .map(|&g| scramble(self.hash(g)))
            .fold(0, u128::wrapping_add);
        scramble(sum ^ scramble((number as u32 as u128) << 8 | mover.index() as u128))
    }
}

/// The number after the best move of Left (`sign` 1) or Right (-1) in its canonical form.
fn number_move(number: i32, sign: i32) -> Option<i32> {
    let n = number * sign;
    if n % ONE == 0 {
        return (n > 0).then_some((n - ONE) * sign);
    }
    // a/2^k with a odd has the options (a - 1)/2^k and (a + 1)/2^k.
    let unit = 1 << n.trailing_zeros();
    Some((n - unit) * sign)
}

#[cfg(test)]
mod tests;
