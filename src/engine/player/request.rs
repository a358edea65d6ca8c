//! Requests to a player.

use crate::game::{Game, GameState};
use crate::search::AnalysisOptions;

/// Purpose of a move.
#[derive(Clone, Copy)]
pub(super) struct MoveRequest<'a, G: Game> {
    pub(super) start: &'a GameState<G>,
    pub(super) analysis: &'a AnalysisOptions,
    /// Whether only dead stones of the opponent matter while there are any.
    pub(super) takes_dead: bool,
    /// Whether it may resign.
    pub(super) resigns: bool,
}

impl<'a, G: Game> MoveRequest<'a, G> {
    /// A normal move.
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
