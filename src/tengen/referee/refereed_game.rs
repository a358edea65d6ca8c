//! The games of a match: their schedule, and the rules of each behind one call per game played.

use super::MatchError;
use super::game::{ScheduledGame, play_game};
use super::game_end::GameEnd;
use super::opening::{self, Book};
use crate::game::{BoardSize, Game, HalfPoints, Move, Rules as _};
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

    /// Plays one game; `None` when it was stopped before its end.
    fn play(&self, game: ScheduledGame<'_>) -> Option<GameEnd>;

    /// Reads an opening book. See [`opening`].
    ///
    /// # Errors
    /// [`MatchError`] names the invalid line.
    fn read_book(&self, text: &str) -> Result<Book, MatchError>;

    /// Different random openings. See [`opening::random_openings`].
    fn random_openings(&self, plies: u32, wanted: usize, seed: u64) -> Vec<Vec<Move>>;
}

/// A game by name, under rules given as text (the default ones if empty) and optionally with
/// another komi.
///
/// # Errors
/// [`UnknownGame`] lists the games, the sizes or the rules, or says that the game has no komi.
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
    let rules = start.rules().with_komi(komi);
    let rules = rules.ok_or(UnknownGame::Komi(G::INFO.title))?;
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

    fn play(&self, game: ScheduledGame<'_>) -> Option<GameEnd> {
        play_game(&self.0, game)
    }

    fn read_book(&self, text: &str) -> Result<Book, MatchError> {
        opening::read_book(&self.0, text)
    }

    fn random_openings(&self, plies: u32, wanted: usize, seed: u64) -> Vec<Vec<Move>> {
        opening::random_openings(&self.0, plies, wanted, seed)
    }
}

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// Its number in the schedule, from 0.
    pub number: usize,
    /// Its pair: the two games with the same engines and opening, colours swapped.
    pub pair: usize,
    /// The black and the white engine, by index.
    pub engines: [usize; 2],
    /// The opening, by index.
    pub opening: usize,
}

/// Format of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every engine meets every other one.
    RoundRobin,
    /// The first engine meets all others.
    Gauntlet,
}

/// All games, `games_each` per meeting (an odd number leaves a pair half played).
///
/// Meetings alternate opening by opening, so that an unfinished schedule is fair; the same opening
/// is used once in every meeting and never again.
pub fn schedule(engines: usize, format: Format, games_each: usize) -> Vec<Fixture> {
    let meetings: Vec<(usize, usize)> = (0..engines)
        .flat_map(|first| (first + 1..engines).map(move |second| (first, second)))
        .filter(|&(first, _)| format == Format::RoundRobin || first == 0)
        .collect();
    let mut fixtures = Vec::new();
    for opening in 0..games_each.div_ceil(2) {
        for (index, &(first, second)) in meetings.iter().enumerate() {
            let pair = opening * meetings.len() + index;
            for (swapped, engines) in [[first, second], [second, first]].into_iter().enumerate() {
                if 2 * opening + swapped < games_each {
                    let number = 2 * pair + swapped;
                    fixtures.push(Fixture {
                        number,
                        pair,
                        engines,
                        opening,
                    });
                }
            }
        }
    }
    fixtures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(fixtures: &[Fixture]) -> Vec<[usize; 2]> {
        fixtures.iter().map(|fixture| fixture.engines).collect()
    }

    #[test]
    fn two_engines_play_colour_swapped_pairs() {
        let fixtures = schedule(2, Format::RoundRobin, 5);
        assert_eq!(engines(&fixtures), [[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]);
        let openings: Vec<usize> = fixtures.iter().map(|fixture| fixture.opening).collect();
        assert_eq!(openings, [0, 0, 1, 1, 2]);
        assert!(
            fixtures
                .iter()
                .all(|fixture| fixture.pair == fixture.opening)
        );
    }

    #[test]
    fn everybody_meets_everybody_or_the_first_one() {
        let all = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
        assert_eq!(engines(&schedule(3, Format::RoundRobin, 2)), all);
        assert_eq!(engines(&schedule(3, Format::Gauntlet, 2)), all[..4]);
    }

    #[test]
    fn a_longer_schedule_keeps_the_games_of_a_shorter_one() {
        let longer = schedule(4, Format::RoundRobin, 10);
        for games in 0..10 {
            let shorter = schedule(4, Format::RoundRobin, games);
            assert!(
                shorter.iter().all(|fixture| longer.contains(fixture)),
                "{games} games"
            );
        }
    }

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
        let komi = refereed_game("nogo", BoardSize::square(9), "", Some(HalfPoints(10)));
        let told = komi.map(|_| ()).unwrap_err().to_string();
        assert_eq!(told, "NoGo has no komi: leave --komi out");
    }
}
