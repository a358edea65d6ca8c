//! Passes under a clock.

use parking_lot::Mutex;

use super::*;
use crate::clock::StopReason;
use crate::engine::passing::is_offered;
use crate::game::{OwnershipEstimate, PointStatus};
use crate::games::go::{GoRules, SmallGo};

/// Records its time limits.
struct Recorder(Arc<Mutex<Vec<Duration>>>);

impl Thinker<SmallGo> for Recorder {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        if request.is_evaluation {
            // It has no network whose owners could be asked for.
            return Err(ThinkError::Late);
        }
        let budget = request.limits.budget.expect("there is a clock");
        self.0.lock().push(budget.maximum);
        let any = request.start.legal_moves().next().expect("a legal move");
        Ok(report(&[(any.0, 1, 0.0)]))
    }
}

/// Time limits of the search that `moves` makes after a pass, on which this much time is spent.
fn searched_after_a_pass(judged: Duration, moves: fn(&mut Player<SmallGo>)) -> Duration {
    let (clock, searched) = (FakeClock::new(), Arc::new(Mutex::new(Vec::new())));
    let kept = Arc::clone(&searched);
    let make: MakeThinker<SmallGo> = Arc::new(move || Box::new(Recorder(Arc::clone(&kept))));
    let empty = SmallGo::new(BoardSize::square(5)).expect("a usual board");
    let time = clock.clone();
    let dead_stones = move |position: &SmallGo, _, _: &dyn Fn() -> bool| {
        time.advance(judged);
        crate::rollout::expect(position, 50, 1, &|| false)
    };
    let mut engine = Player::new(empty, make, punctual(), Arc::new(clock.clone()));
    engine.dead_stones.expect = Some(Box::new(dead_stones));
    engine.set_time_control(limited(600));
    let pass = Play {
        color: Color::White,
        vertex: Vertex::Pass,
    };
    engine.play(pass).expect("legal");
    let before = engine.clock_state(Color::Black).clock;
    moves(&mut engine);
    assert_eq!(clock.now(), judged, "once");
    let after = engine.clock_state(Color::Black).clock;
    assert_eq!(before == after, judged.is_zero(), "it is charged");
    let searched = searched.lock();
    assert_eq!(searched.len(), 1);
    searched[0]
}

#[test]
fn a_search_goes_without_the_time_that_judging_took() {
    let judged = Duration::from_millis(700);
    let usual = |engine: &mut Player<SmallGo>| {
        genmove(engine, Color::Black);
    };
    let cleanup = |engine: &mut Player<SmallGo>| {
        engine.genmove(
            &MoveRequest::new(Color::Black, &StopFlag::new()).of_kind(MoveKind::Cleanup),
            &mut |_| {},
        );
    };
    for moves in [usual, cleanup] {
        let all = searched_after_a_pass(Duration::ZERO, moves);
        assert_eq!(searched_after_a_pass(judged, moves), all - judged);
    }
}

/// Prefers a pass, takes all of its time, and records the time of each search.
struct Passes(Arc<FakeClock>, Arc<Mutex<Vec<Duration>>>);

impl Thinker<SmallGo> for Passes {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let Some(budget) = request.limits.budget else {
            return Err(ThinkError::Late);
        };
        self.0.advance(budget.target);
        self.1.lock().push(budget.target);
        let pass = request.start.position().size().pass();
        Ok(report(&[(pass.0, 1, 0.0), (0, 1, -1.0)]))
    }
}

#[test]
fn an_analysis_that_prefers_a_pass_keeps_to_its_time() {
    let (clock, searched) = (Arc::new(FakeClock::new()), Arc::default());
    let (time, kept) = (Arc::clone(&clock), Arc::clone(&searched));
    let make: MakeThinker<SmallGo> =
        Arc::new(move || Box::new(Passes(Arc::clone(&time), Arc::clone(&kept))));
    let empty = SmallGo::new(BoardSize::square(5)).expect("a usual board");
    let mut engine = Player::new(empty, make, punctual(), clock);
    let effort = AnalysisEffort::Bounded {
        visits: Some(500),
        time: Some(Duration::from_secs(10)),
    };
    let request = AnalysisRequest::new(Color::Black, effort, &StopFlag::new());
    assert!(engine.analyse(&request, &mut |_| {}).is_some());
    let searched: Duration = searched.lock().iter().sum();
    assert_eq!(searched, Duration::from_secs(10));
}

/// Prefers this move, and takes all of its planned time.
struct Prefers(Arc<FakeClock>, Move);

impl Thinker<SmallGo> for Prefers {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let budget = request.limits.budget.ok_or(ThinkError::Late)?;
        self.0.advance(budget.target);
        Ok(SearchReport {
            stop: StopReason::Time,
            elapsed: budget.target,
            ..report(&[(self.1.0, 1, 0.5), (24, 1, 0.0)])
        })
    }
}

#[test]
fn looks_at_a_pass_cost_no_period_of_byoyomi() {
    let taken_for = |time_per_move: Option<Duration>, preferred: fn(BoardSize) -> Move| {
        let clock = Arc::new(FakeClock::new());
        let (time, size) = (Arc::clone(&clock), BoardSize::square(5));
        let make: MakeThinker<SmallGo> =
            Arc::new(move || Box::new(Prefers(Arc::clone(&time), preferred(size))));
        let limits = ThinkingLimits {
            time_per_move,
            ..punctual()
        };
        let mut engine = Player::new(SmallGo::new(size).expect("usual"), make, limits, clock);
        // Black's wall and White's.
        for (black, white) in (5..10).zip(15..20) {
            engine.play(stone(Color::Black, black)).expect("legal");
            engine.play(stone(Color::White, white)).expect("legal");
        }
        let period = Duration::from_secs(10);
        engine.set_time_control(TimeControl::Limited {
            main: Duration::ZERO,
            overtime: Overtime::Byoyomi { period, periods: 3 },
        });
        genmove(&mut engine, Color::Black);
        let told = engine.last_report().expect("a search").elapsed;
        let made = &engine.move_times()[0];
        (
            made.used.elapsed,
            made.budget.expect("a clock").target,
            told,
        )
    };
    for time_per_move in [None, Some(Duration::from_secs(1))] {
        let (taken, planned, _) = taken_for(time_per_move, BoardSize::pass);
        assert!(taken > planned * 2 / 3 && taken <= planned, "{taken:?}");
        let (taken, planned, told) = taken_for(time_per_move, |_| Move(0));
        let rest = planned - taken;
        assert!(
            rest < Duration::from_millis(100),
            "what no look needs is the search's: {rest:?}"
        );
        // The clock counts in microseconds.
        let apart = told.abs_diff(taken);
        assert!(apart < Duration::from_micros(10), "{told:?}, {taken:?}");
    }
}

/// Has a network that takes all points for Black's, and records whether searches avoid a pass.
struct AllBlack(Arc<Mutex<Vec<bool>>>);

impl Thinker<SmallGo> for AllBlack {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        if request.is_evaluation {
            return Ok(SearchReport {
                evaluations: 1,
                expected: Some(all_owned(1.0)),
                ..report(&[(0, 1, 0.0)])
            });
        }
        let pass = request.start.position().size().pass();
        self.0.lock().push(request.analysis.avoid.contains(&pass));
        let any = request.start.legal_moves().next().expect("a legal move");
        Ok(report(&[(any.0, 1, 0.0)]))
    }
}

/// An estimate that gives all points of a 5x5 board this owner.
fn all_owned(owner: f32) -> OwnershipEstimate {
    OwnershipEstimate {
        owner: vec![owner; 25],
        by_turn: None,
        shared: vec![0.0; 25],
        black_ahead: 0.0,
        deviation: 0.0,
    }
}

#[test]
fn a_cleanup_takes_for_dead_what_a_count_does() {
    let avoided = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&avoided);
    let make: MakeThinker<SmallGo> = Arc::new(move || Box::new(AllBlack(Arc::clone(&kept))));
    let empty = SmallGo::new(BoardSize::square(5)).expect("a usual board");
    let mut engine = Player::new(empty, make, punctual(), Arc::new(FakeClock::new()));
    // By playouts alone the stone would not be dead.
    let dead_stones = |_: &SmallGo, _, _: &dyn Fn() -> bool| Some(all_owned(0.1));
    engine.dead_stones.expect = Some(Box::new(dead_stones));
    let stone = Move(12);
    let play = Play {
        color: Color::White,
        vertex: Vertex::Point(stone),
    };
    engine.play(play).expect("legal");
    let stop = StopFlag::new();
    let settled = engine.settle(&stop).expect("nothing stops it");
    let dead: Vec<Move> = settled
        .expect("Go has dead stones")
        .points(PointStatus::Dead)
        .collect();
    assert_eq!(dead, [stone]);
    let cleanup = MoveRequest::new(Color::Black, &stop).of_kind(MoveKind::Cleanup);
    engine.genmove(&cleanup, &mut |_| {});
    assert_eq!(*avoided.lock(), [true]);
}

/// Records whether a pass would end the game in the positions that it searches.
struct Offers(Arc<Mutex<Vec<bool>>>);

impl Thinker<SmallGo> for Offers {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        self.0.lock().push(is_offered(request.start.position()));
        let any = request.start.legal_moves().next().expect("a legal move");
        Ok(report(&[(any.0, 1, 0.0)]))
    }
}

#[test]
fn an_analysed_game_in_the_middle_ends_by_a_pass_only_where_that_wins_by_the_rules() {
    for (name, ends) in [
        ("chinese", false),
        ("japanese", false),
        ("tromp-taylor", true),
    ] {
        let offered = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&offered);
        let make: MakeThinker<SmallGo> = Arc::new(move || Box::new(Offers(Arc::clone(&kept))));
        let rules: GoRules = name.parse().expect("known rules");
        let empty = SmallGo::with_rules(BoardSize::square(5), rules).expect("a usual board");
        let mut engine = Player::new(empty, make, punctual(), Arc::new(FakeClock::new()));
        engine.play(stone(Color::Black, 12)).expect("legal");
        let pass = Play {
            color: Color::White,
            vertex: Vertex::Pass,
        };
        engine.play(pass).expect("legal");
        let stop = StopFlag::new();
        let request = AnalysisRequest::new(Color::Black, AnalysisEffort::Endless, &stop);
        let found = engine.analyse(&request, &mut |_| {}).expect("a report");
        assert_eq!(*offered.lock(), [ends], "{name}");
        // The pass, which is not in the report, would count all points for Black.
        let lead = found.expected.map(|expected| expected.black_ahead);
        assert_eq!(lead, ends.then_some(17.5), "{name}");
    }
}
