//! Analysis and pondering: searches that are ended by a stop flag.

use super::*;
use crate::game::Symmetry;

/// A raised flag.
fn raised() -> StopFlag {
    let stop = StopFlag::new();
    stop.raise();
    stop
}

#[test]
fn pondering_is_for_the_opponents_turn_only() {
    let begun = StopFlag::new();
    let mut engine = player(Behaviour::WhenStopped(begun.clone()));
    // If pondering started by mistake, it would not end.
    let never = StopFlag::new();
    engine.ponder(&never);
    engine.play(stone(Color::Black, 0)).expect("legal");
    engine.ponder(&never);
    engine.genmove(&MoveRequest::new(Color::White, &raised()), &mut |_| {});
    engine.undo().expect("it was played");
    engine.ponder(&never);
    engine.genmove(&MoveRequest::new(Color::White, &raised()), &mut |_| {});
    engine.rest();
    engine.ponder(&never);
    assert!(!begun.is_raised());

    engine.genmove(&MoveRequest::new(Color::Black, &raised()), &mut |_| {});
    let stop = StopFlag::new();
    let presser = std::thread::spawn({
        let stop = stop.clone();
        move || {
            while !begun.is_raised() {
                std::thread::yield_now();
            }
            stop.raise();
        }
    });
    engine.ponder(&stop);
    presser.join().expect("it only waits");

    // After the last move of a game there is nothing to search.
    engine.genmove(&MoveRequest::new(Color::White, &raised()), &mut |_| {});
    engine.genmove(&MoveRequest::new(Color::Black, &raised()), &mut |_| {});
    assert!(engine.outcome().is_some());
    engine.ponder(&never);
}

#[test]
fn an_analysis_changes_nothing() {
    let mut engine = player(Behaviour::Highest);
    engine.play(stone(Color::Black, 4)).expect("legal");
    let before = (seen(&engine), engine.record());
    for effort in [
        AnalysisEffort::Endless,
        AnalysisEffort::OneEvaluation,
        AnalysisEffort::Network(Symmetry::IDENTITY),
    ] {
        for color in Color::BOTH {
            let request = AnalysisRequest::new(color, effort, &StopFlag::new());
            let report = engine.analyse(&request, &mut |_| {});
            assert_eq!(report.expect("there are moves").moves[0].mv, Move(3));
        }
    }
    assert_eq!((seen(&engine), engine.record()), before);
    assert_eq!(engine.last_report(), None);
    assert_eq!(engine.legal_moves(Color::Black).len(), 4);
}

/// Records the number of moves to avoid in each search, and where a game begins.
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Thinker<FillGame> for Recorder {
    fn search(
        &mut self,
        request: &SearchRequest<FillGame>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        self.0.lock().push(request.analysis.avoid.len().to_string());
        Ok(report(&[(0, 1, 1.0)]))
    }

    fn new_game(&mut self) {
        self.0.lock().push("new".to_owned());
    }
}

/// A player with a recorder, and what that records.
fn recorded() -> (Player<FillGame>, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let make: MakeThinker<FillGame> = Arc::new(move || Box::new(Recorder(Arc::clone(&kept))));
    let empty = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
    let engine = Player::new(empty, make, punctual(), Arc::new(FakeClock::new()));
    (engine, seen)
}

#[test]
fn visits_of_a_search_with_fewer_choices_are_not_for_another() {
    let (mut engine, seen) = recorded();
    let stop = StopFlag::new();
    let avoiding = |points: &[u16]| AnalysisOptions {
        avoid: points.iter().copied().map(Move).collect(),
        ..AnalysisOptions::default()
    };
    let mut analyse = |points: &[u16]| {
        let request = AnalysisRequest::new(Color::Black, AnalysisEffort::Endless, &stop);
        engine.analyse(&request.with(avoiding(points)), &mut |_| {});
    };
    for points in [&[][..], &[], &[1, 2], &[1, 2], &[3], &[3]] {
        analyse(points);
    }
    let request = MoveRequest::new(Color::Black, &stop).with(avoiding(&[3]));
    engine.genmove(&request, &mut |_| {});
    genmove(&mut engine, Color::White);
    genmove(&mut engine, Color::Black);
    let expected = "0 0 2 2 new 1 1 1 new 0 0";
    assert_eq!(seen.lock().join(" "), expected);
}

/// Pondering would be a third search, and the analysis would leave its visits to the move after it.
#[test]
fn a_level_moves_by_its_own_visits() {
    for (is_weakened, expected) in [(true, "0 0 new 0"), (false, "0 0 0 0")] {
        let (mut engine, seen) = recorded();
        engine.is_weakened = is_weakened;
        let stop = StopFlag::new();
        genmove(&mut engine, Color::Black);
        engine.ponder(&stop);
        let request = AnalysisRequest::new(Color::White, AnalysisEffort::Endless, &stop);
        engine.analyse(&request, &mut |_| {});
        genmove(&mut engine, Color::White);
        assert_eq!(seen.lock().join(" "), expected);
    }
}

#[test]
fn a_broken_search_has_nothing_to_show() {
    for behaviour in [Behaviour::Fails, Behaviour::Panics] {
        let mut engine = player(behaviour);
        let request = AnalysisRequest::new(Color::Black, AnalysisEffort::Endless, &StopFlag::new());
        let report = engine.analyse(&request, &mut |_| {});
        assert_eq!(report, None);
    }
    let mut engine = player(Behaviour::Hangs);
    let request = AnalysisRequest::new(Color::Black, AnalysisEffort::Endless, &raised());
    let report = engine.analyse(&request, &mut |_| {});
    assert_eq!(report, None, "it is not waited for");
}
