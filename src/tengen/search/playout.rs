//! A playout in two steps: *gather* descends to a leaf and passes its position on, *apply* expands
//! the leaf with the network's answer and backs it up. The network runs between the two;
//! neither step depends on threads, clock or backend.

use std::mem;

use super::backup::{self, Step, UnforbiddenMoves};
use super::edge::{Choice, EdgeId};
use super::leaf::{ENDING_PRIOR, Leaf, ending};
use super::mirror;
use super::node::{Node, NodeId, Phase};
use super::params::SearchParams;
use super::points::{Judged, OwnershipSums, with_lead};
use super::request::{ProbeContext, Prober};
use super::select::{RootPriors, select};
use super::tree::Tree;
use crate::game::{Game, GameState, Move, OwnershipEstimate, PositionHistory, ProbeResult};
use tengen_nn::eval::Outputs;

/// Result of a descent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Descent {
    /// A new position, which now waits in the batch.
    Leaf,
    /// No evaluation needed; already backed up.
    Done,
    /// A position that another descent is evaluating. It stays in flight until
    /// [`Playouts::let_go`], so that later descents go elsewhere.
    Collision,
    /// No memory for a new node; the descent was reverted.
    Full,
}

/// Data shared by all descents of one search.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'s, G: Game> {
    pub(super) tree: &'s Tree,
    pub(super) root: NodeId,
    pub(super) start: &'s GameState<G>,
    pub(super) root_priors: &'s RootPriors,
    /// Visits of the root's first moves when the search began, in the order of its choices.
    pub(super) reused_visits: &'s [u32],
    pub(super) params: &'s SearchParams,
    /// What the end of a game tells.
    pub(super) endings: Endings,
    /// Whether the network knows when to pass ([`Encoding::knows_passes`](crate::encode::Encoding)).
    pub(super) knows_passes: bool,
    /// Whether the side that is not to move at the root mirrors.
    pub(super) is_mirrored: bool,
    /// A tree whose evaluations are taken over.
    pub(super) earlier: Option<&'s Tree>,
    /// Sums of this thread, where the network predicts points.
    pub(super) points: Option<&'s OwnershipSums>,
    /// Expected ownership of the root position, where it was estimated.
    pub(super) judged: Option<&'s OwnershipEstimate>,
    /// Whether the search is over.
    pub(super) over: &'s (dyn Fn() -> bool + Sync),
}

/// What a search learns at the end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endings {
    /// A proof, where the result is certain; dead stones are estimated.
    Proofs,
    /// A value, with the points: dead stones are estimated. Where a proof ended the search of a sensible
    /// move, other moves would get its visits, and the lead would be theirs.
    Points,
    /// A value: the result as the rules count it. Nothing is proven, so that visits and values stay
    /// those of a policy.
    Values,
}

/// One thread's descents: the leaves of the batch it is gathering.
pub(super) struct Playouts<'s, G: Game> {
    context: SearchContext<'s, G>,
    certain: UnforbiddenMoves,
    /// The positions up to the current one of a descent.
    past: PositionHistory,
    leaves: Vec<Leaf<G>>,
    /// Descents that ended in a collision.
    collided: Vec<Vec<Step>>,
    priors: Vec<(Move, f32)>,
    prober: Option<&'s mut Prober<G>>,
}

impl<'s, G: Game> Playouts<'s, G> {
    pub(super) fn new(context: SearchContext<'s, G>, prober: Option<&'s mut Prober<G>>) -> Self {
        Playouts {
            certain: UnforbiddenMoves::under(context.start.position()),
            past: context.start.past().clone(),
            context,
            prober,
            leaves: Vec::new(),
            collided: Vec::new(),
            priors: Vec::new(),
        }
    }

    /// Descends from the root to a leaf, by the root's choice `by` if there is one; a leaf that
    /// needs the network is claimed and passed to `add`.
    pub(super) fn gather(&mut self, by: Option<usize>, add: &mut dyn FnMut(&G)) -> Descent {
        let (tree, start) = (self.context.tree, self.context.start);
        let root_priors = self.context.root_priors;
        let mut position = start.position().clone();
        self.past.truncate(start.past().len());
        let mut path: Vec<Step> = Vec::with_capacity(32);
        let (mut id, mut before, mut first) = (self.context.root, 0, None);
        let mut is_reused = false;
        loop {
            let node = tree.node(id);
            let state = node.state();
            // At the root by a move to avoid: the others may still be needed.
            let by_others = || !path.is_empty() || !root_priors.avoid();
            if state.proof().is_some() && by_others() {
                return self.finish(node, &path);
            }
            match state.phase() {
                Phase::New if node.claim() => {
                    if let Some(descent) = self.reach(id, first, &mut path, &position, add) {
                        return descent;
                    }
                }
                Phase::New | Phase::Claimed => {
                    self.collided.push(path);
                    return Descent::Collision;
                }
                Phase::Expanded => {}
            }
            let occasion = self.occasion(before, path.len(), is_reused);
            if occasion.asks_again() && self.proves(node, &position, &occasion) {
                return self.finish(node, &path);
            }
            let root_priors = path.is_empty().then_some(root_priors);
            let by = by.filter(|_| path.is_empty());
            let choice = by.or_else(|| self.choose(&position, node, root_priors));
            let Some(choice) = choice else {
                // No move can be better than the proven result: the last one that could was proven
                // through another path, and this node learns of it only now.
                backup::refresh(tree, node, self.certain);
                return self.finish(node, &path);
            };
            let mv = tree.choices(node)[choice].mv();
            #[cfg(test)]
            assert!(
                position.is_legal(mv),
                "a descent plays {mv:?} in {position:?}"
            );
            position.play(mv);
            first = first.or(Some(mv));
            #[cfg(test)]
            assert!(
                mv.index() >= position.size().area()
                    || !position.forbids_repetition()
                    || self.past.is_new(&position),
                "a descent repeats {position:?}"
            );
            self.past.push(&position);
            let Some((edge, child)) = self.step(node, choice, &position) else {
                backup::revert(tree, &path);
                return Descent::Full;
            };
            // In this order, or two threads could take the same surplus visit.
            let visits = tree.node(child).visits();
            before = tree.edge(edge).begin();
            let earlier = || self.context.reused_visits.get(choice);
            is_reused = path.is_empty() && before > 0 && earlier() == Some(&before);
            path.push((id, edge));
            id = child;
            let repeats = || path.iter().any(|(before, _)| *before == child);
            if visits > before || G::INFO.repeats && repeats() {
                // The child has more visits through other paths than this edge has contributed, or
                // this path has repeated it: counting the edge is enough (docs/methods.md#search).
                backup::complete(tree, &path, self.certain);
                return Descent::Done;
            }
        }
    }

    /// The edge of a choice, and the node of the `position` behind it, created if necessary; `None`
    /// when memory is full.
    fn step(&self, node: &Node, choice: usize, position: &G) -> Option<(EdgeId, NodeId)> {
        let tree = self.context.tree;
        let id = tree.touched(node, choice)?;
        let edge = tree.edge(id);
        let child = edge.child().or_else(|| {
            let child = tree.find_or_add(position.key())?;
            edge.link(child);
            Some(child)
        });
        Some((id, child?))
    }

    /// Ends a descent at a node whose value is known.
    fn finish(&self, node: &Node, path: &[Step]) -> Descent {
        node.add_visit();
        backup::complete(self.context.tree, path, self.certain);
        Descent::Done
    }

    /// The move that a descent takes here: the best one that the path allows; `None` when no move
    /// can be better than the node's proven result.
    fn choose(&self, position: &G, node: &Node, root: Option<&RootPriors>) -> Option<usize> {
        let SearchContext { tree, params, .. } = self.context;
        if !G::INFO.repeats || self.certain.all() {
            return select(tree, node, root, &[], params);
        }
        let (choices, mut forbidden) = (tree.choices(node), Vec::new());
        while let Some(choice) = select(tree, node, root, &forbidden, params) {
            if self.past.allows(position, choices[choice].mv()) {
                return Some(choice);
            }
            forbidden.push(choice);
        }
        // Better moves are forbidden here; the remaining ones have known and equal results: take
        // one that is never forbidden.
        choices.iter().position(|choice| self.certain.has(choice))
    }

    /// Handles a new position, claimed by this descent, which ends there; `None` where a single move does not lose: the
    /// position needs no evaluation, and the descent goes on with that move.
    fn reach(
        &mut self,
        id: NodeId,
        first: Option<Move>,
        path: &mut Vec<Step>,
        position: &G,
        add: &mut dyn FnMut(&G),
    ) -> Option<Descent> {
        let facts = self.known(position, path.len());
        let tree = self.context.tree;
        let node = tree.node(id);
        let full = |path: &[Step]| {
            node.unclaim();
            backup::revert(tree, path);
            Some(Descent::Full)
        };
        if self.context.endings == Endings::Values
            && let Some(outcome) = position.outcome()
        {
            node.publish(outcome.value_for(position.to_move()), 0, 0);
            return Some(self.finish(node, path));
        }
        if let Some((value, choices)) = self.evaluated_before(node.key()) {
            let Some(start) = tree.add_choices(choices.iter().map(Choice::get)) else {
                return full(path);
            };
            node.publish(value, start, choices.len() as u32);
            return Some(self.finish(node, path));
        }
        node.narrow(facts.bounds);
        if facts.bounds.proof().is_some() {
            node.publish_end();
            return Some(self.finish(node, path));
        }
        if let Some(&[only]) = facts.open_moves.as_deref() {
            let Some(choices) = tree.add_choices([(only, 1.0)].into_iter()) else {
                return full(path);
            };
            node.publish_forced(choices);
            return None;
        }
        let all = || position.legal_moves().collect();
        node.set_bias(tree.biases.entry(position));
        add(position);
        let least = self.least_prior(position, path.is_empty());
        self.leaves.push(Leaf {
            node: id,
            path: mem::take(path),
            moves: facts.open_moves.unwrap_or_else(all),
            mover: position.to_move(),
            first,
            least,
            ended: position.outcome().map(|_| Box::new(position.clone())),
        });
        Some(Descent::Leaf)
    }

    /// A move of a new position that gets at least this prior. What mirrored play asks for at the root is in
    /// [`RootPriors`]: the priors there are shown.
    fn least_prior(&self, position: &G, is_root: bool) -> Option<(Move, f32)> {
        if self.context.is_mirrored
            && !is_root
            && let Some(least) = mirror::least_prior(position, self.context.start.position())
        {
            return Some(least);
        }
        match self.context.endings {
            Endings::Proofs | Endings::Points if !self.context.knows_passes => {
                Some((ending(position)?, ENDING_PRIOR))
            }
            _ => None,
        }
    }

    /// Value and moves of a position, if the earlier tree has evaluated it.
    fn evaluated_before(&self, key: u128) -> Option<(f32, &'s [Choice])> {
        let tree = self.context.earlier?;
        let node = tree.node(tree.find(key)?);
        let choices = tree.choices(node);
        (!choices.is_empty()).then(|| (node.own().0, choices))
    }

    /// What the rules or the prober prove of a position. A root needs all its moves even if the result is certain.
    fn known(&mut self, position: &G, depth: usize) -> ProbeResult {
        let is_open_root = depth == 0 && position.outcome().is_none();
        if is_open_root || self.context.endings != Endings::Proofs {
            return ProbeResult::NONE;
        }
        let certain = position.certain();
        if certain.proof().is_some() {
            return certain.into();
        }
        let new = self.occasion(0, depth, false);
        let probed = self.probed(position, &new);
        ProbeResult {
            bounds: certain.and(probed.bounds),
            ..probed
        }
    }

    /// Whether the prober, called again, proves the result of a node other than the root.
    fn proves(&mut self, node: &Node, position: &G, occasion: &ProbeContext<'_>) -> bool {
        node.narrow(self.probed(position, occasion).bounds);
        node.state().proof().is_some()
    }

    /// What the prober proves of a position.
    fn probed(&mut self, position: &G, occasion: &ProbeContext<'_>) -> ProbeResult {
        let prober = self.prober.as_mut();
        let probed = prober.and_then(|prober| prober(position, occasion));
        probed.unwrap_or(ProbeResult::NONE)
    }

    /// What a prober is told of a position this many moves below the root.
    fn occasion(&self, visits: u32, depth: usize, is_reused: bool) -> ProbeContext<'s> {
        ProbeContext {
            visits,
            depth,
            is_reused,
            over: self.context.over,
        }
    }

    /// Number of leaves that wait.
    pub(super) fn waiting(&self) -> usize {
        self.leaves.len()
    }

    /// Expands the waiting leaves with the network's answers, in the batch's order, and backs them
    /// up. Returns the number completed; fewer than waited means that memory is full.
    pub(super) fn apply(&mut self, outputs: &Outputs) -> usize {
        self.let_go();
        let (tree, weight) = (self.context.tree, self.context.params.lead_weight);
        let root = self.context.start.position();
        let (area, mut completed) = (root.size().area(), 0);
        let known = self.context.judged.map(|judged| (root, judged));
        for (i, leaf) in self.leaves.drain(..).enumerate() {
            let ended = leaf.ended.as_deref();
            let judged = ended.and_then(|ended| Judged::of(ended, outputs, i, known));
            let (value, lead) = (outputs.value(i), outputs.lead(i));
            let value = match &judged {
                Some(judged) => judged.value(leaf.mover, weight),
                None => with_lead(value, lead, weight, area),
            };
            let policy = outputs.policy(i);
            if !leaf.expand(tree, self.certain, policy, value, &mut self.priors) {
                continue;
            }
            completed += 1;
            match (self.context.points, &judged) {
                (Some(points), Some(judged)) => points.add_judged(judged, leaf.first),
                (Some(points), None) => points.add(outputs, i, leaf.mover, leaf.first),
                (None, _) => {}
            }
        }
        completed
    }

    /// The leaf that the last descent left, for the caller to expand.
    pub(super) fn take_leaf(&mut self) -> Option<Leaf<G>> {
        self.leaves.pop()
    }

    /// Reverts the descents that ended in a collision.
    pub(super) fn let_go(&mut self) {
        let tree = self.context.tree;
        self.collided
            .drain(..)
            .for_each(|path| backup::revert(tree, &path));
    }

    /// Reverts all waiting leaves.
    pub(super) fn abandon(&mut self) {
        self.let_go();
        let tree = self.context.tree;
        self.leaves.drain(..).for_each(|leaf| leaf.give_up(tree));
    }
}
