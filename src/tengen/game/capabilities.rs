//! What only some games have: points that the players count after both have passed, where they agree on dead stones
//! first, and rules that forbid that a position comes back.

use super::{Color, HalfPoints, Move, Outcome, OwnershipEstimate, Settled};

/// The end of a game that counts points, asked of a position of type `G`.
pub trait Scored<G> {
    /// The position without the end of the game by passes, for players who resume because they
    /// disagree on dead stones. Other ends stay.
    fn resumed(&self) -> G;

    /// The position from which players resume who disagree on dead stones: moves cost nothing, and
    /// the next end of the game is final.
    fn disputed(&self) -> G;

    /// The position as the search sees it: where players have to agree on dead stones, the end of
    /// the game proves nothing ([`Game::certain`](super::Game::certain)) beyond what they must agree on.
    fn searched(&self) -> G;

    /// Whether the players agree on dead stones, so that a pass may leave some on the board.
    fn agrees_on_dead(&self) -> bool;

    /// Whether players may consider ending the game by passes.
    fn nears_end(&self) -> bool;

    /// Legal moves that affect no open point, so that a pass is as good; as far as this can be
    /// computed cheaply.
    fn idle_moves(&self) -> Vec<Move>;

    /// A move on a point that counts for neither side, between living stones of both, which the side to move
    /// can fill without danger. Other programs count rightly only when all of them are filled.
    fn dame_move(&self, settled: &Settled) -> Option<Move>;

    /// Whether a legal move fills an eye of the side to move, which is always a blunder.
    fn fills_eye(&self, mv: Move) -> bool;

    /// The score if the game ended here; `None` under rules by which it depends on an agreement of
    /// the players.
    fn current_score(&self) -> Option<CurrentScore>;

    /// The score that the players may agree on, given the expected ownership.
    fn settle(&self, expected: &OwnershipEstimate) -> Settled;

    /// The result of a finished game after the chains on these points are removed as dead, with all
    /// scoring rules applied.
    fn outcome_without(&self, dead: &[Move]) -> Outcome;

    /// The chains with a stone on one of these points, each as its points, ascending.
    fn chains_of(&self, points: &[Move]) -> Vec<Vec<Move>>;

    /// Whether a stone is dead, if that is certain without playing on.
    fn certainly_dead(&self, stone: Move) -> Option<bool>;

    /// The point that ko forbids the side to move.
    fn ko(&self) -> Option<Move>;

    /// Whether players who resume over dead stones may retake a ko only after a pass (Japanese
    /// rules of 1989, article 7).
    fn passes_for_ko(&self) -> bool;

    /// Number of handicap stones, 2 or more; 0 for none.
    fn handicap(&self) -> u16;
}

/// The score if the game ended now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentScore {
    /// Owner of each point, in policy order; `None` for neutral points.
    pub owners: Vec<Option<Color>>,
    /// Black's lead, komi included.
    pub black_ahead: HalfPoints,
    /// Whether the winner is certain if both sides answer correctly. Superko may forbid an answer;
    /// unlike [`super::Game::certain`], this ignores it.
    pub decided: bool,
}

/// The repetition rule of a game. Moves that it forbids are among the legal ones:
/// [`PositionHistory`](super::PositionHistory) filters them.
pub trait Superko {
    /// Whether the present rules forbid moves that repeat an earlier position.
    fn is_in_force(&self) -> bool;

    /// The key by which the rule distinguishes positions.
    fn repetition_key(&self) -> u128;

    /// The [`Superko::repetition_key`] of the position after a legal move.
    fn repetition_key_after(&self, mv: Move) -> u128;
}
