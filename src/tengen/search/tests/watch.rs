//! Reports during a search, moves to avoid, and the network's own evaluation.

use super::*;
use crate::game::{Move, Proof};
use crate::solver::{Solvable, SolveLimits};

/// Searches a 5x5 board to 400 visits with `analysis`; returns the final report and the earlier
/// ones.
fn watched(analysis: &AnalysisOptions) -> (SearchReport, Vec<SearchReport>) {
    let position = start(5, 5);
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let mut seen = Vec::new();
    let request = SearchRequest::new(position.clone().into())
        .within(visits(400))
        .with(analysis.clone());
    let report = searcher.search(&request, &mut |report| seen.push(report.clone()));
    check_tree(&searcher, &position);
    (report.unwrap(), seen)
}

#[test]
fn looking_on_changes_nothing() {
    let (alone, nothing) = watched(&AnalysisOptions::default());
    assert_eq!(nothing, []);
    let always = AnalysisOptions {
        interval: Some(Duration::ZERO),
        ..AnalysisOptions::default()
    };
    let (report, seen) = watched(&always);
    assert_eq!(report, alone);
    assert!(!seen.is_empty());
    for (earlier, later) in seen.iter().zip(seen.iter().skip(1).chain([&report])) {
        assert!(earlier.visits <= later.visits);
        assert_eq!(earlier.moves.len(), 25);
    }
}

#[test]
fn moves_to_avoid_are_not_searched() {
    let (free, _) = watched(&AnalysisOptions::default());
    let best = free.best().unwrap().mv;
    let avoid = vec![best, Move(24)];
    let (report, _) = watched(&AnalysisOptions {
        avoid: avoid.clone(),
        ..AnalysisOptions::default()
    });
    let visited = report.moves.iter().filter(|found| found.visits > 0);
    assert!(visited.clone().all(|found| !avoid.contains(&found.mv)));
    assert_eq!(visited.map(|found| found.visits).sum::<u64>(), 399);
}

#[test]
fn visits_of_moves_to_avoid_are_made_again() {
    let position = start(5, 5);
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let free = search(&mut searcher, &position, 400);
    let best = free.best().unwrap();
    let request = SearchRequest::new(position.clone().into()).within(visits(400));
    let report = searcher
        .search(
            &request.with(AnalysisOptions {
                avoid: vec![best.mv],
                ..AnalysisOptions::default()
            }),
            &mut |_| {},
        )
        .unwrap();
    assert!(best.visits > 0);
    assert_eq!((report.reused, report.playouts), (400, best.visits));
    check_tree(&searcher, &position);
}

#[test]
fn a_move_to_avoid_is_searched_when_the_others_lose() {
    // On 2x2 every first move wins; after it, every reply loses.
    let mut position = start(2, 2);
    position.play(Move(0));
    let legal: Vec<Move> = position.legal_moves().collect();
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let analysis = AnalysisOptions {
        avoid: legal[1..].to_vec(),
        // If only a move were needed, the only remaining one would be played at once.
        purpose: Purpose::Position,
        ..AnalysisOptions::default()
    };
    let report = searcher
        .search(
            &SearchRequest::new(position.clone().into())
                .within(visits(200))
                .with(analysis),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!(report.proof, Some(Proof::Loss));
    check_tree(&searcher, &position);
}

/// A tree with a known win says nothing about the other moves.
#[test]
fn a_win_by_a_move_to_avoid_is_none() {
    let position = start(7, 1);
    let mut solver = SmallNoGo::solver(0).unwrap();
    let all = SolveLimits {
        nodes: u64::MAX,
        threads: 1,
        halt: &|_| false,
    };
    let (won, lost): (Vec<Move>, Vec<Move>) = position.legal_moves().partition(|&mv| {
        let mut next = position.clone();
        next.play(mv);
        solver.solve(&next, &all).proof() == Some(Proof::Loss)
    });
    assert!(!won.is_empty() && lost.len() > 1, "{won:?} {lost:?}");
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let mut search = |avoid: &[Move], more| {
        let analysis = AnalysisOptions {
            avoid: avoid.to_vec(),
            ..AnalysisOptions::default()
        };
        let report = searcher.search(
            &SearchRequest::new(position.clone().into())
                .within(visits(more))
                .with(analysis),
            &mut |_| {},
        );
        report.unwrap()
    };
    assert_eq!(search(&[], 100_000).proof, Some(Proof::Win));
    // Without a playout nothing is known of the others.
    let few = search(&won, 1);
    assert_eq!((few.proof, few.stop), (None, StopReason::Visits));
    assert!(few.value < 1.0, "{}", few.value);
    let report = search(&won, 200_000);
    assert!(report.playouts > 0);
    for found in report.moves.iter().filter(|found| lost.contains(&found.mv)) {
        assert_eq!(found.proof, Some(Proof::Loss));
    }
    assert_eq!(report.proof, Some(Proof::Win), "all others lose");
    assert!(won.contains(&report.moves[0].mv));
}

#[test]
fn without_limits_a_single_move_is_searched_too() {
    let mut position = start(3, 1);
    position.play(Move(0));
    assert_eq!(position.legal_count(), 1, "White has C1 only");
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let report = searcher
        .search(&SearchRequest::new(position.clone().into()), &mut |_| {})
        .unwrap();
    assert_eq!(report.stop, StopReason::Proven);
}

#[test]
fn the_networks_word_leaves_the_tree_alone() {
    let position = start(5, 5);
    let mut searcher = hashing(&position, 1, SearchParams::default());
    let first = searcher
        .search(
            &SearchRequest::evaluation(position.clone().into()),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!((first.visits, first.evaluations), (1, 1));
    search(&mut searcher, &position, 100);
    let again = searcher
        .search(
            &SearchRequest::evaluation(position.clone().into()),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!((again.value, again.moves), (first.value, first.moves));
    assert_eq!(search(&mut searcher, &position, 100).reused, 100);
}

#[test]
fn a_single_move_is_looked_at_where_its_numbers_are_read() {
    let mut position = start(3, 1);
    position.play(Move(0));
    let search = |purpose| {
        let analysis = AnalysisOptions {
            purpose,
            ..AnalysisOptions::default()
        };
        let mut searcher = hashing(&position, 1, SearchParams::default());
        let report = searcher.search(
            &SearchRequest::new(position.clone().into())
                .within(visits(50))
                .with(analysis),
            &mut |_| {},
        );
        let report = report.unwrap();
        (report.moves[0].visits, report.proof)
    };
    // White's last move wins.
    assert_eq!(search(Purpose::Move), (0, None));
    for shown in [Purpose::ShownMove, Purpose::Position] {
        assert_eq!(search(shown), (1, Some(Proof::Win)));
    }
}

/// The time rules for a single legal move do not apply: the value of the position is requested.
#[test]
fn time_for_a_position_is_used_up_where_one_move_is_left_too() {
    let mut position = start(4, 1);
    position.play(Move(0));
    let avoid: Vec<Move> = position.legal_moves().skip(1).collect();
    let stopped = |purpose| {
        let analysis = AnalysisOptions {
            purpose,
            avoid: avoid.clone(),
            ..AnalysisOptions::default()
        };
        let mut searcher = hashing(&position, 1, SearchParams::default());
        let long = Duration::from_secs(3600);
        let limits = Limits {
            visits: Some(3),
            budget: Some(Budget::fixed(long, long)),
        };
        let report = searcher.search(
            &SearchRequest::new(position.clone().into())
                .within(limits)
                .with(analysis),
            &mut |_| {},
        );
        report.unwrap().stop
    };
    assert_eq!(stopped(Purpose::Move), StopReason::OnlyMove);
    assert_ne!(stopped(Purpose::Position), StopReason::OnlyMove);
}
