//! The schedule of a match, and following its games while they are played.

use std::time::Duration;

use super::game::{GameEnd, PlayedMove};
use super::gtp_client::Fault;
use super::player::{EnginePlayer, GameSetup, PlayerMove, Reply};
use super::referee_clock::{AnnouncedTime, RefereeClock};
use super::time_control::MatchTimeControl;
use crate::game::{Color, Move};

/// Follows the games of a match. Called by the threads of the games, which wait for it: it must
/// return at once. Games in progress are numbered by their place, from 0 to one less than are
/// played concurrently.
pub trait MatchObserver: Sync {
    /// A game begins.
    fn begun(&self, place: usize, fixture: &Fixture);

    /// A player is asked for a move, with this time left.
    fn asked(&self, place: usize, color: Color, left: Option<AnnouncedTime>);

    /// A player has answered with a move, perhaps an illegal one; its clock is as it would be if
    /// the move is played.
    fn moved(&self, place: usize, played: &PlayedMove, left: Option<AnnouncedTime>);

    /// The game has ended.
    fn ended(&self, place: usize, end: &GameEnd);
}

/// A player whose moves are observed.
pub(super) struct Observed<'a> {
    player: &'a mut dyn EnginePlayer,
    observer: Option<&'a dyn MatchObserver>,
    place: usize,
    clock: RefereeClock,
}

impl<'a> Observed<'a> {
    pub(super) fn new(
        player: &'a mut dyn EnginePlayer,
        observer: Option<&'a dyn MatchObserver>,
        place: usize,
    ) -> Observed<'a> {
        Observed {
            player,
            observer,
            place,
            clock: RefereeClock::new(MatchTimeControl::None),
        }
    }

    fn tell(&mut self, color: Color, reply: &Reply) {
        let (Some(observer), PlayerMove::Move(mv)) = (self.observer, &reply.choice) else {
            return;
        };
        // The referee decides whether it is too late.
        let _ = self.clock.spend(reply.took, Duration::ZERO);
        let left = self.clock.time_left();
        let played = PlayedMove {
            color,
            mv: *mv,
            took: reply.took,
            left: left.map(|left| left.time),
            report: reply.report.clone(),
        };
        observer.moved(self.place, &played, left);
    }
}

impl EnginePlayer for Observed<'_> {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.clock = RefereeClock::new(setup.time);
        self.player.start(setup)
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        self.player.play(color, mv)
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        if let Some(observer) = self.observer {
            observer.asked(self.place, color, left);
        }
        let reply = self.player.choose(color, left, limit)?;
        self.tell(color, &reply);
        Ok(reply)
    }

    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        self.player.clean_up(color, limit)
    }

    fn pass_instead(&mut self, color: Color) -> Result<bool, Fault> {
        self.player.pass_instead(color)
    }

    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        self.player.dead()
    }

    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        self.player.final_score()
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
#[must_use]
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
}
