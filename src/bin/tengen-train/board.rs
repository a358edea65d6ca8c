//! From a game's name and a board size to the type that plays on it.

use tengen::game::{BoardSize, info, with_game};
use tengen::train::trainable::Trainable;

/// What a command does once the type of its positions is known.
pub(crate) trait OnBoard {
    /// Does it, with the empty board.
    fn run<G: Trainable>(&self, start: &G) -> anyhow::Result<()>;
}

/// Does a command's work on a board of a game, under rules given as text: the usual ones where it
/// is empty.
pub(crate) fn on_board(
    (game, rules): (&str, &str),
    size: BoardSize,
    work: &impl OnBoard,
) -> anyhow::Result<()> {
    with_game!(game, size, rules: rules, |start| work.run(&start))?
}

/// The board that a game is usually played on; of an unknown game any, for that is refused next.
pub(crate) fn usual_board(game: &str) -> BoardSize {
    info(game).map_or(BoardSize::square(9), |info| info.usual_board)
}
