//! What a player is asked for.

use crate::game::{Game, GameState};
use crate::search::AnalysisOptions;

/// What a move is wanted for.
#[derive(Clone, Copy)]
pub(super) struct MoveRequest<'a, G: Game> {
    pub(super) start: &'a GameState<G>,
    pub(super) analysis: &'a AnalysisOptions,
    /// Whether nothing counts but dead stones of the other side while there are any.
    pub(super) takes_dead: bool,
    /// Whether the game may be given up.
    pub(super) resigns: bool,
}

impl<'a, G: Game> MoveRequest<'a, G> {
    /// To win.
    pub(super) fn usual(
        start: &'a GameState<G>,
        analysis: &'a AnalysisOptions,
    ) -> MoveRequest<'a, G> {
        MoveRequest {
            start,
            analysis,
            takes_dead: false,
            resigns: true,
        }
    }
}
