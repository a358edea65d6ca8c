//! The engine's tasks; ends, variations and loading of games. No engine thinks here.

use tengen::clock::FakeClock;
use tengen::gtp::parse_vertex;

use super::*;
use Who::{Engine as Machine, Human};

fn terms(game: &str, size: &str, players: [Who; 2], clock: &str) -> Terms {
    Terms {
        game: game.to_owned(),
        size: size.to_owned(),
        clock: clock.to_owned(),
        players,
        ..Terms::default()
    }
}

fn session(terms: Terms) -> (Session, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::new());
    let time: Arc<dyn Clock> = Arc::<FakeClock>::clone(&clock);
    let flags = Arc::new(EngineFlags::default());
    (Session::new(flags, terms, time).expect("a game"), clock)
}

#[track_caller]
fn play(session: &mut Session, moves: &str) {
    for at in moves.split(' ') {
        let vertex = parse_vertex(at, session.board.size()).expect("a vertex");
        session.play(vertex).expect("legal");
    }
}

fn requested_tasks(session: &Session) -> [Option<Task>; 2] {
    [true, false].map(|attended| session.request(attended).map(|request| request.task))
}

#[test]
fn the_engine_moves_in_turn_if_a_page_is_open_or_a_clock_runs() {
    let (mut game, _) = session(terms("nogo", "5", [Human, Machine], ""));
    assert_eq!(requested_tasks(&game), [None, None]);
    play(&mut game, "C3");
    assert_eq!(requested_tasks(&game), [Some(Task::Move), None]);
    let (mut clocked, _) = session(terms("nogo", "5", [Human, Machine], "absolute 60"));
    play(&mut clocked, "C3");
    assert_eq!(
        requested_tasks(&clocked),
        [Some(Task::Move), Some(Task::Move)]
    );
    // In an earlier position the engine does not move until a move is made there.
    play(&mut game, "A1");
    let last = game.current;
    game.go(1).expect("it is there");
    assert_eq!(requested_tasks(&game), [None, None]);
    game.go(last).expect("it is there");
    game.go(1).expect("it is there");
    game.ask(Task::Move);
    assert_eq!(requested_tasks(&game)[0], Some(Task::Move));
    let vertex = parse_vertex("E5", game.board.size()).expect("a vertex");
    game.engine_moved(Some(vertex)).expect("legal");
    assert_eq!(
        requested_tasks(&game),
        [None, None],
        "it is the human's turn"
    );
}

#[test]
fn a_search_is_wanted_until_it_is_exhausted_and_again_elsewhere() {
    let (mut game, _) = session(terms("gomoku", "9", [Human, Human], ""));
    game.analyse(true);
    let request = game.request(true).expect("an analysis");
    assert_eq!(request.task, Task::Analyse);
    game.exhausted(request);
    assert_eq!(game.request(true), None);
    play(&mut game, "E5");
    assert!(game.request(true).is_some());
    game.go(0).expect("it is there");
    game.analyse(true);
    assert!(game.request(true).is_some(), "asked for again");
    let level = Level {
        visits: Some(5),
        ..Level::default()
    };
    game.set_up([Human, Human], level).expect("a level");
    assert_ne!(
        game.request(true),
        Some(request),
        "other settings, another search"
    );
    // A review continues while other positions are shown.
    game.want_review(true);
    let review = game.request(true);
    game.go(1).expect("it is there");
    assert_eq!(game.request(true), review);
}

#[test]
fn two_passes_are_counted_and_a_stone_takes_the_game_up_again() {
    let (mut game, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut game, "C3 pass pass");
    assert_eq!(requested_tasks(&game), [Some(Task::Count), None]);
    let settled = game.board.settle(&tengen::search::StopFlag::new());
    let settled = settled.expect("not stopped").expect("a game of points");
    game.count(game.current, settled);
    assert_eq!(game.end().map(|end| end.why), Some("count"));
    assert_eq!(requested_tasks(&game), [None, None]);
    play(&mut game, "D4");
    assert!(game.end().is_none() && requested_tasks(&game)[0].is_none());
}

#[test]
fn games_end_by_rules_by_resignation_and_on_time() {
    let (mut game, _) = session(terms("gomoku", "9", [Human, Human], ""));
    play(&mut game, "A1 A9 B1 B9 C1 C9 D1 D9 E1");
    let end = game.end().expect("five in a row");
    assert_eq!((&*end.result, end.why), ("B+R", "rules"));
    let vertex = parse_vertex("E9", game.board.size()).expect("a vertex");
    assert!(game.play(vertex).is_err());
    game.undo().expect("a move was made");
    assert!(game.end().is_none());
    game.resign(Color::Black).expect("it goes on");
    assert_eq!(game.end().map(|end| &*end.result), Some("W+R"));
    play(&mut game, "E2");
    assert!(game.end().is_none(), "it was taken up again");

    let (mut game, clock) = session(terms("nogo", "5", [Human, Human], "absolute 10"));
    clock.advance(Duration::from_secs(4));
    play(&mut game, "C3");
    clock.advance(Duration::from_secs(9));
    game.look_at_clocks();
    assert!(game.end().is_none());
    // Showing another position stops the clock.
    game.go(0).expect("it is there");
    clock.advance(Duration::from_secs(100));
    game.look_at_clocks();
    game.go(1).expect("it is there");
    assert!(game.end().is_none());
    clock.advance(Duration::from_secs(1));
    game.look_at_clocks();
    let end = game.end().expect("White's ten seconds are over");
    assert_eq!((&*end.result, end.why), ("B+T", "time"));
}

#[test]
fn a_line_is_a_variation_that_can_be_walked_and_removed() {
    let (mut game, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut game, "C3 B2");
    game.go(1).expect("it is there");
    let size = game.board.size();
    let line: Vec<Vertex> = ["D2", "A1", "D2", "E5"]
        .map(|at| parse_vertex(at, size).expect("a vertex"))
        .to_vec();
    game.play_line(&line).expect("its first move is legal");
    assert_eq!(
        game.tree.path(game.tree.end_of_line(game.current)).len(),
        3,
        "the third move is illegal"
    );
    assert_eq!(game.live, 2, "the game goes on where it was");
    assert!(game.play_line(&line[..1]).is_err(), "occupied");
    game.delete().expect("it is no beginning");
    assert_eq!(game.current, 1);
    assert!(game.go(3).is_err());
    assert!(!game.sgf().contains("\n(;B") && game.sgf().contains(";B[cc];W[bd]"));
}

#[test]
fn a_record_that_cannot_be_played_leaves_the_game_alone() {
    let (mut game, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut game, "C3");
    let before = game.sgf();
    for broken in [
        "",
        "(;SZ[9];B[cc];W[cc])",
        "(;GM[1]SZ[26])",
        "(;GM[4]SZ[2])",
    ] {
        assert!(game.load(broken.as_bytes()).is_err(), "{broken}");
    }
    assert_eq!((game.sgf(), game.current), (before, 1));
    let set_up = "(;GM[1]SZ[9]KM[6.5];B[cc];W[gg];AW[cg]PL[W];W[ee];B[dd])";
    game.load(set_up.as_bytes()).expect("it can be played");
    assert_eq!(game.tree.in_order().len(), 2, "{:?}", game.notes);
    assert!(
        game.notes.iter().any(|note| note.contains("begins there")),
        "{:?}",
        game.notes
    );
    assert_eq!(game.board.legal_moves(Color::White).len(), 81 - 3 + 1);
}

#[test]
fn handicap_and_komi_are_part_of_the_beginning() {
    let handicap = Terms {
        handicap: 4,
        komi: Some(0.5),
        ..terms("go", "13", [Human, Machine], "")
    };
    let (game, _) = session(handicap.clone());
    assert_eq!(game.beginning.setup.len(), 4);
    assert_eq!(requested_tasks(&game)[0], Some(Task::Move), "White begins");
    assert!(game.sgf().contains("HA[4]") && game.sgf().contains("KM[0.5]"));
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let elsewhere = Terms {
        game: "gomoku".to_owned(),
        size: "15".to_owned(),
        ..handicap
    };
    let refused = Session::new(Arc::new(EngineFlags::default()), elsewhere, time);
    assert!(refused.is_err_and(|error| error.to_string().contains("handicap")));
}

#[test]
fn a_weaker_engine_is_asked_for_by_its_level() {
    let strength = |strength| Level {
        strength: Some(strength),
        ..Level::default()
    };
    let mut options = EngineOptions::default();
    let usual = options.thinking_limits();
    strength(3.5).weaken(&mut options).expect("a level");
    assert_ne!(options, EngineOptions::default());
    let limits = strength(3.5).limits(&options.thinking_limits());
    assert_eq!(limits.visits, options.visits);
    assert_eq!(Level::default().limits(&usual), usual);
    let error = strength(13.0).check().expect_err("there is none");
    assert!(error.to_string().contains("level"), "{error}");
}
