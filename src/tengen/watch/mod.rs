//! Games that are watched in a browser while they are played: by an engine for a controller, or
//! under the referee.
//!
//! Players say what has happened and go on: they wait for no page. What pages see is put into words
//! by the threads of the pages, as often as they ask; without a page nothing is done but keeping
//! the newest state. Pages change nothing.
//!
//! Winrates and leads are Black's; colours are `B` and `W`, moves are vertices.

mod games;

pub use games::WatchedGames;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{Budget, TimeLeft};
use crate::game::{BoardSize, Color, Move};
use crate::games::info;
use crate::gtp::format_vertex;
use crate::record::{GameRecord, Vertex};

/// The evaluation of a position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Eval {
    /// Black's winrate, in [0, 1].
    pub winrate: f32,
    /// Black's expected lead in points; `None` without points.
    pub lead: Option<f32>,
    /// Visits of the search.
    pub visits: u64,
    /// `B`, `W` or `0` if the result is proven.
    pub proven: Option<String>,
}

/// A clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClockView {
    /// Seconds of main time or of the current period, at the time of the message.
    pub seconds: f64,
    /// Stones or periods left in overtime; 0 in main time.
    pub stones: u32,
    /// `main`, `byoyomi` or `canadian`.
    pub phase: &'static str,
    /// Whether it runs.
    pub running: bool,
}

impl ClockView {
    /// A clock with this time; `None` without a limit.
    pub fn new(left: TimeLeft, running: bool) -> Option<ClockView> {
        let (left, stones, phase) = match left {
            TimeLeft::Unlimited => return None,
            TimeLeft::Main(left) => (left, 0, "main"),
            TimeLeft::Canadian { period, stones } => (period, stones, "canadian"),
            TimeLeft::Byoyomi { period, periods } => (period, periods, "byoyomi"),
        };
        Some(ClockView {
            seconds: left.as_secs_f64(),
            stones,
            phase,
            running,
        })
    }
}

/// The time of a move that is being chosen, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlanView {
    /// Planned time, which a search without doubts takes.
    planned: f64,
    /// Maximum for an undecided search.
    most: f64,
    /// Time after which the move is played in every case.
    hard: f64,
    /// Time it has taken so far, at the time of the message.
    elapsed: f64,
}

impl PlanView {
    /// A move with this budget, begun this long ago.
    pub fn new(budget: Budget, elapsed: Duration) -> PlanView {
        PlanView {
            planned: budget.target.as_secs_f64(),
            most: budget.maximum.as_secs_f64(),
            hard: budget.hard.as_secs_f64(),
            elapsed: elapsed.as_secs_f64(),
        }
    }
}

/// A stone, or a pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveView {
    /// Who plays.
    pub color: &'static str,
    /// The vertex.
    pub at: String,
    /// The player's own report, such as its time and visits; empty for none.
    pub note: String,
}

/// A game.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WatchedGame {
    /// Title; a game with another one is another game.
    pub title: String,
    /// As [`crate::game::Game::NAME`].
    pub game: String,
    /// Columns.
    pub width: u8,
    /// Rows.
    pub height: u8,
    /// Whether there are passes, and points are counted.
    pub passes: bool,
    /// In SGF's notation; empty for the only ones.
    pub rules: String,
    /// In points.
    pub komi: Option<f32>,
    /// Handicap stones.
    pub handicap: u16,
    /// Black's and White's player.
    pub names: [String; 2],
    /// Stones before the first move.
    pub setup: Vec<MoveView>,
    /// The moves so far.
    pub moves: Vec<MoveView>,
    /// The evaluation of each position, from the start; shorter if later ones are unknown.
    pub evals: Vec<Option<Eval>>,
    /// The side to move.
    pub to_move: &'static str,
    /// The result in SGF's notation, and why: a reason of the page, or text.
    pub end: Option<(String, String)>,
    /// Black's clock and White's.
    pub clocks: [Option<ClockView>; 2],
    /// The time of the move that is being chosen.
    pub plan: Option<PlanView>,
    /// `move`, `ponder`, `analyse` or nothing.
    pub task: Option<&'static str>,
    /// What chooses the moves, if known.
    pub engine: Option<String>,
}

impl MoveView {
    /// A play on a board of this size.
    pub fn new(color: Color, vertex: Vertex, size: BoardSize) -> MoveView {
        MoveView {
            color: color.letter(),
            at: format_vertex(vertex, size),
            note: String::new(),
        }
    }
}

impl WatchedGame {
    /// A recorded game, with this side to move now.
    pub fn of(record: &GameRecord, to_move: Color) -> WatchedGame {
        let (size, info) = (record.size, info(&record.game));
        let stone =
            |&(point, color): &(Move, Color)| MoveView::new(color, Vertex::Point(point), size);
        let moves = record
            .plays
            .iter()
            .map(|recorded| MoveView::new(recorded.play.color, recorded.play.vertex, size));
        WatchedGame {
            game: record.game.clone(),
            width: size.width,
            height: size.height,
            passes: info.is_some_and(|info| info.passes),
            rules: record.rules.clone(),
            komi: record.komi.map(|komi| komi.0 as f32 / 2.0),
            handicap: record.handicap,
            names: [record.black.clone(), record.white.clone()],
            setup: record.setup.iter().map(stone).collect(),
            moves: moves.collect(),
            to_move: to_move.letter(),
            ..WatchedGame::default()
        }
    }

    /// Notes the evaluation of the position after this many moves.
    pub fn evaluate(&mut self, moves: usize, eval: Eval) {
        if self.evals.len() <= moves {
            self.evals.resize(moves + 1, None);
        }
        if let Some(slot) = self.evals.get_mut(moves) {
            *slot = Some(eval);
        }
    }

    /// Whether this is the other game with more moves, or as many.
    fn continues(&self, other: &WatchedGame) -> bool {
        let same = self.title == other.title && self.game == other.game;
        let mut moves = self.moves.iter().zip(&other.moves);
        same && self.moves.len() >= other.moves.len()
            && moves.all(|(own, its)| (own.color, &own.at) == (its.color, &its.at))
    }

    /// The game some time later: its running clock, and the time of its move.
    fn after(&self, elapsed: Duration) -> WatchedGame {
        let mut later = self.clone();
        let clocks = later.clocks.iter_mut().flatten();
        for clock in clocks.filter(|clock| clock.running) {
            clock.seconds -= elapsed.as_secs_f64();
        }
        if let Some(plan) = &mut later.plan {
            plan.elapsed += elapsed.as_secs_f64();
        }
        later
    }
}
