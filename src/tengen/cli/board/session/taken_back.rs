//! Steps that can be taken back, other than moves: nothing that people made is lost by one click.

use anyhow::{Context as _, ensure};

use super::super::tree::Tree;
use super::{Session, Step, create};

/// Maximum number of steps kept, and of earlier games among them.
const MAX_STEPS: usize = 200;
const MAX_GAMES: usize = 8;

impl Session {
    /// Remembers a step.
    pub(super) fn keep(&mut self, step: Step) {
        self.steps.push(step);
        let games = self.steps.iter().enumerate().rev();
        let mut games = games.filter(|(_, step)| matches!(step, Step::Replaced(_)));
        let oldest = games.nth(MAX_GAMES).map_or(0, |(place, _)| place + 1);
        let excess = self.steps.len().saturating_sub(MAX_STEPS);
        self.steps.drain(..oldest.max(excess));
    }

    /// What can be taken back, in a word of the page.
    pub(in super::super) fn last_step(&self) -> Option<&'static str> {
        Some(match self.steps.last()? {
            Step::Replaced(_) => "replaced",
            Step::Removed { .. } => "removed",
            Step::Added { .. } => "added",
            Step::Promoted(_) => "promoted",
            Step::Commented { .. } => "commented",
        })
    }

    /// Takes the last step back.
    ///
    /// # Errors
    /// If there is none.
    pub(in super::super) fn take_back(&mut self) -> anyhow::Result<()> {
        let step = self.steps.pop().context("there is nothing to take back")?;
        match step {
            Step::Replaced(game) => {
                let mut board = create(&game.options, &self.time)?;
                board.load(&game.moves(game.current))?;
                self.pause();
                self.game = *game;
                self.stand_at(board);
                self.settle_in();
            }
            Step::Removed { node, place, live } => {
                self.game.tree.put_back(node, place);
                self.game.live = live;
                self.go(node)?;
            }
            Step::Added { node, live } => {
                let parent = self.game.tree.parent(node).unwrap_or(Tree::ROOT);
                self.go(parent)?;
                self.game.tree.remove(node);
                let is_there = self.game.tree.has(live);
                self.game.live = if is_there { live } else { parent };
                self.settle_in();
            }
            Step::Promoted(moved) => self.game.tree.demote(&moved),
            Step::Commented { node, text } => {
                self.write(node, text);
            }
        }
        Ok(())
    }

    /// Sets the comment of a position.
    ///
    /// # Errors
    /// If there is no such position.
    pub(in super::super) fn comment(&mut self, node: usize, text: String) -> anyhow::Result<()> {
        ensure!(
            self.game.tree.has(node),
            "there is no such position any more"
        );
        let old = self.write(node, text.clone());
        if old != text {
            self.keep(Step::Commented { node, text: old });
        }
        Ok(())
    }

    /// The same; returns the text before.
    fn write(&mut self, node: usize, text: String) -> String {
        let comment = match node {
            Tree::ROOT => &mut self.game.beginning.comment,
            node => &mut self.game.tree.node_mut(node).comment,
        };
        std::mem::replace(comment, text)
    }

    /// Removes the shown position with all following ones, and shows the one before.
    ///
    /// # Errors
    /// At the beginning.
    pub(in super::super) fn delete(&mut self) -> anyhow::Result<()> {
        let (node, live) = (self.game.current, self.game.live);
        let parent = self.game.tree.parent(node).context("the beginning stays")?;
        self.go(parent)?;
        let place = self.game.tree.remove(node);
        if !self.game.tree.has(live) {
            self.game.live = parent;
        }
        self.keep(Step::Removed { node, place, live });
        self.settle_in();
        Ok(())
    }

    /// Makes the line that leads to the shown position the main line.
    pub(in super::super) fn promote(&mut self) {
        let moved = self.game.tree.promote(self.game.current);
        if !moved.is_empty() {
            self.keep(Step::Promoted(moved));
        }
    }
}
