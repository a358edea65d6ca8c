//! The searches of one game, step by step.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::gumbel::{GumbelRoot, mixed_value};
use super::{MctsParams, RootRule, best};
use crate::shards::row::Target;
use tengen::game::{Game, GameState, Move};
use tengen::search::{RootMoves, StepSearch};
use tengen_nn::eval::kl_divergence;

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// What a network learns from it; the policy is of all legal moves.
    pub target: Target,
    /// Playouts through each legal move.
    pub visits: Vec<(Move, u32)>,
    /// The move to play with exploration; with [`RootRule::Puct`] the best one.
    pub sampled: Move,
    /// The best move.
    pub best: Move,
}

/// Searches positions of one game, requesting evaluations one at a time.
pub struct Search<G: Game> {
    params: MctsParams,
    rng: Xoshiro256PlusPlus,
    steps: StepSearch<G>,
    playouts: u32,
    explore: bool,
    /// Whether the root is evaluated and its algorithm has begun.
    begun: bool,
    /// The root's, with [`RootRule::Gumbel`].
    halving: Option<GumbelRoot>,
}

impl<G: Game> Search<G> {
    /// A searcher of the game that began at `start`, with random numbers from `seed`. [`Search::begin`] sets a
    /// position.
    pub fn new(params: MctsParams, start: &G, seed: u64) -> Search<G> {
        let (search, start) = (params.search.clone(), start.clone().into());
        Search {
            steps: StepSearch::new(search, start, params.visits),
            params,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            playouts: 0,
            explore: false,
            begun: false,
            halving: None,
        }
    }

    /// Begins a search of a position that has a legal move, with at least one playout. Without
    /// `explore` there is no noise: the strongest play for the playouts.
    pub fn begin(&mut self, position: &GameState<G>, explore: bool) {
        // A single legal move needs no search.
        let forced = position.position().legal_count() == 1;
        self.playouts = if forced { 1 } else { self.params.visits.max(1) };
        self.explore = explore;
        self.steps.begin(position.clone());
        (self.begun, self.halving) = (false, None);
    }

    /// Continues until a position must be evaluated; `None` when the search is finished. Until
    /// [`Search::answer`] is called the position stays the same.
    pub fn wanted(&mut self) -> Option<&G> {
        while self.steps.waiting().is_none() && !self.steps.is_full() {
            if !self.begun {
                self.begin_root();
            }
            let by = match (self.steps.root(), &self.halving) {
                (Some(found), _) if is_searched(&found, self.playouts) => break,
                (Some(found), Some(halving)) => Some(halving.select(&found)),
                _ => None,
            };
            self.steps.descend(by);
        }
        self.steps.waiting()
    }

    /// Takes the evaluation of the position from [`Search::wanted`]: raw policy logits by policy
    /// index, and the expected result in [-1, 1] for its side to move.
    pub fn answer(&mut self, policy: &[f32], value: f32) {
        self.steps.answer(policy, value);
    }

    /// The result of the search; `None` before it is finished.
    pub fn found(&mut self) -> Option<SearchResult> {
        let is_full = self.steps.is_full();
        let found = self.steps.root()?;
        if !self.begun || !(is_full || is_searched(&found, self.playouts)) {
            return None;
        }
        let moves = found.moves;
        let (weights, value, sampled, best) = match &self.halving {
            Some(halving) => {
                let target = halving.target(&found);
                let mixed = mixed_value(&found);
                let values = moves.iter().map(|found| found.value.unwrap_or(mixed));
                let value = target.iter().zip(values).map(|(p, q)| p * q).sum();
                let [sampled, best] = [true, false].map(|explore| halving.choose(&found, explore));
                (target, value, sampled, best)
            }
            None => {
                let visits = moves.iter().map(|found| found.visits as f32);
                let best = best(visits.clone());
                (visits.collect(), found.value, best, best)
            }
        };
        // A mean of rounded numbers may lie slightly outside.
        let value = f32::clamp(value, -1.0, 1.0);
        let surprise = surprise(&weights, &found);
        let mut policy: Vec<_> = moves.iter().map(|found| found.mv).zip(weights).collect();
        let mut visits: Vec<_> = moves.iter().map(|found| (found.mv, found.visits)).collect();
        policy.sort_unstable_by_key(|(mv, _)| *mv);
        visits.sort_unstable_by_key(|(mv, _)| *mv);
        Some(SearchResult {
            target: Target {
                surprise,
                ..Target::new(policy, value)
            },
            visits,
            sampled: moves.get(sampled)?.mv,
            best: moves.get(best)?.mv,
        })
    }

    /// Begins the root algorithm, if the root is evaluated.
    fn begin_root(&mut self) {
        let Some(root) = self.steps.root() else {
            return;
        };
        self.begun = true;
        match self.params.root {
            RootRule::Gumbel => {
                let rng = self.explore.then_some(&mut self.rng);
                self.halving = Some(GumbelRoot::new(root.moves, self.playouts, rng));
            }
            RootRule::Puct if self.explore => self.steps.add_noise(&mut self.rng),
            RootRule::Puct => {}
        }
    }
}

/// Whether a root has this many playouts, or no move for them.
fn is_searched(root: &RootMoves<'_>, playouts: u32) -> bool {
    root.visits >= playouts || root.moves.is_empty()
}

/// Divergence of weights, normalised, from the network's probabilities, in nats.
fn surprise(weights: &[f32], root: &RootMoves<'_>) -> f32 {
    let total: f32 = weights.iter().sum();
    let target = weights.iter().map(|weight| f64::from(weight / total).ln());
    let moves = root.moves.iter();
    let policy = moves.map(|found| f64::from(found.policy.max(1e-9)).ln());
    kl_divergence(target, policy) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    use crate::play::mcts::tests::{root, visited};
    use crate::shards::training_game::TrainingGame;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    const RULES: [RootRule; 2] = [RootRule::Gumbel, RootRule::Puct];

    fn search<G: Game>(root: RootRule, start: &G, visits: u32) -> Search<G> {
        let params = MctsParams {
            root,
            ..MctsParams::player(visits)
        };
        Search::new(params, start, 1)
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
        for rule in RULES {
            let mut search = search(rule, &start, 40);
            search.begin(&start.clone().into(), true);
            let (found, asked) = finish(&mut search);
            assert_eq!(found.visits.iter().map(|v| v.1).sum::<u32>(), 40);
            assert!((30..=41).contains(&asked), "{asked}");
            let total: f32 = found.target.policy.iter().map(|p| p.1).sum();
            assert!(total > 0.9 && found.target.surprise >= 0.0);
            let mut next = start.clone();
            next.play(found.best);
            search.begin(&next.into(), true);
            let (_, again) = finish(&mut search);
            assert!(again < asked, "{again} of {asked}");
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
        for rule in RULES {
            let mut search = search(rule, &start, 16);
            search.begin(&position.clone().into(), false);
            let (found, _) = finish(&mut search);
            assert!(winning.contains(&found.best), "{found:?}");
            assert!(found.target.value > 0.5, "{found:?}");
        }
    }

    #[test]
    fn a_forced_move_costs_one_playout() {
        let mut position = SmallNoGo::new(BoardSize::new(3, 1)).unwrap();
        position.play(Move(0));
        assert_eq!(position.legal_count(), 1);
        let mut search = search(RULES[0], &position, 100);
        search.begin(&position.into(), true);
        assert_eq!(finish(&mut search).0.visits, [(Move(2), 1)]);
    }

    /// Random games on a board so small that nearly everything repeats: no leaf repeats a position
    /// of the game, and forbidden moves are not played, although there are some.
    #[test]
    fn superko_is_kept_down_to_the_leaves() {
        let start = SmallGo::new(BoardSize::new(3, 2)).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut forbidden = 0;
        for rule in RULES {
            let mut search = search(rule, &start, 40);
            let mut line = TrainingGame::new(&start);
            line.open(60, &mut rng);
            for _ in 0..60 {
                let (position, past) = (line.position().clone(), line.game_state().past().clone());
                if position.outcome().is_some() {
                    break;
                }
                forbidden += position
                    .legal_moves()
                    .filter(|&mv| !line.allows(mv))
                    .count();
                search.begin(line.game_state(), true);
                while let Some(leaf) = search.wanted() {
                    let came_back = leaf.ply() > position.ply() && !past.is_new(leaf);
                    assert!(!came_back || leaf.last_move() == Some(leaf.pass()));
                    search.answer(&[0.0; 7], 0.0);
                }
                let found = search.found().unwrap();
                assert!(found.visits.iter().all(|&(mv, _)| line.allows(mv)));
                let points = found.visits.iter().filter(|(mv, _)| *mv != position.pass());
                let any: Vec<Move> = points.map(|&(mv, _)| mv).collect();
                let mv = any.get(rng.random_range(0..any.len().max(1)));
                line.play(mv.copied().unwrap_or(position.pass()));
            }
        }
        assert!(forbidden > 10, "{forbidden}");
    }

    #[test]
    fn the_surprise_is_by_hand() {
        let moves = |policy: [f32; 2]| visited(&policy.map(|policy| (policy, 0, 0.0)));
        let expected = 0.5 * (0.5_f32 / 0.25).ln() + 0.5 * (0.5_f32 / 0.75).ln();
        let got = surprise(&[3.0, 3.0], &root(&moves([0.25, 0.75]), 0.0));
        assert!((got - expected).abs() < 1e-6);
        assert_eq!(surprise(&[1.0, 0.0], &root(&moves([1.0, 0.0]), 0.0)), 0.0);
    }
}
