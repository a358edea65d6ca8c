mod analysis;
mod passing;
mod static_policy;

use parking_lot::Mutex;

use super::super::testing::{Behaviour, FillGame, player, report, timed_player};
use super::super::{AnalysisEffort, ThinkError, Thinker};
use super::*;
use crate::clock::{FakeClock, Overtime, TimeLeft, TimeParams};
use crate::record::Vertex;

fn stone(color: Color, point: u16) -> Play {
    let vertex = Vertex::Point(Move(point));
    Play { color, vertex }
}

/// The board as a string, and the side to move.
fn seen(engine: &dyn Engine) -> (String, Color) {
    let points = engine.size().points();
    let board = points.map(|point| match engine.stone(point) {
        Some(Color::Black) => 'b',
        Some(Color::White) => 'w',
        None => '.',
    });
    (board.collect(), engine.to_move())
}

/// Thinking limits for a clock without lag.
fn punctual() -> ThinkingLimits {
    ThinkingLimits {
        lag: Some(Duration::ZERO),
        ..ThinkingLimits::default()
    }
}

fn limited(main: u64) -> TimeControl {
    TimeControl::Limited {
        main: Duration::from_secs(main),
        overtime: Overtime::None,
    }
}

/// A move to be played, without a limit by the caller.
fn genmove<G: Game>(engine: &mut Player<G>, color: Color) -> Decision {
    engine.genmove(&MoveRequest::new(color, &StopFlag::new()), &mut |_| {})
}

#[test]
fn one_colour_may_play_twice_and_failures_change_nothing() {
    let mut engine = player(Behaviour::Highest);
    assert_eq!(engine.undo(), Err(EngineError::CannotUndo));
    engine.play(stone(Color::White, 0)).expect("legal");
    engine.play(stone(Color::White, 1)).expect("legal");
    let before = seen(&engine);
    assert_eq!(before, ("ww...".to_owned(), Color::Black));
    for vertex in [Vertex::Point(Move(1)), Vertex::Point(Move(5)), Vertex::Pass] {
        let play = Play {
            color: Color::White,
            vertex,
        };
        assert!(matches!(
            engine.play(play),
            Err(EngineError::IllegalMove(_))
        ));
        assert_eq!(seen(&engine), before);
    }
    engine.undo().expect("two moves were played");
    assert_eq!(seen(&engine), ("w....".to_owned(), Color::Black));
}

#[test]
fn a_full_game_ends_in_resignation() {
    let mut engine = player(Behaviour::Highest);
    let stop = StopFlag::new();
    let mut color = Color::Black;
    for point in (0..5).rev() {
        let expected = Decision::Play(Vertex::Point(Move(point)));
        assert_eq!(
            engine.genmove(
                &MoveRequest::new(color, &stop).of_kind(MoveKind::Named),
                &mut |_| {}
            ),
            expected
        );
        assert_eq!(genmove(&mut engine, color), expected);
        color = color.opponent();
    }
    assert_eq!(genmove(&mut engine, color), Decision::Resign);
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::Black)));
    assert_eq!(engine.record().result, "B+R");
    assert_eq!(engine.record().plays.len(), 5);
}

#[test]
fn a_komi_in_the_rules_changes_the_game_so_far() {
    let mut engine = player(Behaviour::Highest);
    for color in Color::BOTH.into_iter().cycle().take(5) {
        genmove(&mut engine, color);
    }
    engine.set_komi(HalfPoints(13));
    assert_eq!(engine.record().plays.len(), 5);
    assert_eq!(engine.record().result, "B+6.5");
    engine.undo().expect("five were played");
    engine.set_komi(HalfPoints(1));
    genmove(&mut engine, Color::Black);
    assert_eq!(engine.record().result, "B+0.5");
    assert_eq!(engine.record().komi, Some(HalfPoints(1)));
    engine.clear();
    assert_eq!(engine.record().komi, Some(HalfPoints(1)), "it stays");
}

#[test]
fn a_bad_thinker_still_gives_a_legal_move_every_time() {
    for behaviour in [Behaviour::Illegal, Behaviour::Fails, Behaviour::Panics] {
        let mut engine = player(behaviour.clone());
        for point in 0..3 {
            let decision = genmove(&mut engine, Color::Black);
            assert_eq!(
                decision,
                Decision::Play(Vertex::Point(Move(point))),
                "{behaviour:?}"
            );
        }
    }
}

#[test]
fn a_thinker_that_hangs_is_left_behind() {
    let mut engine = player(Behaviour::Hangs);
    engine.set_time_control(limited(0));
    for point in 0..2 {
        let decision = genmove(&mut engine, Color::Black);
        assert_eq!(decision, Decision::Play(Vertex::Point(Move(point))));
    }
    let raised = StopFlag::new();
    raised.raise();
    engine.set_time_control(TimeControl::Unlimited);
    let decision = engine.genmove(&MoveRequest::new(Color::Black, &raised), &mut |_| {});
    assert_eq!(decision, Decision::Play(Vertex::Point(Move(2))));
}

#[test]
fn what_a_thinker_said_before_it_hung_is_played() {
    let clock = FakeClock::new();
    let mut engine = timed_player(Behaviour::SpeaksAndHangs, &clock);
    engine.set_time_control(limited(1));
    let mut request = MoveRequest::new(Color::Black, &StopFlag::new());
    request.options.interval = Some(Duration::ZERO);
    let decision = engine.genmove(&request, &mut |_| clock.advance(Duration::from_secs(1)));
    assert_eq!(decision, Decision::Play(Vertex::Point(Move(4))));
}

#[test]
fn the_hard_limit_stops_a_search_that_forgets_the_time() {
    let (clock, begun) = (FakeClock::new(), StopFlag::new());
    let mut engine = timed_player(Behaviour::WhenStopped(begun.clone()), &clock);
    let hard = Duration::from_secs(100);
    engine.set_thinking_limits(ThinkingLimits {
        time_per_move: Some(Duration::from_secs(1)),
        late_after: Some(hard),
        ..ThinkingLimits::default()
    });
    let watch = clock.clone();
    let passing = std::thread::spawn(move || {
        while !begun.is_raised() {
            std::thread::yield_now();
        }
        watch.advance(hard.saturating_sub(Duration::from_millis(1)));
    });
    let decision = genmove(&mut engine, Color::Black);
    assert_eq!(decision, Decision::Play(Vertex::Point(Move(4))));
    passing.join().expect("it only waits");
}

#[test]
fn limits_given_hold_together_and_two_seconds_are_the_default() {
    let secs = Duration::from_secs;
    let found = |visits, time_per_move, control| {
        let mut timing = Timing::new(ThinkingLimits {
            visits,
            time_per_move,
            late_after: None,
            lag: Some(Duration::ZERO),
            time: TimeParams::default(),
        });
        timing.set_control(control);
        let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let limits = timing.limits(&position).0;
        let target = limits.budget.map(|budget| {
            let millis = budget.target.as_millis() as u64;
            Duration::from_millis(millis)
        });
        (limits.visits, target)
    };
    let check = |visits, time_per_move, control, expected: (Option<u64>, Option<Duration>)| {
        assert_eq!(found(visits, time_per_move, control), expected);
    };
    check(None, None, TimeControl::Unlimited, (None, Some(secs(2))));
    check(Some(9), None, TimeControl::Unlimited, (Some(9), None));
    check(
        None,
        Some(secs(7)),
        TimeControl::Unlimited,
        (None, Some(secs(7))),
    );
    check(
        Some(9),
        Some(secs(7)),
        TimeControl::Unlimited,
        (Some(9), Some(secs(7))),
    );
    // What the clock alone allows is the shorter or the longer time.
    let [short, long] = [3, 900].map(|seconds| found(None, None, limited(seconds)).1);
    assert!(
        short < Some(secs(7)) && Some(secs(7)) < long,
        "{short:?} {long:?}"
    );
    check(Some(9), Some(secs(7)), limited(3), (Some(9), short));
    check(
        Some(9),
        Some(secs(7)),
        limited(900),
        (Some(9), Some(secs(7))),
    );
}

#[test]
fn each_side_has_its_own_clock_and_a_new_game_fills_both() {
    let clock = FakeClock::new();
    let mut engine = timed_player(Behaviour::Highest, &clock);
    engine.set_time_control(limited(60));
    engine.set_time_left(Color::White, Duration::from_secs(20), 0);
    let left = |engine: &Player<_>| {
        [Color::Black, Color::White].map(|color| engine.clock_state(color).clock.left())
    };
    let full = TimeLeft::Main(Duration::from_secs(60));
    assert_eq!(
        left(&engine),
        [full, TimeLeft::Main(Duration::from_secs(20))]
    );
    engine.clear();
    assert_eq!(left(&engine), [full, full]);
}

/// Takes five seconds for every move.
struct Slow(FakeClock);

impl Thinker<FillGame> for Slow {
    fn search(
        &mut self,
        _: &SearchRequest<FillGame>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        self.0.advance(Duration::from_secs(5));
        Ok(report(&[]))
    }
}

#[test]
fn thinking_costs_time_unless_it_is_only_asked_for_advice() {
    let clock = FakeClock::new();
    let slow = clock.clone();
    let make: MakeThinker<FillGame> = Arc::new(move || Box::new(Slow(slow.clone())));
    let empty = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
    let mut engine = Player::new(empty, make, punctual(), Arc::new(clock));
    engine.set_time_control(limited(60));
    genmove(&mut engine, Color::Black);
    engine.genmove(
        &MoveRequest::new(Color::White, &StopFlag::new()).of_kind(MoveKind::Named),
        &mut |_| {},
    );
    let left = [Color::Black, Color::White].map(|color| engine.clock_state(color).clock.left());
    let main = |seconds| TimeLeft::Main(Duration::from_secs(seconds));
    assert_eq!(left, [main(55), main(60)]);
    assert_eq!(engine.move_times().len(), 1);
    // An undone move has still used its time and its lag, unless the controller says otherwise.
    engine.undo().expect("a move was played");
    let black = |engine: &Player<_>| engine.clock_state(Color::Black).clock.left();
    assert_eq!((black(&engine), engine.move_times().len()), (main(55), 0));
    genmove(&mut engine, Color::Black);
    engine.set_time_left(Color::Black, Duration::from_secs(58), 0);
    engine.undo().expect("a move was played");
    assert_eq!(black(&engine), main(58));
}

/// Takes all of its planned time.
struct Patient(FakeClock);

impl Thinker<FillGame> for Patient {
    fn search(
        &mut self,
        request: &SearchRequest<FillGame>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let budget = request.limits.budget.ok_or(ThinkError::Late)?;
        self.0.advance(budget.target);
        Ok(report(&[]))
    }
}

#[test]
fn a_book_is_read_before_a_game_or_in_the_planned_time() {
    for is_ready in [true, false] {
        let (clock, reading) = (FakeClock::new(), Duration::from_secs(3));
        let (slow, patient) = (clock.clone(), clock.clone());
        let make: MakeThinker<FillGame> = Arc::new(move || Box::new(Patient(patient.clone())));
        let empty = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let mut engine = Player::new(empty, make, punctual(), Arc::new(clock.clone()));
        let book = FromBook::new(
            Box::new(move || {
                slow.advance(reading);
                None
            }),
            0.0,
            1,
        );
        engine.book = Some(book);
        engine.set_time_control(limited(600));
        if is_ready {
            engine.get_ready(&StopFlag::new());
            assert_eq!(clock.now(), reading);
        }
        genmove(&mut engine, Color::Black);
        let made = &engine.move_times()[0];
        let planned = made.budget.expect("a clock").target;
        let off = planned.abs_diff(made.used.elapsed);
        assert!(off < Duration::from_millis(1), "{made}");
    }
}

#[test]
fn the_time_that_is_planned_is_the_time_that_is_given() {
    let clock = FakeClock::new();
    let mut engine = timed_player(Behaviour::Highest, &clock);
    let usual = engine.planned_time(Color::Black).expect("two seconds");
    assert_eq!(usual.target, Duration::from_secs(2));
    engine.set_time_control(limited(60));
    let planned = engine.planned_time(Color::Black).expect("a clock");
    assert!(planned.target <= planned.maximum && planned.maximum <= planned.hard);
    assert_eq!(engine.planned_time(Color::Black), Some(planned));
    genmove(&mut engine, Color::Black);
    assert_eq!(engine.move_times()[0].budget, Some(planned));
}

#[test]
fn a_stone_taken_back_has_to_be_made_again() {
    let clock = FakeClock::new();
    let slow = clock.clone();
    let make: MakeThinker<FillGame> = Arc::new(move || Box::new(Slow(slow.clone())));
    let empty = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
    let mut engine = Player::new(empty, make, punctual(), Arc::new(clock));
    engine.set_time_control(TimeControl::Limited {
        main: Duration::ZERO,
        overtime: Overtime::Canadian {
            period: Duration::from_secs(30),
            stones: 3,
        },
    });
    let check = |engine: &Player<_>, seconds, stones| {
        let period = Duration::from_secs(seconds);
        let left = engine.clock_state(Color::Black).clock.left();
        assert_eq!(left, TimeLeft::Canadian { period, stones });
    };
    genmove(&mut engine, Color::Black);
    genmove(&mut engine, Color::Black);
    check(&engine, 20, 1);
    engine.undo().expect("a move was played");
    check(&engine, 20, 2);
}

#[test]
fn no_time_is_too_long() {
    let (most, stones) = (Duration::MAX, u32::MAX);
    for overtime in [
        Overtime::None,
        Overtime::Canadian {
            period: most,
            stones,
        },
        Overtime::Byoyomi {
            period: most,
            periods: stones,
        },
        Overtime::Fischer {
            increment: most,
            most_main: Some(most),
            most_move: None,
        },
    ] {
        for main in [Duration::ZERO, Duration::from_secs(60), most] {
            let mut engine = player(Behaviour::Highest);
            engine.set_time_control(TimeControl::Limited { main, overtime });
            genmove(&mut engine, Color::Black);
            for (left, color) in [(0, Color::White), (5, Color::Black)] {
                engine.set_time_left(color, most, left);
                genmove(&mut engine, color);
            }
        }
    }
    let mut engine = player(Behaviour::Highest);
    engine.set_thinking_limits(ThinkingLimits {
        time_per_move: Some(most),
        lag: Some(most),
        ..ThinkingLimits::default()
    });
    genmove(&mut engine, Color::Black);
    engine.set_time_control(limited(60));
    genmove(&mut engine, Color::White);
    genmove(&mut engine, Color::Black);
}

#[test]
fn the_last_search_can_be_asked_for_until_the_next_game() {
    let mut engine = player(Behaviour::Highest);
    assert_eq!(engine.last_report(), None);
    genmove(&mut engine, Color::Black);
    assert!(
        engine
            .last_report()
            .is_some_and(|report| report.best().is_some())
    );
    engine.clear();
    assert_eq!(engine.last_report(), None);
}

#[test]
fn a_record_is_loaded_whole_or_not_at_all() {
    let mut engine = player(Behaviour::Highest);
    engine.play(stone(Color::Black, 4)).expect("legal");
    let mut record = GameRecord::new("line", engine.size());
    record.setup = vec![(Move(0), Color::White), (Move(1), Color::White)];
    record.to_move = Some(Color::White);
    record.push(stone(Color::White, 2));
    engine.load(&record).expect("a legal record");
    assert_eq!(seen(&engine), ("www..".to_owned(), Color::Black));
    assert_eq!(engine.record(), record);

    record.push(stone(Color::Black, 2));
    let why = crate::game::Illegal::Occupied;
    let illegal = EngineError::IllegalRecord { number: 2, why };
    assert_eq!(engine.load(&record), Err(illegal));
    assert_eq!(seen(&engine), ("www..".to_owned(), Color::Black));
    record.size = BoardSize::square(2);
    assert_eq!(engine.load(&record), Err(EngineError::WrongGame));
    for game in ["gomoku", "chess"] {
        let other = GameRecord::new(game, engine.size());
        assert_eq!(engine.load(&other), Err(EngineError::WrongGame), "{game}");
    }

    engine.undo().expect("one move was played");
    assert_eq!(engine.undo(), Err(EngineError::CannotUndo));
    assert_eq!(seen(&engine), ("ww...".to_owned(), Color::White));
    engine.clear();
    assert_eq!(seen(&engine), (".....".to_owned(), Color::Black));
}

/// Writes down what it is told.
struct Follower(Arc<Mutex<Vec<String>>>);

impl Listener for Follower {
    fn new_game(&mut self, _: &dyn Engine) {
        self.0.lock().push("new".to_owned());
    }

    fn changed(&mut self, game: &dyn Engine, found: Option<&SearchReport>) {
        let (plays, found) = (game.record().plays.len(), found.is_some());
        self.0.lock().push(format!("{plays} {found}"));
    }

    fn begun(&mut self, _: &dyn Engine, task: SearchTask, _: Color, budget: Option<Budget>) {
        let planned = budget.is_some();
        self.0.lock().push(format!("{task:?} {planned}"));
    }

    fn report(&mut self, _: &SearchReport) {
        self.0.lock().push("report".to_owned());
    }
}

#[test]
fn a_listener_hears_of_changes_and_searches_but_not_of_advice() {
    let mut engine = player(Behaviour::SpeaksAndHangs);
    let told = Arc::new(Mutex::new(Vec::new()));
    engine.listen(Box::new(Follower(Arc::clone(&told))));
    engine.set_time_control(limited(1));
    engine.play(stone(Color::Black, 0)).expect("legal");
    assert!(engine.play(stone(Color::White, 0)).is_err());
    let mut unasked = |_: &SearchReport| panic!("no reports are asked for");
    let request = MoveRequest::new(Color::White, &StopFlag::new());
    engine.genmove(&request, &mut unasked);
    engine.genmove(&request.of_kind(MoveKind::Named), &mut unasked);
    engine.undo().expect("it was played");
    engine.clear();
    let expected = [
        "new",
        "0 false",
        "1 false",
        "Move true",
        "report",
        "2 true",
        "1 false",
        "new",
    ];
    assert_eq!(*told.lock(), expected);
}
