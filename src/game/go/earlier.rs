//! The boards of the last few moves, which come back from the moves and from what they took.

use super::Go;
use crate::game::{Bits, Color, Game, zobrist};

/// What each of the last moves took off the board, the last one's first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removed<const WORDS: usize>([Bits<WORDS>; MOST]);

/// Moves whose board before is known.
const MOST: usize = 4;

impl<const WORDS: usize> Removed<WORDS> {
    /// Before the first move.
    pub(super) const NONE: Self = Removed([Bits::EMPTY; MOST]);

    /// One move more; the oldest is forgotten.
    pub(super) fn push(&mut self, removed: Bits<WORDS>) {
        self.0.rotate_right(1);
        self.0[0] = removed;
    }
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// The stones, by [`Color::index`], on the boards before the last move, before the one before it, and
    /// so on: four boards at most, and none from before the game or the setup.
    #[must_use]
    pub fn earlier(&self) -> Vec<[Bits<WORDS>; 2]> {
        let mut stones = Color::BOTH.map(|color| self.stones(color));
        let mut mover = self.to_move();
        let mut boards = Vec::with_capacity(MOST);
        for (mv, removed) in self.recent().iter().zip(self.removed.0) {
            mover = mover.opponent();
            let own = Bits::point(mv);
            if mv == self.pass() {
                // The board is as it was.
            } else if let Some(color) = Color::BOTH
                .into_iter()
                .find(|color| stones[color.index()].contains(mv))
            {
                stones[color.index()].remove_all(own);
                stones[color.opponent().index()] |= removed;
            } else {
                // Suicide.
                stones[mover.index()] |= removed;
            }
            boards.push(stones);
        }
        boards
    }

    /// A key of what [`Go::earlier`] says beside the moves.
    #[must_use]
    pub fn removed_key(&self) -> u128 {
        let removed = self.removed.0.iter().zip(1_u32..);
        removed.fold(0, |key, (points, place)| {
            let stones = points
                .iter()
                .map(|point| zobrist::stone(Color::Black, point));
            key ^ stones.fold(0, |all, stone| all ^ stone).rotate_left(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::go::SmallGo;
    use crate::game::{BoardSize, Move};

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
                    let earlier = position.earlier();
                    assert_eq!(earlier.len(), boards.len().min(MOST));
                    assert!(earlier.iter().eq(boards.iter().rev().take(MOST)));
                }
            }
        }
        assert!(taken > 100 && suicides > 10, "{taken} {suicides}");
    }
}
