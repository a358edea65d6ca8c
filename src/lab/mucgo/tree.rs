//! The tree of Mucgo's search: for each move its domain score and its playouts.

use std::ops::Range;

use super::params::{self, MucgoParams};
use tengen::game::{Move, PositionHistory};
use tengen::rollout::{Rollout, RootStats};

/// Index of a node.
pub(super) type NodeId = u32;

/// A move of a node. Its sums are from the view of the side that plays it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// The domain score, in [0, 1].
    pub(super) domain: f32,
    pub(super) visits: f32,
    /// Sum of the results, in [0, 1] each.
    pub(super) wins: f32,
    node: Option<NodeId>,
}

/// All nodes; the first is the root.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The range of each node's children.
    nodes: Vec<Range<usize>>,
    children: Vec<Child>,
}

impl Tree {
    /// Removes everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.children.clear();
    }

    /// Memory of nodes and children; twice their size, because tables grow by doubling.
    pub(super) fn bytes(&self) -> usize {
        let nodes = self.nodes.len() * size_of::<Range<usize>>();
        2 * (nodes + self.children.len() * size_of::<Child>())
    }

    /// Adds a node with a child for each sensible move of `position` that its history allows and
    /// the first layer of pruning leaves. Moves to `avoid` are left out unless there are no others.
    pub(super) fn add_node<G: Rollout>(
        &mut self,
        position: &G,
        past: &PositionHistory,
        params: &MucgoParams,
        avoid: &[Move],
    ) -> NodeId {
        let mut moves = Vec::new();
        position.add_sensible(past, &mut moves);
        if !moves.iter().all(|mv| avoid.contains(mv)) {
            moves.retain(|mv| !avoid.contains(mv));
        }
        // A pass is not compared with points by what is known of points.
        let area = position.size().area();
        let (points, passes): (Vec<Move>, Vec<Move>) =
            moves.into_iter().partition(|mv| mv.index() < area);
        let scores = params::scores(&position.ranking(&points), params.mucgo_domain);
        let mut kept: Vec<usize> = (0..points.len()).collect();
        if params.mucgo_pruning.by_domain() {
            params::prune(&mut kept, &scores, params.mucgo_pruned);
            kept.sort_unstable();
        }
        let child = |mv, domain| Child {
            mv,
            domain,
            visits: 0.0,
            wins: 0.0,
            node: None,
        };
        let begin = self.children.len();
        let points = kept.iter().map(|&at| child(points[at], scores[at]));
        let passes = passes.iter().map(|&pass| child(pass, params::PASS));
        self.children.extend(points.chain(passes));
        self.nodes.push(begin..self.children.len());
        (self.nodes.len() - 1) as NodeId
    }

    /// Gives a child the node that was added last.
    pub(super) fn connect(&mut self, child: usize, node: NodeId) {
        self.children[child].node = Some(node);
    }

    /// The children of a node, and the index of the first.
    pub(super) fn children(&self, node: NodeId) -> (&[Child], usize) {
        let range = self.nodes[node as usize].clone();
        (&self.children[range.clone()], range.start)
    }

    pub(super) fn move_of(&self, child: usize) -> Move {
        self.children[child].mv
    }

    pub(super) fn node_of(&self, child: usize) -> Option<NodeId> {
        self.children[child].node
    }

    /// Counts a playout through a child, with its result for the side that plays it.
    pub(super) fn update(&mut self, child: usize, win: f32) {
        let child = &mut self.children[child];
        child.visits += 1.0;
        child.wins += win;
    }

    /// The root's moves, each with its most visited line.
    pub(super) fn root_moves(&self) -> impl ExactSizeIterator<Item = RootStats> {
        let (children, _) = self.children(0);
        let stats = move |child: &Child| ([child.visits, child.wins], self.line(child));
        children.iter().map(stats)
    }

    /// The most visited line after a child, itself first.
    fn line(&self, child: &Child) -> Vec<(Move, u64)> {
        let mut line = vec![(child.mv, child.visits as u64)];
        let mut node = child.node;
        while let Some(at) = node {
            let visited = self.children(at).0.iter().filter(|next| next.visits > 0.0);
            let Some(best) = visited.max_by(|one, other| one.visits.total_cmp(&other.visits))
            else {
                break;
            };
            line.push((best.mv, best.visits as u64));
            node = best.node;
        }
        line
    }
}
