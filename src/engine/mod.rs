//! One game in progress, ready to be asked for moves: what GTP needs, behind one object-safe trait.
//!
//! [`Player`] is the engine for any [`crate::game::Game`]: it keeps the game's history and both
//! clocks, and has a [`Thinker`] choose moves on a thread of its own. Whatever happens to the
//! thinker, [`Engine::genmove`] answers a legal move in time. Nothing here reads or writes text.

// Whatever a controller sends or a user sets gets an answer: nothing here may panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable
)]

mod built_in;
mod choose;
mod critic;
mod fallbacks;
mod history;
mod instant;
mod judge;
mod judge_limits;
mod loading;
mod merge_proof;
mod network;
mod network_setup;
mod networks;
mod options;
mod passing;
mod player;
mod probing;
pub mod registry;
#[allow(clippy::indexing_slicing, reason = "pairs, by `Color::index`")]
mod resign;
mod rollout;
mod second_look;
mod shown_proof;
mod solver_speed;
mod solver_thinker;
mod startup;
#[cfg(test)]
pub(crate) mod testing;
mod thinker;
mod thinker_log;
#[allow(clippy::indexing_slicing, reason = "pairs, by `Color::index`")]
mod timing;
mod unjudged;
mod worker;

pub use built_in::built_in;
pub use critic::CriticThinker;
pub use network::NetworkThinker;
pub use network_setup::NetworkSetup;
pub use networks::Networks;
pub use options::{Backend, ENGINE_OPTIONS, EngineOption, EngineOptions, SWITCH};
pub use player::Player;
pub use resign::Resign;
pub use rollout::RolloutThinker;
pub use solver_thinker::{SolverOptions, SolverPlace, SolverThinker, SolverThreads};
pub use startup::StartError;
pub use thinker::{MakeThinker, ThinkError, Thinker};
pub use thinker_log::ThinkerLog;
pub use timing::{ClockState, DEFAULT_TIME_PER_MOVE, MoveTime, ThinkingLimits};
pub use unjudged::Unjudged;

use std::time::Duration;

use thiserror::Error;

use crate::clock::TimeControl;
use crate::game::{
    BoardSize, Color, GameInfo, HalfPoints, Illegal, Move, Outcome, Settled, UnknownRules,
};
use crate::record::{GameRecord, Play, Vertex};
use crate::search::{AnalysisOptions, SearchReport, StopFlag};

/// What an engine does with its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It plays; a pass where the game is over and not lost, which changes nothing then.
    Play(Vertex),
    /// It has lost, or gives up.
    Resign,
}

/// Why an engine refuses. It has changed nothing then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EngineError {
    /// The rules do not allow the move.
    #[error("illegal move: {0}")]
    IllegalMove(Illegal),
    /// There is no move to take back.
    #[error("cannot undo")]
    CannotUndo,
    /// The record is of another board or another game.
    #[error("the record is of another game or board")]
    WrongGame,
    /// Stones that a record sets up cannot stand together.
    #[error("stones that are set up after move {after} cannot stand together")]
    IllegalSetup {
        /// How many moves of the record come before them.
        after: usize,
    },
    /// A move of a record is illegal under any rules.
    #[error("move {number} is illegal")]
    IllegalRecord {
        /// Its number, from 1.
        number: usize,
    },
}

/// Why rules cannot be taken. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RulesError {
    /// The game has no such rules.
    #[error(transparent)]
    Unknown(#[from] UnknownRules),
    /// What was played is illegal under them.
    #[error("the game so far is not legal under these rules")]
    Broken,
}

/// How much an analysis may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisEffort {
    /// Search until it is stopped.
    Endless,
    /// Search until the root has this many visits, or for so long; with neither, until it is stopped.
    Bounded {
        /// Visits of the root, reused ones counted.
        visits: Option<u64>,
        /// Time that the search uses up.
        time: Option<Duration>,
    },
    /// Tell what earlier searches know of the position, with one evaluation where that is nothing.
    Glance,
    /// Tell the network's evaluation: one visit, without any search.
    Network,
}

/// What the exact solver says of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The result with best play; `None` when the time was not enough.
    pub outcome: Option<Outcome>,
    /// A line of best play, as far as it was found.
    pub line: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
    /// Wall time.
    pub elapsed: Duration,
}

/// One game in progress on a board of one size.
pub trait Engine: Send {
    /// The game's name, as [`crate::game::Game::NAME`].
    fn game(&self) -> &'static str {
        self.info().name
    }

    /// What programs have to know of the game.
    fn info(&self) -> GameInfo;

    /// The board.
    fn size(&self) -> BoardSize;

    /// Starts a new game: empty board, both clocks full. Komi and time control stay.
    fn clear(&mut self);

    /// Sets the komi. Games that count no points keep it for the record only; in others it is part
    /// of the rules, and earlier searches count no more.
    fn set_komi(&mut self, komi: HalfPoints);

    /// Sets the rules, as the game reads them; komi stays where the text does not say it.
    ///
    /// # Errors
    /// [`RulesError`]; nothing has changed then.
    fn set_rules(&mut self, text: &str) -> Result<(), RulesError>;

    /// Sets a single rule, by its name in [`Engine::rules_json`]; where the scoring changes its tax does.
    ///
    /// # Errors
    /// [`RulesError`], also where the game has no such names; nothing has changed then.
    fn set_rule(&mut self, name: &str, value: &str) -> Result<(), RulesError> {
        let rules = self.rules_json();
        let unknown = || UnknownRules {
            text: format!("{name} {value}"),
            known: match rules {
                Some(_) => {
                    "ko, scoring, tax, suicide, whiteHandicapBonus, hasButton, friendlyPassOk"
                }
                None => "none by such names",
            },
        };
        let fields = rules.as_deref().unwrap_or_default();
        let mut rules: serde_json::Map<_, _> = serde_json::from_str(fields).unwrap_or_default();
        *rules.get_mut(name).ok_or_else(unknown)? = value.into();
        if name == "scoring" {
            rules.remove("tax");
        }
        self.set_rules(&serde_json::Value::Object(rules).to_string())
    }

    /// The rules of later games as [`Engine::set_rules`] takes them, komi included. Those of this
    /// game are others where it was [loaded](Engine::load) under more liberal ones.
    fn rules(&self) -> String;

    /// The rules as a JSON object with KataGo's names, where the game is one of KataGo's.
    fn rules_json(&self) -> Option<String>;

    /// Plays for either colour, whoever is to move.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`].
    fn play(&mut self, play: Play) -> Result<(), EngineError>;

    /// Takes the last play back.
    ///
    /// # Errors
    /// [`EngineError::CannotUndo`] when nothing was played since the start or the setup.
    fn undo(&mut self) -> Result<(), EngineError>;

    /// Starts a new game from the setup of `record` and its plays, and takes over its komi where it
    /// has one, and its rules where they are known. A game that those rules forbid is played by more
    /// liberal ones, which end with it. Where stones are set up among the moves, the game begins with
    /// the last of them. Answers what there is to say of that, in words.
    ///
    /// # Errors
    /// [`EngineError::WrongGame`], [`EngineError::IllegalSetup`] and [`EngineError::IllegalRecord`];
    /// the old game goes on then.
    fn load(&mut self, record: &GameRecord) -> Result<Vec<String>, EngineError>;

    /// Chooses a move for `color`, plays it and charges the clock. Ends early with the best move
    /// so far when `stop` is raised. Where there is none, because it was raised before the call, the
    /// time is up or the search has failed, it is the best that is known in no time.
    fn genmove(&mut self, color: Color, stop: &StopFlag) -> Decision {
        self.watch_genmove(color, stop, &AnalysisOptions::default(), &mut |_| {})
    }

    /// As [`Engine::genmove`]; `see` is shown the search while it runs, as often as `analysis`
    /// says, and moves to avoid are played only when there is no other.
    fn watch_genmove(
        &mut self,
        color: Color,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Decision;

    /// As [`Engine::genmove`], to clear up a game whose players do not agree: it goes on after two
    /// passes, and there is no pass as long as dead stones of the other side are on the board.
    fn genmove_cleanup(&mut self, color: Color, stop: &StopFlag) -> Decision;

    /// Chooses a move for `color` as [`Engine::genmove`] does, and changes nothing.
    fn reg_genmove(&mut self, color: Color, stop: &StopFlag) -> Decision;

    /// Searches the present position with `color` to move, until `stop` is raised or `effort` is
    /// done, and changes nothing but what later searches know. `see` is shown the search while it
    /// runs. Where players have passed and agree on what is dead, as if the game went on. `None` when
    /// there is no legal move or nothing could be found out.
    fn analyse(
        &mut self,
        color: Color,
        effort: AnalysisEffort,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Option<SearchReport>;

    /// Whether [`Engine::solve`] has an answer in this game.
    fn has_solver(&self) -> bool;

    /// Solves the present position with `color` to move, for so long or until `stop` is raised.
    /// `None` when this game has no solver.
    fn solve(&mut self, color: Color, time: Duration, stop: &StopFlag) -> Option<Solution>;

    /// Thinks on the opponent's time until `stop` is raised: searches the position after its own
    /// last move, and keeps what it finds for its next. Returns at once when the last move was not
    /// its own, or was the game's last.
    fn ponder(&mut self, stop: &StopFlag);

    /// Does what a first search would begin with, such as loading the network, so that a clock does
    /// not pay for it; gives up when `stop` is raised.
    fn get_ready(&mut self, stop: &StopFlag);

    /// Forgets what was searched so far: nothing of it may make a difference to later searches.
    fn forget(&mut self);

    /// The opponent will not reply: no pondering before the next [`Engine::genmove`].
    fn rest(&mut self);

    /// What a glance at the present position says that the side to move may expect, in [-1, 1],
    /// without a search; 0 in games where it says nothing.
    fn value_at_a_glance(&mut self) -> f32;

    /// The search behind the last decision of this game, if there was one.
    fn last_report(&self) -> Option<&SearchReport>;

    /// The stone on a point of the board, if any.
    fn stone(&self, point: Move) -> Option<Color>;

    /// The side to move.
    fn to_move(&self) -> Color;

    /// The points where `color` may play, were it to move; ascending.
    fn legal_moves(&self, color: Color) -> Vec<Move>;

    /// The game's openings that have names, on this board: their moves in order.
    fn named_openings(&self) -> Vec<(&'static str, Vec<Move>)> {
        Vec::new()
    }

    /// The result, by the rules or by resignation, when the game has ended; all stones count as they
    /// stand.
    fn outcome(&self) -> Option<Outcome>;

    /// Who has given the game up: this engine as its last decision, or a player of the record that was
    /// loaded. Nobody once the game goes on.
    fn resigned(&self) -> Option<Color>;

    /// Whether the rules have the players agree on what is dead when both have passed; else all that
    /// stands counts.
    fn agrees_on_dead(&self) -> bool;

    /// The present position as the players may agree to count it, finished or not: what is dead,
    /// what lives in seki, whose the points are. `None` in games without dead stones.
    ///
    /// # Errors
    /// [`Unjudged`] when `stop` is raised before that is known.
    fn settle(&mut self, stop: &StopFlag) -> Result<Option<Settled>, Unjudged>;

    /// The game so far, its result as [`Engine::outcome`].
    fn record(&self) -> GameRecord;

    /// What one move may cost, the clock aside.
    fn thinking_limits(&self) -> ThinkingLimits;

    /// Changes what one move may cost.
    fn set_thinking_limits(&mut self, thinking_limits: ThinkingLimits);

    /// Sets the time control and fills both clocks.
    fn set_time_control(&mut self, control: TimeControl);

    /// Takes over what the controller says a side has left: time, and the stones or periods of
    /// overtime (0 in main time).
    fn set_time_left(&mut self, color: Color, time: Duration, stones: u32);

    /// A side's clock, and what is known for using it.
    fn clock_state(&self, color: Color) -> ClockState;

    /// The time of each move that this engine has chosen in this game, in order.
    fn move_times(&self) -> Vec<MoveTime>;

    /// Which network and backend choose the moves, and what was passed over or failed before; the
    /// last word last, nothing before anything was loaded.
    fn thinker_log(&self) -> Vec<String>;
}
