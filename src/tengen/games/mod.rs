//! The games: for each a folder with its rules, its encodings, its rollouts and its solver; their list, and how
//! programs look up a game by name.
//!
//! A game is one folder here and one entry of [`games!`](crate::games) with its [`GameInfo`]. Use
//! [`with_game!`](crate::with_game) to get the type of a game's positions by name, and [`GAMES`] to
//! enumerate the properties of all games. Rules know no encodings, encodings no rollouts, and no game another one.

pub mod go;
pub mod gomoku;
pub mod nogo;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod tictactoe;

pub use crate::with_game;

use thiserror::Error;

use crate::game::{BoardSize, Game, GameInfo, UnknownRules, UnsupportedSize};
use crate::settings::SetError;
use crate::solver::{Solvable, Solves};

/// **The list of games**: one game per line, with its position types in the order in which they are
/// tried for a board. Passes the list to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! games {
    ($then:ident $how:tt $($test_only:tt)*) => {
        $crate::$then! { $how
            [$crate::games::nogo::SmallNoGo, $crate::games::nogo::LargeNoGo]
            [$crate::games::go::SmallGo, $crate::games::go::LargeGo]
            [$crate::games::gomoku::Gomoku]
            $($test_only)*
        }
    };
}

/// The list of this build.
#[cfg(not(test))]
#[doc(hidden)]
#[macro_export]
macro_rules! all_games {
    ($then:ident $how:tt) => {
        $crate::games! { $then $how }
    };
}

/// The list, with the additional game of tests, which shows everything a game has to implement.
#[cfg(test)]
#[doc(hidden)]
#[macro_export]
macro_rules! all_games {
    ($then:ident $how:tt) => {
        $crate::games! { $then $how [$crate::games::tictactoe::TicTacToe] }
    };
}

/// Evaluates an expression on the empty board of the named game, with the position type for a board
/// of this size, under the default rules or those in a text (`rules: TEXT`):
///
/// ```
/// use tengen::game::{BoardSize, Game};
/// use tengen::games::with_game;
///
/// let points = with_game!("nogo", BoardSize::new(4, 3), |start| start.legal_count());
/// assert_eq!(points, Ok(12));
/// ```
///
/// Returns a [`Result`] of the expression's value or [`UnknownGame`](crate::games::UnknownGame). The
/// expression is compiled once per type, so what it calls must be generic.
#[macro_export]
macro_rules! with_game {
    ($name:expr, $size:expr, |$start:ident| $work:expr) => {
        $crate::with_game!($name, $size, rules: "", |$start| $work)
    };
    ($name:expr, $size:expr, rules: $rules:expr, |$start:ident| $work:expr) => {
        $crate::all_games! { first_that_fits ($name, $size, $rules, $start, $work) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! first_that_fits {
    (($name:expr, $size:expr, $rules:expr, $start:ident, $work:expr) $([$($position:ty),+])+) => {
        'found: {
            let (name, size): (&str, $crate::game::BoardSize) = ($name, $size);
            let mut refused = $crate::games::UnknownGame::Name(name.to_owned());
            $($(
                if name == <$position as $crate::game::Game>::NAME {
                    match $crate::games::begin::<$position>(size, $rules) {
                        Ok($start) => break 'found Ok($work),
                        Err(error) => refused = error,
                    }
                }
            )+)+
            Err(refused)
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! game_infos {
    (() $([$first:ty $(, $other:ty)*])+) => {
        &[$(<$first as $crate::game::Game>::INFO),+]
    };
}

/// Properties of each game, in the order of the list; the first is the default.
pub const GAMES: &[GameInfo] = crate::all_games! { game_infos () };

/// The usual board of a game; 9x9 for an unknown one, which is refused when a board of it is wanted.
pub fn usual_board(name: &str) -> BoardSize {
    info(name).map_or(BoardSize::square(9), |info| info.usual_board)
}

/// Properties of the game with this name, ignoring case.
pub fn info(name: &str) -> Option<&'static GameInfo> {
    GAMES
        .iter()
        .find(|info| info.name.eq_ignore_ascii_case(name))
}

/// Canonical name of a game, from user input.
///
/// # Errors
/// [`UnknownGame::Name`] lists all games.
pub fn known_name(text: &str) -> Result<String, UnknownGame> {
    let found = info(text).map(|info| info.name.to_owned());
    found.ok_or_else(|| UnknownGame::Name(text.to_owned()))
}

/// Names of all games, for messages.
pub fn game_names() -> String {
    let names: Vec<&str> = GAMES.iter().map(|info| info.name).collect();
    names.join(", ")
}

/// What the solver of a game proves: nothing, if there is no such game.
pub fn solves(game: &str) -> Solves {
    fn of<G: Solvable>(_: &G) -> Solves {
        G::SOLVES
    }
    let found = crate::with_game!(game, usual_board(game), |empty| of(&empty));
    found.unwrap_or(Solves::Nothing)
}

/// The games with a solver, for messages: `NoGo and Gomoku`.
pub fn solved_games() -> String {
    let solved = GAMES
        .iter()
        .filter(|game| solves(game.name) != Solves::Nothing);
    let titles: Vec<&str> = solved.map(|game| game.title).collect();
    titles.join(" and ")
}

/// Why a game cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownGame {
    /// Unknown name.
    #[error("unknown game `{0}` (expected one of: {names})", names = game_names())]
    Name(String),
    /// Unsupported board size.
    #[error(transparent)]
    Size(#[from] UnsupportedSize),
    /// Unknown rules.
    #[error(transparent)]
    Rules(#[from] UnknownRules),
    /// A komi, in a game that counts no points.
    #[error("{0} has no komi: leave --komi out")]
    Komi(&'static str),
    /// A setting of the engine has a value that is not allowed.
    #[error(transparent)]
    Setting(#[from] SetError),
}

/// The empty board of a game under rules given as text; the default rules if it is empty.
///
/// # Errors
/// [`UnknownGame`] if the board or the rules are not supported.
pub fn begin<G: Game>(size: BoardSize, rules: &str) -> Result<G, UnknownGame> {
    let rules = match rules {
        "" => G::Rules::default(),
        text => text.parse()?,
    };
    Ok(G::with_rules(size, rules)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_gets_the_first_type_that_has_it() {
        let size_of = |size| crate::with_game!("nogo", size, |start| size_of_val(&start));
        let [small, large] = [9, 13].map(BoardSize::square).map(size_of);
        assert!(small.unwrap() < large.unwrap());
        let area = crate::with_game!("nogo", BoardSize::new(4, 3), |start| start.policy_len());
        assert_eq!(area, Ok(12));
    }

    #[test]
    fn what_a_dialog_offers_can_be_played() {
        for info in GAMES {
            let sides = info.offered_sides;
            let usual = info.usual_board;
            assert!(sides.iter().any(|side| usual == BoardSize::square(*side)));
            for &side in sides {
                for rules in [""].iter().chain(info.offered_rules) {
                    let size = BoardSize::square(side);
                    let begun =
                        crate::with_game!(info.name, size, rules: rules, |start| start.ply());
                    assert_eq!(begun, Ok(0), "{} {size} {rules}", info.name);
                }
            }
        }
    }

    #[test]
    fn unknown_games_and_sizes_are_named() {
        let error = |name, side| {
            let found = crate::with_game!(name, BoardSize::square(side), |start| start.ply());
            found.unwrap_err().to_string()
        };
        assert!(error("chess", 9).starts_with("unknown game `chess` (expected one of: nogo"));
        assert!(error("nogo", 40).contains("40x40"));
        let board = BoardSize::square(9);
        let ruled = |text| crate::with_game!("nogo", board, rules: text, |start| start.ply());
        assert_eq!(ruled("usual"), Ok(0));
        let message = ruled("renju").unwrap_err().to_string();
        assert!(
            message.contains("renju") && message.contains("usual"),
            "{message}"
        );
    }

    #[test]
    fn names_are_told_apart_and_boards_are_there() {
        for (place, info) in GAMES.iter().enumerate() {
            assert!(GAMES[..place].iter().all(|other| other.name != info.name));
            assert_eq!(
                super::info(info.name).map(|found| found.title),
                Some(info.title)
            );
            for &size in info.bench_boards.iter().chain([&info.usual_board]) {
                let start = crate::with_game!(info.name, size, |start| start.size());
                assert_eq!(start, Ok(size));
            }
        }
    }
}
