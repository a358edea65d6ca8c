//! Which games have a solver.

use tengen::games::{GAMES, info, with_game};
use tengen::solver::{Solvable, Solves};

/// What the solver of a game proves: nothing, if there is no such game.
pub(super) fn solves(game: &str) -> Solves {
    let board = info(game).map(|info| info.usual_board);
    let found = board.and_then(|size| with_game!(game, size, |empty| of(&empty)).ok());
    found.unwrap_or(Solves::Nothing)
}

fn of<G: Solvable>(_: &G) -> Solves {
    G::SOLVES
}

/// The games with a solver, for messages: `NoGo and Gomoku`.
pub(super) fn solved_games() -> String {
    let solved = GAMES
        .iter()
        .filter(|game| solves(game.name) != Solves::Nothing);
    let titles: Vec<&str> = solved.map(|game| game.title).collect();
    titles.join(" and ")
}
