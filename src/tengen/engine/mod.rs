//! A game in progress that can be asked for moves: what GTP needs, as an object-safe trait.
//!
//! [`Player`] is the engine for any [`crate::game::Game`]: it keeps the game's history and both
//! clocks, and runs a [`Thinker`] on its own thread to choose moves. After any failure of the
//! thinker [`Engine::genmove`] returns a legal move in time. Nothing here reads or writes text.

// Any input from controllers and users gets an answer: nothing here may panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable
)]

#[allow(clippy::indexing_slicing, reason = "pairs, by `Color::index`")]
mod choose;
#[cfg(test)]
mod clock_trials;
mod dead_stones;
mod from_book;
mod history;
mod loading;
mod network;
mod networks;
mod options;
mod passing;
mod player;
mod rollout;
mod solver_thinker;
mod static_policy;
#[cfg(test)]
pub(crate) mod testing;
mod thinker;
#[allow(clippy::indexing_slicing, reason = "pairs, by `Color::index`")]
mod timing;

pub use choose::Resign;
pub use dead_stones::ScoringInterrupted;
pub(crate) use from_book::FromBook;
pub(crate) use network::NetworkThinker;
pub(crate) use networks::NetworkSetup;
pub use networks::{Networks, built_in, built_in_boards, built_in_name, none_built_in};
pub use options::{Backend, EngineOptions};
pub use player::Player;
pub use rollout::RolloutThinker;
pub use solver_thinker::SolverOptions;
pub(crate) use solver_thinker::{SolverThinker, probers};
pub(crate) use static_policy::look_at_once;
pub use thinker::{MakeThinker, ThinkError, Thinker, ThinkerLog};
pub use timing::{ClockState, DEFAULT_TIME_PER_MOVE, MoveTime, ThinkingLimits};

use std::time::Duration;

use thiserror::Error;

use crate::book::BookLine;
use crate::clock::{Budget, TimeControl};
use crate::game::{
    BoardSize, Color, GameInfo, HalfPoints, Illegal, Move, Outcome, Settled, Symmetry, UnknownRules,
};
use crate::record::{GameRecord, Play, Vertex};
use crate::search::{AnalysisOptions, Observer, SearchReport, StopFlag};

/// Decision of an engine at its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It plays a move. If the game is over, a pass: in games with passes it is recorded as a play,
    /// even after a loss; in others it changes nothing, and stands for "not lost".
    Play(Vertex),
    /// It resigns, or the game is over and lost, in games without passes.
    Resign,
}

/// Why an engine refuses a command. It has changed nothing then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EngineError {
    /// The rules do not allow the move.
    #[error("illegal move: {0}")]
    IllegalMove(Illegal),
    /// There is no move to undo.
    #[error("cannot undo")]
    CannotUndo,
    /// The record is for another board or game.
    #[error("the record is of another game or board")]
    WrongGame,
    /// Stones set up by a record cannot stand together.
    #[error("stones that are set up after move {after} cannot stand together")]
    IllegalSetup {
        /// Number of the record's moves before the setup.
        after: usize,
    },
    /// A move of a record is illegal under any rules.
    #[error("move {number} is illegal: {why}")]
    IllegalRecord {
        /// Its number, from 1.
        number: usize,
        /// The reason.
        why: Illegal,
    },
}

/// Why rules were refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RulesError {
    /// Unknown rules.
    #[error(transparent)]
    Unknown(#[from] UnknownRules),
    /// A move of the game so far is illegal under them.
    #[error("the game so far is not legal under these rules")]
    Broken,
}

/// The exact solver's result for a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The result with best play; `None` when the time was too short.
    pub outcome: Option<Outcome>,
    /// A principal variation, as far as it was found.
    pub line: Vec<Move>,
    /// Positions that the solver visited.
    pub nodes: u64,
    /// Wall time of the solver.
    pub elapsed: Duration,
}

/// A search that a listener follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTask {
    /// To choose a move and play it.
    Move,
    /// To analyse the position.
    Analyse,
    /// To think on the opponent's time.
    Ponder,
}

/// Follows the games of an engine, on the thread that uses it.
pub trait Listener: Send {
    /// A new game has begun.
    fn new_game(&mut self, game: &dyn Engine);

    /// The game or its clocks have changed, or a search has ended, with this result.
    fn changed(&mut self, game: &dyn Engine, found: Option<&SearchReport>);

    /// A search with `color` to move begins; `budget` is the plan for a move.
    fn begun(&mut self, game: &dyn Engine, task: SearchTask, color: Color, budget: Option<Budget>);

    /// A report of this search, several times a second.
    fn report(&mut self, report: &SearchReport);
}

/// Use of the chosen move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// It is played, and the clock is charged.
    Play,
    /// The same in the cleanup phase of a game whose players disagree on dead stones: the game
    /// continues after two passes, and there is no pass while dead stones of the opponent are on
    /// the board. The engine does not resign.
    Cleanup,
    /// It is only named: nothing changes.
    Named,
}

/// A question to an engine, for one side.
#[derive(Debug, Clone)]
pub struct Request<K> {
    /// The side to move.
    pub color: Color,
    /// What is asked for.
    pub kind: K,
    /// Raised to end the search early with what it has found so far.
    pub stop: StopFlag,
    /// Reports during the search, and more. A move to avoid is played only when there is no other.
    pub options: AnalysisOptions,
    /// How long the controller has waited for it already; its clock runs.
    pub waited: Duration,
}

/// A move for one side.
pub type MoveRequest = Request<MoveKind>;

/// An analysis of the current position.
pub type AnalysisRequest = Request<AnalysisEffort>;

impl<K> Request<K> {
    /// Without reports.
    fn of(color: Color, kind: K, stop: &StopFlag) -> Request<K> {
        Request {
            color,
            kind,
            stop: stop.clone(),
            options: AnalysisOptions::default(),
            waited: Duration::ZERO,
        }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, options: AnalysisOptions) -> Request<K> {
        Request { options, ..self }
    }
}

impl MoveRequest {
    /// A move to be played, without reports.
    pub fn new(color: Color, stop: &StopFlag) -> MoveRequest {
        Request::of(color, MoveKind::Play, stop)
    }

    /// The same for a controller that has waited this long.
    #[must_use]
    pub fn after(self, waited: Duration) -> MoveRequest {
        MoveRequest { waited, ..self }
    }

    /// A move of this kind.
    #[must_use]
    pub fn of_kind(self, kind: MoveKind) -> MoveRequest {
        MoveRequest { kind, ..self }
    }
}

impl AnalysisRequest {
    /// An analysis without reports.
    pub fn new(color: Color, effort: AnalysisEffort, stop: &StopFlag) -> AnalysisRequest {
        Request::of(color, effort, stop)
    }
}

/// Limit of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisEffort {
    /// Search until it is stopped.
    Endless,
    /// Search until the root has this many visits, or for this time; with neither, until it is
    /// stopped.
    Bounded {
        /// Visits of the root, reused ones counted.
        visits: Option<u64>,
        /// Search time.
        time: Option<Duration>,
    },
    /// Report what earlier searches know of the position, or one evaluation if that is nothing.
    OneEvaluation,
    /// Report the network's evaluation of the game under a symmetry of the board, turned back: one visit,
    /// without any search.
    Network(Symmetry),
}

impl AnalysisEffort {
    /// A search until the root has this many visits.
    pub fn visits(visits: u64) -> AnalysisEffort {
        AnalysisEffort::Bounded {
            visits: Some(visits),
            time: None,
        }
    }
}

/// A game in progress on a board of one size.
pub trait Engine: Send {
    /// From now on `listener` follows its games, in place of any other.
    fn listen(&mut self, listener: Box<dyn Listener>);

    /// Properties of the game.
    fn info(&self) -> GameInfo;

    /// Size of the current board.
    fn size(&self) -> BoardSize;

    /// Starts a new game: empty board, both clocks full. Komi and time control are kept.
    fn clear(&mut self);

    /// Sets the komi. Games that count no points keep it for the record only; in others it is part
    /// of the rules, and earlier searches are dropped.
    fn set_komi(&mut self, komi: HalfPoints);

    /// Sets the rules, parsed by the game; komi is kept unless the text contains one.
    ///
    /// # Errors
    /// [`RulesError`]; nothing has changed then.
    fn set_rules(&mut self, text: &str) -> Result<(), RulesError>;

    /// The rules of later games in the format of [`Engine::set_rules`], komi included. Those of
    /// this game differ if it was [loaded](Engine::load) under more liberal ones.
    fn rules(&self) -> String;

    /// The rules of this game as a JSON object with KataGo's names, for games that KataGo supports.
    fn rules_json(&self) -> Option<String>;

    /// The same of the rules of later games.
    fn lasting_rules_json(&self) -> Option<String>;

    /// Plays for either colour, independent of the side to move.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`].
    fn play(&mut self, play: Play) -> Result<(), EngineError>;

    /// Undoes the last play.
    ///
    /// # Errors
    /// [`EngineError::CannotUndo`] if nothing was played since the start or the setup.
    fn undo(&mut self) -> Result<(), EngineError>;

    /// Starts a new game from the setup of `record` and its plays, with its rules if they are known, and
    /// its komi, or the usual one of its rules. A game that violates them is played under more liberal ones,
    /// which end with it. Where stones are set up among the moves, the game begins with the last of
    /// them. Returns messages for the user.
    ///
    /// # Errors
    /// [`EngineError::WrongGame`], unless its game is this one or [may be](crate::record::sgf::may_be),
    /// [`EngineError::IllegalSetup`] and [`EngineError::IllegalRecord`]; the old game continues then.
    fn load(&mut self, record: &GameRecord) -> Result<Vec<String>, EngineError>;

    /// Chooses a move as requested, while `observer` sees reports of the search. Ends early with the
    /// best move so far when the stop flag is raised. Without a search result, because the flag was
    /// raised before the call, the time is up or the search has failed, the move comes from instant
    /// knowledge.
    fn genmove(&mut self, request: &MoveRequest, observer: &mut Observer<'_>) -> Decision;

    /// Searches the current position as requested, until it is stopped or the effort is done; only
    /// the search tree changes. `observer` sees reports during the search. If both players have passed, the position is
    /// searched as if the game went on, and after one pass in an unfinished game as if another did not end it. `None` if
    /// there is no legal move or no result.
    fn analyse(
        &mut self,
        request: &AnalysisRequest,
        observer: &mut Observer<'_>,
    ) -> Option<SearchReport>;

    /// Whether [`Engine::solve`] supports this game.
    fn has_solver(&self) -> bool;

    /// Solves the current position with `color` to move, within a time or until `stop` is raised.
    /// `None` if this game has no solver.
    fn solve(&mut self, color: Color, time: Duration, stop: &StopFlag) -> Option<Solution>;

    /// Ponders until `stop` is raised: searches the position after its own last move, and keeps the
    /// tree for its next. Returns at once if the last move was not its own, or ended the game.
    fn ponder(&mut self, stop: &StopFlag);

    /// The time that [`Engine::genmove`] would take for `color` now: the clock's plan for it, within
    /// a fixed time per move. `None` without either, if visits are the only limit.
    fn planned_time(&mut self, color: Color) -> Option<Budget>;

    /// Begins the preparations of the next search, such as loading the network, without waiting for them.
    fn prepare(&mut self);

    /// Does these preparations, so that they do not use clock time; gives up when `stop` is raised.
    fn get_ready(&mut self, stop: &StopFlag);

    /// Drops all search results: they may not affect later searches.
    fn forget(&mut self);

    /// The opponent will not reply: no pondering before the next [`Engine::genmove`].
    fn rest(&mut self);

    /// Static evaluation of the current position for the side to move, in [-1, 1], without a
    /// search; 0 in games without one.
    fn static_value(&mut self) -> f32;

    /// The search behind the last decision of this game, if there was one.
    fn last_report(&self) -> Option<&SearchReport>;

    /// What the engine's book of openings knows of the current position, the best move first; `None` without a book
    /// for this board.
    fn book_lines(&self) -> Option<Vec<BookLine>>;

    /// The stone on a point of the board, if any.
    fn stone(&self, point: Move) -> Option<Color>;

    /// The side to move.
    fn to_move(&self) -> Color;

    /// The legal moves of `color` if it were to move, the pass included; ascending.
    fn legal_moves(&self, color: Color) -> Vec<Move>;

    /// The result, by the rules or by resignation, when the game has ended; all stones count as
    /// they stand.
    fn outcome(&self) -> Option<Outcome>;

    /// The side that has resigned: this engine with its last decision, or a player of the loaded
    /// record. `None` once the game continues.
    fn resigned(&self) -> Option<Color>;

    /// Whether the players agree on dead stones after both have passed; otherwise all stones on the
    /// board count.
    fn agrees_on_dead(&self) -> bool;

    /// The score that the players may agree on, for a finished or unfinished position: dead stones,
    /// stones in seki, owners of points. `None` in games without dead stones.
    ///
    /// # Errors
    /// [`ScoringInterrupted`] when `stop` is raised before the estimate is complete.
    fn settle(&mut self, stop: &StopFlag) -> Result<Option<Settled>, ScoringInterrupted>;

    /// The same where people say whose each point is: 1 Black's, -1 White's. `None` in games without dead
    /// stones, and unless there is a number from -1 to 1 for each point.
    fn settle_as(&self, owner: Vec<f32>) -> Option<Settled>;

    /// The game so far, its result as [`Engine::outcome`].
    fn record(&self) -> GameRecord;

    /// Limits per move, apart from the clock.
    fn thinking_limits(&self) -> ThinkingLimits;

    /// Sets the limits per move.
    fn set_thinking_limits(&mut self, thinking_limits: ThinkingLimits);

    /// Sets the time control and fills both clocks.
    fn set_time_control(&mut self, control: TimeControl);

    /// Takes over the remaining time of a side from the controller: time, and the stones or periods
    /// of overtime (0 in main time).
    fn set_time_left(&mut self, color: Color, time: Duration, stones: u32);

    /// A side's clock, and the measurements for its use.
    fn clock_state(&self, color: Color) -> ClockState;

    /// The time of each move that this engine has chosen in this game, in order.
    fn move_times(&self) -> Vec<MoveTime>;

    /// The network and backend in use, and those that were skipped or failed before; most recent
    /// last, empty before anything was loaded.
    fn thinker_log(&self) -> Vec<String>;
}
