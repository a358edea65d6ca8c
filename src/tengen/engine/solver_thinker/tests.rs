//! Small boards, which are solved at once.

use std::time::Duration;

use super::*;
use crate::clock::{Budget, FakeClock, StopReason, SystemClock};
use crate::engine::RolloutThinker;
use crate::game::{BoardSize, Color, Game, Move, Proof};
use crate::games::gomoku::Gomoku;
use crate::games::nogo::SmallNoGo;
use crate::search::AnalysisOptions;
use crate::solver::{MakeProbe, SolveResult};

fn thinker(time: Arc<dyn Clock>) -> SolverThinker<SmallNoGo> {
    let inner = Box::new(RolloutThinker::new(1, 1 << 30, Arc::clone(&time)));
    let solver = SmallNoGo::solver(1 << 20).expect("NoGo has one");
    SolverThinker::new(inner, solver, SolverOptions::default().solver_from, time)
}

fn empty(width: u8, height: u8) -> SmallNoGo {
    SmallNoGo::new(BoardSize::new(width, height)).expect("a small board")
}

fn visits(visits: u64) -> Limits {
    Limits::visits(visits)
}

/// 3x3 is a win for the first player, 3x4 for the second (docs/methods.md#nogo).
#[test]
fn a_small_board_is_proven_before_the_search() {
    for (height, proof) in [(3, Proof::Win), (4, Proof::Loss)] {
        let mut thinker = thinker(Arc::new(FakeClock::new()));
        let request = SearchRequest::new(empty(3, height).clone().into()).within(visits(20_000));
        let report = thinker.search(&request, &mut |_| {});
        let report = report.expect("playouts never fail");
        assert_eq!(
            (report.proof, report.stop),
            (Some(proof), StopReason::Proven)
        );
        assert_eq!((report.value, report.visits), (proof.value(), 0));
        assert_eq!(report.moves[0].proof, Some(proof));
        assert_eq!(report.moves.len(), usize::from(3 * height));
    }
}

#[test]
fn under_a_time_limit_the_search_is_alone_unless_it_is_shown() {
    let solved = |budget, visits, purpose| {
        let mut thinker = thinker(Arc::new(SystemClock::new()));
        let limits = Limits { visits, budget };
        let analysis = AnalysisOptions {
            purpose,
            ..AnalysisOptions::default()
        };
        let request = SearchRequest::new(empty(3, 3).into()).within(limits);
        let report = thinker.search(&request.with(analysis), &mut |_| {});
        report.expect("playouts never fail").proof
    };
    let win = Some(Proof::Win);
    let [short, long] = [Duration::from_millis(100), Duration::from_secs(3600)];
    let [short, long] = [short, long].map(|time| Some(Budget::fixed(time, time)));
    assert_eq!(solved(short, None, Purpose::Move), None);
    assert_eq!(solved(short, Some(20_000), Purpose::Move), None);
    assert_eq!(solved(None, Some(20_000), Purpose::Move), win);
    for shown in [Purpose::ShownMove, Purpose::Position] {
        assert_eq!(solved(long, None, shown), win);
        assert_eq!(solved(long, Some(20_000), shown), win);
        assert_eq!(solved(None, None, shown), win);
    }
}

#[test]
fn the_solver_does_not_overstep_the_clock() {
    for purpose in [Purpose::Move, Purpose::ShownMove] {
        keeps_the_clock(purpose);
    }
}

fn keeps_the_clock(purpose: Purpose) {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let mut thinker = thinker(Arc::clone(&time));
    let short = Duration::from_millis(500);
    let limits = Limits {
        visits: Some(1_000_000_000),
        budget: Some(Budget::fixed(short, short)),
    };
    // Not solvable in that time.
    let position = empty(6, 6);
    assert!(
        position
            .plies_left()
            .at_most(SolverOptions::default().solver_from)
    );
    let analysis = AnalysisOptions {
        purpose,
        ..AnalysisOptions::default()
    };
    let request = SearchRequest::new(position.into()).within(limits);
    let report = thinker.search(&request.with(analysis), &mut |_| {});
    let report = report.expect("playouts never fail");
    assert_eq!((report.proof, report.stop), (None, StopReason::Time));
    assert!(report.visits > 0 && time.now() < Duration::from_secs(5));
}

#[test]
fn without_a_result_the_search_has_its_way() {
    let (few, far) = (visits(2), visits(10));
    let mut thinker = thinker(Arc::new(FakeClock::new()));
    let mut think = |side, limits| {
        let report = thinker.search(
            &SearchRequest::new(empty(side, side).clone().into()).within(limits),
            &mut |_| {},
        );
        let report = report.expect("playouts never fail");
        (report.visits, report.proof, report.stop)
    };
    assert_eq!(think(5, few), (2, None, StopReason::Visits));
    assert_eq!(think(9, far), (10, None, StopReason::Visits));
}

#[test]
fn a_raised_flag_stops_both() {
    let mut thinker = thinker(Arc::new(SystemClock::new()));
    let stop = StopFlag::new();
    stop.raise();
    let report = thinker.search(
        &SearchRequest::new(empty(5, 5).clone().into())
            .within(Limits::default())
            .until(&stop),
        &mut |_| {},
    );
    let report = report.expect("playouts never fail");
    assert_eq!((report.proof, report.stop), (None, StopReason::Interrupted));
}

#[test]
fn equal_calls_find_the_same() {
    let run = || {
        let mut thinker = thinker(Arc::new(FakeClock::new()));
        let mut position = empty(5, 5);
        let mut reports = Vec::new();
        while position.outcome().is_none() {
            let report = thinker.search(
                &SearchRequest::new(position.clone().into()).within(visits(60)),
                &mut |_| {},
            );
            let report = report.expect("playouts never fail");
            position.play(report.moves[0].mv);
            reports.push(report);
        }
        reports
    };
    let reports = run();
    assert_eq!(reports, run());
    assert!(reports.iter().any(|report| report.proof.is_some()));
}

/// Gomoku on 9x9, Black to move against a row of White's stones with open ends.
fn threatened(stones: u8) -> Gomoku {
    let empty = Gomoku::new(BoardSize::square(9)).unwrap();
    let size = empty.size();
    let row = (2..2 + stones).map(|x| (size.point(x, 4), Color::White));
    let others = [(7, 7), (1, 1), (4, 8)].map(|(x, y)| (size.point(x, y), Color::Black));
    let stones: Vec<_> = row.chain(others).collect();
    empty.set_up(&stones, Color::Black).unwrap()
}

/// A threat solver before playouts.
fn prover() -> SolverThinker<Gomoku> {
    prover_by(Gomoku::solver(1 << 16).expect("Gomoku has one"))
}

fn prover_by(solver: Box<dyn Solve<Gomoku>>) -> SolverThinker<Gomoku> {
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let inner = Box::new(RolloutThinker::new(1, 1 << 30, Arc::clone(&time)));
    SolverThinker::new(inner, solver, 400, time)
}

fn by_threats(position: Gomoku, visits: u64) -> SearchReport {
    let limits = Limits::visits(visits);
    let report = prover().search(
        &SearchRequest::new(position.into()).within(limits),
        &mut |_| {},
    );
    report.expect("playouts never fail")
}

#[test]
fn moves_that_do_nothing_against_a_threat_come_last() {
    let report = by_threats(threatened(3), 50);
    let open = report
        .moves
        .iter()
        .take_while(|found| found.proof.is_none());
    let open: Vec<u16> = open.map(|found| found.mv.0).collect();
    assert_eq!(open.len(), 2, "the ends of the row, not {open:?}");
    let rest = &report.moves[open.len()..];
    assert!(rest.iter().all(|found| found.proof == Some(Proof::Loss)));
    assert_eq!((report.proof, report.visits), (None, 50));
}

#[test]
fn a_lost_position_is_known_at_once() {
    let report = by_threats(threatened(4), 1000);
    assert_eq!(
        (report.proof, report.stop),
        (Some(Proof::Loss), StopReason::Proven)
    );
}

#[test]
fn the_only_answer_to_a_four_is_played_at_once() {
    let mut position = threatened(4);
    let size = position.size();
    position.put(Color::Black, size.point(1, 4));
    let report = by_threats(position, 1000);
    assert_eq!(report.moves[0].mv, size.point(6, 4));
    assert!(report.visits <= 1 && report.proof.is_none(), "{report:?}");
}

/// A prover that fails the test if asked for more than the losing moves.
struct Unasked(Box<dyn Solve<Gomoku>>);

impl Solve<Gomoku> for Unasked {
    fn solve(&mut self, _: &Gomoku, _: &SolveLimits<'_>) -> SolveResult {
        panic!("there is nothing to solve")
    }

    fn advise(
        &mut self,
        _: &Gomoku,
        _: Proof,
        _: Option<Move>,
        _: &SolveLimits<'_>,
    ) -> SolvedMoves {
        panic!("there is nothing to advise")
    }

    fn line(&mut self, _: &Gomoku, _: &SolveLimits<'_>) -> Vec<Move> {
        Vec::new()
    }

    fn losing(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> Vec<Move> {
        self.0.losing(position, effort)
    }

    fn probes(&self) -> MakeProbe<Gomoku> {
        self.0.probes()
    }

    fn clear(&mut self) {}
}

#[test]
fn the_only_answer_needs_no_solver() {
    let mut position = threatened(4);
    let size = position.size();
    position.put(Color::Black, size.point(1, 4));
    let minute = Duration::from_secs(60);
    let in_time = Limits {
        visits: None,
        budget: Some(Budget::fixed(minute, minute)),
    };
    for limits in [in_time, visits(1000)] {
        let prover = Gomoku::solver(1 << 16).expect("Gomoku has one");
        let mut thinker = prover_by(Box::new(Unasked(prover)));
        let request = SearchRequest::new(position.clone().into()).within(limits);
        let report = thinker.search(&request, &mut |_| {});
        let report = report.expect("playouts never fail");
        assert_eq!(report.moves[0].mv, size.point(6, 4));
        assert!(report.visits <= 1 && report.proof.is_none(), "{report:?}");
    }
}

/// A search of a position for this purpose.
fn watched<G: Solvable>(
    thinker: &mut SolverThinker<G>,
    position: G,
    count: u64,
    purpose: Purpose,
) -> SearchReport {
    let analysis = AnalysisOptions {
        purpose,
        ..AnalysisOptions::default()
    };
    let request = SearchRequest::new(position.into())
        .within(visits(count))
        .with(analysis);
    let report = thinker.search(&request, &mut |_| {});
    report.expect("playouts never fail")
}

#[test]
fn spectators_see_moves_with_visits_and_how_the_game_is_won() {
    for (height, proof) in [(3, Proof::Win), (4, Proof::Loss)] {
        for purpose in [Purpose::ShownMove, Purpose::Position] {
            let mut thinker = thinker(Arc::new(FakeClock::new()));
            let report = watched(&mut thinker, empty(3, height), 20_000, purpose);
            let best = &report.moves[0];
            assert_eq!(
                (report.proof, best.proof, best.visits),
                (Some(proof), Some(proof), 1)
            );
            assert_eq!(best.pv.len(), best.pv_visits.len());
            let lines = purpose == Purpose::Position;
            assert_eq!(best.pv.len() > 1, lines, "{best:?}");
            for found in &report.moves[1..] {
                assert_eq!(
                    found.visits > 0,
                    found.proof == Some(Proof::Win),
                    "{found:?}"
                );
            }
            let all: u64 = report.moves.iter().map(|found| found.visits).sum();
            assert_eq!(report.visits, all);
        }
    }
}

#[test]
fn with_a_single_visit_a_position_is_told_what_can_be_seen_at_once() {
    let known = |purpose| {
        let mut thinker = thinker(Arc::new(FakeClock::new()));
        watched(&mut thinker, empty(3, 3), 1, purpose).proof
    };
    assert_eq!(known(Purpose::Position), Some(Proof::Win));
    assert_eq!(
        (known(Purpose::Move), known(Purpose::ShownMove)),
        (None, None)
    );
}

#[test]
fn the_only_answer_is_searched_as_far_as_its_numbers_matter() {
    for (purpose, searched) in [
        (Purpose::Move, 0),
        (Purpose::ShownMove, 100),
        (Purpose::Position, 300),
    ] {
        let mut position = threatened(4);
        let size = position.size();
        position.put(Color::Black, size.point(1, 4));
        let report = watched(&mut prover(), position, 300, purpose);
        assert_eq!(report.moves[0].mv, size.point(6, 4));
        assert_eq!(
            (report.visits, report.moves[0].visits),
            (searched, searched)
        );
    }
}

/// The first or a repeated probe of a position this many moves below the root.
fn probe(visits: u32, depth: usize) -> ProbeContext<'static> {
    ProbeContext {
        visits,
        depth,
        is_reused: false,
        over: &|| false,
    }
}

#[test]
fn nodes_grow_with_visits_and_are_given_where_they_may_do() {
    let nodes = |visits, median| probe_nodes(100, &probe(visits, 5), Some(median));
    assert_eq!(nodes(0, 400.0), Some(100));
    assert_eq!(nodes(0, 401.0), None);
    assert_eq!(nodes(4, 401.0), Some(400));
    assert_eq!(nodes(1 << 20, 1e5), Some(MAX_NODES));
    assert_eq!(nodes(1 << 20, 1e6), None);
}

#[test]
fn where_nothing_is_known_new_positions_are_probed_and_the_roots_moves_again() {
    let asked = |each, occasion| probe_nodes(each, &occasion, None);
    assert_eq!(asked(300, probe(0, 9)), Some(300));
    assert_eq!(asked(1_000_000, probe(0, 9)), Some(MAX_NODES));
    assert_eq!(asked(300, probe(256, 9)), None);
    let again = [4, 64, 256, 1024, 4096].map(|visits| asked(300, probe(visits, 1)));
    assert_eq!(again, [None, None, Some(12_800), Some(MAX_AGAIN), None]);
}

#[test]
fn a_root_move_of_an_earlier_search_is_probed_once_if_it_has_visits() {
    let asked = |visits, median| {
        let occasion = ProbeContext {
            is_reused: true,
            ..probe(visits, 1)
        };
        probe_nodes(100, &occasion, median)
    };
    let threats = [257, 999, 1000, 5000].map(|visits| asked(visits, None));
    assert_eq!(threats, [None, None, Some(MAX_AGAIN), Some(MAX_AGAIN)]);
    // Where nodes grow with visits it was asked as any other position.
    assert_eq!(asked(300, Some(100.0)), None);
    // At a power it is due in any case.
    assert_eq!(asked(256, None), Some(12_800));
    assert_eq!(asked(256, Some(100.0)), Some(25_600));
    assert_eq!(asked(4096, None), Some(MAX_AGAIN));
}
