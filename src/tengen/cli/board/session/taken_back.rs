//! Steps that can be taken back and done again, other than moves: nothing that people made is lost by one click.

use crate::game::Move;
use crate::record::sgf;
use anyhow::{Context as _, ensure};

use super::super::tree::Tree;
use super::{Session, Step, create};

/// Maximum number of steps kept, and of earlier games among them.
const MAX_STEPS: usize = 200;
const MAX_GAMES: usize = 8;

impl Session {
    /// Remembers a step. Steps of this game that were taken back before are not done again after it; other games are still
    /// there.
    pub(super) fn keep(&mut self, step: Step) {
        let is_of_game = |step: &mut Step| !matches!(step, Step::Replaced(_));
        while self.undone.pop_if(is_of_game).is_some() {}
        self.game.is_touched |= !matches!(step, Step::Replaced(_));
        push(&mut self.steps, step);
    }

    /// What can be taken back, in a word of the page.
    pub(in super::super) fn last_step(&self) -> Option<&'static str> {
        self.steps.last().map(Step::name)
    }

    /// What can be done again, in a word of the page.
    pub(in super::super) fn last_undone(&self) -> Option<&'static str> {
        self.undone.last().map(Step::name)
    }

    /// Whether a game of an earlier run waits to be taken up, and nothing was done since.
    pub(in super::super) fn is_offering(&self) -> bool {
        self.offering == Some(self.games) && self.is_untouched()
    }

    /// Takes the last step back.
    ///
    /// # Errors
    /// If there is none.
    pub(in super::super) fn take_back(&mut self) -> anyhow::Result<()> {
        let step = self.steps.pop().context("there is nothing to take back")?;
        let again = self.reverse(step)?;
        push(&mut self.undone, again);
        Ok(())
    }

    /// Does again what was taken back last.
    ///
    /// # Errors
    /// If there is nothing.
    pub(in super::super) fn do_again(&mut self) -> anyhow::Result<()> {
        let step = self.undone.pop().context("there is nothing to do again")?;
        let back = self.reverse(step)?;
        push(&mut self.steps, back);
        Ok(())
    }

    /// Reverses a step; returns the one that reverses this.
    fn reverse(&mut self, step: Step) -> anyhow::Result<Step> {
        if let Step::Replaced(game) = step {
            let mut board = create(&game.options, &self.time)?;
            board.load(&game.moves(game.current))?;
            self.pause();
            let other = std::mem::replace(&mut self.game, *game);
            self.stand_at(board);
            self.settle_in();
            return Ok(Step::Replaced(Box::new(other)));
        }
        self.game.is_touched = true;
        let live_before = self.game.live;
        Ok(match step {
            Step::Removed { node, place, live } => {
                self.game.tree.put_back(node, place);
                self.game.live = live;
                self.go(node)?;
                Step::Added {
                    node,
                    live: live_before,
                }
            }
            Step::Added { node, live } => {
                let parent = self.game.tree.parent(node).unwrap_or(Tree::ROOT);
                self.go(parent)?;
                let place = self.game.tree.remove(node);
                let is_there = self.game.tree.has(live);
                self.game.live = if is_there { live } else { parent };
                self.settle_in();
                Step::Removed {
                    node,
                    place,
                    live: live_before,
                }
            }
            Step::Promoted(moved) => {
                self.game.tree.demote(&moved);
                let (end, _) = moved.first().copied().unwrap_or_default();
                Step::Demoted(end)
            }
            Step::Demoted(end) => Step::Promoted(self.game.tree.promote(end)),
            Step::Commented { node, text } => {
                let text = self.write(node, text);
                Step::Commented { node, text }
            }
            Step::Marked { node, others } => {
                let others = std::mem::replace(&mut self.game.tree.node_mut(node).others, others);
                Step::Marked { node, others }
            }
            Step::Replaced(_) => step,
        })
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

    /// Puts a mark on a point of the shown position, or takes it away if it is there.
    ///
    /// # Errors
    /// If there is no such mark.
    pub(in super::super) fn mark(
        &mut self,
        kind: &str,
        point: Move,
        label: &str,
    ) -> anyhow::Result<()> {
        let (node, size) = (self.game.current, self.board.size());
        let before = self.game.tree.node(node).others.clone();
        let all = match &*before {
            "" if node == Tree::ROOT => sgf::root_text(&self.game.beginning),
            kept => kept.to_owned(),
        };
        let marked = sgf::with_mark(&all, kind, point, label, size);
        self.game.tree.node_mut(node).others = marked.context("there is no such mark")?;
        self.keep(Step::Marked {
            node,
            others: before,
        });
        Ok(())
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

impl Step {
    /// In a word of the page.
    fn name(&self) -> &'static str {
        match self {
            Step::Replaced(_) => "replaced",
            Step::Removed { .. } => "removed",
            Step::Added { .. } => "added",
            Step::Promoted(_) | Step::Demoted(_) => "promoted",
            Step::Commented { .. } => "commented",
            Step::Marked { .. } => "marked",
        }
    }
}

/// Adds a step, and forgets the oldest ones.
fn push(steps: &mut Vec<Step>, step: Step) {
    steps.push(step);
    let games = steps.iter().enumerate().rev();
    let mut games = games.filter(|(_, step)| matches!(step, Step::Replaced(_)));
    let oldest = games.nth(MAX_GAMES).map_or(0, |(place, _)| place + 1);
    let excess = steps.len().saturating_sub(MAX_STEPS);
    steps.drain(..oldest.max(excess));
}
