//! The search as a whole, on boards small enough to be solved.

mod watch;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::node::Phase;
use super::*;
use crate::clock::{Budget, Clock, FakeClock, PlayoutClock, Rules, StopReason, SystemClock};
use crate::eval::{
    EvalError, Evaluator, FailingEvaluator, Failure, HashEvaluator, ModelInfo, StallingEvaluator,
};
use crate::game::nogo::SmallNoGo;
use crate::game::{BoardSize, Game};
use crate::solver::Solvable;

type NoGoSearcher = Searcher<SmallNoGo>;

fn start(width: u8, height: u8) -> SmallNoGo {
    SmallNoGo::new(BoardSize::new(width, height)).unwrap()
}

fn model(position: &SmallNoGo) -> ModelInfo {
    ModelInfo {
        game: "nogo".into(),
        size: position.size(),
        encoding: "nogo-1".into(),
        planes: 12,
        policy_len: position.policy_len(),
        outcomes: 2,
        network: "test".into(),
        games: 0,
        steps: 0,
        creator: "test".into(),
    }
}

fn searcher(
    make: impl Fn() -> Box<dyn Evaluator> + Send + Sync + 'static,
    threads: usize,
    params: SearchParams,
    clock: Arc<dyn Clock>,
) -> NoGoSearcher {
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
fn hashing(position: &SmallNoGo, threads: usize, params: SearchParams) -> NoGoSearcher {
    let info = model(position);
    let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
    searcher(make, threads, params, Arc::new(FakeClock::new()))
}

fn visits(limit: u64) -> Limits {
    Limits {
        visits: Some(limit),
        budget: None,
    }
}

fn search(searcher: &mut NoGoSearcher, position: &SmallNoGo, limit: u64) -> SearchReport {
    searcher
        .search(position, &visits(limit), &StopFlag::new())
        .unwrap()
}

/// Checks what must hold between searches: nothing in flight, nobody claimed, and every unproven
/// node visited once for itself and once for each visit of its edges.
fn check_tree(searcher: &NoGoSearcher, root: &SmallNoGo) {
    let tree = searcher.tree.as_ref().expect("a tree is kept");
    let mut todo = vec![tree.find(root.key()).unwrap()];
    let mut seen: HashSet<u32> = todo.iter().copied().collect();
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
            todo.extend(edge.child().filter(|&child| seen.insert(child)));
        }
        let (value, square) = node.stats();
        assert!(value.abs() <= 1.0 && (-1e-6..=1.0).contains(&square));
        if node.state().phase() == Phase::Expanded && node.state().proof().is_none() {
            let lost = |edge: &super::edge::Edge| {
                let child = edge.child().map(|child| tree.node(child).state().proof());
                child.flatten() == Some(Proof::Win)
            };
            assert!(
                !tree.moves(node).all(|(_, edge)| edge.is_some_and(lost)),
                "a loss that nobody proved"
            );
            assert_eq!(node.visits(), sum + node.weight());
            assert!((priors - 1.0).abs() < 0.01, "priors sum to {priors}");
        }
    }
}

#[test]
fn it_proves_solved_boards() {
    // Methods §2.2: 3x3 and 2x2 are wins for the first player, 2x3 and 3x4 for the second.
    for (width, height, first_wins) in [(3, 3, true), (2, 2, true), (2, 3, false)] {
        for threads in [1, 3] {
            let position = start(width, height);
            let mut searcher = hashing(&position, threads, SearchParams::default());
            let report = searcher
                .search(&position, &Limits::default(), &StopFlag::new())
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

#[test]
fn every_visit_is_counted_by_any_number_of_threads() {
    for (threads, batch, virtual_loss) in [(1, 1, 0.0), (1, 8, 0.0), (4, 1, 0.0), (4, 8, 1.0)] {
        let position = start(9, 9);
        let params = SearchParams {
            batch,
            virtual_loss,
            ..SearchParams::default()
        };
        let mut searcher = hashing(&position, threads, params);
        let report = search(&mut searcher, &position, 3000);
        assert_eq!(
            (report.visits, report.playouts, report.reused),
            (3000, 3000, 0)
        );
        assert_eq!(report.stop, StopReason::Visits);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 2999);
        assert!(report.evaluations <= 3000);
        check_tree(&searcher, &position);
    }
}

#[test]
fn one_thread_is_reproducible_to_the_bit() {
    let noisy = SearchParams {
        root_noise: 0.25,
        root_policy_temperature: 1.03,
        move_temperature: 1.0,
        batch: 4,
        ..SearchParams::default()
    };
    for params in [SearchParams::default(), noisy] {
        let play = || {
            let mut position = start(7, 7);
            let mut searcher = hashing(&position, 1, params.clone());
            let mut reports = Vec::new();
            while position.outcome().is_none() {
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
    let mut position = start(9, 9);
    let first = position.clone();
    let mut searcher = hashing(&position, 2, SearchParams::default());
    let report = search(&mut searcher, &position, 1000);
    let best = report.best().unwrap();
    position.play(best.mv);
    let after = search(&mut searcher, &position, 1000);
    assert_eq!(after.reused, best.visits);
    assert_eq!((after.visits, after.playouts), (1000, 1000 - best.visits));
    check_tree(&searcher, &position);
    let undone = search(&mut searcher, &first, 1000);
    assert!(undone.reused >= 1000, "{} visits reused", undone.reused);
    assert_eq!(undone.playouts, 0);
}

#[test]
fn a_full_tree_is_thinned_between_moves_and_ends_a_search() {
    let mut position = start(9, 9);
    let params = SearchParams {
        memory_mib: 16,
        ..SearchParams::default()
    };
    let mut searcher = hashing(&position, 2, params);
    let report = search(&mut searcher, &position, 1_000_000);
    assert_eq!(report.stop, StopReason::Memory);
    check_tree(&searcher, &position);
    let before = searcher.tree.as_ref().unwrap().len();
    let best = report.best().unwrap();
    position.play(best.mv);
    let after = search(&mut searcher, &position, best.visits + 10);
    assert_eq!(
        after.reused, best.visits,
        "thinning keeps what the position reaches"
    );
    assert_eq!(after.stop, StopReason::Visits);
    assert!(searcher.tree.as_ref().unwrap().len() < before);
    check_tree(&searcher, &position);
}

#[test]
fn preparing_makes_room_unless_it_is_interrupted() {
    let mut position = start(9, 9);
    let params = SearchParams {
        memory_mib: 16,
        ..SearchParams::default()
    };
    let mut searcher = hashing(&position, 1, params);
    let report = search(&mut searcher, &position, 5000);
    let best = report.best().unwrap();
    let before = searcher.tree.as_ref().unwrap().len();
    position.play(best.mv);
    let stop = StopFlag::new();
    stop.raise();
    searcher.prepare(&position, &stop).unwrap();
    assert_eq!(searcher.tree.as_ref().unwrap().len(), before);
    searcher.prepare(&position, &StopFlag::new()).unwrap();
    assert!(searcher.tree.as_ref().unwrap().len() < before);
    assert_eq!(search(&mut searcher, &position, 1).reused, best.visits);
}

#[test]
fn a_settled_race_ends_a_search_and_a_disputed_one_goes_on() {
    // Under the simulated clock 1,000 playouts are a second.
    let ended = |rules: Rules, most: u64| {
        let position = start(5, 5);
        let info = model(&position);
        let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
        let time = Arc::new(PlayoutClock::new(1000.0));
        let mut searcher = searcher(make, 1, SearchParams::default(), time);
        let budget = Budget {
            soft: Duration::from_secs(1),
            most: Duration::from_secs(most),
            hard: Duration::from_secs(9),
            rules,
        };
        let limits = Limits {
            visits: None,
            budget: Some(budget),
        };
        let report = searcher
            .search(&position, &limits, &StopFlag::new())
            .unwrap();
        (report.stop, report.elapsed.as_secs_f64())
    };
    let lenient = Rules {
        overtake: 0.01,
        ..Rules::default()
    };
    let (stop, elapsed) = ended(lenient, 1);
    assert!(
        stop == StopReason::Settled && elapsed < 0.7,
        "{stop} {elapsed}"
    );
    let (stop, elapsed) = ended(Rules::default(), 1);
    assert!(
        stop == StopReason::Time && elapsed < 1.1,
        "{stop} {elapsed}"
    );
    // The values of a hash are noise: the most visited move is not the best valued one.
    let (stop, elapsed) = ended(Rules::default(), 2);
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
        .search(&position, &Limits::default(), &stop)
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
            batch: &crate::eval::Batch,
            out: &mut crate::eval::Outputs,
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
    let soft = Duration::from_millis(100);
    let budget = Some(Budget::fixed(soft, 2 * soft));
    let limits = Limits {
        visits: None,
        budget,
    };
    let report = searcher
        .search(&position, &limits, &StopFlag::new())
        .unwrap();
    assert_eq!(report.stop, StopReason::Time);
    assert_eq!((report.evaluations, report.elapsed), (100, soft));
}

#[test]
fn a_failing_evaluator_leaves_what_was_found() {
    for failure in [Failure::Error, Failure::Panic] {
        let position = start(9, 9);
        let info = model(&position);
        let make = move || {
            Box::new(FailingEvaluator::new(info.clone(), 50, failure)) as Box<dyn Evaluator>
        };
        let mut searcher = searcher(make, 2, SearchParams::default(), Arc::new(FakeClock::new()));
        let report = search(&mut searcher, &position, 10_000);
        assert_eq!(report.stop, StopReason::Failed);
        assert!(report.visits >= 50 && report.moves.len() == 81);
        // The next search starts afresh, with new evaluators.
        assert!(search(&mut searcher, &position, 20).visits >= 20);
    }
}

#[test]
fn an_evaluator_that_fails_at_once_is_an_error() {
    let position = start(9, 9);
    let info = model(&position);
    let make = move || {
        Box::new(FailingEvaluator::new(info.clone(), 0, Failure::Error)) as Box<dyn Evaluator>
    };
    let mut searcher = searcher(make, 2, SearchParams::default(), Arc::new(FakeClock::new()));
    let result = searcher.search(&position, &visits(10), &StopFlag::new());
    assert!(matches!(result, Err(SearchError::Eval(_))), "{result:?}");
}

#[test]
fn a_stalling_evaluator_does_not_hold_the_answer_past_the_hard_limit() {
    let position = start(9, 9);
    let (release, gate) = crossbeam::channel::unbounded();
    let info = model(&position);
    let make =
        move || Box::new(StallingEvaluator::new(info.clone(), gate.clone())) as Box<dyn Evaluator>;
    let clock = SystemClock::new();
    let mut searcher = searcher(make, 2, SearchParams::default(), Arc::new(clock.clone()));
    // The root and nine more positions are let through; then everything hangs.
    (0..10).for_each(|_| release.send(()).unwrap());
    let (soft, hard) = (Duration::from_millis(100), Duration::from_millis(500));
    let limits = Limits {
        visits: None,
        budget: Some(Budget::fixed(soft, hard)),
    };
    let before = clock.now();
    let report = searcher
        .search(&position, &limits, &StopFlag::new())
        .unwrap();
    let took = clock.now() - before;
    assert!(
        took >= hard && took < hard + Duration::from_secs(2),
        "{took:?}"
    );
    assert_eq!(report.stop, StopReason::Failed);
    assert!(!report.moves.is_empty());
}

#[test]
fn a_stopped_search_that_is_slow_to_end_keeps_its_tree() {
    let position = start(9, 9);
    let (release, gate) = crossbeam::channel::unbounded();
    let info = model(&position);
    let make =
        move || Box::new(StallingEvaluator::new(info.clone(), gate.clone())) as Box<dyn Evaluator>;
    let time = Arc::new(SystemClock::new());
    let mut searcher = searcher(make, 2, SearchParams::default(), time);
    (0..10).for_each(|_| release.send(()).unwrap());
    let stop = StopFlag::new();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.raise();
        });
        searcher.search(&position, &Limits::default(), &stop)
    });
    let before = report.unwrap();
    assert_eq!(before.stop, StopReason::Interrupted);
    // The evaluations that went on are waited for, and what they found counts.
    drop(release);
    let after = search(&mut searcher, &position, 200);
    assert!(after.reused > before.visits, "{} reused", after.reused);
    assert_eq!(after.visits, 200);
    check_tree(&searcher, &position);
}

#[test]
fn a_network_for_another_board_is_refused() {
    let mut searcher = hashing(&start(9, 9), 1, SearchParams::default());
    let result = searcher.search(&start(7, 7), &visits(10), &StopFlag::new());
    let text = result.unwrap_err().to_string();
    assert_eq!(text, "the network plays on 9x9, not on 7x7");
}

/// More threads must not change what the search believes by much: the visited values of a clear
/// position stay close (methods §4.5).
#[test]
fn threads_agree_with_one_thread() {
    let position = start(5, 5);
    let value = |threads| {
        let mut searcher = hashing(&position, threads, SearchParams::default());
        search(&mut searcher, &position, 4000).value
    };
    let (one, four) = (value(1), value(4));
    assert!((one - four).abs() < 0.1, "{one} and {four}");
}

/// A prober that solves everything: the root is proven as soon as its moves have been looked at,
/// by proofs alone; 3x4 is lost for the first player (methods §2.2).
#[test]
fn what_a_prober_knows_needs_no_evaluation() {
    let position = start(3, 4);
    let make: ProberMaker<SmallNoGo> = Arc::new(|| {
        let mut probe = <SmallNoGo as Solvable>::prober().unwrap();
        Box::new(move |position: &SmallNoGo| probe(position, 1_000_000))
    });
    let mut searcher = hashing(&position, 1, SearchParams::default()).with_prober(make);
    let report = search(&mut searcher, &position, 1000);
    let found = (report.proof, report.stop, report.evaluations);
    assert_eq!(found, (Some(Proof::Loss), StopReason::Proven, 1));
    assert_eq!((report.visits, report.moves.len()), (13, 12));

    // The position after a move is known by its result alone: its moves are found again.
    let mut next = position.clone();
    next.play(report.moves[0].mv);
    let report = search(&mut searcher, &next, 1000);
    assert_eq!(report.proof, Some(Proof::Win));
    assert_eq!(report.moves.len(), next.legal_count());
    assert_eq!(report.moves[0].proof, Some(Proof::Win));
}
