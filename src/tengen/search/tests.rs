//! The search as a whole, on boards small enough to be solved, and on a game with pass, draw and
//! repetition ([`toy`]).

mod brute;
mod draws;
mod failures;
mod graph;
mod keyed;
mod opponent;
mod points;
mod probes;
mod room;
mod steps;
mod superko;
mod toy;
mod watch;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::node::{NodeId, Phase};
use super::*;
use crate::clock::{Budget, Clock, FakeClock, PlayoutClock, StopReason, StopRules, SystemClock};
use crate::encode::{Encode, made_up};
use crate::game::{BoardSize, Game, Move, Proof};
use crate::games::nogo::SmallNoGo;
use tengen_nn::eval::{
    EvalError, Evaluator, FailingEvaluator, Failure, HashEvaluator, ModelInfo, StallingEvaluator,
};
use toy::line;

fn start(width: u8, height: u8) -> SmallNoGo {
    SmallNoGo::new(BoardSize::new(width, height)).unwrap()
}

/// Metadata of a network that uses the game's last encoding.
fn model<G: Encode>(position: &G) -> ModelInfo {
    let &encoding = G::encodings().last().unwrap();
    ModelInfo {
        outcomes: 2,
        ..made_up(position, encoding)
    }
}

fn searcher<G: Encode>(
    make: impl Fn() -> Box<dyn Evaluator> + Send + Sync + 'static,
    threads: usize,
    params: SearchParams,
    clock: Arc<dyn Clock>,
) -> Searcher<G> {
    let maker: EvaluatorMaker = Arc::new(move || Ok::<_, EvalError>(make()));
    Searcher::new(
        maker,
        SearcherOptions {
            threads,
            seed: 1,
            params,
        },
        clock,
    )
}

/// A searcher over a hash of the input, which tries policy and value in every way.
fn hashing<G: Encode>(position: &G, threads: usize, params: SearchParams) -> Searcher<G> {
    let info = model(position);
    let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
    searcher(make, threads, params, Arc::new(FakeClock::new()))
}

fn visits(limit: u64) -> Limits {
    Limits::visits(limit)
}

fn search<G: Encode>(searcher: &mut Searcher<G>, position: &G, limit: u64) -> SearchReport {
    searcher
        .search(
            &SearchRequest::new(position.clone().into()).within(visits(limit)),
            &mut |_| {},
        )
        .unwrap()
}

/// Checks invariants between searches: nothing in flight, no claimed nodes, no edge with more
/// visits than its child, and every unproven node visited once for itself and once for each visit
/// of its edges.
fn check_tree<G: Encode>(searcher: &Searcher<G>, root: &G) {
    let tree = searcher.tree.as_ref().expect("a tree is kept");
    let mut todo = vec![tree.find(root.key()).unwrap()];
    // Edges that lead to each node, and nodes whose moves all lose.
    let mut parents: HashMap<NodeId, u32> = HashMap::from([(todo[0], 0)]);
    let mut lost_children: Vec<Vec<NodeId>> = Vec::new();
    while let Some(id) = todo.pop() {
        let node = tree.node(id);
        assert_ne!(node.state().phase(), Phase::Claimed);
        let (mut sum, mut priors) = (0, 0.0);
        for (choice, edge) in tree.moves(node) {
            priors += choice.prior();
            let Some(edge) = edge else { continue };
            let (visits, in_flight) = edge.counts();
            assert_eq!(in_flight, 0);
            let child = edge.child().map_or(0, |child| tree.node(child).visits());
            assert!(visits <= child, "{visits} visits to a child of {child}");
            sum += visits;
            if let Some(child) = edge.child() {
                let known = parents.entry(child).or_insert_with(|| {
                    todo.push(child);
                    0
                });
                *known += 1;
            }
        }
        let (value, square) = node.stats();
        assert!(value.abs() <= 1.0 && (-1e-6..=1.0).contains(&square));
        if node.state().phase() == Phase::Expanded && node.state().proof().is_none() {
            let lost = |edge: &super::edge::Edge| {
                let child = edge.child()?;
                (tree.node(child).state().proof() == Some(Proof::Win)).then_some(child)
            };
            let all = tree.moves(node).map(|(_, edge)| edge.and_then(lost));
            lost_children.extend(all.collect::<Option<Vec<NodeId>>>());
            assert_eq!(node.visits(), sum + node.weight());
            assert!((priors - 1.0).abs() < 0.01, "priors sum to {priors}");
        }
    }
    // Proofs through another path arrive with the next visit; proofs from here are known.
    for children in lost_children {
        let elsewhere = children.iter().any(|child| parents[child] > 1);
        assert!(elsewhere, "a loss without a proof");
    }
}

#[test]
fn it_proves_solved_boards() {
    // docs/methods.md#nogo: 3x3 and 2x2 are wins for the first player, 2x3 and 3x4 for the second.
    for (width, height, first_wins) in [(3, 3, true), (2, 2, true), (2, 3, false)] {
        for threads in [1, 3] {
            let position = start(width, height);
            let mut searcher = hashing(&position, threads, SearchParams::default());
            let report = searcher
                .search(&SearchRequest::new(position.clone().into()), &mut |_| {})
                .unwrap();
            let expected = if first_wins { Proof::Win } else { Proof::Loss };
            assert_eq!(report.proof, Some(expected), "{width}x{height}");
            assert_eq!(
                (report.stop, report.value),
                (StopReason::Proven, expected.value())
            );
            if first_wins {
                assert_eq!(report.best().unwrap().proof, Some(Proof::Win));
            }
        }
    }
}

/// At any temperature an analysis has the best move first; a search for a move draws it.
#[test]
fn only_a_move_is_drawn() {
    let position = start(5, 5);
    let params = SearchParams {
        move_temperature: 10.0,
        ..SearchParams::default()
    };
    let mut searcher = hashing(&position, 1, params);
    let mut firsts = |purpose: Purpose| {
        let request = SearchRequest::new(position.clone().into()).within(visits(60));
        let request = request.with(AnalysisOptions {
            purpose,
            ..AnalysisOptions::default()
        });
        let mut first = || {
            let report = searcher.search(&request, &mut |_| {}).unwrap();
            report.best().unwrap().mv
        };
        let found: std::collections::HashSet<Move> = (0..20).map(|_| first()).collect();
        found.len()
    };
    assert!(firsts(Purpose::Move) > 4);
    assert_eq!(firsts(Purpose::Position), 1);
}

#[test]
fn every_visit_is_counted_by_any_number_of_threads() {
    counts_every_visit(&start(9, 9));
    counts_every_visit(&line(13));
}

fn counts_every_visit<G: Encode>(position: &G) {
    for (threads, batch, virtual_loss) in [(1, 1, 0.0), (1, 8, 0.0), (4, 1, 0.0), (4, 8, 1.0)] {
        let params = SearchParams {
            batch,
            virtual_loss,
            ..SearchParams::default()
        };
        let mut searcher = hashing(position, threads, params);
        let report = search(&mut searcher, position, 3000);
        assert_eq!(
            (report.visits, report.playouts, report.reused),
            (3000, 3000, 0)
        );
        assert_eq!(report.stop, StopReason::Visits);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 2999);
        assert!(report.evaluations <= 3000);
        check_tree(&searcher, position);
    }
}

/// A descent that ends at a leaf being evaluated must leave a trace, or all later ones end there,
/// too, and batches stay small.
#[test]
fn few_descents_end_where_another_waits() {
    let params = SearchParams {
        batch: 64,
        ..SearchParams::default()
    };
    let position = start(9, 9);
    let mut searcher = hashing(&position, 1, params);
    let report = search(&mut searcher, &position, 20_000);
    assert!(report.collisions < report.visits, "{report:?}");
}

#[test]
fn one_thread_is_reproducible_to_the_bit() {
    repeats_itself(&start(7, 7));
    repeats_itself(&line(13));
}

fn repeats_itself<G: Encode>(start: &G) {
    let noisy = SearchParams {
        root_noise: 0.25,
        root_policy_temperature: 1.03,
        move_temperature: 1.0,
        batch: 4,
        ..SearchParams::default()
    };
    for params in [SearchParams::default(), noisy] {
        let play = || {
            let mut position = start.clone();
            let mut searcher = hashing(&position, 1, params.clone());
            let mut reports = Vec::new();
            while position.outcome().is_none() && position.ply() < 60 {
                let report = search(&mut searcher, &position, 150);
                position.play(report.best().unwrap().mv);
                reports.push(report);
            }
            reports
        };
        assert_eq!(play(), play());
    }
}

#[test]
fn the_tree_is_reused_forward_and_back() {
    reuses_its_tree(&start(9, 9));
    reuses_its_tree(&line(13));
}

fn reuses_its_tree<G: Encode>(first: &G) {
    let mut position = first.clone();
    let mut searcher = hashing(&position, 2, SearchParams::default());
    let report = search(&mut searcher, &position, 1000);
    let best = report.best().unwrap();
    position.play(best.mv);
    let after = search(&mut searcher, &position, 1000);
    // Where positions repeat, the best move's child may also have been reached another way.
    let reused = after.reused;
    assert!(reused == best.visits || G::INFO.repeats && reused > best.visits);
    assert_eq!((after.visits, after.playouts), (1000, 1000 - reused));
    check_tree(&searcher, &position);
    let undone = search(&mut searcher, first, 1000);
    assert!(undone.reused >= 1000, "{} visits reused", undone.reused);
    assert_eq!(undone.playouts, 0);
}

#[test]
fn a_settled_race_ends_a_search_and_a_disputed_one_goes_on() {
    // Under the simulated clock 1,000 playouts take a second.
    let ended = |rules: StopRules, most: u64| {
        let position = start(5, 5);
        let info = model(&position);
        let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
        let time = Arc::new(PlayoutClock::new(1000.0));
        let mut searcher = searcher(make, 1, SearchParams::default(), time);
        let budget = Budget {
            target: Duration::from_secs(1),
            maximum: Duration::from_secs(most),
            hard: Duration::from_secs(9),
            rules,
        };
        let limits = Limits {
            visits: None,
            budget: Some(budget),
        };
        let report = searcher
            .search(
                &SearchRequest::new(position.clone().into()).within(limits),
                &mut |_| {},
            )
            .unwrap();
        (report.stop, report.elapsed.as_secs_f64())
    };
    let lenient = StopRules {
        overtake: 0.01,
        ..StopRules::default()
    };
    let (stop, elapsed) = ended(lenient, 1);
    assert!(
        stop == StopReason::Settled && elapsed < 0.7,
        "{stop} {elapsed}"
    );
    let (stop, elapsed) = ended(StopRules::default(), 1);
    assert!(
        stop == StopReason::Time && elapsed < 1.1,
        "{stop} {elapsed}"
    );
    // The values of a hash are noise: the most visited move is not the best valued one.
    let (stop, elapsed) = ended(StopRules::default(), 2);
    assert!(
        stop == StopReason::Time && elapsed > 1.1 && elapsed < 2.1,
        "{stop} {elapsed}"
    );
}

#[test]
fn a_raised_flag_leaves_the_priors() {
    let position = start(9, 9);
    let mut searcher = hashing(&position, 2, SearchParams::default());
    let stop = StopFlag::new();
    stop.raise();
    let report = searcher
        .search(
            &SearchRequest::new(position.clone().into()).until(&stop),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!((report.stop, report.visits), (StopReason::Interrupted, 1));
    assert_eq!(report.moves.len(), 81);
    assert!(report.moves.is_sorted_by(|a, b| a.prior >= b.prior));
}

#[test]
fn a_single_move_and_a_finished_game_need_no_search() {
    let mut position = start(2, 2);
    let mut searcher = hashing(&position, 1, SearchParams::default());
    while position.legal_count() > 1 {
        position.play(position.legal_moves().next().unwrap());
    }
    let report = search(&mut searcher, &position, 1000);
    assert_eq!(report.moves.len(), position.legal_count());
    assert!(report.visits <= 1);
    while position.outcome().is_none() {
        position.play(position.legal_moves().next().unwrap());
    }
    let report = search(&mut searcher, &position, 1000);
    assert!(report.moves.is_empty());
}

#[test]
fn time_is_taken_from_the_clock() {
    /// An evaluator that takes a millisecond.
    struct Slow(HashEvaluator, FakeClock);
    impl Evaluator for Slow {
        fn info(&self) -> &ModelInfo {
            self.0.info()
        }
        fn evaluate(
            &mut self,
            batch: &tengen_nn::eval::Batch,
            out: &mut tengen_nn::eval::Outputs,
        ) -> Result<(), EvalError> {
            self.1.advance(Duration::from_millis(1));
            self.0.evaluate(batch, out)
        }
    }
    let (position, clock) = (start(9, 9), FakeClock::new());
    let (info, ticking) = (model(&position), clock.clone());
    let make = move || {
        Box::new(Slow(HashEvaluator::new(info.clone()), ticking.clone())) as Box<dyn Evaluator>
    };
    let mut searcher = searcher(make, 1, SearchParams::default(), Arc::new(clock));
    let target = Duration::from_millis(100);
    let budget = Some(Budget::fixed(target, 2 * target));
    let limits = Limits {
        visits: None,
        budget,
    };
    let report = searcher
        .search(
            &SearchRequest::new(position.clone().into()).within(limits),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!(report.stop, StopReason::Time);
    assert_eq!((report.evaluations, report.elapsed), (100, target));
}

#[test]
fn a_network_for_another_board_is_refused() {
    let mut searcher = hashing(&start(9, 9), 1, SearchParams::default());
    let result = searcher.search(
        &SearchRequest::new(start(7, 7).into()).within(visits(10)),
        &mut |_| {},
    );
    let text = result.unwrap_err().to_string();
    assert_eq!(text, "the network plays on 9x9, not on 7x7");
}

/// More threads must not change the search much (docs/methods.md#search): the distribution of
/// visits changes less than with another exploration constant.
#[test]
fn threads_agree_with_one_thread() {
    let position = start(5, 5);
    let shares = |threads, cpuct| {
        let params = SearchParams {
            cpuct,
            ..SearchParams::default()
        };
        let mut searcher = hashing(&position, threads, params);
        let mut moves = search(&mut searcher, &position, 4000).moves;
        moves.sort_by_key(|found| found.mv);
        let share = |found: &MoveReport| found.visits as f64 / 4000.0;
        moves.iter().map(share).collect::<Vec<f64>>()
    };
    // Share of all visits that go elsewhere.
    let distance = |one: &[f64], other: &[f64]| {
        let differences = one.iter().zip(other).map(|(a, b)| (a - b).abs());
        differences.sum::<f64>() / 2.0
    };
    // Threads collide by chance: averages over several searches are compared.
    let runs = [(); 10].map(|()| shares(4, 1.1));
    let mean = |index| runs.iter().map(|run| run[index]).sum::<f64>() / runs.len() as f64;
    let four: Vec<f64> = (0..runs[0].len()).map(mean).collect();
    let one = shares(1, 1.1);
    let (threads, exploration) = (distance(&one, &four), distance(&one, &shares(1, 2.2)));
    assert!(
        threads < 0.75 * exploration,
        "{threads:.3} with more threads, {exploration:.3} with more exploration"
    );
}
