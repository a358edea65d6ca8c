//! `--live-board`: the game that an engine plays for a controller, shown in a browser. Viewers
//! change nothing.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Budget, Clock, SystemClock};
use crate::engine::{Engine, Listener, SearchTask};
use crate::game::Color;
use crate::record::result_text;
use crate::search::SearchReport;
use crate::watch::{ClockView, Eval, PlanView, WatchedGame, WatchedGames};
use clap::Args;

use super::board::{SearchedPosition, Task};

/// How often viewers see a report of a search.
const INTERVAL: Duration = Duration::from_millis(200);

/// The flag.
#[derive(Debug, Args)]
pub(super) struct LiveBoard {
    /// Show the game in a browser on this computer: moves, clocks, the plan for each move and what
    /// the search thinks. Viewers change nothing and slow nothing. The address, which contains a
    /// secret, is printed on the standard error stream, by `tengen sau` in its log [default port:
    /// any free one].
    #[arg(
        long,
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0"
    )]
    live_board: Option<u16>,
}

impl LiveBoard {
    /// Serves the page if that is wanted; `tell` gets a line with its address.
    pub(super) fn open(&self, name: &str, tell: impl Fn(&str)) -> anyhow::Result<Viewers> {
        let Some(port) = self.live_board else {
            return Ok(Viewers(None));
        };
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let games = WatchedGames::new(1, Arc::clone(&time));
        let address = match games.serve(port) {
            Ok(address) => address,
            // Another game of the same server may have taken the port: this one is to be played all the same.
            Err(error) => {
                log::warn!("--live-board takes another port: {error}");
                games.serve(0)?
            }
        };
        tell(&format!("The game can be watched at {address}"));
        Ok(Viewers(Some(ShownGame {
            games,
            time,
            name: name.to_owned(),
            number: 0,
            evals: Vec::new(),
            own: [false; 2],
            searched: None,
            shown: None,
        })))
    }
}

/// Viewers, if there may be any.
pub(super) struct Viewers(Option<ShownGame>);

impl Viewers {
    /// Shows them the games of this engine.
    pub(super) fn follow(&self, mut engine: Box<dyn Engine>) -> Box<dyn Engine> {
        if let Some(shown) = &self.0 {
            engine.listen(Box::new(shown.clone()));
        }
        engine
    }
}

/// An engine's game, as viewers see it.
#[derive(Clone)]
struct ShownGame {
    games: Arc<WatchedGames>,
    time: Arc<dyn Clock>,
    /// The engine's name.
    name: String,
    /// Games so far.
    number: u32,
    /// Evaluations of the game's positions.
    evals: Vec<Option<Eval>>,
    /// The sides for which it has chosen moves.
    own: [bool; 2],
    /// The position that is searched, or was last.
    searched: Option<SearchedPosition>,
    /// When a report of this search was shown last.
    shown: Option<Duration>,
}

impl ShownGame {
    /// Shows the game as it is, with this search.
    fn publish(&mut self, game: &dyn Engine, task: Option<(Task, Color, Option<Budget>)>) {
        let record = game.record();
        self.evals.truncate(record.plays.len() + 1);
        let mut shown = WatchedGame::of(&record, game.to_move());
        shown.title = self.number.to_string();
        shown.evals.clone_from(&self.evals);
        for (name, own) in shown.names.iter_mut().zip(self.own) {
            if own && name.is_empty() {
                name.clone_from(&self.name);
            }
        }
        for made in game.move_times() {
            if let Some(shown) = shown.moves.get_mut(made.ply as usize) {
                shown.note = made.to_string();
            }
        }
        let thinks = |color| matches!(task, Some((Task::Move, mover, _)) if mover == color);
        shown.clocks = Color::BOTH.map(|color| {
            let left = game.clock_state(color).clock.left();
            ClockView::new(left, thinks(color))
        });
        shown.end = end(game);
        shown.engine = game.thinker_log().pop();
        if let Some((task, color, budget)) = task {
            shown.task = Some(task.name());
            shown.to_move = color.letter();
            shown.plan = budget.map(|budget| PlanView::new(budget, Duration::ZERO));
        }
        self.games.update(0, |before| *before = shown);
    }
}

/// The result and why; dead stones are the controller's business.
fn end(game: &dyn Engine) -> Option<(String, String)> {
    let outcome = game.outcome()?;
    let why = match outcome.margin {
        _ if game.resigned().is_some() => "resignation",
        Some(_) if game.agrees_on_dead() => return None,
        Some(_) => "count",
        None => "rules",
    };
    Some((result_text(outcome), why.to_owned()))
}

impl Listener for ShownGame {
    fn new_game(&mut self, game: &dyn Engine) {
        self.number += 1;
        self.evals.clear();
        self.own = [false; 2];
        self.publish(game, None);
    }

    fn changed(&mut self, game: &dyn Engine, found: Option<&SearchReport>) {
        if let (Some(searched), Some(report)) = (self.searched, found) {
            if self.evals.len() <= searched.node {
                self.evals.resize(searched.node + 1, None);
            }
            self.evals[searched.node] = Some(searched.eval(report));
            if self.games.is_watched() {
                self.games.show(0, searched.text(report, true));
            }
        }
        self.publish(game, None);
    }

    fn begun(&mut self, game: &dyn Engine, task: SearchTask, color: Color, budget: Option<Budget>) {
        let task = match task {
            SearchTask::Move => Task::Move,
            SearchTask::Analyse => Task::Analyse,
            SearchTask::Ponder => Task::Ponder,
        };
        self.own[color.index()] |= task == Task::Move;
        self.shown = None;
        self.searched = Some(SearchedPosition {
            node: game.record().plays.len(),
            task,
            mover: color,
            size: game.size(),
        });
        self.publish(game, Some((task, color, budget)));
    }

    fn report(&mut self, report: &SearchReport) {
        let now = self.time.now();
        let due = |before| now.saturating_sub(before) >= INTERVAL;
        if self.shown.is_none_or(due)
            && self.games.is_watched()
            && let Some(searched) = self.searched
        {
            self.shown = Some(now);
            self.games.show(0, searched.text(report, false));
        }
    }
}
