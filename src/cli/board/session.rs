//! The game on the board: its tree, the shown position, and the players.
//!
//! Nothing here searches. Rules are those of a separate engine that never has to move: the same
//! `Player` that plays over GTP.

mod file;
mod tasks;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use tengen::clock::{Budget, Clock, TimeControl, date_time, unix_time};
use tengen::engine::{Engine, EngineOptions};
use tengen::game::{Color, Outcome, Settled};
use tengen::record::{GameRecord, Play, Vertex, result_text};
use tengen::registry;

use super::super::flags::EngineFlags;
use super::clocks::Clocks;
use super::reviewing::Reviewed;
use super::task::{Task, TaskRequest};
use super::terms::{Level, Terms, Who};
use super::tree::{MOST_NODES, Tree};

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct GameEnd {
    /// In SGF notation.
    pub(super) result: String,
    /// `rules`, `count`, `resignation`, `time` or `record`.
    pub(super) why: &'static str,
}

/// The game on the board.
pub(super) struct Session {
    pub(super) flags: Arc<EngineFlags>,
    time: Arc<dyn Clock>,
    pub(super) options: EngineOptions,
    pub(super) terms: Terms,
    /// The beginning of the game with its metadata; without plays.
    pub(super) beginning: GameRecord,
    /// At the shown position.
    pub(super) board: Box<dyn Engine>,
    pub(super) tree: Tree,
    /// The shown position.
    pub(super) current: usize,
    /// The last position of the current game.
    pub(super) live: usize,
    pub(super) ends: HashMap<usize, GameEnd>,
    /// The last count, and its position.
    pub(super) counted: Option<(usize, Settled)>,
    pub(super) clocks: Clocks,
    /// Whether the page requests analysis.
    pub(super) analysing: bool,
    /// One move or count requested by the page, with its position.
    asked: Option<(Task, usize)>,
    /// The last position of the line to review.
    pub(super) review: Option<usize>,
    /// The last review of this game as JSON, and the number of reviews.
    pub(super) reviewed: (u64, Arc<str>),
    /// The same as SGF with comments.
    pub(super) reviewed_sgf: Arc<str>,
    /// A task that was searched to the end: no further search is needed.
    exhausted: Option<TaskRequest>,
    /// Changes with the game and with its engine's settings.
    serial: u64,
    /// Number of games so far.
    games: u64,
    /// The time of the engine's move, and when it began.
    planned: Option<(TaskRequest, Budget, Duration)>,
    /// Notes on the loaded game, and on the engine.
    pub(super) notes: Vec<String>,
    /// Network and backend that choose the moves.
    pub(super) engine_log: Vec<String>,
}

impl Session {
    /// A new game.
    ///
    /// # Errors
    /// Like [`Session::begin`].
    pub(super) fn new(
        flags: Arc<EngineFlags>,
        terms: Terms,
        time: Arc<dyn Clock>,
    ) -> anyhow::Result<Session> {
        let options = terms.options(&flags)?;
        let board = create(&options, &time)?;
        let mut session = Session {
            flags,
            time,
            beginning: GameRecord::new(&options.game, options.board()),
            options,
            board,
            tree: Tree::new(),
            current: Tree::ROOT,
            live: Tree::ROOT,
            ends: HashMap::new(),
            counted: None,
            clocks: Clocks::new(TimeControl::Unlimited),
            analysing: false,
            asked: None,
            review: None,
            reviewed: (0, "null".into()),
            reviewed_sgf: "".into(),
            exhausted: None,
            planned: None,
            serial: 0,
            games: 0,
            notes: Vec::new(),
            engine_log: Vec::new(),
            terms: Terms::default(),
        };
        session.begin(terms)?;
        Ok(session)
    }

    /// The number of this game: another game has another one.
    pub(super) fn game(&self) -> u64 {
        self.games
    }

    pub(super) fn now(&self) -> Duration {
        self.time.now()
    }

    /// Begins a new game.
    ///
    /// # Errors
    /// For an unsupported game; the old one continues then.
    pub(super) fn begin(&mut self, terms: Terms) -> anyhow::Result<()> {
        let options = terms.options(&self.flags)?;
        let control = terms.control()?;
        terms.level.check()?;
        let mut board = create(&options, &self.time)?;
        let mut beginning = board.record();
        let passes = board.info().passes;
        terms.complete(&mut beginning, passes)?;
        let names = terms.players.map(|who| match who {
            Who::Human => String::new(),
            Who::Engine => "Tengen".to_owned(),
        });
        [beginning.black, beginning.white] = names;
        beginning.date = today();
        board.load(&beginning)?;
        self.replace(options, board, beginning);
        self.clocks = Clocks::new(control);
        self.analysing &= terms.players == [Who::Human; 2];
        self.terms = terms;
        self.settle_in();
        Ok(())
    }

    fn replace(&mut self, options: EngineOptions, board: Box<dyn Engine>, beginning: GameRecord) {
        self.options = options;
        self.board = board;
        self.beginning = GameRecord {
            plays: Vec::new(),
            later: Vec::new(),
            notes: Vec::new(),
            ..beginning
        };
        self.tree = Tree::new();
        (self.current, self.live) = (Tree::ROOT, Tree::ROOT);
        self.ends.clear();
        (self.counted, self.asked, self.review) = (None, None, None);
        self.notes.clear();
        self.reviewed = (0, "null".into());
        self.serial += 1;
        self.games += 1;
    }

    /// The game from its beginning to a position.
    pub(super) fn record(&self, node: usize) -> GameRecord {
        GameRecord {
            plays: self.tree.plays(node),
            result: String::new(),
            ..self.beginning.clone()
        }
    }

    /// Shows a position.
    ///
    /// # Errors
    /// If there is none with this number.
    pub(super) fn go(&mut self, node: usize) -> anyhow::Result<()> {
        ensure!(self.tree.has(node), "there is no such position any more");
        let play = self.tree.node(node).play;
        match (self.tree.parent(node), play) {
            (Some(parent), Some(play)) if parent == self.current => self.board.play(play)?,
            _ if self.tree.parent(self.current) == Some(node) => self.board.undo()?,
            _ => {
                let record = self.record(node);
                self.board.load(&record)?;
            }
        }
        self.current = node;
        self.settle_in();
        Ok(())
    }

    /// Plays in the shown position, for the side to move there, and continues the game from there.
    ///
    /// # Errors
    /// If it is illegal.
    pub(super) fn play(&mut self, vertex: Vertex) -> anyhow::Result<()> {
        let color = self.board.to_move();
        let play = Play { color, vertex };
        ensure!(
            self.by_rules().is_none() || self.board.agrees_on_dead() && vertex != Vertex::Pass,
            "illegal move: the game is over"
        );
        let now = self.now();
        if self.current == self.live && self.clocks.is_up(color, now) {
            self.lose(color, "time");
            bail!("the time is up");
        }
        self.board.play(play)?;
        let Some(child) = self.tree.add(self.current, play) else {
            self.board.undo()?;
            bail!("a game has no more than {MOST_NODES} moves here");
        };
        if self.current == self.live {
            self.clocks.moved(color, now);
        }
        self.ends.remove(&self.current);
        (self.current, self.live) = (child, child);
        self.settle_in();
        Ok(())
    }

    /// Plays a line as far as possible, and shows its first position, as a variation.
    ///
    /// # Errors
    /// If its first move is illegal.
    pub(super) fn play_line(&mut self, line: &[Vertex]) -> anyhow::Result<()> {
        let (start, live) = (self.current, self.live);
        let mut played = 0;
        for &vertex in line {
            let color = self.board.to_move();
            let play = Play { color, vertex };
            let over = self.by_rules().is_some();
            if over || self.board.play(play).is_err() {
                ensure!(played > 0, "illegal move: the line cannot be played");
                break;
            }
            let Some(child) = self.tree.add(self.current, play) else {
                self.board.undo()?;
                break;
            };
            self.current = child;
            played += 1;
        }
        self.live = live;
        let first = self.tree.path(self.current);
        let place = first.len().saturating_sub(played);
        self.go(first.get(place).copied().unwrap_or(start))
    }

    /// Takes a move back, and the engine's answer to it.
    ///
    /// # Errors
    /// At the beginning.
    pub(super) fn undo(&mut self) -> anyhow::Result<()> {
        let parent = self.tree.parent(self.current);
        let mut node = parent.context("there is no move to take back")?;
        let against_engine =
            self.terms.players.contains(&Who::Engine) && self.terms.players.contains(&Who::Human);
        let was_live = self.current == self.live;
        let taken = self.tree.node(self.current).play;
        let by_engine =
            taken.is_some_and(|play| self.terms.players[play.color.index()] == Who::Engine);
        if against_engine && by_engine {
            node = self.tree.parent(node).unwrap_or(node);
        }
        self.go(node)?;
        if was_live {
            self.live = node;
        }
        self.settle_in();
        Ok(())
    }

    /// A side resigns, or its time is up.
    pub(super) fn lose(&mut self, color: Color, why: &'static str) {
        let winner = match color.opponent() {
            Color::Black => "B",
            Color::White => "W",
        };
        let how = if why == "time" { "T" } else { "R" };
        let end = GameEnd {
            result: format!("{winner}+{how}"),
            why,
        };
        self.ends.insert(self.live, end);
        self.settle_in();
    }

    /// Checks whether the running clock has run out.
    pub(super) fn look_at_clocks(&mut self) {
        let now = self.now();
        if let Some((color, deadline)) = self.clocks.deadline()
            && now >= deadline
        {
            self.lose(color, "time");
        }
    }

    /// Changes players or level.
    ///
    /// # Errors
    /// For an invalid level.
    pub(super) fn set_up(&mut self, players: [Who; 2], level: Level) -> anyhow::Result<()> {
        level.check()?;
        self.terms.players = players;
        if level != self.terms.level {
            self.terms.level = level;
            self.serial += 1;
        }
        self.settle_in();
        Ok(())
    }

    /// The side resigns, if the game is not over in the shown position.
    ///
    /// # Errors
    /// If it is over.
    pub(super) fn resign(&mut self, color: Color) -> anyhow::Result<()> {
        let over = self.end().is_some() || self.by_rules().is_some();
        ensure!(!over, "the game is over");
        self.live = self.current;
        self.lose(color, "resignation");
        Ok(())
    }

    /// Sets the comment of a position.
    ///
    /// # Errors
    /// If there is no such position.
    pub(super) fn comment(&mut self, node: usize, text: String) -> anyhow::Result<()> {
        ensure!(self.tree.has(node), "there is no such position any more");
        match node {
            Tree::ROOT => self.beginning.comment = text,
            node => self.tree.node_mut(node).comment = text,
        }
        Ok(())
    }

    /// Removes the shown position with all following ones, and shows the one before.
    ///
    /// # Errors
    /// At the beginning.
    pub(super) fn delete(&mut self) -> anyhow::Result<()> {
        let node = self.current;
        let parent = self.tree.parent(node).context("the beginning stays")?;
        self.go(parent)?;
        self.tree.remove(node);
        if !self.tree.has(self.live) {
            self.live = parent;
        }
        Ok(())
    }

    /// The result of the shown position, by the rules alone, with all stones alive.
    pub(super) fn by_rules(&self) -> Option<Outcome> {
        self.board.outcome()
    }

    /// The end of the game in the shown position.
    pub(super) fn end(&self) -> Option<&GameEnd> {
        self.ends.get(&self.current)
    }

    /// Applies a position's end and clocks.
    fn settle_in(&mut self) {
        if let Some(outcome) = self.by_rules() {
            let agreed = self.board.agrees_on_dead() && outcome.margin.is_some();
            if !agreed {
                let why = if outcome.margin.is_some() {
                    "count"
                } else {
                    "rules"
                };
                let result = result_text(outcome);
                self.ends.insert(self.current, GameEnd { result, why });
            }
        }
        let plays = self.current == self.live && self.end().is_none() && self.by_rules().is_none();
        let (mover, now) = (self.board.to_move(), self.now());
        self.clocks.run(plays.then_some(mover), now);
    }

    /// Takes the engine's count.
    pub(super) fn count(&mut self, node: usize, settled: Settled) {
        if node == self.current && self.board.agrees_on_dead() {
            let end = GameEnd {
                result: result_text(settled.outcome()),
                why: "count",
            };
            self.ends.insert(node, end);
        }
        self.counted = Some((node, settled));
        self.asked = None;
        self.settle_in();
    }

    /// Takes the result of a review of the line.
    pub(super) fn take_review(&mut self, reviewed: Reviewed) {
        self.reviewed = (self.reviewed.0 + 1, reviewed.json.into());
        self.reviewed_sgf = reviewed.sgf.into();
        self.review = None;
        for (node, eval) in reviewed.known {
            if self.tree.has(node) {
                self.tree.node_mut(node).eval = Some(eval);
            }
        }
    }

    /// Plays the engine's move in its position.
    ///
    /// # Errors
    /// If the move is illegal, which would be an error of the engine, or its time was up.
    pub(super) fn engine_moved(&mut self, vertex: Option<Vertex>) -> anyhow::Result<()> {
        self.asked = None;
        let mover = self.board.to_move();
        match vertex {
            Some(vertex) => self.play(vertex),
            None => {
                self.lose(mover, "resignation");
                Ok(())
            }
        }
    }
}

/// The date as SGF writes it.
fn today() -> String {
    let now = date_time(unix_time(), 0);
    let day = now.split(' ').next().unwrap_or_default();
    day.replace('.', "-")
}

/// An engine for rules alone.
fn create(options: &EngineOptions, time: &Arc<dyn Clock>) -> anyhow::Result<Box<dyn Engine>> {
    Ok(registry::create(options, options.board(), time)?)
}

#[cfg(test)]
mod tests;
