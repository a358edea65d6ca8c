//! The RAVE tree: visit counts and all-moves-as-first counts, laid out for a fast scan.
//!
//! A node's children are adjacent in flat columns, so that scoring sixty of them is a short
//! vectorised loop. All sums are from the view of the side that plays the child's move.

use std::ops::Range;

use super::{Prior, Rollout, RolloutPolicy};
use crate::game::{Move, PositionHistory};
use crate::system::is_offered;

/// Index of a node in the tree.
pub(super) type NodeId = u32;

/// The first node.
pub(super) const ROOT: NodeId = 0;

/// Marks a child without a node of its own.
const NO_NODE: NodeId = NodeId::MAX;

/// The children of all nodes, in columns.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// For each node, the column range of its children.
    nodes: Vec<Range<usize>>,
    /// The keys of the nodes' positions, in games with transpositions.
    keys: Vec<u128>,
    moves: Vec<Move>,
    child: Vec<NodeId>,
    visits: Vec<f32>,
    wins: Vec<f32>,
    rave_visits: Vec<f32>,
    rave_wins: Vec<f32>,
    scores: Vec<f32>,
}

/// One child's statistics.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChildStats {
    pub(super) mv: Move,
    pub(super) visits: f32,
    pub(super) wins: f32,
    pub(super) node: Option<NodeId>,
}

impl Tree {
    /// Removes everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.moves.clear();
        self.child.clear();
        self.sums().into_iter().for_each(Vec::clear);
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Memory of nodes and children; twice their size, because tables grow by doubling.
    pub(super) fn bytes(&self) -> usize {
        let child = size_of::<Move>() + size_of::<NodeId>() + 4 * size_of::<f32>();
        let node = size_of::<Range<usize>>() + size_of::<u128>();
        2 * (self.nodes.len() * node + self.moves.len() * child)
    }

    /// Whether there is memory for another node with up to `moves` children.
    pub(super) fn has_room(&self, moves: usize) -> bool {
        let fits = self.nodes.len() < self.nodes.capacity()
            && self.moves.len() + moves <= self.moves.capacity();
        fits || is_offered(self.bytes())
    }

    /// Adds a node with a child for each move of `position` that its history allows; with game
    /// knowledge, for sensible moves only, with their priors.
    pub(super) fn add_node<G: Rollout>(
        &mut self,
        position: &G,
        past: &PositionHistory,
        policy: RolloutPolicy,
    ) -> NodeId {
        let knows = policy == RolloutPolicy::Own;
        let start = self.moves.len();
        if knows {
            position.add_sensible(past, &mut self.moves);
        } else {
            let moves = position.legal_moves();
            let allowed = moves.filter(|&mv| past.allows(position, mv));
            self.moves.extend(allowed);
        }
        let end = self.moves.len();
        self.child.resize(end, NO_NODE);
        self.visits.resize(end, 0.0);
        self.wins.resize(end, 0.0);
        let priors = match knows {
            true => position.priors(&self.moves[start..]),
            false => vec![Prior::default(); end - start],
        };
        let priors = priors.iter();
        self.rave_visits
            .extend(priors.clone().map(|prior| prior.rollouts));
        self.rave_wins
            .extend(priors.map(|prior| prior.win * prior.rollouts));
        self.scores.resize(self.scores.len().max(end - start), 0.0);
        self.nodes.push(start..end);
        if G::INFO.repeats {
            self.keys.push(position.key());
        }
        (self.nodes.len() - 1) as NodeId
    }

    /// The node reached by moves from the root, if it is this position's.
    pub(super) fn find<G: Rollout>(&self, moves: &[Move], position: &G) -> Option<NodeId> {
        let mut node = ROOT;
        for &mv in moves {
            let mut children = self.nodes.get(node as usize)?.clone();
            node = self.node_of(children.find(|&child| self.moves[child] == mv)?)?;
        }
        (self.keys.get(node as usize) == Some(&position.key())).then_some(node)
    }

    /// Drops everything but a node and its descendants. It becomes the root.
    pub(super) fn keep(&mut self, root: NodeId) {
        let mut kept = vec![NO_NODE; self.nodes.len()];
        kept[root as usize] = ROOT;
        // Nodes come after their parents, so that one pass finds and renumbers all of them.
        let mut count = 0;
        for node in root as usize..self.nodes.len() {
            if kept[node] != NO_NODE {
                kept[node] = count;
                count += 1;
                let children = self.nodes[node].clone();
                for next in children.filter_map(|child| self.node_of(child)) {
                    kept[next as usize] = 0;
                }
            }
        }
        let mut end = 0;
        for node in root as usize..self.nodes.len() {
            if kept[node] == NO_NODE {
                continue;
            }
            let (from, to) = (self.nodes[node].clone(), kept[node] as usize);
            for child in from.clone() {
                self.child[child] = self.node_of(child).map_or(NO_NODE, |at| kept[at as usize]);
            }
            self.moves.copy_within(from.clone(), end);
            self.child.copy_within(from.clone(), end);
            for column in self.sums() {
                column.copy_within(from.clone(), end);
            }
            self.nodes[to] = end..end + from.len();
            self.keys[to] = self.keys[node];
            end += from.len();
        }
        self.nodes.truncate(count as usize);
        self.keys.truncate(count as usize);
        self.moves.truncate(end);
        self.child.truncate(end);
        for column in self.sums() {
            column.truncate(end);
        }
    }

    /// The columns of numbers.
    fn sums(&mut self) -> [&mut Vec<f32>; 4] {
        [
            &mut self.visits,
            &mut self.wins,
            &mut self.rave_visits,
            &mut self.rave_wins,
        ]
    }

    /// Excludes these moves of the root, unless it has no others.
    pub(super) fn avoid(&mut self, moves: &[Move]) {
        let range = self.nodes[ROOT as usize].clone();
        let left_out = |mv: &Move| moves.contains(mv);
        if self.moves[range.clone()].iter().all(left_out) {
            return;
        }
        for (mv, wins) in self.moves[range.clone()]
            .iter()
            .zip(&mut self.rave_wins[range])
        {
            if left_out(mv) {
                // No addition makes its score the best.
                *wins = f32::NEG_INFINITY;
            }
        }
    }

    /// Gives the child its own node.
    pub(super) fn expand<G: Rollout>(
        &mut self,
        child: usize,
        position: &G,
        past: &PositionHistory,
        policy: RolloutPolicy,
    ) {
        self.child[child] = self.add_node(position, past, policy);
    }

    /// The child with the best blend of its own win rate and its RAVE win rate, as an index into
    /// the columns; `None` if the node has no children.
    ///
    /// The blend is `(1 - beta) Q + beta A` with `beta = sqrt(k / (3 n + k))`, k the equivalence
    /// parameter (Gelly & Silver 2011; docs/methods.md#rollouts); for k = 0 it is Q, and 0 without
    /// visits. `exploration` times `sqrt(ln N / (n + 1))` is added, N the visits of all children.
    pub(super) fn select(
        &mut self,
        node: NodeId,
        equivalence: f32,
        exploration: f32,
    ) -> Option<usize> {
        let range = self.nodes[node as usize].clone();
        let scores = &mut self.scores[..range.len()];
        let visits = &self.visits[range.clone()];
        let wins = &self.wins[range.clone()];
        let rave_visits = &self.rave_visits[range.clone()];
        let rave_wins = &self.rave_wins[range.clone()];
        for (i, score) in scores.iter_mut().enumerate() {
            let weight = (3.0 * visits[i] + equivalence).max(f32::MIN_POSITIVE);
            let beta = (equivalence / weight).sqrt();
            // Without visits wins are 0 and beta is 1 or 0: the guards only avoid 0/0.
            let own = wins[i] / visits[i].max(1.0);
            *score = own + beta * (rave_wins[i] / rave_visits[i] - own);
        }
        if exploration > 0.0 {
            let all: f32 = visits.iter().sum();
            let doubt = exploration * all.max(1.0).ln().sqrt();
            for (score, visits) in scores.iter_mut().zip(visits) {
                *score += doubt / (visits + 1.0).sqrt();
            }
        }
        let mut best = None;
        let mut best_score = f32::NEG_INFINITY;
        for (i, &score) in scores.iter().enumerate() {
            if score > best_score {
                best_score = score;
                best = Some(range.start + i);
            }
        }
        best
    }

    pub(super) fn move_of(&self, child: usize) -> Move {
        self.moves[child]
    }

    pub(super) fn node_of(&self, child: usize) -> Option<NodeId> {
        Some(self.child[child]).filter(|&node| node != NO_NODE)
    }

    /// Counts one rollout through `child`, won or not by the side that plays it.
    pub(super) fn update_child(&mut self, child: usize, win: f32) {
        self.visits[child] += 1.0;
        self.wins[child] += win;
    }

    /// Counts the rollout for every child of `node` whose move the node's mover was the first to
    /// play at any later time.
    pub(super) fn update_rave(&mut self, node: NodeId, played: &[f32], win: f32) {
        let range = self.nodes[node as usize].clone();
        let rave_visits = &mut self.rave_visits[range.clone()];
        let rave_wins = &mut self.rave_wins[range.clone()];
        for (i, mv) in self.moves[range].iter().enumerate() {
            let played = played[mv.index()];
            rave_visits[i] += played;
            rave_wins[i] += played * win;
        }
    }

    /// Counts a rollout for a child whose move is a pass. A pass has no first player: only its
    /// results here are known, and without them it would stay at its prior.
    pub(super) fn update_rave_of(&mut self, child: usize, win: f32) {
        self.rave_visits[child] += 1.0;
        self.rave_wins[child] += win;
    }

    /// The children of a node.
    pub(super) fn children(&self, node: NodeId) -> impl ExactSizeIterator<Item = ChildStats> {
        self.nodes[node as usize].clone().map(|child| ChildStats {
            mv: self.moves[child],
            visits: self.visits[child],
            wins: self.wins[child],
            node: self.node_of(child),
        })
    }
}
