//! Which task the engine has: what the page asks for, whose turn it is, and what is done already; and what searches and
//! counts have found.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Budget, TimeControl};
use crate::game::{Move, PointStatus, Settled, connected};
use crate::gtp::format_vertex;
use crate::record::{Play, Vertex, result_text};
use crate::watch::{Eval, PlanView};
use anyhow::{Context as _, ensure};

use super::super::game::{GameEnd, Judged, Who};
use super::super::report::{Task, TaskRequest};
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
        self.exhausted = None;
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
        self.found.clear();
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

    /// The engine's current task, if any. Without an open page it searches only for a running clock.
    pub(in super::super) fn request(&self, attended: bool) -> Option<TaskRequest> {
        let task = self.task(attended)?;
        let end = match task {
            Task::Review => self.review,
            Task::Skim => self.skim,
            _ => None,
        };
        let request = TaskRequest {
            task,
            node: end.unwrap_or(self.game.current),
            serial: self.serial,
        };
        (self.exhausted != Some(request)).then_some(request)
    }

    fn task(&self, attended: bool) -> Option<Task> {
        let over = self.by_rules().is_some();
        let counts = over && self.board.agrees_on_dead() && self.end().is_none();
        if counts && attended {
            return Some(Task::Count);
        }
        let clocked = self.game.clocks.control != TimeControl::Unlimited;
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

    /// Takes the engine's count.
    pub(in super::super) fn count(&mut self, node: usize, settled: Settled) {
        // Without two passes it is an estimate.
        let agreed = self.by_rules().is_some() && self.board.agrees_on_dead();
        if node == self.game.current && agreed {
            let (result, why) = (result_text(settled.outcome()), "count");
            self.game.ends.insert(node, GameEnd { result, why });
        }
        self.game.counted = Some((node, settled));
        self.asked = None;
        self.settle_in();
    }

    /// Takes the result of a review of the line: as JSON with the positions of the line, and as SGF with comments in
    /// each language.
    pub(in super::super) fn take_review(&mut self, json: String, sgf: [String; 2]) {
        self.reviews += 1;
        self.game.reviewed = (self.reviews, json.into());
        self.game.reviewed_sgf = sgf.map(Arc::from);
        self.review = None;
    }

    /// Keeps an evaluation of a position of which there is none.
    pub(in super::super) fn note_value(&mut self, node: usize, eval: Eval) {
        if self.game.tree.has(node) && self.game.tree.node(node).eval.is_none() {
            self.game.tree.node_mut(node).eval = Some(Box::new(eval));
        }
    }

    /// The analysis of the shown position as JSON.
    pub(in super::super) fn analysis(&self) -> Option<&Arc<str>> {
        self.game.analyses.get(&self.game.current)
    }

    /// Keeps the result of a search of a position, unless there is one with more visits; returns whether it
    /// did.
    pub(in super::super) fn learn(&mut self, node: usize, json: String, eval: Eval) -> bool {
        let game = &mut self.game;
        if !game.tree.has(node) {
            return false;
        }
        let known = game.tree.node(node).eval.as_ref();
        if known.is_some_and(|known| known.visits > eval.visits) {
            return false;
        }
        game.analyses.insert(node, json.into());
        game.tree.node_mut(node).eval = Some(Box::new(eval));
        true
    }

    /// Changes whether the stones around a point are dead in the last count: those of one colour up to living
    /// stones of the other.
    ///
    /// # Errors
    /// If nothing was counted here, or there is no stone.
    pub(in super::super) fn mark_dead(&mut self, point: Move) -> anyhow::Result<()> {
        let counted = self.game.counted.as_ref();
        let counted = counted.filter(|(node, _)| *node == self.game.current);
        let (_, settled) = counted.context("count first")?;
        let color = self.board.stone(point).context("there is no stone")?;
        let dead = |at: Move| settled.statuses[at.index()] == PointStatus::Dead;
        let now = if dead(point) { color } else { color.opponent() };
        let mut owner = settled.owners(|point| self.board.stone(point));
        // Dead stones of the other colour live where those around them are dead.
        let own = |at| dead(at) || self.board.stone(at) != Some(color.opponent());
        for point in connected(self.board.size(), [point], own) {
            owner[point.index()] = now.signed(1.0);
        }
        let settled = self.board.settle_as(owner);
        let settled = settled.context("nothing is counted here")?;
        self.count(self.game.current, settled);
        Ok(())
    }

    /// Asks how good a move is in the shown position, without playing it.
    ///
    /// # Errors
    /// If it is illegal.
    pub(in super::super) fn judge(&mut self, vertex: Vertex) -> anyhow::Result<()> {
        let color = self.board.to_move();
        let play = Play { color, vertex };
        self.board.play(play)?;
        self.board.undo()?;
        self.exhausted = None;
        self.judged = Some(Judged {
            node: self.game.current,
            at: format_vertex(vertex, self.board.size()),
            play,
            done: false,
            eval: Eval::default(),
            pv: Vec::new(),
        });
        Ok(())
    }

    /// Takes how good a move is that was tried, with the line after it; `None` if the search has failed.
    pub(in super::super) fn judgement(
        &mut self,
        request: TaskRequest,
        play: Play,
        found: Option<(Eval, Vec<String>)>,
    ) {
        let judged = self.judged.as_mut();
        // Another move may have been tried meanwhile.
        let Some(judged) =
            judged.filter(|judged| (judged.node, judged.play) == (request.node, play))
        else {
            return;
        };
        match found {
            Some((eval, pv)) => (judged.done, judged.eval, judged.pv) = (true, eval, pv),
            None => self.exhausted(request),
        }
    }
}
