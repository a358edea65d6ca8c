//! The game on the board: its tree, the shown position, and the players.
//!
//! Nothing here searches. Rules are those of a separate engine that never has to move: the same
//! `Player` that plays over GTP.

mod file;
mod taken_back;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Budget, Clock};
use crate::engine::{Decision, Engine, EngineOptions};
use crate::game::{Color, Outcome};
use crate::record::{Play, Vertex, result_text, today};
use crate::registry;
use anyhow::{Context as _, bail, ensure};

use super::super::flags::EngineFlags;
use super::super::review::Position;
use super::clocks::Clocks;
use super::game::{BoardGame, GameEnd, Judged, Level, NewGame, Who};
use super::report::{Task, TaskRequest};
use super::tree::{MAX_NODES, Tree};

/// Tengen's name as a player, by which it knows its games when they are opened.
const NAME: &str = "Tengen";

/// A step, with what it takes to reverse it.
enum Step {
    /// Another game took the place of this one.
    Replaced(Box<BoardGame>),
    /// Nodes were removed.
    Removed {
        node: usize,
        place: usize,
        live: usize,
    },
    /// A position was set up, or removed nodes were put back.
    Added { node: usize, live: usize },
    /// Another line became the main line.
    Promoted(Vec<(usize, usize)>),
    /// The line to this node was the main line.
    Demoted(usize),
    /// A comment was changed.
    Commented { node: usize, text: String },
    /// The marks of a position were changed: its properties before.
    Marked { node: usize, others: String },
}

/// Least time of a side whose loss on time is taken back.
const GRACE: Duration = Duration::from_secs(10);

/// The game on the board, and what people and the engine do with it.
pub(super) struct Session {
    /// Of the command line.
    pub(super) flags: Arc<EngineFlags>,
    time: Arc<dyn Clock>,
    pub(super) game: BoardGame,
    /// At the shown position.
    pub(super) board: Box<dyn Engine>,
    /// Whether the page requests analysis.
    pub(super) analysing: bool,
    /// One move or count requested by the page, with its position.
    asked: Option<(Task, usize)>,
    /// The last position of the line to review; it is in the tree, as that of `skim` is.
    pub(super) review: Option<usize>,
    /// The positions of that line which an interrupted review has found, from the last one back.
    pub(super) found: Vec<Position>,
    /// A move to judge, or the last one that was judged.
    pub(super) judged: Option<Judged>,
    /// The last position of a line that was opened, to evaluate quickly.
    skim: Option<usize>,
    /// Number of reviews so far.
    reviews: u64,
    /// A task that was searched to the end: no further search is needed.
    exhausted: Option<TaskRequest>,
    /// Changes with the game and with its engine's settings.
    serial: u64,
    /// Number of games so far: another game has another one.
    pub(super) games: u64,
    /// What can be taken back, the last step last.
    steps: Vec<Step>,
    /// What was taken back and can be done again, the next step last.
    undone: Vec<Step>,
    /// The game that has begun with one of an earlier run before it, by its number.
    offering: Option<u64>,
    /// The time of the engine's move, and when it began.
    planned: Option<(TaskRequest, Budget, Duration)>,
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
        terms: NewGame,
        time: Arc<dyn Clock>,
    ) -> anyhow::Result<Session> {
        let (game, board) = beginning(terms, &flags, &time)?;
        let mut session = Session {
            flags,
            time,
            game,
            board,
            analysing: false,
            asked: None,
            review: None,
            found: Vec::new(),
            judged: None,
            skim: None,
            reviews: 0,
            exhausted: None,
            planned: None,
            serial: 1,
            games: 1,
            steps: Vec::new(),
            undone: Vec::new(),
            offering: None,
            engine_log: Vec::new(),
        };
        session.settle_in();
        Ok(session)
    }

    pub(super) fn now(&self) -> Duration {
        self.time.now()
    }

    /// Begins a new game.
    ///
    /// # Errors
    /// For an unsupported game; the old one continues then.
    pub(super) fn begin(&mut self, terms: NewGame) -> anyhow::Result<()> {
        let (game, board) = beginning(terms, &self.flags, &self.time)?;
        self.analysing &= game.terms.players == [Who::Human; 2];
        self.replace(game, board);
        self.settle_in();
        Ok(())
    }

    /// Replaces the game by another, which can be taken back.
    fn replace(&mut self, game: BoardGame, board: Box<dyn Engine>) {
        self.pause();
        let old = std::mem::replace(&mut self.game, game);
        self.keep(Step::Replaced(Box::new(old)));
        self.stand_at(board);
    }

    /// Another game is on the board.
    fn stand_at(&mut self, board: Box<dyn Engine>) {
        self.board = board;
        (self.asked, self.review, self.judged, self.skim) = (None, None, None, None);
        self.serial += 1;
        self.games += 1;
    }

    fn pause(&mut self) {
        let now = self.now();
        self.game.clocks.run(None, now);
    }

    /// Shows a position.
    ///
    /// # Errors
    /// If there is none with this number.
    pub(super) fn go(&mut self, node: usize) -> anyhow::Result<()> {
        ensure!(
            self.game.tree.has(node),
            "there is no such position any more"
        );
        self.board.load(&self.game.moves(node))?;
        self.game.current = node;
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
        ensure!(
            !self.end().is_some_and(GameEnd::is_given_up),
            "the game is over: take the last move back to play on"
        );
        let now = self.now();
        if self.game.current == self.game.live && self.game.clocks.is_up(color, now) {
            self.lose(color, "time");
            bail!("the time is up");
        }
        self.board.play(play)?;
        let Some(child) = self.game.tree.add(self.game.current, play) else {
            self.board.undo()?;
            bail!("a game has no more than {MAX_NODES} moves here");
        };
        if self.game.current == self.game.live {
            self.game.clocks.moved(color, now);
        }
        // Who plays on does not agree to the count; the result of a record stays with its last position.
        if self.end().is_some_and(|end| end.why == "count") {
            self.game.ends.remove(&self.game.current);
        }
        (self.game.current, self.game.live) = (child, child);
        self.game.clocks.remember(child);
        self.game.is_touched = true;
        self.settle_in();
        Ok(())
    }

    /// Plays as [`Session::play`], for a person.
    ///
    /// # Errors
    /// If it is illegal, or Tengen's turn.
    pub(super) fn play_by_hand(&mut self, vertex: Vertex) -> anyhow::Result<()> {
        ensure!(!self.is_choosing(), "Tengen is choosing its move");
        self.play(vertex)
    }

    /// Plays a line as far as possible, and shows its first position, as a variation.
    ///
    /// # Errors
    /// If its first move is illegal.
    pub(super) fn play_line(&mut self, line: &[Vertex]) -> anyhow::Result<()> {
        let (start, live) = (self.game.current, self.game.live);
        let mut played = 0;
        for &vertex in line {
            let color = self.board.to_move();
            let play = Play { color, vertex };
            let over = self.by_rules().is_some();
            if over || self.board.play(play).is_err() {
                ensure!(played > 0, "illegal move: the line cannot be played");
                break;
            }
            let Some(child) = self.game.tree.add(self.game.current, play) else {
                self.board.undo()?;
                break;
            };
            self.game.current = child;
            played += 1;
        }
        self.game.live = live;
        self.game.is_touched = true;
        let first = self.game.tree.path(self.game.current);
        let place = first.len().saturating_sub(played);
        self.go(first.get(place).copied().unwrap_or(start))
    }

    /// Takes a move back, and the engine's answer to it: the clocks are as they were. A game that was resigned or lost on
    /// time goes on where it ended.
    ///
    /// # Errors
    /// At the beginning.
    pub(super) fn undo(&mut self) -> anyhow::Result<()> {
        if self.resume() {
            return Ok(());
        }
        let (game, players) = (&self.game, self.game.terms.players);
        let parent = game.tree.parent(game.current);
        let mut node = parent.context("there is no move to take back")?;
        let was_live = game.current == game.live;
        let taken = game.tree.node(game.current).play;
        let by_engine = taken.is_some_and(|play| players[play.color.index()] == Who::Engine);
        if by_engine && players.contains(&Who::Human) {
            node = game.tree.parent(node).unwrap_or(node);
        }
        self.go(node)?;
        if was_live {
            self.game.live = node;
            self.game.clocks.restore(node);
        }
        self.settle_in();
        Ok(())
    }

    /// Takes up a game that was given up in the shown position; whether it was. Tengen's resignation is its answer to a
    /// move, which is taken back with it.
    fn resume(&mut self) -> bool {
        let current = self.game.current;
        let Some(end) = self.end().filter(|end| end.is_given_up()).cloned() else {
            return false;
        };
        self.game.ends.remove(&current);
        let loser = end.loser().unwrap_or(self.board.to_move());
        let is_answer = end.why == "resignation" && self.game.terms.is_engine(loser);
        self.game.live = current;
        self.game.is_touched = true;
        if is_answer && current != Tree::ROOT {
            return false;
        }
        self.game.clocks.restore(current);
        if end.why == "time" {
            self.game.clocks.give(loser, GRACE);
        }
        self.settle_in();
        true
    }

    /// A side resigns, or its time is up.
    pub(super) fn lose(&mut self, color: Color, why: &'static str) {
        let winner = color.opponent().letter();
        let how = if why == "time" { "T" } else { "R" };
        let result = format!("{winner}+{how}");
        self.game
            .ends
            .insert(self.game.live, GameEnd { result, why });
        self.game.is_touched = true;
        self.settle_in();
    }

    /// Checks whether the running clock has run out.
    pub(super) fn look_at_clocks(&mut self) {
        let now = self.now();
        if let Some((color, deadline)) = self.game.clocks.deadline()
            && now >= deadline
        {
            self.lose(color, "time");
        }
    }

    /// Changes players or level. A game that Tengen joins goes on from the shown position.
    ///
    /// # Errors
    /// For an invalid level.
    pub(super) fn set_up(&mut self, players: [Who; 2], level: Level) -> anyhow::Result<()> {
        level.check()?;
        let before = std::mem::replace(&mut self.game.terms.players, players);
        if !before.contains(&Who::Engine) && players.contains(&Who::Engine) {
            self.game.live = self.game.current;
        }
        let given = self.game.terms.names.clone();
        let beginning = &mut self.game.beginning;
        let names = [&mut beginning.black, &mut beginning.white];
        for ((name, given), who) in names.into_iter().zip(given).zip(players) {
            match who {
                // A record keeps the names of its players.
                Who::Engine if *name == given => NAME.clone_into(name),
                Who::Human if name == NAME => *name = given,
                _ => {}
            }
        }
        if level != self.game.terms.level {
            self.game.terms.level = level;
            self.serial += 1;
        }
        self.settle_in();
        Ok(())
    }

    /// The person who plays gives up the game, in any shown position and on either side's turn; of two people the one to
    /// move.
    ///
    /// # Errors
    /// If the game is over, or no person plays.
    pub(super) fn resign(&mut self) -> anyhow::Result<()> {
        let (live, players) = (self.game.live, self.game.terms.players);
        ensure!(!self.game.ends.contains_key(&live), "the game is over");
        ensure!(
            players.contains(&Who::Human),
            "Tengen plays both sides, and no person can resign"
        );
        self.go(live)?;
        let color = match players {
            [_, Who::Engine] => Color::Black,
            [Who::Engine, _] => Color::White,
            _ => self.board.to_move(),
        };
        self.lose(color, "resignation");
        Ok(())
    }

    /// The result of the shown position, by the rules alone, with all stones alive.
    pub(super) fn by_rules(&self) -> Option<Outcome> {
        self.board.outcome()
    }

    /// The end of the game in the shown position.
    pub(super) fn end(&self) -> Option<&GameEnd> {
        self.game.ends.get(&self.game.current)
    }

    /// Applies a position's end and clocks, and drops tasks of lines that were removed.
    fn settle_in(&mut self) {
        let is_there = |end: &usize| self.game.tree.has(*end);
        self.review = self.review.filter(is_there);
        self.skim = self.skim.filter(is_there);
        if let Some(outcome) = self.by_rules() {
            let (counted, result) = (outcome.margin.is_some(), result_text(outcome));
            if !(counted && self.board.agrees_on_dead()) {
                let why = if counted { "count" } else { "rules" };
                let end = GameEnd { result, why };
                self.game.ends.insert(self.game.current, end);
            }
        }
        let is_over = self.end().is_some() || self.by_rules().is_some();
        let plays = self.game.current == self.game.live && !is_over;
        let (mover, now) = (self.board.to_move(), self.now());
        self.game.clocks.run(plays.then_some(mover), now);
    }

    /// Plays the engine's move in its position.
    ///
    /// # Errors
    /// If the move is illegal, which would be an error of the engine, or its time was up.
    pub(super) fn engine_moved(&mut self, decision: Decision) -> anyhow::Result<()> {
        self.asked = None;
        match decision {
            Decision::Play(vertex) => self.play(vertex)?,
            Decision::Resign => self.lose(self.board.to_move(), "resignation"),
        }
        Ok(())
    }
}

/// A game that begins, and its board.
fn beginning(
    terms: NewGame,
    flags: &EngineFlags,
    time: &Arc<dyn Clock>,
) -> anyhow::Result<(BoardGame, Box<dyn Engine>)> {
    let options = terms.options(flags)?;
    let clocks = Clocks::new(terms.control()?);
    terms.level.check()?;
    let mut board = create(&options, time)?;
    let mut beginning = board.record();
    terms.complete(&mut beginning, board.info().scored)?;
    [beginning.black, beginning.white] = terms.player_names(NAME);
    beginning.date = today();
    board.load(&beginning)?;
    let mut game = BoardGame::new(options, terms, beginning);
    game.clocks = clocks;
    Ok((game, board))
}

/// An engine for rules alone.
fn create(options: &EngineOptions, time: &Arc<dyn Clock>) -> anyhow::Result<Box<dyn Engine>> {
    Ok(registry::create(options, options.board(), time)?)
}

#[cfg(test)]
mod tests;
