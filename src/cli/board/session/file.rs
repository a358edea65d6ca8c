//! Games from and to SGF.

use anyhow::Context as _;
use tengen::clock::TimeControl;
use tengen::record::{GameRecord, sgf};

use super::super::clocks::Clocks;
use super::super::terms::Terms;
use super::super::tree::{MOST_NODES, Tree};
use super::{GameEnd, Session, create};

impl Session {
    /// Loads a game with its variations, in any encoding of records.
    ///
    /// # Errors
    /// If it cannot be played here; the old game continues then.
    pub(in super::super) fn load(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let lines = sgf::read_lines(&sgf::decode(bytes), MOST_NODES)?;
        let main = lines.first().context("a text of SGF has a main line")?;
        let terms = Terms {
            game: main.game.clone(),
            size: main.size.to_string(),
            level: self.terms.level,
            ..Terms::default()
        };
        let options = terms.options(&self.flags)?;
        let mut board = create(&options, &self.time)?;
        let said = board.load(main)?;
        let played = board.record();
        let beginning = GameRecord {
            setup: played.setup.clone(),
            to_move: played.to_move,
            komi: played.komi,
            rules: played.rules.clone(),
            handicap: played.handicap,
            ..main.clone()
        };
        self.replace(options, board, beginning);
        self.notes = main.notes.iter().cloned().chain(said).collect();
        self.clocks = Clocks::new(TimeControl::Unlimited);
        self.terms = terms;
        let end = self.insert(main, &played);
        if !main.result.is_empty() {
            let end_of_game = GameEnd {
                result: main.result.clone(),
                why: "record",
            };
            self.ends.insert(end, end_of_game);
        }
        let mut illegal = 0;
        for line in &lines[1..] {
            let loaded = self.board.load(line).is_ok();
            let played = self.board.record();
            if loaded && played.setup == self.beginning.setup {
                self.insert(line, &played);
            } else {
                illegal += 1;
            }
        }
        if illegal > 0 {
            let note = format!("{illegal} variations are left out: they cannot be played");
            self.notes.push(note);
        }
        self.live = end;
        self.go(Tree::ROOT)
    }

    /// Adds a line of a file; returns its last position.
    fn insert(&mut self, line: &GameRecord, played: &GameRecord) -> usize {
        let mut at = Tree::ROOT;
        // If stones are set up among the moves, the game begins with the last of them.
        let skipped = line.plays.len().saturating_sub(played.plays.len());
        for (recorded, own) in line.plays[skipped..].iter().zip(&played.plays) {
            let Some(child) = self.tree.add(at, own.play) else {
                break;
            };
            at = child;
            let node = self.tree.node_mut(at);
            if node.comment.is_empty() {
                node.comment.clone_from(&recorded.comment);
            }
        }
        at
    }

    /// The game with its variations as SGF.
    pub(in super::super) fn sgf(&self) -> String {
        let end = self.ends.get(&self.tree.end_of_line(Tree::ROOT));
        let record = GameRecord {
            result: end.map(|end| end.result.clone()).unwrap_or_default(),
            ..self.beginning.clone()
        };
        sgf::write_tree(&record, &self.tree.branches())
    }
}
