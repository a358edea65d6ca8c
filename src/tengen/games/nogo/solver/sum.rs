//! Sums of values, and which side wins them.

use super::hash::{Cache, scramble};
use super::values::{ONE, Value, Values, ZERO};
use crate::game::Color;

/// Games of a sum. A part that would be one more stays on the board.
const MOST: usize = 24;

/// Entries of the cache of winners, a power of two.
const CACHE: usize = 1 << 14;

/// A sum of values, the numbers among them added up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    games: [Value; MOST],
    count: u8,
    /// In units of 1/64.
    pub(super) number: i32,
}

impl Sum {
    /// A number.
    pub(super) fn number(number: i32) -> Sum {
        Sum {
            games: [ZERO; MOST],
            count: 0,
            number,
        }
    }

    /// The values that are no numbers.
    pub(super) fn games(&self) -> &[Value] {
        &self.games[..usize::from(self.count)]
    }

    /// Whether there is no room for another game.
    pub(super) fn is_full(&self) -> bool {
        self.games().len() == MOST
    }

    /// Adds a value; a sum that [is full](Sum::is_full) only takes numbers.
    pub(super) fn add(&mut self, value: Value, values: &Values) {
        match values.number(value) {
            Some(number) => self.number += number,
            None => {
                self.games[usize::from(self.count)] = value;
                self.count += 1;
            }
        }
    }

    /// The sum with the game of this index replaced.
    pub(super) fn replace(&self, index: usize, value: Value, values: &Values) -> Sum {
        let mut sum = *self;
        sum.count -= 1;
        sum.games[index] = sum.games[usize::from(sum.count)];
        sum.add(value, values);
        sum
    }

    /// The sum and this many moves of Black.
    pub(super) fn plus(&self, moves: i32) -> Sum {
        Sum {
            number: self.number + moves * ONE,
            ..*self
        }
    }

    /// The indices of different games.
    pub(super) fn distinct(&self) -> impl Iterator<Item = usize> {
        let games = *self;
        (0..self.games().len()).filter(move |&i| !games.games[..i].contains(&games.games[i]))
    }

    /// The number after the best move of `side` in its canonical form. A player who has no other
    /// move makes it; any other move is at least as good (number translation).
    pub(super) fn number_move(&self, side: Color) -> Option<Sum> {
        let sign = side.signed(1);
        let n = self.number * sign;
        let next = match n % ONE {
            0 => (n > 0).then_some(n - ONE)?,
            // a/2^k with a odd has the options (a - 1)/2^k and (a + 1)/2^k.
            _ => n - (1 << n.trailing_zeros()),
        };
        Some(Sum {
            number: next * sign,
            ..*self
        })
    }

    /// A key of the games alone, as `side` sees them: equal for a sum and, seen by the other side,
    /// its negative.
    pub(super) fn games_key(&self, side: Color, values: &Values) -> u128 {
        let hashes = self.games().iter();
        let hashes = hashes.map(|&game| scramble(values.hash(game, side)));
        hashes.fold(0, u128::wrapping_add)
    }
}

/// Which side wins a sum, remembered.
#[derive(Debug)]
pub(super) struct Winners(Cache<bool>);

impl Default for Winners {
    fn default() -> Self {
        Winners(Cache::new(CACHE))
    }
}

impl Winners {
    /// Whether `mover`, moving first, wins.
    pub(super) fn first_wins(&mut self, mover: Color, sum: &Sum, values: &Values) -> bool {
        let sign = mover.signed(1);
        if sum.games().is_empty() {
            return sum.number * sign > 0;
        }
        // As the mover sees it: if it moves second, it gets at least its second stops of all games;
        // if it moves first, also the difference of the stops of one game. It gets at most its
        // first stops.
        let (mut least, mut most, mut widest) = (sum.number * sign, sum.number * sign, 0);
        for &game in sum.games() {
            let [left, right] = values.stops(game);
            let (first, second) = match mover {
                Color::Black => (left, right),
                Color::White => (-right, -left),
            };
            most += first;
            least += second;
            widest = widest.max(first - second);
        }
        if least + widest > 0 {
            return true;
        }
        if most < 0 {
            return false;
        }
        let number = u128::from((sum.number * sign) as u32);
        let key = scramble(sum.games_key(mover, values) ^ scramble(number << 8 | 1));
        if let Some(known) = self.0.get(key) {
            return known;
        }
        let other = mover.opponent();
        let wins = sum.distinct().any(|i| {
            let mut options = values.options(sum.games()[i], mover).iter();
            options.any(|&option| !self.first_wins(other, &sum.replace(i, option, values), values))
        }) || sum
            .number_move(mover)
            .is_some_and(|next| !self.first_wins(other, &next, values));
        self.0.put(key, wins);
        wins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::nogo::solver::values::tests::samples;

    #[test]
    fn who_wins_a_sum() {
        let mut values = Values::new();
        let [_, _, _, star, up, switch] = samples(&mut values);
        let mut winners = Winners::default();
        let mut check = |games: &[Value], number, black: bool, white: bool| {
            let mut sum = Sum::number(number);
            games.iter().for_each(|&game| sum.add(game, &values));
            let found = Color::BOTH.map(|mover| winners.first_wins(mover, &sum, &values));
            assert_eq!(found, [black, white], "{games:?} + {number}/64");
        };
        check(&[], 0, false, false);
        check(&[], 1, true, false);
        check(&[star], 0, true, true);
        check(&[star, star], 0, false, false);
        check(&[star, star], 1, true, false);
        check(&[switch], 32, true, true);
        check(&[switch], -64, true, true);
        check(&[switch], -65, false, true);
        check(&[switch, switch, star], 0, true, true);
        check(&[up], 0, true, false);
        check(&[up, star], 0, true, true);
        check(&[up, up, star], 0, true, false);
        check(&[up], -1, false, true);
    }

    #[test]
    fn equal_sums_have_equal_keys() {
        let mut values = Values::new();
        let [_, _, _, star, up, switch] = samples(&mut values);
        let down = values.negative(up);
        let key = |games: &[Value], side| {
            let mut sum = Sum::number(0);
            games.iter().for_each(|&game| sum.add(game, &values));
            sum.games_key(side, &values)
        };
        let (black, white) = (Color::Black, Color::White);
        assert_eq!(
            key(&[star, up, switch], black),
            key(&[switch, star, up], black)
        );
        assert_eq!(key(&[star, up], black), key(&[down, star], white));
        assert_ne!(key(&[star, up], black), key(&[star, up], white));
        assert_ne!(key(&[star], black), key(&[star, star], black));
    }
}
