//! Following games while they are played.

use std::time::Duration;

use super::game::{GameEnd, PlayedMove};
use super::gtp_client::Fault;
use super::player::{Contestant, GameSetup, PlayerMove, Reply};
use super::referee_clock::{AnnouncedTime, RefereeClock};
use super::schedule::Fixture;
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
    player: &'a mut dyn Contestant,
    observer: Option<&'a dyn MatchObserver>,
    place: usize,
    clock: RefereeClock,
}

impl<'a> Observed<'a> {
    pub(super) fn new(
        player: &'a mut dyn Contestant,
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

impl Contestant for Observed<'_> {
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
