//! A playout in two steps: *gather* descends to a leaf and writes its planes into a batch, *apply*
//! expands the leaf with the network's answer and backs it up. The network runs between the two;
//! neither step depends on threads, clock or backend.

use super::backup::{self, Step, UnforbiddenMoves};
use super::node::{Node, NodeId, Phase};
use super::params::SearchParams;
use super::points::{Judged, PointSums, with_lead};
use super::select::{RootPriors, select};
use super::tree::Tree;
use crate::encode::Encoding;
use crate::eval::{Batch, Outputs, softmax};
use crate::game::{
    Color, Facts, Game, GameState, Move, OwnershipEstimate, PositionHistory, Scored as _,
};

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
    pub(super) params: &'s SearchParams,
    pub(super) encoding: &'s dyn Encoding<G>,
    /// Sums of this thread, where the network predicts points.
    pub(super) points: Option<&'s PointSums>,
    /// Expected ownership of the root position, where it was estimated.
    pub(super) judged: Option<&'s OwnershipEstimate>,
    /// Whether the search is over.
    pub(super) over: &'s (dyn Fn() -> bool + Sync),
}

/// Returns what is proven of a position, if anything. Called for new positions, and again when they
/// are visited often.
pub type Prober<G> = Box<dyn FnMut(&G, &ProbeContext<'_>) -> Option<Facts> + Send>;

/// Context of a call to a prober.
#[derive(Clone, Copy)]
pub struct ProbeContext<'a> {
    /// Previous descents to the position: 0, or a power of [`ASK_AGAIN`].
    pub visits: u32,
    /// Whether the search is over and the answer no longer needed.
    pub over: &'a (dyn Fn() -> bool + Sync),
}

/// A prober without an answer is called again at this many visits, at the square of it, and so on.
pub const ASK_AGAIN: u32 = 4;

/// Whether the prober is called at this many visits.
fn asks_at(visits: u32) -> bool {
    let each = ASK_AGAIN.ilog2();
    visits >= ASK_AGAIN && visits.is_power_of_two() && visits.ilog2().is_multiple_of(each)
}

/// What a descent makes of a new position.
enum Expansion<'s> {
    /// It ends there.
    Ended(Descent),
    /// A single move does not lose: the position needs no evaluation, and the descent, whose path
    /// this is, goes on with that move.
    Forced(Vec<Step<'s>>),
}

/// A claimed leaf that waits for its evaluation.
struct Leaf<'s, G> {
    node: &'s Node,
    path: Vec<Step<'s>>,
    moves: Vec<Move>,
    mover: Color,
    /// The root move that leads to it.
    first: Option<Move>,
    /// A pass that may end the game.
    ending: Option<Move>,
    /// The position, if the game has ended and its score must be estimated.
    ended: Option<Box<G>>,
}

/// Minimum prior of a pass that may end the game, where the players have to agree on dead stones:
/// networks trained with area scoring consider a pass only when all points are filled.
const ENDING_PRIOR: f32 = 0.1;

/// One thread's descents: the leaves of the batch it is gathering.
pub(super) struct Playouts<'s, G: Game> {
    context: SearchContext<'s, G>,
    certain: UnforbiddenMoves,
    /// The positions up to the current one of a descent.
    past: PositionHistory,
    leaves: Vec<Leaf<'s, G>>,
    /// Descents that ended in a collision.
    collided: Vec<Vec<Step<'s>>>,
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

    /// Descends from the root to a leaf; a leaf that needs the network is claimed and added to
    /// `batch`.
    pub(super) fn gather(&mut self, batch: &mut Batch) -> Descent {
        let SearchContext {
            tree,
            start,
            root_priors,
            ..
        } = self.context;
        let mut position = start.position().clone();
        self.past.truncate(start.past().len());
        let mut path: Vec<Step<'s>> = Vec::with_capacity(32);
        let (mut node, mut before, mut first) = (tree.node(self.context.root), 0, None);
        loop {
            let state = node.state();
            // At the root by a move to avoid: the others may still be needed.
            let by_others = || !path.is_empty() || !root_priors.avoid();
            if state.proof().is_some() && by_others() {
                return self.finish(node, &path);
            }
            match state.phase() {
                Phase::New if node.claim() => {
                    let facts = self.known(&position, path.is_empty());
                    match self.reach(node, (first, path), (&position, facts), batch) {
                        Expansion::Forced(back) => path = back,
                        Expansion::Ended(descent) => return descent,
                    }
                }
                Phase::New | Phase::Claimed => {
                    self.collided.push(path);
                    return Descent::Collision;
                }
                Phase::Expanded => {}
            }
            if asks_at(before) && self.proves(node, &position, before) {
                return self.finish(node, &path);
            }
            let root_priors = path.is_empty().then_some(root_priors);
            let Some(choice) = self.choose(&position, node, root_priors) else {
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
            let step = tree.touch(node, choice).and_then(|edge| {
                let child = edge.child().or_else(|| {
                    let child = tree.find_or_add(position.key())?;
                    edge.link(child);
                    Some(child)
                });
                Some((edge, child?))
            });
            let Some((edge, child)) = step else {
                backup::revert(&path);
                return Descent::Full;
            };
            let child = tree.node(child);
            // In this order, or two threads could take the same surplus visit.
            let visits = child.visits();
            before = edge.begin();
            path.push((node, edge));
            node = child;
            let repeats = || path.iter().any(|(before, _)| std::ptr::eq(*before, child));
            if visits > before || G::INFO.repeats && repeats() {
                // The child has more visits through other paths than this edge has contributed, or
                // this path has repeated it: counting the edge is enough (docs/methods.md#search).
                backup::complete(tree, &path, self.certain);
                return Descent::Done;
            }
        }
    }

    /// Ends a descent at a node whose value is known.
    fn finish(&self, node: &Node, path: &[Step<'s>]) -> Descent {
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

    /// Handles a new position, claimed by this descent, of which these facts are known.
    fn reach(
        &mut self,
        node: &'s Node,
        (first, path): (Option<Move>, Vec<Step<'s>>),
        (position, facts): (&G, Facts),
        batch: &mut Batch,
    ) -> Expansion<'s> {
        let tree = self.context.tree;
        node.narrow(facts.bounds);
        if facts.bounds.proof().is_some() {
            node.publish_end();
            return Expansion::Ended(self.finish(node, &path));
        }
        if let Some(&[only]) = facts.open_moves.as_deref() {
            let Some(choices) = tree.add_choices([(only, 1.0)].into_iter()) else {
                node.unclaim();
                backup::revert(&path);
                return Expansion::Ended(Descent::Full);
            };
            node.publish_forced(choices);
            return Expansion::Forced(path);
        }
        let all = || position.legal_moves().collect();
        let encoding = self.context.encoding;
        encoding.encode(position, batch.push(encoding.cache_key(position)));
        self.leaves.push(Leaf {
            node,
            path,
            moves: facts.open_moves.unwrap_or_else(all),
            mover: position.to_move(),
            first,
            ending: ending(position),
            ended: position.outcome().map(|_| Box::new(position.clone())),
        });
        Expansion::Ended(Descent::Leaf)
    }

    /// Facts from the rules or the prober. A root needs all its moves even if the result is certain.
    fn known(&mut self, position: &G, is_root: bool) -> Facts {
        if is_root && position.outcome().is_none() {
            return Facts::NONE;
        }
        let certain = position.certain();
        if certain.proof().is_some() {
            return certain.into();
        }
        let probed = self.probed(position, 0);
        Facts {
            bounds: certain.and(probed.bounds),
            ..probed
        }
    }

    /// Whether the prober, called again, proves the result of a node other than the root.
    fn proves(&mut self, node: &Node, position: &G, visits: u32) -> bool {
        node.narrow(self.probed(position, visits).bounds);
        node.state().proof().is_some()
    }

    /// Facts from the prober for a position with this many previous descents.
    fn probed(&mut self, position: &G, visits: u32) -> Facts {
        let over = self.context.over;
        let prober = self.prober.as_mut();
        let probed = prober.and_then(|prober| prober(position, &ProbeContext { visits, over }));
        probed.unwrap_or(Facts::NONE)
    }

    /// Number of leaves that wait.
    pub(super) fn waiting(&self) -> usize {
        self.leaves.len()
    }

    /// Expands the waiting leaves with the network's answers, in the batch's order, and backs them
    /// up. Returns the number completed; fewer than waited means that memory is full.
    pub(super) fn apply(&mut self, outputs: &Outputs) -> usize {
        self.let_go();
        let SearchContext { params, points, .. } = self.context;
        let root = self.context.start.position();
        let (area, mut completed) = (root.size().area(), 0);
        let known = self.context.judged.map(|judged| (root, judged));
        for (i, leaf) in self.leaves.drain(..).enumerate() {
            masked_priors(
                outputs.policy(i),
                &leaf.moves,
                leaf.ending,
                &mut self.priors,
            );
            let Some(choices) = self.context.tree.add_choices(self.priors.iter().copied()) else {
                give_up(&leaf);
                continue;
            };
            let ended = leaf.ended.as_deref();
            let judged = ended.and_then(|ended| Judged::of(ended, (outputs, i), known));
            match (points, &judged) {
                (Some(points), Some(judged)) => points.add_judged(judged, leaf.first),
                (Some(points), None) => points.add(outputs, i, leaf.mover, leaf.first),
                (None, _) => {}
            }
            let (value, lead) = (outputs.value(i), outputs.lead(i));
            let value = match judged {
                Some(judged) => judged.value(leaf.mover, value, params.lead_weight),
                None => with_lead(value, lead, params.lead_weight, area),
            };
            leaf.node.publish(value, choices, leaf.moves.len() as u32);
            leaf.node.add_visit();
            backup::complete(self.context.tree, &leaf.path, self.certain);
            completed += 1;
        }
        completed
    }

    /// Reverts the descents that ended in a collision.
    pub(super) fn let_go(&mut self) {
        self.collided
            .drain(..)
            .for_each(|path| backup::revert(&path));
    }

    /// Reverts all waiting leaves.
    pub(super) fn abandon(&mut self) {
        self.let_go();
        self.leaves.drain(..).for_each(|leaf| give_up(&leaf));
    }
}

fn give_up<G>(leaf: &Leaf<'_, G>) {
    leaf.node.unclaim();
    backup::revert(&leaf.path);
}

/// The pass, if it may end a game in which the players agree on dead stones.
fn ending<G: Game>(position: &G) -> Option<Move> {
    let scored = position.scored()?;
    let ends = scored.agrees_on_dead() && scored.nears_end();
    ends.then(|| position.size().pass())
}

/// Probabilities of the legal moves from the policy logits, most probable first, ties in order of
/// policy index. The move `ending` gets at least [`ENDING_PRIOR`].
fn masked_priors(
    logits: &[f32],
    moves: &[Move],
    ending: Option<Move>,
    priors: &mut Vec<(Move, f32)>,
) {
    priors.clear();
    priors.extend(moves.iter().map(|&mv| (mv, logits[mv.index()])));
    softmax(priors, |(_, prior)| prior);
    let own = priors.iter().find(|(mv, _)| Some(*mv) == ending);
    if let Some(&(_, own)) = own.filter(|(_, prior)| *prior < ENDING_PRIOR) {
        for (mv, prior) in &mut *priors {
            *prior = match Some(*mv) == ending {
                true => ENDING_PRIOR,
                false => *prior * (1.0 - ENDING_PRIOR) / (1.0 - own),
            };
        }
    }
    priors.sort_by(|(_, a), (_, b)| b.total_cmp(a));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prober_is_asked_again_at_powers() {
        let asked: Vec<u32> = (0..300).filter(|&visits| asks_at(visits)).collect();
        assert_eq!(asked, [4, 16, 64, 256]);
    }

    #[test]
    fn priors_are_the_softmax_over_legal_moves_only() {
        let mut priors = Vec::new();
        let logits = [9.0, 0.0, 2.0_f32.ln(), 0.0];
        let legal = [1, 2, 3].map(Move);
        masked_priors(&logits, &legal, None, &mut priors);
        let moves: Vec<u16> = priors.iter().map(|(mv, _)| mv.0).collect();
        assert_eq!(moves, [2, 1, 3]);
        for ((_, got), want) in priors.iter().zip([0.5, 0.25, 0.25]) {
            assert!((got - want).abs() < 1e-6);
        }
        // A game-ending pass gets its minimum prior, and the others share the rest.
        let logits = [9.0, 0.0, 20.0, 20.0];
        masked_priors(&logits, &legal, Some(Move(1)), &mut priors);
        let moves: Vec<u16> = priors.iter().map(|(mv, _)| mv.0).collect();
        assert_eq!(moves, [2, 3, 1]);
        for ((_, got), want) in priors.iter().zip([0.45, 0.45, 0.1]) {
            assert!((got - want).abs() < 1e-6);
        }
    }
}
