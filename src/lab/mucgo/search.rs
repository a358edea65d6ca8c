//! The search of the middle game (Algorithm 1), and the player of the other stages.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::params::{
    MiddleGame, MucgoParams, TargetMove, draw, evaluation, keep_best, prune, to_unit, ucb1,
};
use super::tree::{NodeId, Tree};
use tengen::clock::StopReason;
use tengen::game::{GameState, Move, PositionHistory};
use tengen::report::SearchReport;
use tengen::rollout::{
    self, Finisher, MAX_ROLLOUTS, Rollout, RolloutPolicy, RolloutSearch, wins_at_once,
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
    path: Vec<usize>,
    /// The positions of the game and of a descent.
    past: PositionHistory,
    finisher: Finisher,
    scores: Scores,
}

/// The scores of one node's moves, kept to reuse their memory.
#[derive(Debug, Default)]
struct Scores {
    ucb: Vec<f32>,
    values: Vec<f32>,
    moves: Vec<usize>,
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
            path: Vec::new(),
            past: PositionHistory::default(),
            finisher: Finisher::default(),
            scores: Scores::default(),
        }
    }

    /// One descent, one rollout to the end, one backup.
    fn playout<G: Rollout>(&mut self, root: &G) {
        let mut position = root.clone();
        let mover = position.to_move();
        self.path.clear();
        let mut node = 0;
        while let Some(child) = self.select(node) {
            self.path.push(child);
            position.play(self.tree.move_of(child));
            self.past.push(&position);
            match self.tree.node_of(child) {
                Some(next) => node = next,
                None => {
                    if self.tree.bytes() < self.max_bytes && position.outcome().is_none() {
                        let node = self.tree.add_node(&position, &self.past, &self.params, &[]);
                        self.tree.connect(child, node);
                    }
                    break;
                }
            }
        }
        let first = self.path.first().map(|&child| self.tree.move_of(child));
        let own = RolloutPolicy::Own;
        let outcome = self
            .finisher
            .finish(&mut position, first, own, &mut self.rng);
        let win = (1.0 + outcome.value_for(mover)) / 2.0;
        self.backup(win);
    }

    /// Adds a result, in [0, 1] for the root's mover, to every move of the descent.
    fn backup(&mut self, win: f32) {
        for (depth, &child) in self.path.iter().enumerate() {
            let won = if depth % 2 == 0 { win } else { 1.0 - win };
            self.tree.update(child, won);
        }
    }

    /// A child drawn from the interval of a node's best moves; `None` if it has none.
    fn select(&mut self, node: NodeId) -> Option<usize> {
        let params = &self.params;
        let (children, first) = self.tree.children(node);
        let Scores { ucb, values, moves } = &mut self.scores;
        let all: f32 = children.iter().map(|child| child.visits).sum();
        let number = children.len();
        ucb.clear();
        ucb.extend(children.iter().map(|child| {
            let exploration = params.mucgo_exploration;
            ucb1(child.visits, child.wins, all, number, exploration)
        }));
        to_unit(ucb);
        moves.clear();
        moves.extend(0..children.len());
        if params.mucgo_pruning.by_ucb() {
            prune(moves, ucb, params.mucgo_pruned);
        }
        let scored = children.iter().zip(&*ucb);
        let weight = params.mucgo_weighting;
        values.clear();
        values.extend(scored.map(|(child, &ucb)| evaluation(weight, child.domain, ucb)));
        keep_best(
            moves,
            values,
            params.mucgo_interval,
            params.mucgo_interval_by,
        );
        Some(first + draw(moves, &mut self.rng)?)
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
            let target = self.tree.move_of(child);
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
        self.tree.clear();
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
    let appeal = position.static_eval(&moves);
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

#[cfg(test)]
mod tests;
