//! What programs have to know of a game beyond its rules.

use super::BoardSize;

/// A game as programs speak of it, with what it does and what it begins with.
#[derive(Debug, Clone, Copy)]
pub struct GameInfo {
    /// Its name in lower case, as command lines, model metadata and file names use it.
    pub name: &'static str,
    /// Its name as people write it.
    pub title: &'static str,
    /// Its number in SGF (`GM`), and the rules' name (`RU`) where other games share the number.
    pub sgf: (u32, Option<&'static str>),
    /// The board when nothing else is asked for.
    pub usual_board: BoardSize,
    /// Boards whose searches are in the signature of `tengen bench`.
    pub bench_boards: &'static [BoardSize],
    /// Whether it has a pass: the policy index after the last point.
    pub passes: bool,
    /// Whether it can be drawn: networks then say a third probability.
    pub draws: bool,
    /// Whether a position can come back, so that a game may go on for ever.
    pub repeats: bool,
    /// Why somebody has won where no points are counted, said of the loser: "has no legal move".
    pub lost_because: &'static str,
    /// Settings of the engine whose usual values are not right for this game, and its own values:
    /// any name and text that `--set` takes.
    pub settings: &'static [(&'static str, &'static str)],
}

impl GameInfo {
    /// How many results a game can have for a side: win and loss, or draw besides.
    #[must_use]
    pub const fn outcomes(&self) -> usize {
        if self.draws { 3 } else { 2 }
    }

    /// A game of which nothing is known but its name: played on 9x9, without pass or repetition,
    /// and lost by whoever cannot move.
    #[must_use]
    pub const fn named(name: &'static str) -> GameInfo {
        GameInfo {
            name,
            title: name,
            sgf: (1, Some(name)),
            usual_board: BoardSize::square(9),
            bench_boards: &[],
            passes: false,
            draws: false,
            repeats: false,
            lost_because: "has no legal move",
            settings: &[],
        }
    }
}
