//! Random playouts to the end of the game.

use rand::Rng;

use crate::game::{Game, Outcome};

/// A playout is a draw after so many plies for each point: no game without end holds a search up.
const MOST_PLIES_A_POINT: u32 = 4;

/// How a playout chooses its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Every legal move alike.
    Uniform,
    /// As is best for the game, where it has a policy of its own; else as
    /// [`PlayoutPolicy::Uniform`].
    Own,
}

/// A game that random playouts can finish.
pub trait Playout: Game {
    /// Plays random moves until the game ends, and says how it ended. A game that goes on beyond
    /// all measure is a draw.
    fn finish<R: Rng>(&mut self, policy: PlayoutPolicy, rng: &mut R) -> Outcome {
        let _ = policy;
        for _ in 0..MOST_PLIES_A_POINT * self.size().area() as u32 {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let choice = below(rng, self.legal_count());
            let Some(mv) = self.legal_moves().nth(choice) else {
                break;
            };
            self.play(mv);
        }
        self.outcome().unwrap_or(Outcome::DRAW)
    }
}

/// A random number in `0..bound`; the bias of at most `bound / 2^32` does not matter here.
pub(super) fn below<R: Rng>(rng: &mut R, bound: usize) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

#[cfg(test)]
impl Playout for crate::game::tictactoe::TicTacToe {}
