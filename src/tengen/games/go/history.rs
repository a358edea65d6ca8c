//! Earlier boards: what positional and situational superko forbid to repeat, and the boards before the last few moves,
//! reconstructed from the moves and their captures.

use super::{Go, KoRule, REMEMBERED};
use crate::game::{Bits, Color, Game, Move, Superko, zobrist};

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Stones by [`Color::index`] on the boards before the last move, before the one before it, and
    /// so on: at most four boards, none from before the game or the setup.
    pub fn history(&self) -> Vec<[Bits<WORDS>; 2]> {
        let mut stones = Color::BOTH.map(|color| self.stones(color));
        let mut mover = self.to_move();
        let mut boards = Vec::with_capacity(REMEMBERED);
        for (mv, captures) in self.recent().iter().zip(self.captures) {
            mover = mover.opponent();
            let played = Color::BOTH
                .into_iter()
                .find(|color| stones[color.index()].contains(mv));
            match played {
                Some(color) => {
                    stones[color.index()].remove(mv);
                    stones[color.opponent().index()] |= captures;
                }
                // Suicide, or a pass, which captures nothing.
                None => stones[mover.index()] |= captures,
            }
            boards.push(stones);
        }
        boards
    }

    /// Key of the part of [`Go::history`] that the moves do not determine.
    pub fn captures_key(&self) -> u128 {
        let captures = self.captures.iter().zip(1_u32..);
        captures.fold(0, |key, (points, place)| {
            let stones = points
                .iter()
                .map(|point| zobrist::stone(Color::Black, point));
            key ^ stones.fold(0, |all, stone| all ^ stone).rotate_left(place)
        })
    }
}

impl<const CELLS: usize, const WORDS: usize> Superko for Go<CELLS, WORDS> {
    /// Under [`KoRule::Positional`] the stones alone; otherwise with the side to move.
    fn repetition_key(&self) -> u128 {
        match self.rules.ko {
            KoRule::Positional => self.board.key(),
            _ => self.board.key() ^ zobrist::to_move(self.to_move),
        }
    }

    fn is_in_force(&self) -> bool {
        self.rules.ko != KoRule::Simple
    }

    fn repetition_key_after(&self, mv: Move) -> u128 {
        let board = match mv.index() < self.size().area() {
            true => self.board.key_after(self.to_move, mv),
            false => self.board.key(),
        };
        match self.rules.ko {
            KoRule::Positional => board,
            _ => board ^ zobrist::to_move(self.to_move.opponent()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::go::SmallGo;

    #[test]
    fn boards_come_back_with_what_was_taken() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let (mut taken, mut suicides) = (0, 0);
        for rules in ["chinese", "tromp-taylor"] {
            for _ in 0..40 {
                let size = BoardSize::new(4, 3);
                let mut position = SmallGo::with_rules(size, rules.parse().unwrap()).unwrap();
                let mut boards = Vec::new();
                for _ in 0..40 {
                    let moves: Vec<Move> = position.legal_moves().collect();
                    if moves.is_empty() {
                        break;
                    }
                    boards.push(Color::BOTH.map(|color| position.stones(color)));
                    let before = position.stones(Color::Black) | position.stones(Color::White);
                    let mv = moves[rng.random_range(0..moves.len())];
                    position.play(mv);
                    let after = position.stones(Color::Black) | position.stones(Color::White);
                    taken += usize::from(!(before & !after).is_empty());
                    suicides += usize::from(mv != position.pass() && !after.contains(mv));
                    let history = position.history();
                    assert_eq!(history.len(), boards.len().min(REMEMBERED));
                    assert!(history.iter().eq(boards.iter().rev().take(REMEMBERED)));
                }
            }
        }
        assert!(taken > 100 && suicides > 10, "{taken} {suicides}");
    }
}
