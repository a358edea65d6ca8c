//! Properties of a game that programs need beyond its rules.

use super::{BoardSize, Move};

/// A named opening: its moves in order, Black's first.
pub type NamedOpening = (&'static str, Vec<Move>);

/// Names, properties and defaults of a game.
#[derive(Debug, Clone, Copy)]
pub struct GameInfo {
    /// Name in lower case, as in command lines, model metadata and file names.
    pub name: &'static str,
    /// Name for people, such as `NoGo`.
    pub title: &'static str,
    /// Number in SGF (`GM`), and name of the rules (`RU`) where other games share the number.
    pub sgf: (u32, Option<&'static str>),
    /// Board size when none is given.
    pub usual_board: BoardSize,
    /// Side lengths of square boards that a dialog for a new game offers, the usual one included.
    pub offered_sides: &'static [u8],
    /// Names of rules that a dialog offers; empty where there is nothing to choose.
    pub offered_rules: &'static [&'static str],
    /// Boards searched for the signature of `tengen bench`.
    pub bench_boards: &'static [BoardSize],
    /// Whether it has a pass: the policy index after the last point.
    pub passes: bool,
    /// Whether the players count points once both have passed ([`Scored`](super::Scored)).
    pub scored: bool,
    /// Whether it can be drawn: networks then have a third probability.
    pub draws: bool,
    /// Whether a position can repeat, so that a game may be unbounded.
    pub repeats: bool,
    /// Reason of a win where no points are counted, with the loser as subject: "has no legal move".
    pub lost_because: &'static str,
    /// Named openings on an empty board of this size.
    pub openings: fn(BoardSize) -> Vec<NamedOpening>,
    /// The ply from which searches of a tenth of a second usually prove the result, so that moves
    /// need no more thought; `None` where games are mostly decided without a proof.
    pub usually_proven_from: fn(BoardSize) -> Option<u32>,
    /// Engine settings whose defaults differ for this game, with their values: any name and text
    /// that `--set` accepts.
    pub settings: &'static [(&'static str, &'static str)],
}

impl GameInfo {
    /// Number of possible results for a side: win and loss, and draw where possible.
    #[must_use]
    pub const fn outcomes(&self) -> usize {
        if self.draws { 3 } else { 2 }
    }

    /// A game with defaults except for its name: played on 9x9, no pass or repetition, the side
    /// without a legal move loses.
    #[must_use]
    pub const fn named(name: &'static str) -> GameInfo {
        GameInfo {
            name,
            title: name,
            sgf: (1, Some(name)),
            usual_board: BoardSize::square(9),
            offered_sides: &[9],
            offered_rules: &[],
            bench_boards: &[],
            passes: false,
            scored: false,
            draws: false,
            repeats: false,
            lost_because: "has no legal move",
            openings: |_| Vec::new(),
            usually_proven_from: |_| None,
            settings: &[],
        }
    }
}
