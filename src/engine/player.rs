//! The engine for any game: history, clocks, and a thinker whose word is never taken unchecked.

use std::sync::Arc;
use std::time::Duration;

use super::choose::choose;
use super::worker::{Task, Worker};
use super::{Decision, Effort, Engine, EngineError, MakeThinker, ThinkError};
use crate::clock::{Budget, Clock, SideClock, TimeControl, even_split};
use crate::game::{BoardSize, Color, Game, Move, Outcome};
use crate::record::{GameRecord, Play, Vertex, result_text};
use crate::search::{Limits, SearchReport, StopFlag, View};

/// Thinking time when neither visits, nor a time per move, nor a clock says otherwise.
pub const DEFAULT_TIME_PER_MOVE: Duration = Duration::from_secs(2);

/// What a search may take beyond a fixed time per move. Nobody loses by such a limit, so the first
/// search is allowed to load its network first.
const FIXED_TIME_SLACK: Duration = Duration::from_secs(10);

/// What one move may cost. Every limit that is given holds, and the clock's besides; with none at
/// all a move takes two seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spending {
    /// Visits of the root, reused ones counted.
    pub visits: Option<u64>,
    /// A fixed time.
    pub time_per_move: Option<Duration>,
    /// Time of each move that a clock shows the controller but not this engine.
    pub lag: Duration,
}

impl Default for Spending {
    fn default() -> Spending {
        Spending {
            visits: None,
            time_per_move: None,
            lag: Duration::from_millis(100),
        }
    }
}

/// A game of `G` in progress.
pub struct Player<G: Game> {
    /// The position before the first play.
    start: G,
    setup: Vec<(Move, Color)>,
    /// Each play and the position after it.
    history: Vec<(Play, G)>,
    komi: Option<f32>,
    clocks: [SideClock; 2],
    spending: Spending,
    worker: Worker<G>,
    /// What the last search of this game found.
    last_report: Option<SearchReport>,
    /// Its own move was the last, and the opponent is thinking.
    awaits_reply: bool,
    time: Arc<dyn Clock>,
}

impl<G: Game> Player<G> {
    /// A new game on `empty`, a board without stones.
    #[must_use]
    pub fn new(
        empty: G,
        make: MakeThinker<G>,
        spending: Spending,
        time: Arc<dyn Clock>,
    ) -> Player<G> {
        Player {
            start: empty,
            setup: Vec::new(),
            history: Vec::new(),
            komi: None,
            clocks: [SideClock::new(TimeControl::Unlimited); 2],
            spending,
            worker: Worker::new(make),
            last_report: None,
            awaits_reply: false,
            time,
        }
    }

    /// The present position.
    fn position(&self) -> &G {
        self.history
            .last()
            .map_or(&self.start, |(_, position)| position)
    }

    /// Limits of a search for the side to move of `position`.
    fn limits(&self, position: &G) -> Limits {
        let Spending {
            visits,
            time_per_move,
            lag,
        } = self.spending;
        let own_moves = position.moves_left_bound().div_ceil(2);
        let clock = even_split(&self.clocks[position.to_move().index()], own_moves, lag);
        let nothing_else = visits.is_none() && clock.is_none();
        let fixed = time_per_move.or(nothing_else.then_some(DEFAULT_TIME_PER_MOVE));
        let fixed = fixed.map(|time| Budget {
            soft: time,
            hard: time.saturating_add(FIXED_TIME_SLACK),
        });
        let budget = match (fixed, clock) {
            (Some(fixed), Some(clock)) => Some(Budget {
                soft: fixed.soft.min(clock.soft),
                hard: fixed.hard.min(clock.hard),
            }),
            (fixed, clock) => fixed.or(clock),
        };
        Limits { visits, budget }
    }

    /// A legal move for the side to move of `position`, or `None` when there is none.
    fn decide(
        &mut self,
        position: &G,
        stop: &StopFlag,
        view: &View,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Option<Move> {
        position.legal_moves().next()?;
        self.last_report = if stop.is_raised() {
            None
        } else {
            let task = Task::Search(self.limits(position), view.clone());
            let report = self.think(position, task, stop, see);
            report
                .inspect_err(|error| log::error!("playing any legal move: {error}"))
                .ok()
        };
        choose(position, self.last_report.as_ref(), &view.avoid)
    }

    fn think(
        &mut self,
        position: &G,
        task: Task,
        stop: &StopFlag,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ThinkError> {
        let time = Arc::clone(&self.time);
        let report = self.worker.think(position, task, stop, &*time, see)?;
        log::info!(
            "{} visits ({} reused), {} evaluations in {:.2} s, value {:.3}, ended by {}",
            report.visits,
            report.reused,
            report.evaluations,
            report.elapsed.as_secs_f64(),
            report.value,
            report.stop,
        );
        Ok(report)
    }

    /// The present position with `color` to move.
    fn position_for(&self, color: Color) -> G {
        let mut position = self.position().clone();
        position.set_to_move(color);
        position
    }
}

/// The policy index of a vertex, off the board for a pass in games without one.
fn policy_index(vertex: Vertex, size: BoardSize) -> Move {
    match vertex {
        Vertex::Point(point) => point,
        Vertex::Pass => pass(size),
    }
}

/// The vertex of a policy index.
fn vertex_of(mv: Move, size: BoardSize) -> Vertex {
    if mv == pass(size) {
        Vertex::Pass
    } else {
        Vertex::Point(mv)
    }
}

/// The move after the last point: Go's pass, and no legal move in games without a pass.
fn pass(size: BoardSize) -> Move {
    Move(u16::try_from(size.area()).unwrap_or(u16::MAX))
}

/// `position` after `play`, whoever was to move.
fn after<G: Game>(position: &G, play: Play) -> Result<G, EngineError> {
    let mut next = position.clone();
    next.set_to_move(play.color);
    let mv = policy_index(play.vertex, next.size());
    if !next.is_legal(mv) {
        return Err(EngineError::IllegalMove);
    }
    next.play(mv);
    Ok(next)
}

impl<G: Game> Engine for Player<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn size(&self) -> BoardSize {
        self.start.size()
    }

    fn clear(&mut self) {
        // The board had this size before, so it has it again.
        if let Ok(empty) = G::new(self.size()) {
            self.start = empty;
        }
        self.setup.clear();
        self.history.clear();
        self.worker.new_game();
        self.last_report = None;
        self.awaits_reply = false;
        self.clocks.iter_mut().for_each(SideClock::reset);
    }

    fn set_komi(&mut self, komi: f32) {
        self.komi = Some(komi);
    }

    fn play(&mut self, play: Play) -> Result<(), EngineError> {
        let next = after(self.position(), play)?;
        self.history.push((play, next));
        self.awaits_reply = false;
        Ok(())
    }

    fn undo(&mut self) -> Result<(), EngineError> {
        self.awaits_reply = false;
        self.history.pop().map(drop).ok_or(EngineError::CannotUndo)
    }

    fn load(&mut self, record: &GameRecord) -> Result<(), EngineError> {
        if record.size != self.size() {
            return Err(EngineError::WrongGame);
        }
        let mut start = G::new(record.size).map_err(|_| EngineError::WrongGame)?;
        // In every game here part of a legal position is legal: the order of setup is free.
        for &(point, color) in &record.setup {
            let vertex = Vertex::Point(point);
            start = after(&start, Play { color, vertex })?;
        }
        start.set_to_move(record.to_move.unwrap_or(Color::Black));
        let mut history: Vec<(Play, G)> = Vec::with_capacity(record.plays.len());
        for recorded in &record.plays {
            let position = history.last().map_or(&start, |(_, position)| position);
            let next = after(position, recorded.play)?;
            history.push((recorded.play, next));
        }
        self.start = start;
        self.setup.clone_from(&record.setup);
        self.history = history;
        self.worker.new_game();
        self.last_report = None;
        self.awaits_reply = false;
        self.komi = record.komi.or(self.komi);
        self.clocks.iter_mut().for_each(SideClock::reset);
        Ok(())
    }

    fn watch_genmove(
        &mut self,
        color: Color,
        stop: &StopFlag,
        view: &View,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Decision {
        let started = self.time.now();
        let mut position = self.position_for(color);
        let decision = match self.decide(&position, stop, view, see) {
            None => Decision::Resign,
            Some(mv) => {
                let vertex = vertex_of(mv, self.size());
                position.play(mv);
                self.history.push((Play { color, vertex }, position));
                self.awaits_reply = true;
                Decision::Play(vertex)
            }
        };
        let elapsed = self.time.now().saturating_sub(started);
        self.clocks[color.index()].spend(elapsed);
        decision
    }

    fn reg_genmove(&mut self, color: Color, stop: &StopFlag) -> Decision {
        let position = self.position_for(color);
        match self.decide(&position, stop, &View::default(), &mut |_| {}) {
            None => Decision::Resign,
            Some(mv) => Decision::Play(vertex_of(mv, self.size())),
        }
    }

    fn analyse(
        &mut self,
        color: Color,
        effort: Effort,
        stop: &StopFlag,
        view: &View,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Option<SearchReport> {
        let position = self.position_for(color);
        position.legal_moves().next()?;
        let visits = (effort == Effort::Glance).then_some(1);
        let limits = Limits {
            visits,
            budget: None,
        };
        let task = match effort {
            Effort::Endless | Effort::Glance => Task::Search(limits, view.clone()),
            Effort::Network => Task::Evaluate,
        };
        match self.think(&position, task, stop, see) {
            Ok(report) => Some(report),
            // It was stopped while the network was being loaded.
            Err(ThinkError::Late) => None,
            Err(error) => {
                log::error!("nothing to show: {error}");
                None
            }
        }
    }

    fn ponder(&mut self, stop: &StopFlag) {
        let position = self.position().clone();
        if self.awaits_reply && !stop.is_raised() && position.legal_moves().next().is_some() {
            let task = Task::Search(Limits::default(), View::default());
            if let Err(error) = self.think(&position, task, stop, &mut |_| {}) {
                log::warn!("pondering broke off: {error}");
            }
        }
    }

    fn rest(&mut self) {
        self.awaits_reply = false;
    }

    fn last_report(&self) -> Option<&SearchReport> {
        self.last_report.as_ref()
    }

    fn stone(&self, point: Move) -> Option<Color> {
        if point.index() < self.size().area() {
            self.position().stone(point)
        } else {
            None
        }
    }

    fn to_move(&self) -> Color {
        self.position().to_move()
    }

    fn legal_moves(&self, color: Color) -> Vec<Move> {
        self.position_for(color).legal_moves().collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position().outcome()
    }

    fn record(&self) -> GameRecord {
        let mut record = GameRecord::new(G::NAME, self.size());
        record.komi = self.komi;
        record.result = self.outcome().map_or("", result_text).to_owned();
        record.setup.clone_from(&self.setup);
        if !self.setup.is_empty() {
            record.to_move = Some(self.start.to_move());
        }
        for (play, _) in &self.history {
            record.push(*play);
        }
        record
    }

    fn spending(&self) -> Spending {
        self.spending
    }

    fn set_spending(&mut self, spending: Spending) {
        self.spending = spending;
    }

    fn set_time_control(&mut self, control: TimeControl) {
        self.clocks = [SideClock::new(control); 2];
    }

    fn set_time_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.clocks[color.index()].set_left(time, stones);
    }
}

#[cfg(test)]
mod tests;
