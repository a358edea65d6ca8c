//! Evaluators that fail, panic or hang.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use tengen_nn::eval::{Batch, Outputs};

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
        // The next search has new evaluators and a new tree.
        let after = search(&mut searcher, &position, 40);
        assert_eq!(after.stop, StopReason::Visits, "{failure:?}");
        assert_eq!((after.reused, after.visits), (0, 40));
        check_tree(&searcher, &position);
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
    let result = searcher.search(
        &SearchRequest::new(position.clone().into()).within(visits(10)),
        &mut |_| {},
    );
    assert!(matches!(result, Err(SearchError::Eval(_))), "{result:?}");
}

/// As where the system limits threads or memory.
#[test]
fn a_search_does_with_the_threads_that_there_are() {
    let position = start(9, 9);
    let (info, made) = (model(&position), AtomicU32::new(0));
    let make: EvaluatorMaker = Arc::new(move || match made.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Ok(Box::new(HashEvaluator::new(info.clone()))),
        _ => Err(EvalError::Run {
            backend: "fake",
            reason: "there is no memory for another one".to_owned(),
        }),
    });
    let options = SearcherOptions {
        threads: 8,
        seed: 1,
        params: SearchParams::default(),
    };
    let mut searcher = Searcher::new(make, options, Arc::new(FakeClock::new()));
    let report = search(&mut searcher, &position, 100);
    assert_eq!((report.stop, report.visits), (StopReason::Visits, 100));
}

#[test]
fn a_setting_that_is_not_allowed_is_named() {
    let position = start(9, 9);
    let info = model(&position);
    let params = SearchParams {
        memory_mib: 0,
        ..SearchParams::default()
    };
    let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
    let mut searcher = searcher(make, 1, params, Arc::new(FakeClock::new()));
    let request = SearchRequest::new(position.into()).within(visits(10));
    let refused = searcher.search(&request, &mut |_| {}).unwrap_err();
    assert!(
        refused.to_string().starts_with("memory-mib must be"),
        "{refused}"
    );
}

/// Counts the calls of its evaluator, answered or not.
struct Counted(StallingEvaluator, Arc<AtomicU32>);

impl Evaluator for Counted {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.evaluate(batch, out)
    }
}

/// A search that stalls.
struct Stalling {
    searcher: Searcher<SmallNoGo>,
    position: SmallNoGo,
    /// Evaluators hang until it is dropped.
    release: crossbeam::channel::Sender<()>,
    /// Evaluator calls, answered or not.
    calls: Arc<AtomicU32>,
}

/// Two threads whose evaluators answer `calls` positions, the root among them, and then hang.
fn stalling(answers: usize, clock: &SystemClock) -> Stalling {
    let position = start(9, 9);
    let (release, gate) = crossbeam::channel::unbounded();
    let (info, calls) = (model(&position), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&calls);
    let make = move || {
        let stalling = StallingEvaluator::new(info.clone(), gate.clone());
        Box::new(Counted(stalling, Arc::clone(&counter))) as Box<dyn Evaluator>
    };
    let clock = Arc::new(clock.clone());
    let searcher = searcher(make, 2, SearchParams::default(), clock);
    (0..answers).for_each(|_| release.send(()).unwrap());
    Stalling {
        searcher,
        position,
        release,
        calls,
    }
}

#[test]
fn a_stalling_evaluator_does_not_hold_the_answer_past_the_hard_limit() {
    let clock = SystemClock::new();
    let mut stalled = stalling(10, &clock);
    // Ten answers are there long before the target limit, on a busy machine too.
    let (target, hard) = (Duration::from_millis(400), Duration::from_millis(900));
    let limits = Limits {
        visits: None,
        budget: Some(Budget::fixed(target, hard)),
    };
    let before = clock.now();
    let report = stalled
        .searcher
        .search(
            &SearchRequest::new(stalled.position.clone().into()).within(limits),
            &mut |_| {},
        )
        .unwrap();
    let took = clock.now() - before;
    assert!(
        took >= hard && took < hard + Duration::from_secs(2),
        "{took:?}"
    );
    assert_eq!(report.stop, StopReason::Time);
    assert!(!report.moves.is_empty());
    // A machine that is busy for a moment looks the same: only threads that stay away are given up.
    let given_up = loop {
        match stalled.searcher.search(
            &SearchRequest::new(stalled.position.clone().into()).within(limits),
            &mut |_| {},
        ) {
            Err(SearchError::Stopped(_)) => {}
            other => break other,
        }
    };
    assert!(
        matches!(given_up, Err(SearchError::Broken(_))),
        "{given_up:?}"
    );
    assert!(clock.now() - before >= hard + Duration::from_secs(1));
}

#[test]
fn who_was_late_and_comes_back_is_not_given_up() {
    let clock = SystemClock::new();
    let mut stalled = stalling(10, &clock);
    let (target, hard) = (Duration::from_millis(100), Duration::from_millis(200));
    let limits = Limits {
        visits: None,
        budget: Some(Budget::fixed(target, hard)),
    };
    let position = stalled.position.clone();
    let late = stalled
        .searcher
        .search(
            &SearchRequest::new(position.clone().into()).within(limits),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!(late.stop, StopReason::Time);
    drop(stalled.release);
    let after = search(&mut stalled.searcher, &position, 200);
    assert_eq!((after.stop, after.visits), (StopReason::Visits, 200));
    assert!(after.reused >= late.visits, "its tree is kept");
}

#[test]
fn a_stalling_evaluator_is_given_up_while_there_is_time_for_another() {
    let clock = SystemClock::new();
    let mut stalled = stalling(0, &clock);
    let (target, hard) = (Duration::from_secs(2), Duration::from_secs(20));
    let limits = Limits {
        visits: None,
        budget: Some(Budget::fixed(target, hard)),
    };
    let result = stalled.searcher.search(
        &SearchRequest::new(stalled.position.clone().into()).within(limits),
        &mut |_| {},
    );
    let took = clock.now();
    assert!(result.is_err());
    assert!(took >= target / 2 && took < hard / 2, "{took:?}");
}

#[test]
fn a_stopped_search_that_is_slow_to_end_keeps_its_tree() {
    let Stalling {
        mut searcher,
        position,
        release,
        calls,
    } = stalling(10, &SystemClock::new());
    let stop = StopFlag::new();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            // Ten calls are answered, then one thread hangs in a call. The other may hang in one,
            // too, or find only that leaf while it waits.
            while calls.load(Ordering::SeqCst) < 11 {
                std::thread::yield_now();
            }
            stop.raise();
        });
        searcher.search(
            &SearchRequest::new(position.clone().into()).until(&stop),
            &mut |_| {},
        )
    });
    let before = report.unwrap();
    assert_eq!(before.stop, StopReason::Interrupted);
    // Evaluations that continued are waited for, and their results count.
    drop(release);
    let after = search(&mut searcher, &position, 200);
    assert!(after.reused > before.visits, "{} reused", after.reused);
    assert_eq!(after.visits, 200);
    check_tree(&searcher, &position);
}

#[test]
fn after_a_root_that_could_not_be_evaluated_a_search_has_new_threads() {
    let first = start(9, 9);
    let (info, calls) = (model(&first), Arc::new(AtomicU32::new(100)));
    /// Fails once, when its calls are used up.
    struct Once(HashEvaluator, Arc<AtomicU32>);
    impl Evaluator for Once {
        fn info(&self) -> &ModelInfo {
            self.0.info()
        }
        fn evaluate(
            &mut self,
            batch: &tengen_nn::eval::Batch,
            out: &mut tengen_nn::eval::Outputs,
        ) -> Result<(), EvalError> {
            if self.1.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 1 {
                return Err(EvalError::Run {
                    backend: "test",
                    reason: "once".to_owned(),
                });
            }
            self.0.evaluate(batch, out)
        }
    }
    let left = Arc::clone(&calls);
    let make = move || {
        Box::new(Once(HashEvaluator::new(info.clone()), Arc::clone(&left))) as Box<dyn Evaluator>
    };
    let mut searcher = searcher(make, 1, SearchParams::default(), Arc::new(FakeClock::new()));
    let before = search(&mut searcher, &first, 60);
    calls.store(1, std::sync::atomic::Ordering::Relaxed);
    // A move that has not been searched.
    let mut next = first.clone();
    next.play(before.moves.last().unwrap().mv);
    let failed = searcher.search(
        &SearchRequest::new(next.clone().into()).within(visits(10)),
        &mut |_| {},
    );
    assert!(matches!(failed, Err(SearchError::Eval(_))), "{failed:?}");
    let after = search(&mut searcher, &next, 10);
    assert_eq!((after.visits, after.reused), (10, 0));
}
