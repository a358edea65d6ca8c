//! End-to-end tests of a third game: Tic-tac-toe with draws, which exists for tests only and
//! implements what `ARCHITECTURE.md` requires of a game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::clock::{Clock, FakeClock, SystemClock};
use crate::encode::{Encode as _, made_up};
use crate::engine::{Decision, Engine, EngineOptions, MoveKind, MoveRequest};
use crate::game::{BoardSize, Color, Game, Move, Outcome, Proof};
use crate::games::tictactoe::TicTacToe;
use crate::record::{Play, Vertex, sgf};
use crate::referee::{
    AnnouncedTime, ClockSimulation, EnginePlayer, Fault, GameSetup, GameTerms, MatchTimeControl,
    PlayerMove, Reason, Reply, ScheduledGame, refereed_game,
};
use crate::registry;
use crate::search::{Limits, SearchParams, SearchRequest, Searcher, SearcherOptions, StopFlag};
use tengen_nn::eval::EvaluatorFactory;

/// An engine that plays by random playouts.
fn engine(settings: &[(&str, &str)]) -> Box<dyn Engine> {
    let mut options = EngineOptions::of("tictactoe").unwrap();
    for (name, value) in [("backend", "rollout"), ("visits", "3000"), ("seed", "1")] {
        options.set(name, value).unwrap();
    }
    for (name, value) in settings {
        options.set(name, value).unwrap();
    }
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    registry::create(&options, options.board(), &time).unwrap()
}

fn play(engine: &mut dyn Engine, moves: &[u16]) {
    for &point in moves {
        let color = engine.to_move();
        let vertex = Vertex::Point(Move(point));
        engine.play(Play { color, vertex }).unwrap();
    }
}

#[test]
fn the_engine_plays_to_a_draw_and_does_not_resign_it() {
    let mut engine = engine(&[]);
    assert_eq!(engine.size(), BoardSize::square(3), "its usual board");
    assert!(
        !engine.thinking_limits().time.time_takeover,
        "a setting of its own"
    );
    let stop = StopFlag::new();
    // XXO / OOX / XXO, from the top: one point is left.
    play(&mut *engine, &[0, 2, 1, 3, 5, 4, 6, 8]);
    let last = engine.genmove(&MoveRequest::new(Color::Black, &stop), &mut |_| {});
    assert_eq!(last, Decision::Play(Vertex::Point(Move(7))));
    assert_eq!(engine.outcome(), Some(Outcome::DRAW));
    let plays = engine.record().plays.len();
    for color in Color::BOTH {
        assert_eq!(
            engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {}),
            Decision::Play(Vertex::Pass)
        );
        assert_eq!(
            engine.genmove(
                &MoveRequest::new(color, &stop).of_kind(MoveKind::Named),
                &mut |_| {}
            ),
            Decision::Play(Vertex::Pass)
        );
    }
    let record = engine.record();
    assert_eq!((record.plays.len(), &*record.result), (plays, "0"));
    let again = sgf::read(&sgf::write(&record)).unwrap();
    assert_eq!(again, record, "SGF tells it from Go");
    assert!(engine.solve(Color::Black, Duration::ZERO, &stop).is_none());
}

#[test]
fn who_has_lost_resigns_and_who_has_won_does_not() {
    let mut engine = engine(&[]);
    // Black has the bottom row.
    play(&mut *engine, &[0, 3, 1, 4, 2]);
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::Black)));
    let stop = StopFlag::new();
    assert_eq!(
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}),
        Decision::Resign
    );
    assert_eq!(
        engine.genmove(&MoveRequest::new(Color::Black, &stop), &mut |_| {}),
        Decision::Play(Vertex::Pass)
    );
}

#[test]
fn an_engine_may_give_up_a_lost_game() {
    let mut engine = engine(&[("size", "5"), ("rules", "4"), ("resign-below", "1")]);
    let stop = StopFlag::new();
    // Every position is hopeless by such a measure, but a third of the board has to be played.
    for _ in 0..3 {
        let early = engine.genmove(&MoveRequest::new(Color::Black, &stop), &mut |_| {});
        assert!(matches!(early, Decision::Play(_)), "{early:?}");
        engine.undo().unwrap();
    }
    play(&mut *engine, &[0, 2, 7, 9, 13, 15, 16, 22, 24]);
    // It resigns with the third move.
    let moves =
        [0, 2, 4].map(|_| engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}));
    assert!(matches!(moves[1], Decision::Play(_)), "{moves:?}");
    assert_eq!(moves[2], Decision::Resign);
    assert_eq!(engine.record().plays.len(), 11, "giving up is no play");
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::Black)));
    assert_eq!(engine.record().result, "B+R");
    engine.undo().unwrap();
    assert_eq!(engine.outcome(), None, "the game goes on");
}

#[test]
fn rules_are_read_and_lines_that_are_set_up_are_not_played() {
    let mut engine = engine(&[("size", "4"), ("rules", "4")]);
    play(&mut *engine, &[0, 4, 1, 5, 2]);
    assert_eq!(engine.outcome(), None, "three are not four");
    let mut record = engine.record();
    record.plays.clear();
    // In the order of their points: played one by one, White would be blocked by Black's line.
    record.setup = (0..6)
        .map(|p| (Move(p), Color::BOTH[usize::from(p > 3)]))
        .collect();
    record.to_move = Some(Color::White);
    engine.load(&record).unwrap();
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::Black)));
    assert_eq!(engine.record().setup, record.setup);
    let mut options = EngineOptions::of("tictactoe").unwrap();
    options.set("rules", "renju").unwrap();
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let refused = registry::create(&options, options.board(), &time)
        .err()
        .unwrap();
    assert!(refused.to_string().contains("from 2 to 8"), "{refused}");
    options.search.cpuct = f32::NAN;
    let refused = registry::create(&options, options.board(), &time)
        .err()
        .unwrap();
    assert!(
        refused.to_string().starts_with("cpuct must be"),
        "{refused}"
    );
}

#[test]
fn the_search_proves_the_draw() {
    let position = TicTacToe::new(BoardSize::square(3)).unwrap();
    let model = made_up(&position, TicTacToe::encodings()[0]);
    let factory = EvaluatorFactory::uniform(model);
    let options = SearcherOptions {
        threads: 1,
        seed: 1,
        params: SearchParams::default(),
    };
    let make = Arc::new(move || factory.make());
    let mut searcher = Searcher::new(make, options, Arc::new(SystemClock::new()));
    let limits = Limits::visits(200_000);
    let report = searcher
        .search(
            &SearchRequest::new(position.into()).within(limits),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!(
        report.proof,
        Some(Proof::Draw),
        "after {} visits",
        report.visits
    );
}

/// Plays the free points in its own order.
struct InOrder {
    order: Vec<u16>,
    taken: Vec<Move>,
}

impl EnginePlayer for InOrder {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.taken = setup.opening.to_vec();
        Ok(())
    }

    fn play(&mut self, _: Color, mv: Move) -> Result<(), Fault> {
        self.taken.push(mv);
        Ok(())
    }

    fn choose(&mut self, _: Color, _: Option<AnnouncedTime>, _: Duration) -> Result<Reply, Fault> {
        let mut order = self.order.iter().copied().map(Move);
        let free = order.find(|mv| !self.taken.contains(mv)).unwrap();
        self.taken.push(free);
        Ok(Reply {
            choice: PlayerMove::Move(free),
            took: Duration::ZERO,
            report: None,
        })
    }
}

#[track_caller]
fn referee(orders: [&[u16]; 2], expected: Outcome) {
    let rules = refereed_game("tictactoe", BoardSize::square(3), "", None).unwrap();
    let mut players = orders.map(|order| InOrder {
        order: order.iter().copied().chain(0..9).collect(),
        taken: Vec::new(),
    });
    let terms = GameTerms {
        time: MatchTimeControl::None,
        margin: Duration::ZERO,
        move_limit: Duration::from_secs(1),
        max_moves: 100,
        conditions: ClockSimulation::default(),
    };
    let [black, white] = &mut players;
    let game = ScheduledGame {
        number: 0,
        opening: &[],
        players: [black, white],
        terms,
        live: None,
        stop: &AtomicBool::new(false),
    };
    let end = rules.play(game).unwrap();
    assert_eq!((end.outcome, end.reason), (expected, Reason::Rules));
}

#[test]
fn the_referee_knows_wins_and_draws() {
    referee([&[0, 1, 2], &[4, 8]], Outcome::win(Color::Black));
    referee([&[0, 1, 8], &[6, 4, 2]], Outcome::win(Color::White));
    // X X O / O O X / X X O, from the top.
    referee([&[0, 1, 5, 6, 7], &[2, 3, 4, 8]], Outcome::DRAW);
}
