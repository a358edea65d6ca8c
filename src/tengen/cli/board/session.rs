//! The game on the board: its tree, the shown position, and the players.
//!
//! Nothing here searches. Rules are those of a separate engine that never has to move: the same
//! `Player` that plays over GTP.

mod file;
mod taken_back;
mod tasks;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use tengen::clock::{Budget, Clock, TimeControl, date_time, unix_time};
use tengen::engine::{Engine, EngineOptions};
use tengen::game::{Color, Move, Outcome, PointStatus, Settled, connected};
use tengen::gtp::format_vertex;
use tengen::record::{GameRecord, Play, Vertex, result_text};
use tengen::registry;
use tengen::watch::Eval;

use super::super::flags::EngineFlags;
use super::clocks::Clocks;
use super::reviewing::Reviewed;
use super::task::{Task, TaskRequest};
use super::terms::{Level, Terms, Who};
use super::tree::{MOST_NODES, Tree};

/// Tengen's name as a player, by which it knows its games when they are opened.
const NAME: &str = "Tengen";

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct GameEnd {
    /// In SGF notation.
    pub(super) result: String,
    /// `rules`, `count`, `resignation`, `time` or `record`.
    pub(super) why: &'static str,
}

/// The other games of a file with several, as SGF, and the place of the shown one among them.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherGames {
    pub(super) texts: Vec<String>,
    pub(super) place: usize,
}

/// A step, with what it takes to undo it.
enum Step {
    /// Another game was begun or opened.
    Replaced(Box<BoardGame>),
    /// Nodes were removed.
    Removed {
        node: usize,
        place: usize,
        live: usize,
    },
    /// A position was set up.
    Added { node: usize, live: usize },
    /// Another line became the main line.
    Promoted(Vec<(usize, usize)>),
    /// A comment was changed.
    Commented { node: usize, text: String },
}

/// A game with all that belongs to it.
pub(super) struct BoardGame {
    /// Of the engine at full strength.
    pub(super) options: EngineOptions,
    pub(super) terms: Terms,
    /// The beginning of the game with its metadata; without plays.
    pub(super) beginning: GameRecord,
    pub(super) tree: Tree,
    /// The shown position.
    pub(super) current: usize,
    /// The last position of the current game.
    pub(super) live: usize,
    pub(super) ends: HashMap<usize, GameEnd>,
    pub(super) clocks: Clocks,
    /// The best analysis of each position, as JSON for the page.
    pub(super) analyses: HashMap<usize, KeptAnalysis>,
    /// The last count, and its position.
    pub(super) counted: Option<(usize, Settled)>,
    /// The last review as JSON, and its number; 0 for none.
    pub(super) reviewed: (u64, Arc<str>),
    /// The same as SGF with comments.
    pub(super) reviewed_sgf: Arc<str>,
    /// Notes on the loaded game, and on the engine.
    pub(super) notes: Vec<String>,
    /// The other games of its file.
    pub(super) others: OtherGames,
}

impl BoardGame {
    fn new(options: EngineOptions, terms: Terms, beginning: GameRecord) -> BoardGame {
        BoardGame {
            options,
            terms,
            beginning: GameRecord {
                plays: Vec::new(),
                later: Vec::new(),
                notes: Vec::new(),
                ..beginning
            },
            tree: Tree::new(),
            current: Tree::ROOT,
            live: Tree::ROOT,
            ends: HashMap::new(),
            clocks: Clocks::new(TimeControl::Unlimited),
            analyses: HashMap::new(),
            counted: None,
            reviewed: (0, "null".into()),
            reviewed_sgf: "".into(),
            notes: Vec::new(),
            others: OtherGames::default(),
        }
    }

    /// The game from its beginning, or from where stones were set up last, to a position.
    pub(super) fn record(&self, node: usize) -> GameRecord {
        let nodes = self.tree.since_set_up(node);
        let mut record = GameRecord {
            result: String::new(),
            ..self.beginning.clone()
        };
        let first = nodes.first().map(|&first| self.tree.node(first));
        if let Some(set_up) = first.and_then(|first| first.set_up.as_deref()) {
            record.setup.clone_from(&set_up.stones);
            record.to_move = Some(set_up.to_move);
        }
        let plays = nodes.iter().filter_map(|&at| self.tree.node(at).play);
        plays.for_each(|play| record.push(play));
        record
    }
}

/// A move that a person tries in a position, and what a search says of it: from Black's view.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Judged {
    pub(super) node: usize,
    pub(super) at: String,
    #[serde(skip)]
    pub(super) play: Play,
    /// Whether the rest is known.
    pub(super) done: bool,
    #[serde(flatten)]
    pub(super) eval: Eval,
    /// The expected continuation.
    pub(super) pv: Vec<String>,
}

/// A position's analysis.
pub(super) struct KeptAnalysis {
    pub(super) visits: u64,
    pub(super) json: Arc<str>,
}

/// The points to which the analysis of shown positions is limited.
pub(super) struct Area {
    pub(super) points: Vec<Move>,
    /// Another area is another search.
    number: u64,
    /// The last analysis within it, and its position: no evaluation of the position, which may have better moves.
    found: Option<(usize, Arc<str>)>,
}

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
    pub(super) area: Option<Area>,
    /// Number of areas so far.
    areas: u64,
    /// One move or count requested by the page, with its position.
    asked: Option<(Task, usize)>,
    /// The last position of the line to review.
    pub(super) review: Option<usize>,
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
    /// Number of games so far.
    games: u64,
    /// What can be taken back, the last step last.
    steps: Vec<Step>,
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
        terms: Terms,
        time: Arc<dyn Clock>,
    ) -> anyhow::Result<Session> {
        let options = terms.options(&flags)?;
        let board = create(&options, &time)?;
        let beginning = board.record();
        let mut session = Session {
            flags,
            time,
            game: BoardGame::new(options, terms.clone(), beginning),
            board,
            analysing: false,
            area: None,
            areas: 0,
            asked: None,
            review: None,
            judged: None,
            skim: None,
            reviews: 0,
            exhausted: None,
            planned: None,
            serial: 0,
            games: 0,
            steps: Vec::new(),
            engine_log: Vec::new(),
        };
        session.begin(terms)?;
        session.steps.clear();
        Ok(session)
    }

    /// The number of this game: another game has another one.
    pub(super) fn game_number(&self) -> u64 {
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
            Who::Engine => NAME.to_owned(),
        });
        [beginning.black, beginning.white] = names;
        beginning.date = today();
        board.load(&beginning)?;
        self.analysing &= terms.players == [Who::Human; 2];
        self.replace(BoardGame::new(options, terms, beginning), board);
        self.game.clocks = Clocks::new(control);
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
        self.area = None;
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
        let tree = &self.game.tree;
        let play = tree.node(node).play;
        let last = tree.node(self.game.current).play;
        match (tree.parent(node), play) {
            (Some(parent), Some(play)) if parent == self.game.current => self.board.play(play)?,
            _ if tree.parent(self.game.current) == Some(node) && last.is_some() => {
                self.board.undo()?
            }
            _ => {
                let record = self.game.record(node);
                self.board.load(&record)?;
            }
        }
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
        let given_up = self
            .end()
            .filter(|end| matches!(end.why, "resignation" | "time"));
        ensure!(
            given_up.is_none(),
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
            bail!("a game has no more than {MOST_NODES} moves here");
        };
        if self.game.current == self.game.live {
            self.game.clocks.moved(color, now);
        }
        if self.game.ends.remove(&self.game.current).is_some() {
            self.game.beginning.result.clear();
        }
        (self.game.current, self.game.live) = (child, child);
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
        let first = self.game.tree.path(self.game.current);
        let place = first.len().saturating_sub(played);
        self.go(first.get(place).copied().unwrap_or(start))
    }

    /// Takes a move back, and the engine's answer to it.
    ///
    /// # Errors
    /// At the beginning.
    pub(super) fn undo(&mut self) -> anyhow::Result<()> {
        let parent = self.game.tree.parent(self.game.current);
        let mut node = parent.context("there is no move to take back")?;
        let against_engine = self.game.terms.players.contains(&Who::Engine)
            && self.game.terms.players.contains(&Who::Human);
        let was_live = self.game.current == self.game.live;
        let taken = self.game.tree.node(self.game.current).play;
        let by_engine =
            taken.is_some_and(|play| self.game.terms.players[play.color.index()] == Who::Engine);
        if against_engine && by_engine {
            node = self.game.tree.parent(node).unwrap_or(node);
        }
        self.go(node)?;
        if was_live {
            self.game.live = node;
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
        self.game.ends.insert(self.game.live, end);
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

    /// Changes players or level.
    ///
    /// # Errors
    /// For an invalid level.
    pub(super) fn set_up(&mut self, players: [Who; 2], level: Level) -> anyhow::Result<()> {
        level.check()?;
        self.game.terms.players = players;
        if level != self.game.terms.level {
            self.game.terms.level = level;
            self.serial += 1;
        }
        self.settle_in();
        Ok(())
    }

    /// The person who plays gives up the game, whatever is shown and whoever is to move; of two people the
    /// one to move.
    ///
    /// # Errors
    /// If the game is over, or no person plays.
    pub(super) fn resign(&mut self) -> anyhow::Result<()> {
        let live = self.game.live;
        ensure!(!self.game.ends.contains_key(&live), "the game is over");
        self.go(live)?;
        let color = match self.game.terms.players {
            [Who::Human, Who::Engine] => Color::Black,
            [Who::Engine, Who::Human] => Color::White,
            [Who::Human, Who::Human] => self.board.to_move(),
            [Who::Engine, Who::Engine] => bail!("nobody can resign: Tengen plays both sides"),
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
                self.game
                    .ends
                    .insert(self.game.current, GameEnd { result, why });
            }
        }
        let plays = self.game.current == self.game.live
            && self.end().is_none()
            && self.by_rules().is_none();
        let (mover, now) = (self.board.to_move(), self.now());
        self.game.clocks.run(plays.then_some(mover), now);
    }

    /// Takes the engine's count.
    pub(super) fn count(&mut self, node: usize, settled: Settled) {
        // Without two passes it is an estimate.
        let agreed = self.by_rules().is_some() && self.board.agrees_on_dead();
        if node == self.game.current && agreed {
            let end = GameEnd {
                result: result_text(settled.outcome()),
                why: "count",
            };
            self.game.ends.insert(node, end);
        }
        self.game.counted = Some((node, settled));
        self.asked = None;
        self.settle_in();
    }

    /// Takes the result of a review of the line.
    pub(super) fn take_review(&mut self, reviewed: Reviewed) {
        self.reviews += 1;
        self.game.reviewed = (self.reviews, reviewed.json.into());
        self.game.reviewed_sgf = reviewed.sgf.into();
        self.review = None;
    }

    /// Keeps an evaluation of a position of which there is none.
    pub(super) fn glance(&mut self, node: usize, eval: Eval) {
        if self.game.tree.has(node) && self.game.tree.node(node).eval.is_none() {
            self.game.tree.node_mut(node).eval = Some(Box::new(eval));
        }
    }

    /// Limits analysis to these points; to none means the whole board.
    ///
    /// # Errors
    /// If no point of them may be played in the shown position.
    pub(super) fn search_in(&mut self, points: Vec<Move>) -> anyhow::Result<()> {
        let legal = self.board.legal_moves(self.board.to_move());
        let is_open = points.is_empty() || points.iter().any(|point| legal.contains(point));
        ensure!(is_open, "no legal move is in this area");
        self.areas += 1;
        self.exhausted = None;
        self.area = (!points.is_empty()).then_some(Area {
            points,
            number: self.areas,
            found: None,
        });
        Ok(())
    }

    /// The analysis of the shown position as JSON.
    pub(super) fn analysis(&self) -> Option<&Arc<str>> {
        let within = self.area.as_ref().and_then(|area| area.found.as_ref());
        let within = within.filter(|(node, _)| *node == self.game.current);
        let known = || self.game.analyses.get(&self.game.current);
        let json = within.map(|(_, json)| json);
        json.or_else(|| known().map(|known| &known.json))
    }

    /// Takes the result of a task's search of a position; returns whether it is shown.
    pub(super) fn see(
        &mut self,
        request: TaskRequest,
        node: usize,
        json: String,
        eval: Eval,
    ) -> bool {
        match &mut self.area {
            Some(area) if request.area == area.number => {
                area.found = Some((node, json.into()));
                true
            }
            _ => self.learn(node, json, eval),
        }
    }

    /// Keeps the result of a search of a position, unless there is one with more visits; returns whether it
    /// did.
    pub(super) fn learn(&mut self, node: usize, json: String, eval: Eval) -> bool {
        let analyses = &self.game.analyses;
        let known = analyses.get(&node).map_or(0, |known| known.visits);
        if !self.game.tree.has(node) || known > eval.visits {
            return false;
        }
        let kept = KeptAnalysis {
            visits: eval.visits,
            json: json.into(),
        };
        self.game.analyses.insert(node, kept);
        self.game.tree.node_mut(node).eval = Some(Box::new(eval));
        true
    }

    /// Changes whether the stones around a point are dead in the last count: those of one colour up to living
    /// stones of the other.
    ///
    /// # Errors
    /// If nothing was counted here, or there is no stone.
    pub(super) fn mark_dead(&mut self, point: Move) -> anyhow::Result<()> {
        let counted = self.game.counted.as_ref();
        let counted = counted.filter(|(node, _)| *node == self.game.current);
        let (_, settled) = counted.context("count first")?;
        let color = self.board.stone(point).context("there is no stone")?;
        let was_dead = settled.statuses[point.index()] == PointStatus::Dead;
        let now = if was_dead { color } else { color.opponent() };
        let mut owner = settled.owners(|point| self.board.stone(point));
        let own = |at| self.board.stone(at) != Some(color.opponent());
        for point in connected(self.board.size(), [point], own) {
            owner[point.index()] = now.signed(1.0);
        }
        let settled = self
            .board
            .settle_as(owner)
            .context("nothing is counted here")?;
        self.count(self.game.current, settled);
        Ok(())
    }

    /// Asks how good a move is in the shown position, without playing it.
    ///
    /// # Errors
    /// If it is illegal.
    pub(super) fn judge(&mut self, vertex: Vertex) -> anyhow::Result<()> {
        let color = self.board.to_move();
        let play = Play { color, vertex };
        self.board.play(play)?;
        self.board.undo()?;
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
