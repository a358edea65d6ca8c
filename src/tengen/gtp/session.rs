//! A session: commands in, replies out.

use std::sync::Arc;

use super::numbers::{Perspective, widened};
use super::{Failure, FileAccess, Interrupts, format_vertex};
use crate::clock::{Clock, TimeControl};
use crate::engine::{
    AnalysisEffort, AnalysisRequest, Decision, Engine, EngineError, MoveKind, MoveRequest,
};
use crate::game::{BoardSize, Color};
use crate::games::UnknownGame;
use crate::record::{GameRecord, Play};
use crate::search::{
    AnalysisOptions, Observer, OpponentModel, SearchReport, StopFlag, VisitAdvantage,
};

/// Creates the engine for a board.
pub type MakeEngine = Box<dyn Fn(BoardSize) -> Result<Box<dyn Engine>, UnknownGame> + Send>;

/// Options of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionOptions {
    /// The reply to `name`. Lizzie derives the dialect from it.
    pub name: String,
    /// Whose view the values in analyses are.
    pub perspective: Perspective,
    /// Whether to think during the opponent's time.
    pub ponder: bool,
    /// Whether to draw searches on GoGui's board, through the standard error stream.
    pub live_graphics: bool,
    /// Which files the commands may read and write.
    pub files: FileAccess,
    /// What the engine's searches have as the temperature of the root's policy until the controller sets another.
    pub root_policy_temperature: f32,
}

/// The version of KataGo whose protocols are spoken; clients use fewer features with older versions.
pub(super) const KATAGO_VERSION: &str = "1.15.0";

impl SessionOptions {
    /// Whether clients take the engine for KataGo.
    pub fn is_katago(&self) -> bool {
        self.name.starts_with("KataGo")
    }
}

/// What searches are told by KataGo's settings: how wide they are at the root, and which side is the stronger one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RootSettings {
    pub(super) policy_temperature: Option<f32>,
    pub(super) wide_noise: f64,
    pub(super) analysis_wide_noise: f64,
    /// Doublings of the visits of a side, which is the one to move where none is named.
    pub(super) doublings: f32,
    pub(super) doubled_side: Option<Color>,
}

impl RootSettings {
    /// The temperature of the root's policy in an analysis, or in a search for a move.
    pub(super) fn temperature(self, is_analysis: bool) -> Option<f32> {
        let of_analysis = is_analysis.then_some(self.analysis_wide_noise);
        let noise = of_analysis.filter(|&noise| noise > 0.0);
        widened(noise.unwrap_or(self.wide_noise)).or(self.policy_temperature)
    }

    /// For a search for a move of this side.
    pub(super) fn of_moves(self, color: Color) -> AnalysisOptions {
        AnalysisOptions {
            root_policy_temperature: self.temperature(false),
            opponent: self.opponent(color),
            ..AnalysisOptions::default()
        }
    }

    /// For any search with this side to move.
    pub(super) fn opponent(self, color: Color) -> OpponentModel {
        OpponentModel {
            advantage: VisitAdvantage::new(self.doubled_side, color, self.doublings),
            ..OpponentModel::default()
        }
    }
}

/// A session with one controller.
pub struct Session {
    /// The game in progress.
    pub(super) engine: Box<dyn Engine>,
    make: MakeEngine,
    /// It outlives the board: controllers send it once.
    control: TimeControl,
    /// Settings of KataGo's for the root of a search.
    pub(super) root: RootSettings,
    pub(super) options: SessionOptions,
    pub(super) interrupts: Arc<Interrupts>,
    /// Ignored input.
    pub(super) ignored: Ignored,
}

impl Session {
    /// A session that begins with an empty board of `size`, by the engine's clock.
    ///
    /// # Errors
    /// [`UnknownGame`] when the game or the board size is not supported.
    pub fn new(
        make: MakeEngine,
        size: BoardSize,
        options: SessionOptions,
        time: Arc<dyn Clock>,
    ) -> Result<Session, UnknownGame> {
        Ok(Session {
            engine: make(size)?,
            make,
            control: TimeControl::default(),
            root: RootSettings::default(),
            options,
            interrupts: Arc::new(Interrupts::new(time)),
            ignored: Ignored::default(),
        })
    }

    pub(super) fn set_time_control(&mut self, control: TimeControl) {
        self.control = control;
        self.engine.set_time_control(control);
        self.get_ready();
    }

    /// Whether moves are limited by a clock.
    pub(super) fn has_clock(&self) -> bool {
        self.control != TimeControl::Unlimited
    }

    /// Before a game with a clock the engine loads what it needs, while no clock runs.
    fn get_ready(&mut self) {
        if self.has_clock() {
            self.until_interrupted(|engine, stop| engine.get_ready(stop));
        }
    }

    /// Starts a new game on a board of `size`.
    pub(super) fn set_size(&mut self, size: BoardSize) -> Result<(), Failure> {
        if size == self.engine.size() {
            self.engine.clear();
        } else {
            self.engine = self.engine_for(size)?;
            self.get_ready();
        }
        Ok(())
    }

    /// Loads a recorded game, or changes nothing. Returns messages for the user.
    pub(super) fn load(&mut self, record: &GameRecord) -> Result<Vec<String>, Failure> {
        let refusal = |error| refusal(error, record);
        if record.size == self.engine.size() {
            return self.engine.load(record).map_err(refusal);
        }
        let mut engine = self.engine_for(record.size)?;
        let notes = engine.load(record).map_err(refusal)?;
        self.engine = engine;
        self.get_ready();
        Ok(notes)
    }

    /// The record of the game so far, which must have no stones.
    pub(super) fn empty_record(&self) -> Result<GameRecord, Failure> {
        let record = self.engine.record();
        let is_empty = record.plays.is_empty() && record.setup.is_empty();
        is_empty.then_some(record).ok_or(Failure::NOT_EMPTY)
    }

    /// Runs an interruptible search.
    pub(super) fn until_interrupted<T>(
        &mut self,
        ask: impl FnOnce(&mut dyn Engine, &StopFlag) -> T,
    ) -> T {
        let engine = &mut *self.engine;
        self.interrupts.until_interrupted(|stop| ask(engine, stop))
    }

    /// Chooses a move, in one of these ways.
    pub(super) fn choose(&mut self, color: Color, kind: MoveKind) -> Decision {
        let options = self.root.of_moves(color);
        self.choose_shown(color, kind, options, &mut |_| {})
    }

    /// The same with these options, while `observer` sees reports of the search.
    pub(super) fn choose_shown(
        &mut self,
        color: Color,
        kind: MoveKind,
        options: AnalysisOptions,
        observer: &mut Observer<'_>,
    ) -> Decision {
        let engine = &mut *self.engine;
        self.interrupts.for_move(|stop, waited| {
            let request = MoveRequest::new(color, stop).of_kind(kind).with(options);
            engine.genmove(&request.after(waited), observer)
        })
    }

    /// Names a move, unless there is any input before.
    pub(super) fn name_until_input(
        &mut self,
        color: Color,
        options: AnalysisOptions,
        observer: &mut Observer<'_>,
    ) -> Option<Decision> {
        let engine = &mut *self.engine;
        self.interrupts.until_input(|stop| {
            let request = MoveRequest::new(color, stop).of_kind(MoveKind::Named);
            let decision = engine.genmove(&request.with(options), observer);
            (!stop.is_raised()).then_some(decision)
        })
    }

    /// An analysis of the current position with `color` to move.
    pub(super) fn look(&mut self, color: Color, effort: AnalysisEffort) -> Option<SearchReport> {
        let options = AnalysisOptions {
            opponent: self.root.opponent(color),
            ..AnalysisOptions::default()
        };
        self.until_interrupted(|engine, stop| {
            let request = AnalysisRequest::new(color, effort, stop).with(options);
            engine.analyse(&request, &mut |_| {})
        })
    }

    fn engine_for(&self, size: BoardSize) -> Result<Box<dyn Engine>, Failure> {
        let made = (self.make)(size);
        let mut engine = made.map_err(|error| Failure::UnacceptableSize(error.to_string()))?;
        engine.set_rules(&self.engine.rules())?;
        if let Some(komi) = self.engine.record().komi {
            engine.set_komi(komi);
        }
        engine.set_time_control(self.control);
        engine.set_thinking_limits(self.engine.thinking_limits());
        Ok(engine)
    }
}

/// Why a record is not loaded; names the illegal move.
fn refusal(error: EngineError, record: &GameRecord) -> Failure {
    let (number, why) = match error {
        EngineError::IllegalRecord { number, why } => (number, why),
        EngineError::IllegalSetup { after: 1.. } => {
            return Failure::CannotLoad(error.to_string());
        }
        error => return error.into(),
    };
    let play = record.plays.get(number - 1).map(|recorded| recorded.play);
    let play = play.map_or_else(String::new, |Play { color, vertex }| {
        format!(", {color} {},", format_vertex(vertex, record.size))
    });
    Failure::CannotLoad(format!(
        "move {number}{play} is illegal ({why}); loadsgf FILE {number} loads the game up to it"
    ))
}

/// Maximum number of warnings remembered.
const MAX_WARNINGS: usize = 64;

/// Unsupported words of newer dialects: logged once each, since board programs repeat them with every move.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// Logs an unsupported word.
    pub(super) fn note(&mut self, word: &str) {
        self.warn(&format!("unknown word `{word}` is ignored"));
    }

    /// Logs what else is ignored.
    pub(super) fn warn(&mut self, text: &str) {
        if self.0.iter().any(|known| known == text) || self.0.len() >= MAX_WARNINGS {
            return;
        }
        log::warn!("{text}");
        self.0.push(text.to_owned());
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::clock::SystemClock;
    use crate::engine::testing::{Behaviour, FillGame, make};
    use crate::engine::{Player, ThinkingLimits};
    use crate::game::Game;

    /// A session on a board of five by one points.
    pub(in super::super) fn session(behaviour: Behaviour) -> Session {
        session_by(Arc::new(SystemClock::new()), behaviour)
    }

    /// The same by this clock.
    pub(in super::super) fn session_by(time: Arc<dyn Clock>, behaviour: Behaviour) -> Session {
        let of_engines = Arc::clone(&time);
        let make: MakeEngine = Box::new(move |size| {
            let player = Player::new(
                FillGame::new(size)?,
                make(behaviour.clone()),
                ThinkingLimits::default(),
                Arc::clone(&of_engines),
            );
            Ok(Box::new(player))
        });
        let options = SessionOptions {
            name: "Tengen".to_owned(),
            perspective: Perspective::Mover,
            ponder: false,
            live_graphics: false,
            files: FileAccess::default(),
            root_policy_temperature: 1.0,
        };
        Session::new(make, BoardSize::new(5, 1), options, time).expect("a legal size")
    }
}

#[cfg(test)]
mod tests;
