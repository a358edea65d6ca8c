//! What searches and counts have found about positions, and what is asked of them.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use tengen::game::{Move, PointStatus, Settled, connected};
use tengen::gtp::format_vertex;
use tengen::record::{Play, Vertex, result_text};
use tengen::watch::Eval;

use super::super::game::{GameEnd, Judged, KeptAnalysis};
use super::super::reviewing::Reviewed;
use super::super::task::TaskRequest;
use super::{Area, Session};

impl Session {
    /// Takes the engine's count.
    pub(in super::super) fn count(&mut self, node: usize, settled: Settled) {
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
    pub(in super::super) fn take_review(&mut self, reviewed: Reviewed) {
        self.reviews += 1;
        self.game.reviewed = (self.reviews, reviewed.json.into());
        self.game.reviewed_sgf = reviewed.sgf.into();
        self.review = None;
    }

    /// Keeps an evaluation of a position of which there is none.
    pub(in super::super) fn note_value(&mut self, node: usize, eval: Eval) {
        if self.game.tree.has(node) && self.game.tree.node(node).eval.is_none() {
            self.game.tree.node_mut(node).eval = Some(Box::new(eval));
        }
    }

    /// Limits analysis to these points; to none means the whole board.
    ///
    /// # Errors
    /// If no point of them may be played in the shown position.
    pub(in super::super) fn search_in(&mut self, points: Vec<Move>) -> anyhow::Result<()> {
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
    pub(in super::super) fn analysis(&self) -> Option<&Arc<str>> {
        let within = self.area.as_ref().and_then(|area| area.found.as_ref());
        let within = within.filter(|(node, _)| *node == self.game.current);
        let known = || self.game.analyses.get(&self.game.current);
        let json = within.map(|(_, json)| json);
        json.or_else(|| known().map(|known| &known.json))
    }

    /// Takes the result of a task's search of a position; returns whether it is shown.
    pub(in super::super) fn see(
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
    pub(in super::super) fn learn(&mut self, node: usize, json: String, eval: Eval) -> bool {
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
    pub(in super::super) fn mark_dead(&mut self, point: Move) -> anyhow::Result<()> {
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
    pub(in super::super) fn judge(&mut self, vertex: Vertex) -> anyhow::Result<()> {
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
}
