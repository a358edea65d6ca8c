//! What a position of the threat search has to search.

use super::table::Known;
use super::zone::Zone;
use crate::game::Move;
use crate::games::gomoku::Points;

/// A move to search, with the number of positions that it may take: to a proof for an attack, to a
/// refutation for a reply.
pub(super) type Guessed = (Move, u32);

/// What is to be searched after the attacker's threat.
pub(super) struct Replies {
    /// Replies that could stop it.
    pub(super) moves: Vec<Guessed>,
    /// Fours that may change nothing ([`Zone`]).
    pub(super) fours: Points,
    /// Plies to the win after all other moves.
    pub(super) rest: u16,
    /// The points of the threat.
    pub(super) zone: Zone,
}

impl Replies {
    /// Moves of the attacker.
    pub(super) fn none_but(moves: Vec<Guessed>) -> Replies {
        Replies {
            moves,
            fours: Points::EMPTY,
            rest: 0,
            zone: Zone::NONE,
        }
    }
}

/// Whether the side to move of a search has moves to search, or a result without search and the
/// points that its proof uses.
pub(super) type Searched<T> = Result<T, (Known, Zone)>;
