//! The search of the middle game (Algorithm 1), its tree, and the player of the other stages.

use std::ops::Range;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::params::{
    self, MiddleGame, MucgoParams, TargetMove, draw, evaluation, keep_best, prune, to_unit, ucb1,
};
use tengen::clock::StopReason;
use tengen::game::{GameState, Move, PositionHistory};
use tengen::report::SearchReport;
use tengen::rollout::{
    self, Finisher, MAX_ROLLOUTS, Rollout, RolloutPolicy, RolloutSearch, RootStats, wins_at_once,
};

/// Mucgo's search: settings, random generator and reusable memory. Each search starts a new tree.
#[derive(Debug)]
pub struct Mucgo {
    params: MucgoParams,
    max_bytes: usize,
    rng: Xoshiro256PlusPlus,
    /// The middle game of this game, once it is drawn; inside, `None` for all plies.
    middle: Option<Option<MiddleGame>>,
    tree: Tree,
    /// The positions of the game and of a descent.
    past: PositionHistory,
    finisher: Finisher,
}

impl Mucgo {
    /// A searcher with a tree of at most `max_bytes`; the same seed and the same searches give the
    /// same reports.
    pub fn new(params: MucgoParams, max_bytes: usize, seed: u64) -> Mucgo {
        Mucgo {
            params,
            max_bytes,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            middle: None,
            tree: Tree::default(),
            past: PositionHistory::default(),
            finisher: Finisher::default(),
        }
    }

    /// One descent, one rollout to the end, one backup.
    fn playout<G: Rollout>(&mut self, root: &G) {
        let mut position = root.clone();
        let mover = position.to_move();
        let (mut path, mut node) = (Vec::new(), 0);
        while let Some(child) = self.select(node) {
            path.push(child);
            let Child { mv, node: next, .. } = self.tree.children[child];
            position.play(mv);
            self.past.push(&position);
            let Some(next) = next else {
                if self.tree.bytes() < self.max_bytes && position.outcome().is_none() {
                    let added = self.tree.add_node(&position, &self.past, &self.params, &[]);
                    self.tree.children[child].node = Some(added);
                }
                break;
            };
            node = next;
        }
        let first = path.first().map(|&child| self.tree.children[child].mv);
        let (own, rng) = (RolloutPolicy::Own, &mut self.rng);
        let outcome = self.finisher.finish(&mut position, first, own, rng);
        // In [0, 1] for the root's mover, whose are the first move of the descent and every other one.
        let win = (1.0 + outcome.value_for(mover)) / 2.0;
        for (depth, child) in path.into_iter().enumerate() {
            let child = &mut self.tree.children[child];
            child.visits += 1.0;
            child.wins += if depth % 2 == 0 { win } else { 1.0 - win };
        }
    }

    /// A child drawn from the interval of a node's best moves; `None` if it has none.
    fn select(&mut self, node: NodeId) -> Option<usize> {
        let params = &self.params;
        let (children, first) = self.tree.children(node);
        let all: f32 = children.iter().map(|child| child.visits).sum();
        let number = children.len();
        let ucb = children.iter().map(|child| {
            let exploration = params.mucgo_exploration;
            ucb1(child.visits, child.wins, all, number, exploration)
        });
        let mut ucb: Vec<f32> = ucb.collect();
        to_unit(&mut ucb);
        let mut moves: Vec<usize> = (0..number).collect();
        if params.mucgo_pruning.by_ucb() {
            prune(&mut moves, &ucb, params.mucgo_pruned);
        }
        let weight = params.mucgo_weighting;
        let scored = children.iter().zip(&ucb);
        let values = scored.map(|(child, &ucb)| evaluation(weight, child.domain, ucb));
        let values: Vec<f32> = values.collect();
        keep_best(&mut moves, &values, params.mucgo_interval);
        Some(first + draw(&moves, &mut self.rng)?)
    }

    fn report(&self, playouts: u64) -> SearchReport {
        rollout::report(self.tree.root_moves(), playouts, 0, &self.finisher)
    }

    /// Puts the move to play first: a pass that wins at once, or the target of the settings.
    fn put_target_first<G: Rollout>(&mut self, root: &G, report: &mut SearchReport) {
        let drawn = self.params.mucgo_target == TargetMove::Drawn && report.playouts > 0;
        if !report.put_first(|found| wins_at_once(root, found.mv))
            && let Some(child) = self.select(0).filter(|_| drawn)
        {
            let target = self.tree.children[child].mv;
            report.put_first(|found| found.mv == target);
        }
    }
}

impl<G: Rollout> RolloutSearch<G> for Mucgo {
    fn watch(
        &mut self,
        start: &GameState<G>,
        avoid: &[Move],
        by_move: bool,
        go_on: &mut dyn FnMut(u64, &dyn Fn() -> SearchReport) -> bool,
    ) -> SearchReport {
        let (root, begun) = (start.position(), start.past().len());
        let window = self.params.mucgo_stage;
        let middle = *self
            .middle
            .get_or_insert_with(|| window.draw(&mut self.rng));
        if middle.is_some_and(|middle| !middle.includes(root)) {
            return known_best(start, avoid);
        }
        self.finisher.begin(root, by_move);
        self.past.clone_from(start.past());
        self.tree = Tree::default();
        self.tree.add_node(root, &self.past, &self.params, avoid);
        let mut playouts = 0;
        if root.outcome().is_none() {
            while playouts < MAX_ROLLOUTS && go_on(playouts, &|| self.report(playouts)) {
                self.playout(root);
                self.past.truncate(begun);
                playouts += 1;
            }
        }
        let mut report = self.report(playouts);
        self.put_target_first(root, &mut report);
        report
    }

    fn forget(&mut self) {
        self.middle = None;
    }
}

/// The report before and after the middle game: moves by domain knowledge, without a playout. What
/// the static preferences rank below a pass comes after it, so that games end.
fn known_best<G: Rollout>(start: &GameState<G>, avoid: &[Move]) -> SearchReport {
    let position = start.position();
    let mut moves: Vec<Move> = start.legal_moves().collect();
    if !moves.iter().all(|mv| avoid.contains(mv)) {
        moves.retain(|mv| !avoid.contains(mv));
    }
    let area = position.size().area();
    let appeal = position.appeal(&moves);
    let ranking = position.ranking(&moves);
    let pass = (0..moves.len()).find(|&at| moves[at].index() >= area);
    // A pass stands between the moves that are better and those that are worse.
    let class = |at: usize| match pass {
        Some(pass) if at != pass => appeal[at].total_cmp(&appeal[pass]) as i8,
        _ => 0,
    };
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by(|&one, &other| {
        let falling = class(other).cmp(&class(one));
        falling.then_with(|| ranking[other].total_cmp(&ranking[one]))
    });
    let moves = order.into_iter().map(|at| moves[at]);
    SearchReport::equally_likely(moves, StopReason::Visits)
}

/// Index of a node.
type NodeId = u32;

/// A move of a node. Its sums are from the view of the side that plays it.
#[derive(Debug, Clone, Copy)]
struct Child {
    mv: Move,
    /// The domain score, in [0, 1].
    domain: f32,
    visits: f32,
    /// Sum of the results, in [0, 1] each.
    wins: f32,
    node: Option<NodeId>,
}

/// All nodes; the first is the root.
#[derive(Debug, Default)]
struct Tree {
    /// The range of each node's children.
    nodes: Vec<Range<usize>>,
    children: Vec<Child>,
}

impl Tree {
    /// Memory of nodes and children; twice their size, because tables grow by doubling.
    fn bytes(&self) -> usize {
        let nodes = self.nodes.len() * size_of::<Range<usize>>();
        2 * (nodes + self.children.len() * size_of::<Child>())
    }

    /// Adds a node with a child for each sensible move of `position` that its history allows and
    /// the first layer of pruning leaves. Moves to `avoid` are left out unless there are no others.
    fn add_node<G: Rollout>(
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
        let scores = params::scores(&position.ranking(&points));
        let mut kept: Vec<usize> = (0..points.len()).collect();
        if params.mucgo_pruning.by_domain() {
            prune(&mut kept, &scores, params.mucgo_pruned);
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

    /// The children of a node, and the index of the first.
    fn children(&self, node: NodeId) -> (&[Child], usize) {
        let range = self.nodes[node as usize].clone();
        (&self.children[range.clone()], range.start)
    }

    /// The root's moves, each with its most visited line.
    fn root_moves(&self) -> impl ExactSizeIterator<Item = RootStats> {
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

#[cfg(test)]
mod tests;
