//! What is assumed of the opponent: that it mirrors, or that a side has more visits.

use super::superko::empty;
use super::*;
use crate::game::Color;

/// A search of the empty board on 5x5 against this opponent.
fn against(
    searcher: &mut Searcher<crate::games::go::SmallGo>,
    opponent: OpponentModel,
) -> SearchReport {
    let analysis = AnalysisOptions {
        opponent,
        ..AnalysisOptions::default()
    };
    let request = SearchRequest::new(empty(5, 5, "tromp-taylor").into());
    let request = request.within(visits(1000)).with(analysis);
    searcher.search(&request, &mut |_| {}).unwrap()
}

#[test]
fn a_mirroring_opponent_is_expected_to_go_on_with_it() {
    let mut searcher = hashing(&empty(5, 5, "tromp-taylor"), 1, SearchParams::default());
    let mut answers = |mirrors| {
        let opponent = OpponentModel {
            mirrors,
            ..OpponentModel::default()
        };
        let report = against(&mut searcher, opponent);
        let mirrored = |pv: &[Move]| pv.len() > 1 && pv[0].0 + pv[1].0 == 24;
        let mirrored = report
            .moves
            .iter()
            .filter(|found| mirrored(&found.pv))
            .count();
        let center = report.moves.iter().find(|found| found.mv == Move(12));
        let center = center.expect("it is legal");
        (mirrored, center.prior, report.reused)
    };
    let (usual, expected) = (answers(false), answers(true));
    assert!(expected.0 > usual.0 + 6, "{usual:?} {expected:?}");
    assert_eq!(
        expected.1, usual.1,
        "the prior that is shown is the network's"
    );
    assert_eq!(expected.2, 0, "of another opponent nothing is reused");
    assert_eq!(answers(true).2, 1000);
}

/// With all other priors alike, the first visit after the root's is the centre's.
#[test]
fn the_centre_is_looked_at_against_a_mirroring_opponent() {
    let analysis = AnalysisOptions {
        opponent: OpponentModel {
            mirrors: true,
            ..OpponentModel::default()
        },
        root_policy_temperature: Some(100.0),
        ..AnalysisOptions::default()
    };
    let request = SearchRequest::new(empty(5, 5, "tromp-taylor").into());
    let request = request.within(visits(2)).with(analysis);
    let mut searcher = hashing(&empty(5, 5, "tromp-taylor"), 1, SearchParams::default());
    let report = searcher.search(&request, &mut |_| {}).unwrap();
    let visited = report.moves.iter().filter(|found| found.visits > 0);
    let visited: Vec<Move> = visited.map(|found| found.mv).collect();
    assert_eq!(visited, [Move(12)]);
}

#[test]
fn a_tree_is_of_one_advantage() {
    let mut searcher = hashing(&empty(5, 5, "tromp-taylor"), 1, SearchParams::default());
    let mut reused = |doublings| {
        let opponent = OpponentModel {
            advantage: Some(VisitAdvantage {
                color: Color::Black,
                doublings,
            }),
            ..OpponentModel::default()
        };
        let report = against(&mut searcher, opponent);
        assert!(
            !report.shows_advantage,
            "only KataGo's networks are shown it"
        );
        report.reused
    };
    assert_eq!([1.0, 1.0, 2.0].map(&mut reused), [0, 1000, 0]);
    let start = empty(5, 5, "tromp-taylor").into();
    let evaluated = searcher.search(&SearchRequest::evaluation(start), &mut |_| {});
    assert_eq!(evaluated.unwrap().visits, 1);
    let report = against(&mut searcher, OpponentModel::default());
    assert_eq!(
        report.reused, 0,
        "the evaluation left the tree to its opponent"
    );
}
