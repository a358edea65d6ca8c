//! Random playouts to the end of the game.

use rand::Rng;

use super::Tally;
use crate::game::{Color, Game, Move, Outcome};

/// How a playout chooses its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Every legal move alike.
    Uniform,
    /// As is best for the game, where it has a policy of its own; else as
    /// [`PlayoutPolicy::Uniform`].
    Own,
}

/// Which side was the first to play each point, as far as it was played at all: what the
/// all-moves-as-first statistics go by. Passes are not kept.
#[derive(Debug, Default)]
pub struct Played([Vec<f32>; 2]);

impl Played {
    /// Nothing was played on the board of this position.
    #[must_use]
    pub fn of<G: Game>(position: &G) -> Played {
        let mut played = Played::default();
        played.clear(position);
        played
    }

    /// Nothing was played on the board of this position.
    pub(super) fn clear<G: Game>(&mut self, position: &G) {
        for points in &mut self.0 {
            points.clear();
            points.resize(position.policy_len(), 0.0);
        }
    }

    /// `color` plays a point; earlier moves there count more.
    pub fn add(&mut self, color: Color, point: Move) {
        if self.0[color.opponent().index()][point.index()] == 0.0 {
            self.0[color.index()][point.index()] = 1.0;
        }
    }

    /// `color` has played a point before all that is known.
    pub(super) fn add_earlier(&mut self, color: Color, point: Move) {
        self.0[color.index()][point.index()] = 1.0;
        self.0[color.opponent().index()][point.index()] = 0.0;
    }

    /// 1 for each move that `color` was the first to play, else 0.
    pub(super) fn by(&self, color: Color) -> &[f32] {
        &self.0[color.index()]
    }
}

/// What is expected of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The mean result, in [0, 1], for the side that plays it.
    pub win: f32,
    /// As how many playouts this counts, more than 0.
    pub playouts: f32,
}

impl Default for Prior {
    /// One imagined even-chance playout: no division by zero, and no move starts as certain.
    fn default() -> Self {
        Prior {
            win: 0.5,
            playouts: 1.0,
        }
    }
}

/// What is seen of a position at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    /// The result to be expected, in [-1, 1], for the side to move; 0 where a glance does not tell.
    pub value: f32,
    /// How good each move looks, in any unit: the greatest is to be played where there is no time to
    /// think.
    pub appeal: Vec<f32>,
}

/// A game that random playouts can finish.
pub trait Playout: Game {
    /// Plays random moves until the game ends, says how it ended, and adds who played where and, in
    /// games that count them, whose the points are. A game that goes on beyond all measure is a draw.
    /// What becomes of the position itself is not said.
    fn finish<R: Rng>(
        &mut self,
        policy: PlayoutPolicy,
        rng: &mut R,
        played: &mut Played,
        tally: &mut Tally,
    ) -> Outcome {
        let _ = (policy, tally);
        for _ in 0..self.size().ply_cap() {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let choice = below(rng, self.legal_count());
            let Some(mv) = self.legal_moves().nth(choice) else {
                break;
            };
            if mv.index() < self.size().area() {
                played.add(self.to_move(), mv);
            }
            self.play(mv);
        }
        self.outcome().unwrap_or(Outcome::DRAW)
    }

    /// What is to be expected of these legal moves before anything was played out. A prior never rules
    /// a move out: playouts outweigh it.
    fn priors(&self, moves: &[Move], priors: &mut [Prior]) {
        let _ = (moves, priors);
    }

    /// What can be said of these legal moves without a single playout, and of the side to move's
    /// chances. By the priors, where a game knows no better.
    fn glance(&self, moves: &[Move]) -> Glance {
        let mut priors = vec![Prior::default(); moves.len()];
        self.priors(moves, &mut priors);
        let sensible = moves
            .iter()
            .map(|&mv| f32::from(u8::from(self.is_sensible(mv))));
        let appeal = priors.iter().zip(sensible);
        Glance {
            value: 0.0,
            appeal: appeal
                .map(|(prior, sensible)| prior.win + sensible)
                .collect(),
        }
    }

    /// The same position under the rules by which playouts count, and without what they do not depend
    /// on.
    fn as_played_out(&self) -> Self {
        self.disputed()
    }

    /// Adds to `tally` whose the points of a finished game are, in games that count them.
    fn tally(&self, tally: &mut Tally) {
        let _ = tally;
    }

    /// Whether a legal move is worth a look; one of them is, in any position that has moves.
    fn is_sensible(&self, mv: Move) -> bool {
        let _ = mv;
        true
    }
}

/// A random number in `0..bound`; the bias of at most `bound / 2^32` does not matter here.
pub(super) fn below<R: Rng>(rng: &mut R, bound: usize) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

#[cfg(test)]
impl Playout for crate::game::tictactoe::TicTacToe {}
