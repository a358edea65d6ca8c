//! A leaf between the two steps of its playout, and its moves.

use super::backup::{self, Step, UnforbiddenMoves};
use super::node::NodeId;
use super::tree::Tree;
use crate::game::{Color, Game, Move};
use tengen_nn::eval::softmax;

/// A claimed leaf that waits for its evaluation.
pub(super) struct Leaf<G> {
    pub(super) node: NodeId,
    pub(super) path: Vec<Step>,
    pub(super) moves: Vec<Move>,
    pub(super) mover: Color,
    /// The root move that leads to it.
    pub(super) first: Option<Move>,
    /// A move that gets at least this prior: a pass that may end the game, or what mirrored play asks for.
    pub(super) least: Option<(Move, f32)>,
    /// The position, if the game has ended and its score must be estimated.
    pub(super) ended: Option<Box<G>>,
}

/// Minimum prior of a pass that may end the game, where the players have to agree on dead stones:
/// networks trained with area scoring consider a pass only when all points are filled. Others know
/// better ([`Encoding::knows_passes`](crate::encode::Encoding)).
pub(super) const ENDING_PRIOR: f32 = 0.1;

impl<G: Game> Leaf<G> {
    /// Gives the leaf its moves and its value, from the network's raw policy logits, and completes
    /// its descent; false, and the descent is reverted, when memory is full. `priors` is a buffer.
    pub(super) fn expand(
        &self,
        tree: &Tree,
        certain: UnforbiddenMoves,
        policy: &[f32],
        value: f32,
        priors: &mut Vec<(Move, f32)>,
    ) -> bool {
        masked_priors(policy, &self.moves, self.least, priors);
        let Some(choices) = tree.add_choices(priors.iter().copied()) else {
            self.give_up(tree);
            return false;
        };
        let node = tree.node(self.node);
        node.publish(value, choices, self.moves.len() as u32);
        if let Some(entry) = node.bias() {
            node.set_stats((value + tree.biases.correction(entry), value * value));
        }
        node.add_visit();
        backup::complete(tree, &self.path, certain);
        true
    }

    /// Reverts the descent.
    pub(super) fn give_up(&self, tree: &Tree) {
        tree.node(self.node).unclaim();
        backup::revert(tree, &self.path);
    }
}

/// The pass, if it may end a game in which the players agree on dead stones.
pub(super) fn ending<G: Game>(position: &G) -> Option<Move> {
    let scored = position.scored()?;
    let ends = scored.agrees_on_dead() && scored.nears_end();
    ends.then(|| position.size().pass())
}

/// Probabilities of the legal moves from the policy logits, most probable first, ties in order of
/// policy index. The move of `least` gets at least that prior.
fn masked_priors(
    logits: &[f32],
    moves: &[Move],
    least: Option<(Move, f32)>,
    priors: &mut Vec<(Move, f32)>,
) {
    priors.clear();
    priors.extend(moves.iter().map(|&mv| (mv, logits[mv.index()])));
    softmax(priors, |(_, prior)| prior);
    if let Some((raised, least)) = least {
        raise(priors, raised, least);
    }
    // As integers, which is quicker: the bits of numbers from 0 on are in the order of the numbers.
    priors.sort_unstable_by_key(|&(mv, prior)| {
        u64::from(!prior.to_bits()) << u16::BITS | u64::from(mv.0)
    });
}

/// Gives a move at least this prior; the others share the rest as before.
fn raise(priors: &mut [(Move, f32)], raised: Move, least: f32) {
    let own = priors.iter().find(|(mv, _)| *mv == raised);
    if let Some(&(_, own)) = own.filter(|(_, prior)| *prior < least) {
        for (mv, prior) in priors {
            *prior = match *mv == raised {
                true => least,
                false => *prior * (1.0 - least) / (1.0 - own),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        masked_priors(&logits, &legal, Some((Move(1), 0.1)), &mut priors);
        let moves: Vec<u16> = priors.iter().map(|(mv, _)| mv.0).collect();
        assert_eq!(moves, [2, 3, 1]);
        for ((_, got), want) in priors.iter().zip([0.45, 0.45, 0.1]) {
            assert!((got - want).abs() < 1e-6);
        }
    }
}
