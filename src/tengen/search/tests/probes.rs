//! Searches with a prober.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::game::{Bounds, ProbeResult, Proof};
use crate::solver::{Solvable, SolveLimits};

/// A prober that only knows which moves lose: positions with a single other move cost no evaluation,
/// the tree proves the same results, and a root still has all its moves.
#[test]
fn moves_that_a_prober_knows_to_lose_are_left_out() {
    let position = start(3, 4);
    let make: ProberMaker<SmallNoGo> = Arc::new(|| {
        let mut solver = SmallNoGo::solver(0).unwrap();
        Box::new(move |position: &SmallNoGo, _| {
            let effort = SolveLimits {
                nodes: 1_000_000,
                threads: 1,
                halt: &|_| false,
            };
            let mut holds = |mv: &Move| {
                let mut next = position.clone();
                next.play(*mv);
                solver.solve(&next, &effort).proof() == Some(Proof::Loss)
            };
            let open: Vec<Move> = position.legal_moves().filter(&mut holds).collect();
            Some(match open.is_empty() {
                true => Bounds::exactly(Proof::Loss).into(),
                false => ProbeResult {
                    open_moves: Some(open),
                    ..ProbeResult::NONE
                },
            })
        })
    });
    let mut searcher = hashing(&position, 1, SearchParams::default()).with_prober(Some(make));
    let report = search(&mut searcher, &position, 10_000);
    assert_eq!(report.proof, Some(Proof::Loss));
    assert!(report.evaluations < report.playouts, "{report:?}");
    check_tree(&searcher, &position);

    let mut next = position.clone();
    next.play(report.moves[0].mv);
    let report = search(&mut searcher, &next, 10_000);
    assert_eq!(report.proof, Some(Proof::Win));
    assert_eq!(report.moves.len(), next.legal_count());
    check_tree(&searcher, &next);
}

/// A prober that solves everything: the root is proven as soon as its moves have been probed; 3x4
/// is lost for the first player (docs/methods.md#nogo).
#[test]
fn what_a_prober_knows_needs_no_evaluation() {
    let position = start(3, 4);
    let make: ProberMaker<SmallNoGo> = Arc::new(|| {
        let mut probe = SmallNoGo::solver(0).unwrap().probes()();
        let effort = SolveLimits {
            nodes: 1_000_000,
            threads: 1,
            halt: &|_| false,
        };
        Box::new(move |position, _| probe(position, &effort))
    });
    let mut searcher = hashing(&position, 1, SearchParams::default()).with_prober(Some(make));
    let report = search(&mut searcher, &position, 1000);
    let found = (report.proof, report.stop, report.evaluations);
    assert_eq!(found, (Some(Proof::Loss), StopReason::Proven, 1));
    assert_eq!((report.visits, report.moves.len()), (13, 12));

    // Only the result of the position after a move is known: its moves are listed again.
    let mut next = position.clone();
    next.play(report.moves[0].mv);
    let report = search(&mut searcher, &next, 1000);
    assert_eq!(report.proof, Some(Proof::Win));
    assert_eq!(report.moves.len(), next.legal_count());
    assert_eq!(report.moves[0].proof, Some(Proof::Win));
    // Nothing was lost.
    let back = search(&mut searcher, &position, 1000);
    assert_eq!((back.reused, back.proof), (13, Some(Proof::Loss)));
    check_tree(&searcher, &next);
}

/// Moves of the root that come over from an earlier search are shown to the prober once more, with
/// the visits that they have.
#[test]
fn a_prober_is_asked_about_root_moves_that_come_over() {
    let position = start(4, 4);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    let make: ProberMaker<SmallNoGo> = Arc::new(move || {
        let notes = Arc::clone(&notes);
        Box::new(move |position: &SmallNoGo, occasion| {
            if occasion.is_reused {
                notes.lock().push((position.key(), occasion.visits));
            }
            None
        })
    });
    let mut searcher = hashing(&position, 1, SearchParams::default()).with_prober(Some(make));
    let report = search(&mut searcher, &position, 2_000);
    assert!(asked.lock().is_empty(), "nothing came over");

    let mut next = position.clone();
    next.play(report.moves[0].mv);
    let before = search(&mut searcher, &next, 1);
    let report = search(&mut searcher, &next, 4_000);
    let after = |mv| {
        let mut after = next.clone();
        after.play(mv);
        after.key()
    };
    let known = before.moves.iter().filter(|found| found.visits > 0);
    let known: HashMap<_, _> = known.map(|found| (after(found.mv), found.visits)).collect();
    let grown = report.moves.iter().filter(|found| {
        let earlier = known.get(&after(found.mv));
        earlier.is_some_and(|&visits| found.visits > visits)
    });
    let asked = asked.lock();
    assert!(asked.len() > 1 && asked.len() >= grown.count(), "{asked:?}");
    for (key, visits) in asked.iter() {
        assert_eq!(known.get(key), Some(&(*visits as _)), "{asked:?}");
    }
    let different: HashSet<_> = asked.iter().map(|(key, _)| key).collect();
    assert_eq!(different.len(), asked.len(), "{asked:?}");
}
