//! Passes under a clock.

use parking_lot::Mutex;

use super::*;
use crate::games::go::SmallGo;

/// Records its time limits.
struct Recorder(Arc<Mutex<Vec<Duration>>>);

impl Thinker<SmallGo> for Recorder {
    fn search(
        &mut self,
        request: &SearchRequest<SmallGo>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let budget = request.limits.budget.expect("there is a clock");
        self.0.lock().push(budget.most);
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
    let judge = move |position: &SmallGo, _, _: &dyn Fn() -> bool| {
        time.advance(judged);
        crate::rollout::expect(position, 50, 1, &|| false)
    };
    let player = Player::new(empty, make, punctual(), Arc::new(clock.clone()));
    let mut engine = player.with_judge(Box::new(judge));
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
        engine.genmove(
            &MoveRequest::new(Color::Black, &StopFlag::new()),
            &mut |_| {},
        );
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
