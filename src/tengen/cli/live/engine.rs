//! An engine whose game is shown: it does what the engine itself does, and says what has happened.

use std::sync::Arc;
use std::time::Duration;

use tengen::clock::{Budget, Clock, TimeControl};
use tengen::engine::{
    AnalysisRequest, ClockState, Decision, Engine, EngineError, MoveKind, MoveRequest, MoveTime,
    RulesError, ScoringInterrupted, Solution, ThinkingLimits,
};
use tengen::game::{BoardSize, Color, GameInfo, HalfPoints, Move, Outcome, Settled};
use tengen::record::{GameRecord, Play, result_text};
use tengen::search::{AnalysisOptions, Observer, SearchReport, StopFlag};
use tengen::watch::{ClockView, Eval, PlanView, WatchedGame, WatchedGames, letter};

use super::super::board::{SearchedPosition, Task};

/// How often a search for a move is asked for a report: as often as without viewers.
const REPORTS: Duration = Duration::from_millis(100);
/// How often viewers see one.
const INTERVAL: Duration = Duration::from_millis(200);

/// Where the games of an engine are shown, and as whose.
#[derive(Clone)]
pub(super) struct Viewed {
    pub(super) games: Arc<WatchedGames>,
    pub(super) time: Arc<dyn Clock>,
    pub(super) name: String,
}

/// The engine.
pub(super) struct WatchedEngine {
    engine: Box<dyn Engine>,
    viewed: Viewed,
    /// Games so far.
    number: u32,
    /// Evaluations of the game's positions.
    evals: Vec<Option<Eval>>,
    /// The sides for which it has chosen moves.
    own: [bool; 2],
}

impl WatchedEngine {
    pub(super) fn new(engine: Box<dyn Engine>, viewed: Viewed) -> WatchedEngine {
        let mut watched = WatchedEngine {
            engine,
            viewed,
            number: 0,
            evals: Vec::new(),
            own: [false; 2],
        };
        watched.new_game();
        watched
    }

    fn new_game(&mut self) {
        self.number += 1;
        self.evals.clear();
        self.own = [false; 2];
        self.publish(None);
    }

    /// Shows the game as it is, with this task of the engine.
    fn publish(&mut self, task: Option<(Task, Color, Option<Budget>)>) {
        let record = self.engine.record();
        self.evals.truncate(record.plays.len() + 1);
        let mut game = WatchedGame::of(&record, self.engine.to_move());
        game.title = self.number.to_string();
        game.evals.clone_from(&self.evals);
        for (name, own) in game.names.iter_mut().zip(self.own) {
            if own && name.is_empty() {
                name.clone_from(&self.viewed.name);
            }
        }
        for made in self.engine.move_times() {
            if let Some(shown) = game.moves.get_mut(made.ply as usize) {
                shown.note = made.to_string();
            }
        }
        let thinks = |color| matches!(task, Some((Task::Move, mover, _)) if mover == color);
        game.clocks = [Color::Black, Color::White].map(|color| {
            let left = self.engine.clock_state(color).clock.left();
            ClockView::new(left, thinks(color))
        });
        game.end = self.end();
        game.engine = self.engine.thinker_log().pop();
        if let Some((task, color, budget)) = task {
            game.task = Some(task.name());
            game.to_move = letter(color);
            game.plan = budget.map(|budget| PlanView::new(budget, Duration::ZERO));
        }
        self.viewed.games.update(0, |shown| *shown = game);
    }

    /// The result and why; dead stones are the controller's business.
    fn end(&self) -> Option<(String, String)> {
        let outcome = self.engine.outcome()?;
        let why = match outcome.margin {
            _ if self.engine.resigned().is_some() => "resignation",
            Some(_) if self.engine.agrees_on_dead() => return None,
            Some(_) => "count",
            None => "rules",
        };
        Some((result_text(outcome), why.to_owned()))
    }

    /// The present position, for a search.
    fn searched(&self, task: Task, mover: Color) -> SearchedPosition {
        SearchedPosition {
            node: self.engine.record().plays.len(),
            task,
            mover,
            size: self.engine.size(),
        }
    }

    /// Runs a search with reports to viewers; `own` are the options as they were given.
    fn search<T>(
        &mut self,
        searched: SearchedPosition,
        own: &AnalysisOptions,
        observer: &mut Observer<'_>,
        run: impl FnOnce(&mut dyn Engine, AnalysisOptions, &mut Observer<'_>) -> T,
    ) -> T {
        let asked = own.interval.is_some();
        let options = match asked {
            true => own.clone(),
            false => AnalysisOptions {
                interval: Some(REPORTS),
                at_once: true,
                ..own.clone()
            },
        };
        let Viewed { games, time, .. } = self.viewed.clone();
        let mut shown = None;
        run(&mut *self.engine, options, &mut |report| {
            if asked {
                observer(report);
            }
            let now = time.now();
            let due = shown.is_none_or(|before| now.saturating_sub(before) >= INTERVAL);
            if due && games.is_watched() {
                shown = Some(now);
                games.show(0, searched.text(report, false));
            }
        })
    }

    /// Keeps the result of a search, and shows it.
    fn searched_to_the_end(&mut self, searched: SearchedPosition, report: Option<&SearchReport>) {
        let Some(report) = report else {
            return;
        };
        if self.evals.len() <= searched.node {
            self.evals.resize(searched.node + 1, None);
        }
        self.evals[searched.node] = Some(searched.eval(report));
        if self.viewed.games.is_watched() {
            self.viewed.games.show(0, searched.text(report, true));
        }
    }

    fn changed<T>(&mut self, done: T) -> T {
        self.publish(None);
        done
    }
}

impl Engine for WatchedEngine {
    fn clear(&mut self) {
        self.engine.clear();
        self.new_game();
    }

    fn load(&mut self, record: &GameRecord) -> Result<Vec<String>, EngineError> {
        let loaded = self.engine.load(record)?;
        self.new_game();
        Ok(loaded)
    }

    fn set_komi(&mut self, komi: HalfPoints) {
        self.engine.set_komi(komi);
        self.publish(None);
    }

    fn set_rules(&mut self, text: &str) -> Result<(), RulesError> {
        let set = self.engine.set_rules(text);
        self.changed(set)
    }

    fn play(&mut self, play: Play) -> Result<(), EngineError> {
        let played = self.engine.play(play);
        self.changed(played)
    }

    fn undo(&mut self) -> Result<(), EngineError> {
        let undone = self.engine.undo();
        self.changed(undone)
    }

    fn genmove(&mut self, request: &MoveRequest, observer: &mut Observer<'_>) -> Decision {
        let color = request.color;
        if request.kind == MoveKind::Named {
            return self.engine.genmove(request, observer);
        }
        self.own[color.index()] = true;
        let budget = self.engine.planned_time(color);
        self.publish(Some((Task::Move, color, budget)));
        let searched = self.searched(Task::Move, color);
        let decision = self.search(
            searched,
            &request.analysis,
            observer,
            |engine, options, observer| engine.genmove(&request.clone().with(options), observer),
        );
        let report = self.engine.last_report().cloned();
        self.searched_to_the_end(searched, report.as_ref());
        self.changed(decision)
    }

    fn analyse(
        &mut self,
        request: &AnalysisRequest,
        observer: &mut Observer<'_>,
    ) -> Option<SearchReport> {
        self.publish(Some((Task::Analyse, request.color, None)));
        let searched = self.searched(Task::Analyse, request.color);
        let found = self.search(
            searched,
            &request.options,
            observer,
            |engine, options, observer| engine.analyse(&request.clone().with(options), observer),
        );
        self.searched_to_the_end(searched, found.as_ref());
        self.changed(found)
    }

    fn ponder(&mut self, stop: &StopFlag, analysis: &AnalysisOptions, observer: &mut Observer<'_>) {
        let mover = self.engine.to_move();
        self.publish(Some((Task::Ponder, mover, None)));
        let searched = self.searched(Task::Ponder, mover);
        self.search(searched, analysis, observer, |engine, options, observer| {
            engine.ponder(stop, &options, observer)
        });
        self.publish(None);
    }

    fn settle_as(&self, owner: Vec<f32>) -> Option<Settled> {
        self.engine.settle_as(owner)
    }

    fn settle(&mut self, stop: &StopFlag) -> Result<Option<Settled>, ScoringInterrupted> {
        self.engine.settle(stop)
    }

    fn set_time_control(&mut self, control: TimeControl) {
        self.engine.set_time_control(control);
        self.publish(None);
    }

    fn set_time_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.engine.set_time_left(color, time, stones);
        self.publish(None);
    }

    fn set_thinking_limits(&mut self, thinking_limits: ThinkingLimits) {
        self.engine.set_thinking_limits(thinking_limits);
    }

    fn planned_time(&mut self, color: Color) -> Option<Budget> {
        self.engine.planned_time(color)
    }

    fn solve(&mut self, color: Color, time: Duration, stop: &StopFlag) -> Option<Solution> {
        self.engine.solve(color, time, stop)
    }

    fn get_ready(&mut self, stop: &StopFlag) {
        self.engine.get_ready(stop);
    }

    fn forget(&mut self) {
        self.engine.forget();
    }

    fn rest(&mut self) {
        self.engine.rest();
    }

    fn static_value(&mut self) -> f32 {
        self.engine.static_value()
    }

    fn info(&self) -> GameInfo {
        self.engine.info()
    }

    fn size(&self) -> BoardSize {
        self.engine.size()
    }

    fn rules(&self) -> String {
        self.engine.rules()
    }

    fn rules_json(&self) -> Option<String> {
        self.engine.rules_json()
    }

    fn has_solver(&self) -> bool {
        self.engine.has_solver()
    }

    fn last_report(&self) -> Option<&SearchReport> {
        self.engine.last_report()
    }

    fn stone(&self, point: Move) -> Option<Color> {
        self.engine.stone(point)
    }

    fn to_move(&self) -> Color {
        self.engine.to_move()
    }

    fn legal_moves(&self, color: Color) -> Vec<Move> {
        self.engine.legal_moves(color)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.engine.outcome()
    }

    fn resigned(&self) -> Option<Color> {
        self.engine.resigned()
    }

    fn agrees_on_dead(&self) -> bool {
        self.engine.agrees_on_dead()
    }

    fn record(&self) -> GameRecord {
        self.engine.record()
    }

    fn thinking_limits(&self) -> ThinkingLimits {
        self.engine.thinking_limits()
    }

    fn clock_state(&self, color: Color) -> ClockState {
        self.engine.clock_state(color)
    }

    fn move_times(&self) -> Vec<MoveTime> {
        self.engine.move_times()
    }

    fn thinker_log(&self) -> Vec<String> {
        self.engine.thinker_log()
    }
}
