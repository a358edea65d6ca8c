//! The search step by step: the same as the engine's, but for what its users need.

use super::*;
use crate::encode::Encoding;
use crate::game::GameState;
use crate::games::go::SmallGo;
use tengen_nn::eval::{Batch, Outputs};

/// A search step by step, with a hash of the input as its network.
struct Stepped<G: Encode> {
    search: StepSearch<G>,
    network: HashEvaluator,
    encoding: &'static Encoding<G>,
    evaluations: u32,
}

impl<G: Encode> Stepped<G> {
    fn new(position: &G, playouts: u32) -> Stepped<G> {
        let start = position.clone().into();
        Stepped {
            search: StepSearch::new(SearchParams::default(), start, playouts),
            network: HashEvaluator::new(model(position)),
            encoding: *G::encodings().last().unwrap(),
            evaluations: 0,
        }
    }

    /// Makes a playout.
    fn descend(&mut self, by: Option<usize>) {
        self.search.descend(by);
        let Some(position) = self.search.waiting() else {
            return;
        };
        let mut batch = Batch::new(self.network.info().row_len());
        let row = batch.push(self.encoding.cache_key(position));
        self.encoding.encode(position, row);
        let mut answers = Outputs::new();
        self.network.evaluate(&batch, &mut answers).unwrap();
        self.search.answer(answers.policy(0), answers.value(0));
        self.evaluations += 1;
    }

    /// Evaluates the root and makes this many playouts.
    fn search(&mut self, playouts: u32) -> Vec<RootMove> {
        (0..=playouts).for_each(|_| self.descend(None));
        self.search.root().unwrap().moves.to_vec()
    }
}

#[test]
fn it_visits_what_the_engine_visits() {
    let position = start(7, 7);
    let mut stepped = Stepped::new(&position, 300);
    let moves = stepped.search(300);
    let report = search(
        &mut hashing(&position, 1, SearchParams::default()),
        &position,
        301,
    );
    assert_eq!(u64::from(stepped.evaluations), report.evaluations);
    assert_eq!(report.proof, None, "or the engine would know more");
    for found in moves {
        let engines = report.moves.iter().find(|other| other.mv == found.mv);
        let engines = engines.unwrap();
        assert_eq!(u64::from(found.visits), engines.visits, "{:?}", found.mv);
        let value = found.value.unwrap_or(engines.value);
        assert!((value - engines.value).abs() < 1e-6);
    }
}

#[test]
fn the_roots_move_is_the_callers() {
    let mut stepped = Stepped::new(&start(5, 5), 60);
    stepped.search(0);
    for round in 0..60 {
        stepped.descend(Some(7 + round % 3));
    }
    let root = stepped.search.root().unwrap();
    let visits: Vec<u32> = root.moves.iter().map(|found| found.visits).collect();
    assert_eq!(visits[7..10], [20; 3]);
    assert_eq!((root.visits, visits.iter().sum()), (60, 60));
}

#[test]
fn a_later_search_has_a_new_tree_and_asks_for_less() {
    let position = start(5, 5);
    let mut stepped = Stepped::new(&position, 100);
    let first = stepped.search(100);
    let mut best = first.iter().filter(|found| found.visits > 0);
    let best = best.by_ref().max_by_key(|found| found.visits).unwrap();
    let mut next = position.clone();
    next.play(best.mv);
    let mut fresh = Stepped::new(&next, 100);
    let expected = fresh.search(100);
    stepped.evaluations = 0;
    stepped.search.begin(next.into());
    assert_eq!(stepped.search(100), expected);
    let (again, first_time) = (stepped.evaluations, fresh.evaluations);
    assert!(again < first_time * 3 / 4, "{again} of {first_time}");
    // And the first again, without what was remembered of it two searches ago.
    stepped.search.begin(position.into());
    assert_eq!(stepped.search(100), first);
}

/// Endings are values: the engine proves this root, and here every move keeps its playouts.
#[test]
fn a_result_is_no_proof() {
    let mut position = start(5, 1);
    position.play(Move(0));
    let report = search(
        &mut hashing(&position, 1, SearchParams::default()),
        &position,
        1000,
    );
    assert!(report.proof.is_some());
    let moves = Stepped::new(&position, 1000).search(1000);
    assert_eq!(moves.iter().map(|found| found.visits).sum::<u32>(), 1000);
    let best = moves.iter().max_by_key(|found| found.visits).unwrap();
    assert_eq!(best.mv, report.moves[0].mv);
    let value = report.proof.unwrap().value();
    assert!((best.value.unwrap() - value).abs() < 0.2, "{best:?}");
}

#[test]
fn memory_is_enough_for_the_playouts_and_its_end_is_told() {
    let position = SmallGo::new(BoardSize::square(9)).unwrap();
    let mut stepped = Stepped::new(&position, 400);
    let mut game_state: GameState<SmallGo> = position.into();
    for _ in 0..20 {
        let moves = stepped.search(400);
        assert!(!stepped.search.is_full());
        let best = moves.iter().max_by_key(|found| found.visits).unwrap();
        game_state.play(best.mv);
        stepped.search.begin(game_state.clone());
    }
    (0..5000).for_each(|_| stepped.descend(None));
    assert!(stepped.search.is_full());
    let root = stepped.search.root().unwrap();
    assert!((400..5000).contains(&root.visits), "{}", root.visits);
    let in_moves: u32 = root.moves.iter().map(|found| found.visits).sum();
    assert_eq!(root.visits, in_moves);
}
