//! Which task the engine has: what the page asks for, whose turn it is, and what is done already.

use std::time::Duration;

use anyhow::ensure;
use tengen::clock::{Budget, TimeControl};
use tengen::watch::PlanView;

use super::super::new_game::Who;
use super::super::task::{Task, TaskRequest};
use super::Session;

impl Session {
    /// Gives the engine a task once, in the shown position.
    ///
    /// # Errors
    /// If there is nothing to do.
    pub(in super::super) fn ask(&mut self, task: Task) -> anyhow::Result<()> {
        match task {
            Task::Move => {
                ensure!(self.end().is_none(), "the game is over");
                self.game.live = self.game.current;
            }
            _ => ensure!(self.board.info().scored, "there are no points to count"),
        }
        self.asked = Some((task, self.game.current));
        Ok(())
    }

    /// Whether a task belongs to this game.
    pub(in super::super) fn is_of(&self, request: TaskRequest) -> bool {
        request.serial == self.serial && self.game.tree.has(request.node)
    }

    /// Whether the engine chooses the next move of the game that is shown.
    pub(in super::super) fn is_choosing(&self) -> bool {
        self.task(true) == Some(Task::Move)
    }

    /// Switches analysis of shown positions on or off.
    pub(in super::super) fn analyse(&mut self, on: bool) {
        self.analysing = on;
        // Switching it on again repeats it.
        self.exhausted = self.exhausted.filter(|_| !on);
    }

    /// Starts or stops a review of the shown line.
    pub(in super::super) fn want_review(&mut self, on: bool) {
        self.exhausted = None;
        self.review = on.then(|| self.game.tree.end_of_line(self.game.current));
    }

    /// The engine has begun to choose a move, within this time.
    pub(in super::super) fn plan(&mut self, request: TaskRequest, budget: Option<Budget>) {
        let now = self.now();
        self.planned = budget.map(|budget| (request, budget, now));
    }

    /// The time of the move that the engine is choosing.
    pub(in super::super) fn plan_view(&self, now: Duration) -> Option<PlanView> {
        let (request, budget, begun) = self.planned?;
        let chosen = self.request(true) == Some(request);
        chosen.then(|| PlanView::new(budget, now.saturating_sub(begun)))
    }

    /// A search ended by itself.
    pub(in super::super) fn exhausted(&mut self, request: TaskRequest) {
        self.exhausted = Some(request);
        self.asked = self.asked.filter(|_| request.task == Task::Analyse);
        match request.task {
            Task::Review => self.review = None,
            Task::Skim => self.skim = None,
            Task::Judge => self.judged = None,
            _ => {}
        }
    }

    /// Wants a quick evaluation of the line that ends there.
    pub(in super::super) fn want_skim(&mut self, end: usize) {
        self.skim = Some(end);
    }

    /// The engine's current task, if any. Without an open page it searches only for a running clock.
    pub(in super::super) fn request(&self, attended: bool) -> Option<TaskRequest> {
        let task = self.task(attended)?;
        let node = match (task, self.review) {
            (Task::Review, Some(end)) => end,
            _ if task == Task::Skim => self.skim.unwrap_or(self.game.current),
            _ => self.game.current,
        };
        let request = TaskRequest {
            task,
            node,
            serial: self.serial,
            area: match (&self.area, task) {
                (Some(area), Task::Analyse) => area.number,
                _ => 0,
            },
        };
        (self.exhausted != Some(request)).then_some(request)
    }

    fn task(&self, attended: bool) -> Option<Task> {
        let over = self.by_rules().is_some();
        let counts = over && self.board.agrees_on_dead() && self.end().is_none();
        if counts && attended {
            return Some(Task::Count);
        }
        let clocked = self.game.clocks.control() != TimeControl::Unlimited;
        let playing = self.game.current == self.game.live && self.end().is_none() && !over;
        let who = self.game.terms.players[self.board.to_move().index()];
        let asked = self.asked.filter(|(_, node)| *node == self.game.current);
        let asked = asked.map(|(task, _)| task);
        let moves = who == Who::Engine || asked == Some(Task::Move);
        if playing && moves && (attended || clocked) {
            return Some(Task::Move);
        }
        if !attended {
            return None;
        }
        if asked == Some(Task::Count) {
            return asked;
        }
        let judged = self.judged.as_ref();
        if judged.is_some_and(|judged| !judged.done && judged.node == self.game.current) {
            return Some(Task::Judge);
        }
        if self.review.is_some() {
            return Some(Task::Review);
        }
        if self.analysing && (!over || self.board.agrees_on_dead()) {
            return Some(Task::Analyse);
        }
        if self.skim.is_some() {
            return Some(Task::Skim);
        }
        let against_engine = self.game.terms.players.contains(&Who::Engine);
        (self.game.options.ponder && playing && against_engine).then_some(Task::Ponder)
    }
}
