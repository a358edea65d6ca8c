//! The engine for any game: history, clocks, and a thinker whose moves are always checked.

mod analysis;
mod decide;
mod ending;

use std::sync::Arc;
use std::time::Duration;

use super::dead_stones::DeadStoneEstimator;
use super::from_book::FromBook;
use super::history::History;
use super::loading;
use super::static_policy::{self, StaticPolicy};
use super::thinker::Worker;
use super::timing::{EstimateLimits, Timing};
use super::{
    AnalysisRequest, ClockState, Decision, Engine, EngineError, Listener, MakeThinker, MoveKind,
    MoveRequest, MoveTime, Request, Resign, RulesError, ScoringInterrupted, SearchTask, Solution,
    ThinkError, ThinkerLog, ThinkingLimits,
};
use crate::book::BookLine;
use crate::clock::{Budget, Clock, TimeControl};
use crate::game::{
    BoardSize, Color, Game, GameInfo, HalfPoints, Move, Outcome, OwnershipEstimate, Rules as _,
    Settled, scoring,
};
use crate::record::{GameRecord, Play};
use crate::search::{
    AnalysisOptions, Observer, OpponentModel, SearchReport, SearchRequest, StopFlag,
};
use crate::solver::{self, Solve};

/// Interval of a search's reports if none was asked for: for a listener, and for the result so far of a search that
/// does not finish.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// A game of `G` in progress.
pub struct Player<G: Game> {
    history: History<G>,
    timing: Timing,
    /// The time of each move that this engine has chosen in this game, with the move's number.
    times: Vec<(usize, MoveTime)>,
    worker: Worker<G>,
    /// Solves positions on request, on this many threads.
    pub(crate) solver: Option<(usize, Box<dyn Solve<G>>)>,
    /// The log for [`Engine::thinker_log`].
    pub(crate) thinker_log: ThinkerLog,
    /// Moves that the controller excluded from the last search.
    excluded: Vec<Move>,
    /// Report of the last search of this game.
    last_report: Option<SearchReport>,
    /// What the last move was chosen against.
    opponent: OpponentModel,
    /// Its own move was the last, and the opponent is thinking.
    awaits_reply: bool,
    /// Estimates dead stones, for [`Engine::settle`] and for passes.
    pub(crate) dead_stones: DeadStoneEstimator<G>,
    /// Chooses the move when there is no search result: by default any legal one.
    pub(crate) look_at_once: StaticPolicy<G>,
    /// When it resigns; `None` for never.
    pub(crate) resign: Option<Resign>,
    /// Its book of openings, from which it plays without a search.
    pub(crate) book: Option<FromBook>,
    /// Its moves are those of a level: they owe nothing to analyses or to the opponent's time.
    pub(crate) is_weakened: bool,
    listener: Option<Box<dyn Listener>>,
    time: Arc<dyn Clock>,
}

impl<G: Game> Player<G> {
    /// A new game on `empty`, a board without stones.
    pub fn new(
        empty: G,
        make: MakeThinker<G>,
        thinking_limits: ThinkingLimits,
        time: Arc<dyn Clock>,
    ) -> Player<G> {
        Player {
            history: History::new(empty, Vec::new()),
            timing: Timing::new(thinking_limits),
            times: Vec::new(),
            worker: Worker::new(make, Arc::clone(&time)),
            solver: None,
            thinker_log: ThinkerLog::default(),
            excluded: Vec::new(),
            last_report: None,
            opponent: OpponentModel::default(),
            awaits_reply: false,
            dead_stones: DeadStoneEstimator::new(Arc::clone(&time)),
            look_at_once: static_policy::any_legal(),
            resign: None,
            book: None,
            is_weakened: false,
            listener: None,
            time,
        }
    }

    /// The controller excludes these moves from the next search. A search that had other moves to choose from must not
    /// reuse its visits: the moves that were left would seem the best.
    fn exclude(&mut self, moves: &[Move]) {
        if !self.excluded.is_empty() && self.excluded != moves {
            self.worker.drops_visits = true;
        }
        self.excluded = moves.to_vec();
    }

    /// Drops the game so far, except for what the time managers have learned.
    fn begin(&mut self) {
        self.forget();
        self.awaits_reply = false;
        self.times.clear();
        self.timing.new_game();
        self.tell(|listener, game| listener.new_game(game));
    }

    /// Tells the listener, if there is one.
    fn tell(&mut self, say: impl FnOnce(&mut dyn Listener, &Self)) {
        if let Some(mut listener) = self.listener.take() {
            say(&mut *listener, self);
            self.listener = Some(listener);
        }
    }

    /// Tells the listener that the game or its clocks are others.
    fn tell_change(&mut self) {
        self.tell(|listener, game| listener.changed(game, None));
    }

    /// Runs a search that the listener follows, with reports for it where `request` asks for none.
    fn followed<K: Clone, T>(
        &mut self,
        task: SearchTask,
        request: &Request<K>,
        observer: &mut Observer<'_>,
        search: impl FnOnce(&mut Self, &Request<K>, &mut Observer<'_>) -> T,
    ) -> T {
        let Some(mut listener) = self.listener.take() else {
            return search(self, request, observer);
        };
        let budget = match task {
            SearchTask::Move => self.planned_time(request.color),
            SearchTask::Analyse | SearchTask::Ponder => None,
        };
        listener.begun(self, task, request.color, budget);
        let mut request = request.clone();
        let asked = request.options.interval.is_some();
        if !asked {
            (request.options.interval, request.options.at_once) = (Some(REPORT_INTERVAL), true);
        }
        let found = search(self, &request, &mut |report| {
            if asked {
                observer(report);
            }
            listener.report(report);
        });
        self.listener = Some(listener);
        found
    }
}

impl<G: Game> Engine for Player<G> {
    fn listen(&mut self, listener: Box<dyn Listener>) {
        self.listener = Some(listener);
        self.tell(|listener, game| listener.new_game(game));
    }

    fn info(&self) -> GameInfo {
        G::INFO
    }

    fn size(&self) -> BoardSize {
        self.history.size()
    }

    fn clear(&mut self) {
        self.history.clear();
        self.begin();
    }

    fn set_komi(&mut self, komi: HalfPoints) {
        if self.history.set_komi(komi) {
            self.forget();
        }
        self.tell_change();
    }

    fn set_rules(&mut self, text: &str) -> Result<(), RulesError> {
        let mut rules: G::Rules = text.parse()?;
        if !text.contains("komi") {
            let komi = self.history.rules().komi();
            rules = komi.and_then(|komi| rules.with_komi(komi)).unwrap_or(rules);
        }
        let changed = self.history.set_rules(rules);
        if changed.map_err(|_| RulesError::Broken)? {
            self.forget();
        }
        self.tell_change();
        Ok(())
    }

    fn rules(&self) -> String {
        self.history.lasting_rules().to_string()
    }

    fn rules_json(&self) -> Option<String> {
        self.history.rules().to_json()
    }

    fn lasting_rules_json(&self) -> Option<String> {
        self.history.lasting_rules().to_json()
    }

    fn play(&mut self, play: Play) -> Result<(), EngineError> {
        self.history.play(play)?;
        self.awaits_reply = false;
        self.tell_change();
        Ok(())
    }

    fn undo(&mut self) -> Result<(), EngineError> {
        self.awaits_reply = false;
        self.resign.iter_mut().for_each(Resign::forget);
        let number = self.history.undo()?;
        if let Some((_, made)) = self.times.pop_if(|(at, _)| *at == number) {
            let mut others = self.times.iter_mut().rev().map(|(_, other)| other);
            let earlier = others.find(|other| other.color == made.color);
            self.timing.take_back(&made, earlier);
        }
        self.tell_change();
        Ok(())
    }

    fn load(&mut self, record: &GameRecord) -> Result<Vec<String>, EngineError> {
        let notes = loading::load(&mut self.history, record)?;
        self.begin();
        Ok(notes)
    }

    fn genmove(&mut self, request: &MoveRequest, observer: &mut Observer<'_>) -> Decision {
        let mut start = self.history.game_state_for(request.color);
        if request.kind == MoveKind::Cleanup {
            start = start.with(scoring::disputed(start.position()));
        }
        if request.kind == MoveKind::Named {
            return self.make_move(&start, request, observer);
        }
        let run = |player: &mut Self, request: &_, observer: &mut Observer<'_>| {
            player.make_move(&start, request, observer)
        };
        let decision = self.followed(SearchTask::Move, request, observer, run);
        self.tell(|listener, game| listener.changed(game, game.last_report()));
        decision
    }

    fn analyse(
        &mut self,
        request: &AnalysisRequest,
        observer: &mut Observer<'_>,
    ) -> Option<SearchReport> {
        let found = self.followed(SearchTask::Analyse, request, observer, Self::analysed);
        self.worker.drops_visits |= self.is_weakened;
        self.tell(|listener, game| listener.changed(game, found.as_ref()));
        found
    }

    fn has_solver(&self) -> bool {
        self.solver.is_some()
    }

    fn solve(&mut self, color: Color, limit: Duration, stop: &StopFlag) -> Option<Solution> {
        let position = self.history.position_for(color);
        let (threads, solver) = self.solver.as_mut()?;
        let (time, started) = (&*self.time, self.time.now());
        let elapsed = || time.now().saturating_sub(started);
        let effort = solver::SolveLimits {
            nodes: u64::MAX,
            threads: *threads,
            halt: &|_| stop.is_raised() || elapsed() >= limit,
        };
        let found = solver.solve(&position, &effort);
        let outcome = found.proof().map(|proof| proof.outcome(color));
        let line = match outcome {
            Some(_) => solver.line(&position, &effort),
            None => Vec::new(),
        };
        Some(Solution {
            outcome,
            line,
            nodes: found.nodes,
            elapsed: elapsed(),
        })
    }

    fn ponder(&mut self, stop: &StopFlag) {
        let game_state = self.history.game_state();
        let is_idle = self.awaits_reply && !self.is_weakened && !stop.is_raised();
        if !is_idle || game_state.legal_moves().next().is_none() {
            return;
        }
        let options = AnalysisOptions {
            opponent: self.opponent,
            ..AnalysisOptions::default()
        };
        let request = MoveRequest::new(self.to_move(), stop).with(options);
        let run = |player: &mut Self, request: &MoveRequest, observer: &mut Observer<'_>| {
            let search = SearchRequest::new(game_state).until(stop);
            let search = search.with(request.options.clone());
            player.exclude(&request.options.avoid);
            match player.worker.search(search, observer) {
                Ok(_) => {}
                // On a loaded machine it ends later than the command may wait that stopped it. Its tree is kept, and
                // a search that has to wait for it will say so.
                Err(error @ ThinkError::Late) => log::info!("pondering ends later: {error}"),
                Err(error) => log::warn!("pondering broke off: {error}"),
            }
        };
        self.followed(SearchTask::Ponder, &request, &mut |_| {}, run);
        self.tell_change();
    }

    fn planned_time(&mut self, color: Color) -> Option<Budget> {
        let start = self.history.game_state_for(color);
        let (limits, _) = self.timing.limits(start.position());
        limits.budget
    }

    fn prepare(&mut self) {
        if self.history.position().outcome().is_none() {
            self.worker.prepare(&self.history.game_state());
        }
    }

    fn get_ready(&mut self, stop: &StopFlag) {
        self.worker.get_ready(&self.history.game_state(), stop);
        if let Some(book) = &self.book {
            book.is_there();
        }
    }

    fn forget(&mut self) {
        self.worker.new_game = true;
        self.last_report = None;
        self.resign.iter_mut().for_each(Resign::forget);
    }

    fn rest(&mut self) {
        self.awaits_reply = false;
    }

    fn static_value(&mut self) -> f32 {
        (self.look_at_once)(&self.history.game_state()).value
    }

    fn last_report(&self) -> Option<&SearchReport> {
        self.last_report.as_ref()
    }

    fn book_lines(&self) -> Option<Vec<BookLine>> {
        let book = self.book.as_ref()?;
        Some(book.lines(&self.history, &self.history.game_state()))
    }

    fn stone(&self, point: Move) -> Option<Color> {
        let on_board = point.index() < self.size().area();
        on_board.then(|| self.history.position().stone(point))?
    }

    fn to_move(&self) -> Color {
        self.history.position().to_move()
    }

    fn legal_moves(&self, color: Color) -> Vec<Move> {
        self.history.game_state_for(color).legal_moves().collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.history.outcome()
    }

    fn resigned(&self) -> Option<Color> {
        self.history.resigned()
    }

    fn agrees_on_dead(&self) -> bool {
        scoring::agrees_on_dead(self.history.position())
    }

    fn settle_as(&self, owner: Vec<f32>) -> Option<Settled> {
        let position = self.history.position();
        let area = position.size().area();
        let is_told = |owner: &f32| (-1.0..=1.0).contains(owner);
        if owner.len() != area || !owner.iter().all(is_told) {
            return None;
        }
        let told = OwnershipEstimate {
            owner,
            ..OwnershipEstimate::unknown(area)
        };
        scoring::settle(position, &told)
    }

    fn settle(&mut self, stop: &StopFlag) -> Result<Option<Settled>, ScoringInterrupted> {
        let position = self.history.position().clone();
        self.settle_for_controller(&position, EstimateLimits::of_controller(stop))
    }

    fn record(&self) -> GameRecord {
        self.history.record()
    }

    fn thinking_limits(&self) -> ThinkingLimits {
        self.timing.thinking_limits().clone()
    }

    fn set_thinking_limits(&mut self, thinking_limits: ThinkingLimits) {
        self.timing.set_thinking_limits(thinking_limits);
    }

    fn set_time_control(&mut self, control: TimeControl) {
        self.timing.set_control(control);
        // A game with a clock is coming: the network is loaded before the clock runs.
        if control != TimeControl::Unlimited {
            self.prepare();
        }
        self.tell_change();
    }

    fn set_time_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.timing.told(color, time, stones);
        self.tell_change();
    }

    fn clock_state(&self, color: Color) -> ClockState {
        self.timing.state(color)
    }

    fn move_times(&self) -> Vec<MoveTime> {
        self.times.iter().map(|(_, made)| made.clone()).collect()
    }

    fn thinker_log(&self) -> Vec<String> {
        self.thinker_log.lines()
    }
}

#[cfg(test)]
mod tests;
