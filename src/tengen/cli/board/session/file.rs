//! Games from and to SGF.

use std::borrow::Cow;
use std::sync::Arc;

use crate::engine::EngineError;
use crate::game::{Game as _, Illegal};
use crate::games::nogo::SmallNoGo;
use crate::program::counted;
use crate::record::sgf::{self, SgfNode, SgfTree};
use crate::record::{GameRecord, LaterSetup};
use anyhow::{Context as _, ensure};

use super::super::super::review::is_nogo;
use super::super::game::{Kept, NewGame, OtherGames, Who};
use super::super::stored;
use super::super::tree::{LONGEST_LINE, MAX_NODES, SetUp, Tree};
use super::{BoardGame, GameEnd, NAME, Session, Step, create};

/// Maximum number of moves that are replayed while a file is opened, because stones that are set up cannot be taken back
/// one by one: a few seconds of work.
const MOST_REPLAYED: usize = 1_000_000;
/// Moves that take as long as setting up a board.
const SETTING_UP: usize = 20;

impl Session {
    /// Loads files as one with the games of all; each has its own encoding, and may lack its end.
    ///
    /// # Errors
    /// As [`Session::load`].
    pub(in super::super) fn load_files(&mut self, files: &[&[u8]]) -> anyhow::Result<()> {
        if let [file] = files {
            return self.load(file);
        }
        let (mut games, mut empty) = (Vec::new(), 0);
        for file in files {
            let found = sgf::games(&sgf::decode(file))?;
            empty += usize::from(found.is_empty());
            games.extend(found);
        }
        self.load(games.concat().as_bytes())?;
        if empty > 0 {
            let note = format!("without a game: {empty} of {} files", files.len());
            self.game.notes.insert(0, note);
        }
        Ok(())
    }

    /// Loads a game with its variations, in any encoding of records.
    ///
    /// # Errors
    /// If it cannot be played here; the old game continues then.
    pub(in super::super) fn load(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let text = sgf::decode(bytes);
        let first = sgf::read_tree(&text).map_err(anyhow::Error::from);
        let first = first.and_then(|tree| {
            let texts = sgf::games(tree.rest)?;
            self.open(tree).map(|()| texts)
        });
        let why = match first {
            Ok(texts) => {
                self.game.others.texts = texts;
                return Ok(());
            }
            Err(why) => why,
        };
        self.load_after_first(sgf::games(&text)?, why)
    }

    /// Loads the first game after the first of a file, which cannot be shown.
    fn load_after_first(
        &mut self,
        mut texts: Vec<String>,
        why: anyhow::Error,
    ) -> anyhow::Result<()> {
        let mut rest = texts.iter().enumerate().skip(1);
        let found = rest.find(|(_, text)| {
            let tree = sgf::read_tree(text);
            tree.is_ok_and(|tree| self.open(tree).is_ok())
        });
        let Some(place) = found.map(|(place, _)| place) else {
            return Err(match texts.len() {
                0 | 1 => why,
                all => why.context(format!("none of the {all} games can be shown: game 1")),
            });
        };
        let games = counted(place, "game");
        let note =
            format!("not shown, but kept in the file: {games} before this one, game 1: {why:#}");
        self.game.notes.insert(0, note);
        texts.remove(place);
        self.game.others = OtherGames { texts, place };
        Ok(())
    }

    /// Puts the game of an earlier run before the one that has just begun: taking the last step back takes it up where it
    /// was.
    ///
    /// # Errors
    /// If it cannot be played here.
    pub(in super::super) fn put_before(&mut self, file: &[u8], kept: Kept) -> anyhow::Result<()> {
        let (flags, begun) = (Arc::clone(&self.flags), self.game.terms.clone());
        let mut earlier = Session::new(flags, begun, Arc::clone(&self.time))?;
        let shown = &kept.terms.game;
        earlier.game.terms.game.clone_from(shown);
        earlier.load(file)?;
        earlier.game.terms.game.clone_from(shown);
        earlier.choose_game(kept.place)?;
        let game = &mut earlier.game;
        let live = kept.live.filter(|&live| game.tree.has(live));
        game.live = live.unwrap_or(game.live);
        (game.terms.names, game.terms.clock) = (kept.terms.names, kept.terms.clock);
        // Taken up, it is kept again.
        game.is_touched = true;
        earlier.go(earlier.game.live)?;
        earlier.set_up(kept.terms.players, kept.terms.level)?;
        self.keep(Step::Replaced(Box::new(earlier.game)));
        self.offering = Some(self.games);
        Ok(())
    }

    /// Whether nothing was done in the game that could be lost: one that is only looked at, or analysed, does not take the
    /// place of the game that is kept.
    pub(in super::super) fn is_untouched(&self) -> bool {
        !self.game.is_touched
    }

    /// Shows another game of the same file; changes of this one are kept.
    ///
    /// # Errors
    /// If it cannot be played here.
    pub(in super::super) fn choose_game(&mut self, place: usize) -> anyhow::Result<()> {
        let old = &self.game.others;
        ensure!(place <= old.texts.len(), "the file has no such game");
        if place == old.place {
            return Ok(());
        }
        let mut texts = old.texts.clone();
        texts.insert(old.place, self.game_text().0);
        let (text, is_touched) = (texts.remove(place), self.game.is_touched);
        let tree = sgf::read_tree(&text).map_err(anyhow::Error::from);
        let opened = tree.and_then(|tree| self.open(tree));
        opened.with_context(|| format!("game {}", place + 1))?;
        self.game.others = OtherGames { texts, place };
        self.game.is_touched = is_touched;
        Ok(())
    }

    fn open(&mut self, tree: SgfTree<'_>) -> anyhow::Result<()> {
        let SgfTree {
            beginning: mut told,
            mut nodes,
            ..
        } = tree;
        // A file that may be of either is one of Go where Go is shown, and else what a review takes it for.
        if told.game != self.game.terms.game && is_nogo(&main_line(&told, &nodes)) {
            SmallNoGo::NAME.clone_into(&mut told.game);
        }
        let terms = NewGame {
            game: told.game.clone(),
            size: told.size.to_string(),
            players: players(&told),
            level: self.game.terms.level,
            ..NewGame::default()
        };
        let options = terms.options(&self.flags)?;
        let mut board = create(&options, &self.time)?;
        // The main line decides under which rules the game can be played.
        let said = match board.load(&main_line(&told, &nodes)) {
            Ok(said) => said,
            Err(_) => board.load(&told)?,
        };
        let played = board.record();
        let beginning = GameRecord {
            setup: played.setup,
            to_move: played.to_move,
            komi: played.komi,
            rules: played.rules,
            handicap: played.handicap,
            ..told.clone()
        };
        board.load(&beginning)?;
        // A rematch begins alike.
        let terms = NewGame {
            rules: beginning.rules.clone(),
            komi: beginning.komi.map(|komi| f64::from(komi.0) / 2.0),
            handicap: beginning.handicap.into(),
            ..terms
        };
        let mut game = BoardGame::new(options, terms, beginning);
        game.notes = told.notes.into_iter().chain(said).collect();
        let root = nodes.first_mut().context("a game has a root")?;
        game.tree.node_mut(Tree::ROOT).others = std::mem::take(&mut root.others);
        let (mover, size) = (board.to_move(), board.size());
        let others = &mut game.tree.node_mut(Tree::ROOT).others;
        let known = stored::take(others, Tree::ROOT, mover, size);
        self.replace(game, board);
        if let Some((eval, json)) = known {
            self.learn(Tree::ROOT, json, eval);
        }
        let hidden = self.add_nodes(nodes)?;
        self.game.notes.extend(hidden);
        let end = self.game.tree.end_of_line(Tree::ROOT);
        if is_decided(&told.result) {
            let (result, why) = (told.result, "record");
            self.game.ends.insert(end, GameEnd { result, why });
        }
        self.game.live = end;
        self.skim = Some(end);
        self.go(Tree::ROOT)
    }

    /// Adds the nodes of a file to the game, whose beginning is on the board. What cannot be played stays in
    /// the file only; returns a note about it.
    fn add_nodes(&mut self, nodes: Vec<SgfNode>) -> anyhow::Result<Option<String>> {
        // For each node its number here, and the number of nodes before it.
        let mut places = vec![(Tree::ROOT, 0)];
        let (mut shown, mut hidden) = (0, 0);
        let (mut first, mut replayed) = (None, 0);
        for mut node in nodes.into_iter().skip(1) {
            let (parent, depth) = places[node.parent];
            let tried = if self.game.tree.is_hidden(parent) {
                Err(String::new())
            } else if shown == MAX_NODES || depth == LONGEST_LINE {
                Err(format!(
                    "up to {MAX_NODES} nodes are shown, and {LONGEST_LINE} in a line"
                ))
            } else if replayed > MOST_REPLAYED {
                Err("stones are set up too often after long lines".to_owned())
            } else {
                replayed += self.walk_back(parent)?;
                replayed += usize::from(node.setup.is_some()) * SETTING_UP;
                self.try_node(&node, &mut replayed)
                    .map_err(|error| format!("{error:#}"))
            };
            let child = self.game.tree.next_number();
            places.push((child, depth + 1));
            let (mover, size) = (self.board.to_move(), self.board.size());
            let known = stored::take(&mut node.others, child, mover, size);
            match tried {
                Ok(set_up) => {
                    self.game.tree.take(parent, node, set_up);
                    if let Some((eval, json)) = known {
                        self.learn(child, json, eval);
                    }
                    shown += 1;
                    self.game.current = child;
                }
                Err(why) => {
                    self.game.tree.take(parent, node, None);
                    self.game.tree.hide(child);
                    hidden += 1;
                    first.get_or_insert_with(|| format!("after {}: {why}", counted(depth, "node")));
                }
            }
        }
        let hidden = counted(hidden, "node");
        Ok(first
            .map(|first| format!("not shown, but kept in the file: {hidden}, the first {first}")))
    }

    /// Goes back to a position on the way to the shown one; the number of moves that were replayed for it.
    fn walk_back(&mut self, to: usize) -> anyhow::Result<usize> {
        while self.game.current != to {
            let tree = &self.game.tree;
            let node = tree.node(self.game.current);
            let parent = tree.parent(self.game.current).context("it is on the way")?;
            if node.set_up.is_some() {
                let record = self.game.moves(to);
                self.board.load(&record)?;
                self.game.current = to;
                return Ok(SETTING_UP + record.plays.len());
            }
            if node.play.is_some() {
                self.board.undo()?;
            }
            self.game.current = parent;
        }
        Ok(0)
    }

    /// Sets up stones in the shown position, as a variation.
    ///
    /// # Errors
    /// If they cannot stand together, or nothing changes.
    pub(in super::super) fn set_up_stones(&mut self, setup: LaterSetup) -> anyhow::Result<()> {
        let size = self.board.size();
        let node = SgfNode {
            others: sgf::setup_text(&setup, size),
            setup: Some(Box::new(setup)),
            ..SgfNode::default()
        };
        let set_up = self
            .try_node(&node, &mut 0)?
            .context("nothing was changed")?;
        let (parent, live) = (self.game.current, self.game.live);
        let child = self.game.tree.take(parent, node, Some(set_up));
        (self.game.current, self.game.live) = (child, child);
        self.keep(Step::Added { node: child, live });
        self.settle_in();
        Ok(())
    }

    /// Plays or sets up what a node says; returns the position that it sets up, and counts moves that are `replayed`.
    fn try_node(&mut self, node: &SgfNode, replayed: &mut usize) -> anyhow::Result<Option<SetUp>> {
        ensure!(!node.is_broken, "the move is not on the board");
        if let Some(play) = node.play {
            match self.board.play(play) {
                // Loading allows records to retake a ko at once.
                Err(EngineError::IllegalMove(Illegal::Ko)) => {
                    let mut record = self.game.moves(self.game.current);
                    record.push(play);
                    *replayed += record.plays.len();
                    self.board.load(&record)?;
                }
                played => played?,
            }
        }
        let Some(setup) = &node.setup else {
            return Ok(None);
        };
        let turn = self.board.to_move();
        let to_move = setup.to_move.unwrap_or(turn);
        let mut changes = setup.changes.iter();
        if to_move == turn && changes.all(|(&point, &stone)| self.board.stone(point) == stone) {
            return Ok(None);
        }
        let set_up = SetUp {
            stones: setup.stones(self.board.size(), |point| self.board.stone(point)),
            to_move,
        };
        let record = GameRecord {
            setup: set_up.stones.clone(),
            to_move: Some(to_move),
            ..self.game.terms_of_play()
        };
        self.board.load(&record)?;
        Ok(Some(set_up))
    }

    /// The file: the game with its variations as SGF, and the other games.
    pub(in super::super) fn sgf(&self) -> String {
        self.to_keep().0
    }

    /// The file, and what it does not say.
    pub(in super::super) fn to_keep(&self) -> (String, Kept) {
        let (own, live) = self.game_text();
        let kept = Kept {
            terms: self.game.terms.clone(),
            place: self.game.others.place,
            live: Some(live),
        };
        (self.game.others.with(&own), kept)
    }

    /// The game as SGF, and the place of its last position among its nodes.
    fn game_text(&self) -> (String, usize) {
        let (record, nodes, places) = self.written();
        let live = self.game.live;
        // A node that only ends the main line is the last one that was added.
        let end = places.get(self.game.tree.next_number());
        let end = end.filter(|_| self.ended_at() == Some(live));
        let place = *end.unwrap_or(&places[live]);
        (sgf::write_tree(&record, &nodes), place)
    }

    /// Where the main line of the file ends, with its result: where the game of a record ended, even if moves were tried
    /// there later, or else where this game ended, even after moves were taken back. `None` if neither has ended.
    fn ended_at(&self) -> Option<usize> {
        let game = &self.game;
        let line = game.tree.path(game.tree.end_of_line(Tree::ROOT));
        let mut line = std::iter::once(Tree::ROOT).chain(line);
        let ends = |at: &usize| game.ends.get(at);
        let record = line.find(|at| ends(at).is_some_and(|end| end.why == "record"));
        record.or(Some(game.live).filter(|live| ends(live).is_some()))
    }

    /// The game as it is written: its beginning with the result, its nodes, and the place of each node of the tree among
    /// them.
    pub(in super::super) fn written(&self) -> (GameRecord, Vec<SgfNode>, Vec<usize>) {
        let game = &self.game;
        let main = game.tree.end_of_line(Tree::ROOT);
        let end = self.ended_at().unwrap_or(main);
        let mut tree = Cow::Borrowed(&game.tree);
        if end != main {
            tree.to_mut().end_at(end);
        }
        let mut record = game.beginning.clone();
        if let Some(end) = game.ends.get(&end) {
            record.result.clone_from(&end.result);
        }
        let (nodes, places) = tree.sgf_nodes(|at, node| {
            let mut others = node.others.clone();
            if at == Tree::ROOT && others.is_empty() {
                // Of a game that was begun here all is written again.
                return others;
            }
            if let Some(kept) = game.analyses.get(&at) {
                stored::append(&mut others, kept);
            }
            others
        });
        (record, nodes, places)
    }
}

/// The players of a file: a game of a person against Tengen goes on, unless it has a result.
fn players(told: &GameRecord) -> [Who; 2] {
    match [&told.black, &told.white].map(|name| name == NAME) {
        [false, true] if !is_decided(&told.result) => [Who::Human, Who::Engine],
        [true, false] if !is_decided(&told.result) => [Who::Engine, Who::Human],
        _ => [Who::Human; 2],
    }
}

/// Whether a file's result ends its game: it may be unknown, or the game may be suspended.
fn is_decided(result: &str) -> bool {
    let result = result.trim().to_lowercase();
    !matches!(&*result, "" | "?" | "void")
}

/// The main line of a file, as far as it can be read and up to stones that are set up.
fn main_line(told: &GameRecord, nodes: &[SgfNode]) -> GameRecord {
    let mut record = told.clone();
    for (at, node) in nodes.iter().enumerate().skip(1).take(LONGEST_LINE) {
        if node.parent != at - 1 || node.is_broken || node.setup.is_some() {
            break;
        }
        node.play.into_iter().for_each(|play| record.push(play));
    }
    record
}
