//! RAVE Monte Carlo tree search (docs/methods.md#rollouts), without exploration term: the
//! all-moves-as-first statistics provide exploration.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tree::{ChildStats, NodeId, ROOT, Tree};
use super::{
    Finisher, Rollout, RolloutPolicy, RolloutSearch, RootStats, Tally, report, wins_at_once,
};
use crate::game::{
    Color, GameState, HalfPoints, Move, Outcome, OwnershipEstimate, PositionHistory,
};
use crate::report::SearchReport;

/// Settings of the RAVE search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaveParams {
    /// Rollout policy, and whether nodes start with the game's priors.
    pub policy: RolloutPolicy,
    /// Visits at which a move's own win rate has about the same weight as its RAVE win rate; 0 for
    /// no RAVE. 500 and 2,000 play equally well, 100 loses 69-51 (docs/methods.md#rollouts).
    pub equivalence: f32,
    /// Exploration bonus for moves with few visits, at least 0.
    pub exploration: f32,
    /// Looks for points rather than the win, in games that count them, and counts for [`SearchReport::expected`] only
    /// after this many rollouts: until the tree knows the right answers, ownership is unreliable.
    pub for_points: Option<u64>,
    /// Whether a search reuses the tree of the last one for its position, in games whose history
    /// identifies it.
    pub reuse: bool,
    /// Bytes after which the tree stops growing, including the spare capacity of growing tables; rollouts continue from
    /// its leaves.
    pub max_bytes: usize,
}

impl Default for RaveParams {
    fn default() -> Self {
        RaveParams {
            policy: RolloutPolicy::Own,
            equivalence: 1000.0,
            exploration: 0.0,
            for_points: None,
            reuse: false,
            max_bytes: 1 << 30,
        }
    }
}

impl RaveParams {
    /// Plain UCT without game knowledge: the reference in papers. Its exploration, 0.5 for results
    /// in [0, 1], is of the usual size.
    pub fn plain_uct() -> RaveParams {
        RaveParams {
            policy: RolloutPolicy::Uniform,
            equivalence: 0.0,
            exploration: 0.5,
            ..RaveParams::default()
        }
    }
}

/// Nodes after which the tree stops growing, too. A node of a 9x9 board takes at most 2 KiB.
const MAX_NODES: usize = 200_000;

/// Weight of the score in a rollout's result in a search for points: a side that has certainly won or lost still plays
/// for them.
const SCORE_WEIGHT: f32 = 0.9;

/// Maximum rollouts of a search: beyond 2^24 an f32 can no longer count visits.
pub const MAX_ROLLOUTS: u64 = 1 << 24;

/// A RAVE searcher: settings, random generator and reusable memory.
///
/// Without [`RaveParams::reuse`] each search starts a new tree, so that the strength of N rollouts
/// a move is independent of earlier moves: it is the anchor of the ratings.
#[derive(Debug)]
pub struct Rave {
    params: RaveParams,
    rng: Xoshiro256PlusPlus,
    tree: Tree,
    path: Vec<(NodeId, usize)>,
    /// The positions up to the root of the tree, if another search may reuse it: its root lacks no moves.
    planted: Option<PositionHistory>,
    /// The positions of the game and of a descent.
    past: PositionHistory,
    finisher: Finisher,
}

impl Rave {
    /// A searcher; the same seed and the same searches give the same reports.
    pub fn new(params: RaveParams, seed: u64) -> Rave {
        Rave {
            params,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            tree: Tree::default(),
            path: Vec::new(),
            planted: None,
            past: PositionHistory::default(),
            finisher: Finisher::default(),
        }
    }

    /// Searches from `root`, the start of a game, while `go_on` returns true. It is called before
    /// each rollout with the number of rollouts, reused ones counted, and at most up to
    /// [`MAX_ROLLOUTS`]. A finished game is reported without a rollout.
    pub fn search<G: Rollout>(
        &mut self,
        root: &G,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> SearchReport {
        self.watch(&root.clone().into(), &[], false, &mut |rollouts, _| {
            go_on(rollouts)
        })
    }

    /// Prepares the tree for a search: its root.
    fn plant<G: Rollout>(&mut self, start: &GameState<G>, avoid: &[Move]) {
        let reusable = self.params.reuse && avoid.is_empty();
        let known = reusable.then(|| self.known(start)).flatten();
        self.planted = reusable.then(|| start.past().clone());
        self.past.clone_from(start.past());
        match known {
            Some(node) => self.tree.keep(node),
            None => {
                self.tree.clear();
                let policy = self.params.policy;
                self.tree.add_node(start.position(), &self.past, policy);
                self.tree.avoid(avoid);
            }
        }
    }

    /// The node of the current position in the tree of the last search, if that may be reused.
    fn known<G: Rollout>(&self, start: &GameState<G>) -> Option<NodeId> {
        let plies = start.past().since(self.planted.as_ref()?)?;
        let mut moves: Vec<Move> = start.position().recent().iter().take(plies).collect();
        moves.reverse();
        let known = moves.len() == plies;
        known
            .then(|| self.tree.find(&moves, start.position()))
            .flatten()
    }

    /// The children of the root, each with its most visited line.
    fn root_moves(&self) -> impl ExactSizeIterator<Item = RootStats> {
        self.tree.children(ROOT).map(|child| {
            let mut line = vec![(child.mv, child.visits as u64)];
            let mut node = child.node;
            while let Some(best) = node.and_then(|node| most_visited(&self.tree, node)) {
                line.push((best.mv, best.visits as u64));
                node = best.node;
            }
            ([child.visits, child.wins], line)
        })
    }

    /// One descent, one rollout to the end, one backup.
    fn rollout<G: Rollout>(&mut self, root: &G) {
        let mut position = root.clone();
        let mover = position.to_move();
        self.path.clear();
        let mut node = ROOT;
        while let Some(child) =
            self.tree
                .select(node, self.params.equivalence, self.params.exploration)
        {
            self.path.push((node, child));
            position.play(self.tree.move_of(child));
            self.past.push(&position);
            match self.tree.node_of(child) {
                Some(next) => node = next,
                None => {
                    let room = self.tree.bytes() < self.params.max_bytes
                        && self.tree.has_room(root.policy_len());
                    if room && self.tree.len() < MAX_NODES {
                        let policy = self.params.policy;
                        self.tree.expand(child, &position, &self.past, policy);
                    }
                    break;
                }
            }
        }
        let first = self.path.first();
        let first = first.map(|&(_, child)| self.tree.move_of(child));
        let policy = self.params.policy;
        let outcome = self
            .finisher
            .finish(&mut position, first, policy, &mut self.rng);
        let area = root.size().area();
        let win = self.worth(outcome, mover, area);
        self.backup(area, mover, win);
    }

    /// Adds a finished game's result, in [0, 1] for the root's mover, to every node on the path:
    /// the last one first, so that each knows the moves after it and no others.
    fn backup(&mut self, points: usize, mover: Color, win: f32) {
        for (depth, &(node, child)) in self.path.iter().enumerate().rev() {
            let (side, won) = match depth % 2 {
                0 => (mover, win),
                _ => (mover.opponent(), 1.0 - win),
            };
            let mv = self.tree.move_of(child);
            if mv.index() < points {
                self.finisher.played.add_earlier(side, mv);
            } else if self.params.for_points.is_none() {
                // Else a pass starts as even everywhere, and a side that is ahead goes on capturing dead stones.
                self.tree.update_rave_of(child, won);
            }
            self.tree.update_child(child, won);
            self.tree
                .update_rave(node, self.finisher.played.by(side), won);
        }
    }

    /// A rollout's result in [0, 1] for one side: the win or, in a search for points, mainly its share of a board with
    /// this many.
    fn worth(&self, outcome: Outcome, color: Color, area: usize) -> f32 {
        let value = outcome.value_for(color);
        let win = (value + 1.0) / 2.0;
        match outcome.margin {
            Some(HalfPoints(margin)) if self.params.for_points.is_some() => {
                let ahead = value * margin as f32 / 2.0;
                let share = (0.5 + ahead / (2.0 * area as f32)).clamp(0.0, 1.0);
                win + SCORE_WEIGHT * (share - win)
            }
            _ => win,
        }
    }
}

impl<G: Rollout> RolloutSearch<G> for Rave {
    /// No line of the tree has moves that the game's history forbids.
    fn watch(
        &mut self,
        start: &GameState<G>,
        avoid: &[Move],
        by_move: bool,
        go_on: &mut dyn FnMut(u64, &dyn Fn() -> SearchReport) -> bool,
    ) -> SearchReport {
        let (root, begun) = (start.position(), start.past().len());
        self.finisher.begin(root, by_move);
        self.plant(start, avoid);
        let visits = self.tree.children(ROOT).map(|child| child.visits as u64);
        let (reused, mut rollouts) = (visits.sum(), 0);
        let report =
            |rave: &Rave, rollouts| report(rave.root_moves(), rollouts, reused, &rave.finisher);
        if root.outcome().is_none() {
            while reused + rollouts < MAX_ROLLOUTS
                && go_on(reused + rollouts, &|| report(self, rollouts))
            {
                if self.params.for_points == Some(rollouts) {
                    self.finisher.tally.clear(root.size().area());
                }
                self.rollout(root);
                self.past.truncate(begun);
                rollouts += 1;
            }
        }
        let mut report = report(self, rollouts);
        report.put_first(|found| wins_at_once(root, found.mv));
        report
    }

    /// The next search starts without statistics.
    fn forget(&mut self) {
        self.planted = None;
    }
}

fn most_visited(tree: &Tree, node: NodeId) -> Option<ChildStats> {
    let visited = tree.children(node).filter(|child| child.visits > 0.0);
    visited.max_by(|a, b| a.visits.total_cmp(&b.visits))
}

/// Ownership statistics if the game goes on: the last half of `rollouts` of a search with either
/// side to move, so that the turn does not matter. `None` in games that count no points, and when
/// `halt` returns true.
pub fn expect<G: Rollout>(
    position: &G,
    rollouts: u64,
    seed: u64,
    halt: &dyn Fn() -> bool,
) -> Option<OwnershipEstimate> {
    let params = RaveParams {
        for_points: Some(rollouts / 2),
        ..RaveParams::default()
    };
    let mut rave = Rave::new(params, seed);
    let mut tally = Tally::of(position);
    let mut by_turn = [Vec::new(), Vec::new()];
    for (color, owner) in Color::BOTH.into_iter().zip(&mut by_turn) {
        let mut start = position.as_played_out();
        start.set_to_move(color);
        rave.search(&start, |done| done < rollouts && !halt());
        tally.add(&rave.finisher.tally);
        *owner = rave.finisher.tally.expected()?.owner;
    }
    if halt() {
        return None;
    }
    let expected = tally.expected()?;
    Some(OwnershipEstimate {
        by_turn: Some(by_turn),
        ..expected
    })
}

#[cfg(test)]
mod tests;
