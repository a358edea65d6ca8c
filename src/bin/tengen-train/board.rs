//! From a game's name and a board size to the position type.

use tengen::game::BoardSize;
use tengen::games::{info, with_game};
use tengen::train::trainable::Trainable;

/// Work of a command once the position type is known.
pub(crate) trait OnBoard {
    /// Runs it with the empty board.
    fn run<G: Trainable>(&self, start: &G) -> anyhow::Result<()>;
}

/// Runs a command on a board of a game, under rules given as text: the default ones if empty.
pub(crate) fn on_board(
    game: &str,
    rules: &str,
    size: BoardSize,
    work: &impl OnBoard,
) -> anyhow::Result<()> {
    with_game!(game, size, rules: rules, |start| work.run(&start))?
}

/// The usual board of a game; arbitrary for an unknown game, which is refused next.
pub(crate) fn usual_board(game: &str) -> BoardSize {
    info(game).map_or(BoardSize::square(9), |info| info.usual_board)
}
