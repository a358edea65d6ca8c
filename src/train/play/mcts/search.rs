//! The searches of one game, step by step.

use std::collections::HashMap;
use std::rc::Rc;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::gumbel::{GumbelRoot, mixed_value};
use super::puct::{PuctRoot, select};
use super::tree::{Evaluation, Node};
use super::{MctsParams, RootRule};
use crate::encode::Encoding;
use crate::eval::kl_divergence;
use crate::game::{Game, Move, PositionHistory};
use crate::search::add_root_noise;

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The policy target: legal moves, ascending, with numbers proportional to their probability.
    pub policy: Vec<(Move, f32)>,
    /// Playouts through each legal move.
    pub visits: Vec<(Move, u32)>,
    /// Expected result in [-1, 1] for the side to move.
    pub value: f32,
    /// Kullback-Leibler divergence of the target from the network's policy, in nats.
    pub surprise: f32,
    /// The move to play with exploration; with [`RootRule::Puct`] the best one.
    pub sampled: Move,
    /// The best move.
    pub best: Move,
}

#[derive(Debug)]
enum Root {
    Gumbel(GumbelRoot),
    Puct(PuctRoot),
}

/// An evaluation, and the number of the last search that used it.
type Remembered = (Rc<Evaluation>, u64);

/// Searches positions of one game, requesting evaluations one at a time.
pub struct Search<G: Game> {
    params: MctsParams,
    rng: Xoshiro256PlusPlus,
    encoding: &'static dyn Encoding<G>,
    position: G,
    /// The game's positions up to `position`, and those of a descent after it.
    past: PositionHistory,
    playouts: u32,
    explore: bool,
    /// The root first; empty until it is evaluated.
    nodes: Vec<Node>,
    root: Option<Root>,
    /// From the root to `pending`.
    path: Vec<(u32, usize)>,
    pending: Option<G>,
    /// By the encoding's key: equal inputs are evaluated once.
    known: HashMap<u128, Remembered>,
    number: u64,
}

impl<G: Game> Search<G> {
    /// A searcher with random numbers from `seed`, for a network with `encoding`. [`Search::begin`]
    /// sets a position.
    #[must_use]
    pub fn new(
        params: MctsParams,
        start: &G,
        encoding: &'static dyn Encoding<G>,
        seed: u64,
    ) -> Search<G> {
        Search {
            params,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            encoding,
            position: start.clone(),
            past: PositionHistory::default(),
            playouts: 0,
            explore: false,
            nodes: Vec::new(),
            root: None,
            path: Vec::new(),
            pending: None,
            known: HashMap::new(),
            number: 0,
        }
    }

    /// Begins a search of a position that has a legal move, with at least one playout; `past` are
    /// the game's positions, this one the last. Without `explore` there is no noise and no forced
    /// playout: the strongest play for the playouts.
    pub fn begin(&mut self, position: &G, past: &PositionHistory, playouts: u32, explore: bool) {
        self.position = position.clone();
        self.past = past.clone();
        // A single legal move needs no search.
        let forced = position.legal_count() == 1;
        self.playouts = if forced { 1 } else { playouts.max(1) };
        self.explore = explore;
        self.nodes.clear();
        self.root = None;
        self.pending = None;
        let last = self.number;
        self.known.retain(|_, (_, used)| *used >= last);
        self.number += 1;
    }

    /// Continues until a position must be evaluated; `None` when the search is finished. Until
    /// [`Search::answer`] is called the position stays the same.
    pub fn wanted(&mut self) -> Option<&G> {
        while self.pending.is_none() && !self.is_finished() {
            let leaf = self.descend();
            if let Some(outcome) = leaf.outcome() {
                self.back_up(outcome.value_for(leaf.to_move()));
            } else if let Some((evaluation, used)) =
                self.known.get_mut(&self.encoding.cache_key(&leaf))
            {
                *used = self.number;
                let evaluation = Rc::clone(evaluation);
                self.expand(evaluation);
            } else {
                self.pending = Some(leaf);
            }
        }
        self.pending.as_ref()
    }

    /// Takes the evaluation of the position from [`Search::wanted`]: raw policy logits by policy
    /// index, and the expected result in [-1, 1] for its side to move.
    pub fn answer(&mut self, policy: &[f32], value: f32) {
        if let Some(position) = self.pending.take() {
            let evaluation = Rc::new(Evaluation::new(&position, policy, value));
            let remembered = (Rc::clone(&evaluation), self.number);
            self.known
                .insert(self.encoding.cache_key(&position), remembered);
            self.expand(evaluation);
        }
    }

    /// The result of the search; `None` before it is finished.
    #[must_use]
    pub fn found(&self) -> Option<SearchResult> {
        let (node, root) = (self.nodes.first()?, self.root.as_ref()?);
        if !self.is_finished() {
            return None;
        }
        let moves = &node.evaluation.moves;
        let (weights, value, sampled, best) = match root {
            Root::Gumbel(root) => {
                let target = root.target(node);
                let mixed = mixed_value(node);
                let values = node.edges.iter().map(|e| e.value().unwrap_or(mixed));
                let value = target.iter().zip(values).map(|(p, q)| p * q).sum();
                let [sampled, best] = [true, false].map(|explore| root.choose(node, explore));
                (target, value, sampled, best)
            }
            Root::Puct(root) => {
                let best = super::tree::best(node.edges.iter().map(|e| e.visits as f32));
                let target = root.target(node, &self.params.search);
                (target, node.value(), best, best)
            }
        };
        let visits = moves.iter().zip(&node.edges);
        Some(SearchResult {
            surprise: surprise(&weights, &node.evaluation.priors),
            policy: moves.iter().copied().zip(weights).collect(),
            visits: visits.map(|(mv, edge)| (*mv, edge.visits)).collect(),
            // A mean of rounded numbers may lie slightly outside.
            value: value.clamp(-1.0, 1.0),
            sampled: moves[sampled],
            best: moves[best],
        })
    }

    fn is_finished(&self) -> bool {
        let root = self.nodes.first();
        root.is_some_and(|root| root.visits >= self.playouts)
    }

    /// Descends from the root to a position outside the tree, and leaves the way in `path`.
    fn descend(&mut self) -> G {
        let mut position = self.position.clone();
        let begun = self.past.len();
        self.path.clear();
        let mut at = (!self.nodes.is_empty()).then_some(0);
        while let Some(index) = at {
            let node = &self.nodes[index as usize];
            let params = &self.params.search;
            let edge = match &self.root {
                Some(Root::Gumbel(root)) if index == 0 => root.select(node),
                Some(Root::Puct(root)) if index == 0 => root.select(node, params),
                _ => select(node, &node.evaluation.priors, params.fpu_reduction, params),
            };
            let (mv, child) = (node.evaluation.moves[edge], node.edges[edge].child);
            let is_first = node.edges[edge].visits == 0;
            if is_first && !self.past.allows(&position, mv) {
                // A node has a single path, so a move forbidden now is always forbidden.
                self.nodes[index as usize].forbid(edge);
                continue;
            }
            self.path.push((index, edge));
            position.play(mv);
            self.past.push(&position);
            at = child;
        }
        self.past.truncate(begun);
        position
    }

    /// Adds the position at the end of `path` to the tree and counts the playout.
    fn expand(&mut self, evaluation: Rc<Evaluation>) {
        let value = evaluation.value;
        let index = self.nodes.len() as u32;
        let evaluation = if let Some(&(parent, edge)) = self.path.last() {
            self.nodes[parent as usize].edges[edge].child = Some(index);
            evaluation
        } else {
            let allowed = self.allowed(evaluation);
            self.root = Some(self.root_rule(&allowed));
            allowed
        };
        self.nodes.push(Node::new(evaluation));
        self.back_up(value);
    }

    /// The root's evaluation without moves that repeat a position: they are not legal there, and
    /// get no targets.
    fn allowed(&self, evaluation: Rc<Evaluation>) -> Rc<Evaluation> {
        let allows = |mv: Move| self.past.allows(&self.position, mv);
        if evaluation.moves.iter().all(|&mv| allows(mv)) {
            return evaluation;
        }
        Rc::new(evaluation.of_moves(allows))
    }

    fn root_rule(&mut self, evaluation: &Evaluation) -> Root {
        match self.params.root {
            RootRule::Gumbel(params) => {
                let rng = self.explore.then_some(&mut self.rng);
                let moves = evaluation.moves.len();
                Root::Gumbel(GumbelRoot::new(params, moves, self.playouts, rng))
            }
            RootRule::Puct { forced_playouts } => {
                let mut priors = evaluation.priors.clone();
                let mut forced = 0.0;
                if self.explore {
                    add_root_noise(&mut priors, &self.params.search, &mut self.rng);
                    forced = forced_playouts;
                }
                Root::Puct(PuctRoot { priors, forced })
            }
        }
    }

    /// Counts a playout that ended at the end of `path` with this value for the side to move there.
    fn back_up(&mut self, mut value: f32) {
        for &(node, edge) in self.path.iter().rev() {
            value = -value;
            self.nodes[node as usize].count(edge, value);
        }
    }
}

/// Divergence of weights, normalised, from probabilities, in nats.
fn surprise(weights: &[f32], priors: &[f32]) -> f32 {
    let total: f32 = weights.iter().sum();
    let target = weights.iter().map(|weight| f64::from(weight / total).ln());
    let priors = priors.iter().map(|prior| f64::from(prior.max(1e-9)).ln());
    kl_divergence(target, priors) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    use crate::encode::Encode;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;
    use crate::games::nogo::SmallNoGo;
    use crate::games::nogo::{NoGoV1, NoGoV2};
    use crate::train::play::mcts::GumbelParams;
    use crate::train::shards::training_game::TrainingGame;

    fn rules() -> [RootRule; 2] {
        [
            RootRule::Gumbel(GumbelParams::default()),
            RootRule::Puct {
                forced_playouts: 2.0,
            },
        ]
    }

    fn search(root: RootRule, start: &SmallNoGo) -> Search<SmallNoGo> {
        let params = MctsParams {
            root,
            ..MctsParams::player()
        };
        Search::new(params, start, &NoGoV2, 1)
    }

    /// Searches to the end with a uniform network; returns the number of evaluations.
    fn finish(search: &mut Search<SmallNoGo>) -> (SearchResult, u32) {
        let mut asked = 0;
        while search.wanted().is_some() {
            asked += 1;
            search.answer(&[0.0; 81], 0.0);
        }
        (search.found().unwrap(), asked)
    }

    #[test]
    fn playouts_are_counted_and_the_next_search_knows_positions_already() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        for rule in rules() {
            let mut search = search(rule, &start);
            search.begin(&start, &PositionHistory::of(&start), 40, true);
            let (found, asked) = finish(&mut search);
            assert_eq!(found.visits.iter().map(|v| v.1).sum::<u32>(), 40);
            assert!((30..=41).contains(&asked), "{asked}");
            let total: f32 = found.policy.iter().map(|p| p.1).sum();
            assert!(total > 0.9 && found.surprise >= 0.0);
            let mut next = start.clone();
            next.play(found.best);
            search.begin(&next, &PositionHistory::of(&next), 40, true);
            let (_, again) = finish(&mut search);
            assert!(again < asked, "{again} of {asked}");
        }
    }

    #[test]
    fn what_looks_different_to_the_network_is_asked_anew() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        // The same stones, and another last move, which the first encoding shows.
        let [one, other] = [[0, 12, 24], [24, 12, 0]].map(|moves| {
            let mut position = start.clone();
            moves.iter().for_each(|&point| position.play(Move(point)));
            position
        });
        let encodings: [(&'static dyn Encoding<SmallNoGo>, u32); 2] = [(&NoGoV1, 1), (&NoGoV2, 0)];
        for (encoding, again) in encodings {
            let mut search = Search::new(MctsParams::player(), &start, encoding, 1);
            search.begin(&one, &PositionHistory::of(&one), 1, false);
            finish(&mut search);
            search.begin(&other, &PositionHistory::of(&other), 1, false);
            assert_eq!(finish(&mut search).1, again, "{}", encoding.id());
        }
    }

    #[test]
    fn a_win_is_found_without_a_network() {
        let start = SmallNoGo::new(BoardSize::new(7, 1)).unwrap();
        let mut position = start.clone();
        let ends = |position: &SmallNoGo, mv: Move| {
            let mut next = position.clone();
            next.play(mv);
            next.outcome().is_some()
        };
        // A position with an immediately winning move, and others.
        let winning = loop {
            let moves: Vec<Move> = position.legal_moves().collect();
            let winning: Vec<Move> = moves
                .iter()
                .copied()
                .filter(|&mv| ends(&position, mv))
                .collect();
            if !winning.is_empty() && winning.len() < moves.len() {
                break winning;
            }
            position.play(moves[0]);
        };
        for rule in rules() {
            let mut search = search(rule, &start);
            search.begin(&position, &PositionHistory::of(&position), 16, false);
            let (found, _) = finish(&mut search);
            assert!(winning.contains(&found.best), "{found:?}");
            assert!(found.value > 0.5, "{found:?}");
        }
    }

    #[test]
    fn a_forced_move_costs_one_playout() {
        let mut position = SmallNoGo::new(BoardSize::new(3, 1)).unwrap();
        position.play(Move(0));
        assert_eq!(position.legal_count(), 1);
        let mut search = search(rules()[0], &position);
        search.begin(&position, &PositionHistory::of(&position), 100, true);
        assert_eq!(finish(&mut search).0.visits, [(Move(2), 1)]);
    }

    /// Random games on a board so small that nearly everything repeats: no leaf repeats a position
    /// of the game, and forbidden moves are not played, although there are some.
    #[test]
    fn superko_is_kept_down_to_the_leaves() {
        let start = SmallGo::new(BoardSize::new(3, 2)).unwrap();
        let encoding = SmallGo::encodings()[0];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut forbidden = [0; 2];
        for rule in rules() {
            let params = MctsParams {
                root: rule,
                ..MctsParams::player()
            };
            let mut search = Search::new(params, &start, encoding, 1);
            let mut line = TrainingGame::new(&start);
            line.open(60, &mut rng);
            for _ in 0..60 {
                let (position, past) = (line.position().clone(), line.past().clone());
                if position.outcome().is_some() {
                    break;
                }
                forbidden[0] += position
                    .legal_moves()
                    .filter(|&mv| !line.allows(mv))
                    .count();
                search.begin(&position, &past, 40, true);
                while let Some(leaf) = search.wanted() {
                    let came_back = leaf.ply() > position.ply() && !past.is_new(leaf);
                    assert!(!came_back || leaf.last_move() == Some(leaf.pass()));
                    search.answer(&[0.0; 7], 0.0);
                }
                let edges = search.nodes[1..].iter().flat_map(|node| &node.edges);
                forbidden[1] += edges.filter(|edge| edge.forbidden).count();
                let found = search.found().unwrap();
                assert!(found.visits.iter().all(|&(mv, _)| line.allows(mv)));
                let points = found.visits.iter().filter(|(mv, _)| *mv != position.pass());
                let any: Vec<Move> = points.map(|&(mv, _)| mv).collect();
                let mv = any.get(rng.random_range(0..any.len().max(1)));
                line.play(mv.copied().unwrap_or(position.pass()));
            }
        }
        assert!(forbidden.iter().all(|&count| count > 10), "{forbidden:?}");
    }

    #[test]
    fn the_surprise_is_by_hand() {
        let expected = 0.5 * (0.5_f32 / 0.25).ln() + 0.5 * (0.5_f32 / 0.75).ln();
        assert!((surprise(&[3.0, 3.0], &[0.25, 0.75]) - expected).abs() < 1e-6);
        assert_eq!(surprise(&[1.0, 0.0], &[1.0, 0.0]), 0.0);
    }
}
