//! Memory: behaviour when it is full, and reuse between moves.

use super::*;

/// The minimum memory.
fn small() -> SearchParams {
    SearchParams {
        memory_mib: 16,
        ..SearchParams::default()
    }
}

#[test]
fn a_full_tree_makes_room_and_the_search_goes_on() {
    goes_on(&start(9, 9), 150_000);
    goes_on(&line(14), 250_000);
}

fn goes_on<G: Encode>(position: &G, limit: u64) {
    let mut searcher = hashing(position, 2, small());
    let stop = StopFlag::new();
    let (mut fewer, mut last) = (0, 0);
    let analysis = AnalysisOptions {
        interval: Some(Duration::ZERO),
        ..AnalysisOptions::default()
    };
    let mut see = |report: &SearchReport| {
        fewer += u32::from(report.nodes < last);
        last = report.nodes;
    };
    let report = searcher
        .search(
            &SearchRequest::new(position.clone().into())
                .within(visits(limit))
                .until(&stop)
                .with(analysis),
            &mut see,
        )
        .unwrap();
    assert_eq!((report.stop, report.visits), (StopReason::Visits, limit));
    assert_eq!(report.playouts, limit);
    assert!(fewer > 0, "room was made {fewer} times");
    let tree = searcher.tree.as_ref().unwrap();
    assert!(tree.bytes() <= 10 << 20, "{} bytes", tree.bytes());
    check_tree(&searcher, position);
}

#[test]
fn making_room_is_reproducible_on_one_thread() {
    let position = start(9, 9);
    let found = || search(&mut hashing(&position, 1, small()), &position, 80_000);
    assert_eq!(found(), found());
}

#[test]
fn a_full_tree_is_no_reason_not_to_search_the_next_move() {
    let mut position = start(9, 9);
    let mut searcher = hashing(&position, 2, small());
    let report = search(&mut searcher, &position, 30_000);
    let best = report.best().unwrap();
    position.play(best.mv);
    let after = search(&mut searcher, &position, best.visits + 20_000);
    assert_eq!(after.reused, best.visits);
    assert_eq!(after.stop, StopReason::Visits);
    check_tree(&searcher, &position);
}

#[test]
fn visits_of_moves_that_were_pruned_do_not_count() {
    let position = start(9, 9);
    let mut searcher = hashing(&position, 1, small());
    search(&mut searcher, &position, 600);
    let tree = searcher.tree.as_ref().unwrap();
    tree.node(tree.find(position.key()).unwrap()).fold();
    for limit in [500, 700] {
        let report = search(&mut searcher, &position, limit);
        let of_moves: u64 = report.moves.iter().map(|found| found.visits).sum();
        assert_eq!((of_moves + 1, report.visits), (limit, limit + 600));
        check_tree(&searcher, &position);
    }
}

#[test]
fn preparing_makes_room_unless_it_is_interrupted() {
    let mut position = start(9, 9);
    let mut searcher = hashing(&position, 1, small());
    let report = search(&mut searcher, &position, 12_000);
    let best = report.best().unwrap();
    let before = searcher.tree.as_ref().unwrap().len();
    position.play(best.mv);
    let stop = StopFlag::new();
    stop.raise();
    searcher.prepare(&position.clone().into(), &stop).unwrap();
    assert_eq!(searcher.tree.as_ref().unwrap().len(), before);
    searcher
        .prepare(&position.clone().into(), &StopFlag::new())
        .unwrap();
    assert!(searcher.tree.as_ref().unwrap().len() < before);
    assert_eq!(search(&mut searcher, &position, 1).reused, best.visits);
}
