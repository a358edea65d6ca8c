//! One conversation: commands in, replies out.

use std::sync::Arc;

use super::commands::{self, Arguments};
use super::line::reply;
use super::{Failure, Interrupts, Request};
use crate::clock::TimeControl;
use crate::engine::{Decision, Engine};
use crate::game::{BoardSize, UnsupportedSize};
use crate::record::GameRecord;
use crate::search::StopFlag;

/// Makes the engine for a board.
pub type MakeEngine = Box<dyn Fn(BoardSize) -> Result<Box<dyn Engine>, UnsupportedSize> + Send>;

/// A conversation with one controller.
pub struct Session {
    /// The game in progress.
    pub(super) engine: Box<dyn Engine>,
    make: MakeEngine,
    /// Komi and time control outlive the board: controllers send them once.
    komi: Option<f32>,
    control: TimeControl,
    interrupts: Arc<Interrupts>,
    over: bool,
}

impl Session {
    /// A conversation that begins with an empty board of `size`.
    ///
    /// # Errors
    /// [`UnsupportedSize`] when the game is not played on such a board.
    pub fn new(make: MakeEngine, size: BoardSize) -> Result<Session, UnsupportedSize> {
        Ok(Session {
            engine: make(size)?,
            make,
            komi: None,
            control: TimeControl::default(),
            interrupts: Arc::new(Interrupts::new()),
            over: false,
        })
    }

    /// The whole reply to one command, its final empty line included.
    pub fn answer(&mut self, request: &Request) -> String {
        self.interrupts.begin_command();
        let result = match commands::find(&request.name) {
            Some(command) => (command.run)(self, &Arguments(&request.arguments)),
            None => Err(Failure::UnknownCommand),
        };
        reply(&request.id, result)
    }

    /// Whether `quit` has been answered.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// What may cut the searches of this conversation short.
    #[must_use]
    pub fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    pub(super) fn end(&mut self) {
        self.over = true;
    }

    pub(super) fn set_komi(&mut self, komi: f32) {
        self.komi = Some(komi);
        self.engine.set_komi(komi);
    }

    pub(super) fn set_time_control(&mut self, control: TimeControl) {
        self.control = control;
        self.engine.set_time_control(control);
    }

    /// Starts a new game on a board of `size`.
    pub(super) fn set_size(&mut self, size: BoardSize) -> Result<(), Failure> {
        if size == self.engine.size() {
            self.engine.clear();
        } else {
            self.engine = self.engine_for(size)?;
        }
        Ok(())
    }

    /// Takes a recorded game over, or leaves everything as it is.
    pub(super) fn load(&mut self, record: &GameRecord) -> Result<(), Failure> {
        if record.size == self.engine.size() {
            self.engine.load(record)?;
        } else {
            let mut engine = self.engine_for(record.size)?;
            engine.load(record)?;
            self.engine = engine;
        }
        self.komi = record.komi.or(self.komi);
        Ok(())
    }

    /// Runs a search that the controller can interrupt.
    pub(super) fn search(
        &mut self,
        ask: impl FnOnce(&mut dyn Engine, &StopFlag) -> Decision,
    ) -> Decision {
        let engine = &mut *self.engine;
        self.interrupts.search(|stop| ask(engine, stop))
    }

    fn engine_for(&self, size: BoardSize) -> Result<Box<dyn Engine>, Failure> {
        let mut engine = (self.make)(size).map_err(|error| {
            log::info!("{error}");
            Failure::UnacceptableSize
        })?;
        if let Some(komi) = self.komi {
            engine.set_komi(komi);
        }
        engine.set_time_control(self.control);
        Ok(engine)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::clock::SystemClock;
    use crate::engine::testing::{Line, Mood, make};
    use crate::engine::{Player, Spending};
    use crate::game::Game;

    /// A session on a board of five by one points.
    pub(in super::super) fn session(mood: Mood) -> Session {
        let make: MakeEngine = Box::new(move |size| {
            let time = Arc::new(SystemClock::new());
            let player = Player::new(
                Line::new(size)?,
                make(mood.clone()),
                Spending::default(),
                time,
            );
            Ok(Box::new(player))
        });
        Session::new(make, BoardSize::new(5, 1)).expect("a legal size")
    }
}

#[cfg(test)]
mod tests;
