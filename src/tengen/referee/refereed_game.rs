//! The games of the referee, each behind one call per game played.

use std::sync::atomic::AtomicBool;

use super::game::{GameEnd, GameTerms, play_game};
use super::opening::{self, Book, OpeningError};
use super::player::EnginePlayer;
use crate::game::{BoardSize, Game, HalfPoints, Move, Rules as _, UnknownRules};
use crate::games::{UnknownGame, with_game};
use crate::record::GameRecord;

/// The rules of one game on one board. Inside, positions are static types; outside, a match does
/// not know its game.
pub trait RefereedGame: Send + Sync {
    /// The game's name, as [`Game::NAME`].
    fn name(&self) -> &'static str;

    /// The rules as text, in games that have several.
    fn rules(&self) -> Option<String>;

    /// The board.
    fn size(&self) -> BoardSize;

    /// The record of a game without moves.
    fn record(&self) -> GameRecord;

    /// Plays one game from the position after `opening`, whose moves are legal; `None` when `stop`
    /// was set before its end.
    fn play<'a>(
        &self,
        opening: &[Move],
        players: [&'a mut dyn EnginePlayer; 2],
        terms: &GameTerms,
        stop: &'a AtomicBool,
    ) -> Option<GameEnd>;

    /// Reads an opening book. See [`opening`].
    ///
    /// # Errors
    /// [`OpeningError`] names the invalid line.
    fn read_book(&self, text: &str) -> Result<Book, OpeningError>;

    /// Different random openings. See [`opening::random_openings`].
    ///
    /// # Errors
    /// [`OpeningError::TooFew`] if the board does not have enough.
    fn random_openings(
        &self,
        plies: u32,
        wanted: usize,
        seed: u64,
    ) -> Result<Vec<Vec<Move>>, OpeningError>;
}

/// A game by name, under rules given as text (the default ones if empty) and optionally with
/// another komi.
///
/// # Errors
/// [`UnknownGame`] lists the games, the sizes or the rules.
pub fn refereed_game(
    name: &str,
    size: BoardSize,
    rules: &str,
    komi: Option<HalfPoints>,
) -> Result<Box<dyn RefereedGame>, UnknownGame> {
    with_game!(name, size, rules: rules, |start| boxed(start, komi))?
}

fn boxed<G: Game>(
    start: G,
    komi: Option<HalfPoints>,
) -> Result<Box<dyn RefereedGame>, UnknownGame> {
    let Some(komi) = komi else {
        return Ok(Box::new(StartPosition(start)));
    };
    let rules = start.rules().with_komi(komi).ok_or_else(|| UnknownRules {
        text: format!("komi {komi}"),
        known: "a komi in games that count points",
    })?;
    Ok(Box::new(StartPosition(G::with_rules(start.size(), rules)?)))
}

/// A game's start position, which implements its rules.
struct StartPosition<G>(G);

impl<G: Game> RefereedGame for StartPosition<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn rules(&self) -> Option<String> {
        let rules = self.0.rules();
        let unusual = rules != G::Rules::default();
        (unusual || rules.komi().is_some()).then(|| rules.to_string())
    }

    fn size(&self) -> BoardSize {
        self.0.size()
    }

    fn record(&self) -> GameRecord {
        GameRecord::of(&self.0)
    }

    fn play<'a>(
        &self,
        opening: &[Move],
        players: [&'a mut dyn EnginePlayer; 2],
        terms: &GameTerms,
        stop: &'a AtomicBool,
    ) -> Option<GameEnd> {
        play_game(&self.0, opening, players, terms, stop)
    }

    fn read_book(&self, text: &str) -> Result<Book, OpeningError> {
        opening::read_book(&self.0, text)
    }

    fn random_openings(
        &self,
        plies: u32,
        wanted: usize,
        seed: u64,
    ) -> Result<Vec<Vec<Move>>, OpeningError> {
        opening::random_openings(&self.0, plies, wanted, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nogo_is_known_on_all_its_boards() {
        for size in [
            BoardSize::square(9),
            BoardSize::square(13),
            BoardSize::new(4, 3),
        ] {
            let rules = refereed_game("nogo", size, "", None).unwrap();
            assert_eq!((rules.name(), rules.size()), ("nogo", size));
        }
    }
}
