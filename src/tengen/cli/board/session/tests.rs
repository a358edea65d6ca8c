//! The engine's tasks, terms, steps and variations. No engine thinks here.

mod ends;
mod files;

use crate::clock::FakeClock;
use crate::gtp::parse_vertex;
use crate::record::LaterSetup;
use serde_json::{Value, json};

use super::super::board_state::BoardState;
use super::super::game::Kept;
use super::super::view;
use super::*;
use crate::clock::{TimeControl, TimeLeft};
use crate::game::Move;
use Who::{Engine as Machine, Human};

fn terms(game: &str, size: &str, players: [Who; 2], clock: &str) -> NewGame {
    NewGame {
        game: game.to_owned(),
        size: size.to_owned(),
        clock: clock.to_owned(),
        players,
        ..NewGame::default()
    }
}

fn session(terms: NewGame) -> (Session, Arc<FakeClock>) {
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
fn a_task_that_was_stopped_is_not_finished_by_coming_back() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Machine], "absolute 60"));
    play(&mut board, "C3");
    let last = board.game.current;
    let table = BoardState::new(board);
    let (stop, request) = table.take(|_, request| request);
    for node in [0, last] {
        table.act(|board| board.go(node)).expect("it is there");
    }
    assert!(stop.is_raised());
    table.finish(request, |_| panic!("it was stopped"));
    // It begins again.
    let (stop, again) = table.take(|_, request| request);
    assert!(again == request && !stop.is_raised());
    let mut finished = false;
    table.finish(request, |_| finished = true);
    assert!(finished);
}

#[test]
fn the_engine_moves_in_turn_if_a_page_is_open_or_a_clock_runs() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Machine], ""));
    assert_eq!(requested_tasks(&board), [None, None]);
    play(&mut board, "C3");
    assert_eq!(requested_tasks(&board), [Some(Task::Move), None]);
    let (mut clocked, _) = session(terms("nogo", "5", [Human, Machine], "absolute 60"));
    play(&mut clocked, "C3");
    assert_eq!(
        requested_tasks(&clocked),
        [Some(Task::Move), Some(Task::Move)]
    );
    // In an earlier position the engine does not move until a move is made there.
    play(&mut board, "A1");
    let last = board.game.current;
    board.go(1).expect("it is there");
    assert_eq!(requested_tasks(&board), [None, None]);
    board.go(last).expect("it is there");
    board.go(1).expect("it is there");
    board.ask(Task::Move).expect("it goes on");
    assert_eq!(requested_tasks(&board)[0], Some(Task::Move));
    let vertex = parse_vertex("E5", board.board.size()).expect("a vertex");
    let decision = Decision::Play(vertex);
    board.engine_moved(decision).expect("legal");
    assert_eq!(
        requested_tasks(&board),
        [None, None],
        "it is the human's turn"
    );
}

#[test]
fn a_search_is_wanted_until_it_is_exhausted_and_again_elsewhere() {
    let (mut board, _) = session(terms("gomoku", "9", [Human, Human], ""));
    board.analyse(true);
    let request = board.request(true).expect("an analysis");
    assert_eq!(request.task, Task::Analyse);
    board.exhausted(request);
    assert_eq!(board.request(true), None);
    play(&mut board, "E5");
    assert!(board.request(true).is_some());
    board.go(0).expect("it is there");
    board.analyse(true);
    assert!(board.request(true).is_some(), "asked for again");
    let level = Level {
        visits: Some(5),
        ..Level::default()
    };
    board.set_up([Human, Human], level).expect("a level");
    assert_ne!(
        board.request(true),
        Some(request),
        "other settings, another search"
    );
    // A review continues while other positions are shown.
    board.want_review(true);
    let review = board.request(true);
    board.go(1).expect("it is there");
    assert_eq!(board.request(true), review);
    // It ends with its line.
    board.delete().expect("no beginning");
    assert_eq!(board.review, None);
}

#[test]
fn a_judgement_without_a_result_is_none() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Human], ""));
    let [tried, other] = ["C3", "D4"].map(|at| Play {
        color: Color::Black,
        vertex: parse_vertex(at, board.board.size()).expect("a vertex"),
    });
    board.judge(tried.vertex).expect("legal");
    let request = board.request(true).expect("a judgement");
    // Of a move that was tried before.
    board.judgement(request, other, None);
    assert_eq!(board.request(true), Some(request));
    board.judgement(request, tried, None);
    assert!(board.judged.is_none() && board.request(true).is_none());
}

#[test]
fn nothing_is_lost_by_one_step() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut board, "C3 B2 D4");
    for _ in 0..2 {
        // What is the same again is no step.
        board.comment(2, "first".to_owned()).expect("it is there");
    }
    board.go(1).expect("it is there");
    play(&mut board, "E5");
    let whole = board.sgf();
    board.promote();
    board.comment(2, "second".to_owned()).expect("it is there");
    board.go(2).expect("it is there");
    board.delete().expect("no beginning");
    board
        .begin(terms("gomoku", "9", [Human, Human], ""))
        .expect("a game");
    board.load(b"(;GM[1]SZ[9];B[aa])").expect("a game");
    assert_eq!(board.last_step(), Some("replaced"));
    let serial = board.games;
    while board.last_step() != Some("commented") {
        board.take_back().expect("there is a step");
    }
    assert!(board.games > serial && board.game.current == 2);
    assert_eq!(board.sgf().matches("second").count(), 1);
    board.take_back().expect("a comment");
    board.take_back().expect("a main line");
    assert_eq!(board.sgf(), whole);
    board.take_back().expect("the first comment");
    assert!(board.take_back().is_err());
}

#[test]
fn a_position_is_set_up_and_taken_back() {
    let (mut board, _) = session(terms("gomoku", "9", [Human, Human], ""));
    play(&mut board, "E5 D4");
    let size = board.board.size();
    let setup = LaterSetup {
        changes: [
            (size.point(4, 4), None),
            (size.point(0, 0), Some(Color::White)),
        ]
        .into(),
        to_move: Some(Color::White),
        ..LaterSetup::default()
    };
    board
        .set_up_stones(setup.clone())
        .expect("stones that can stand");
    assert_eq!(board.board.to_move(), Color::White);
    let text = board.sgf();
    assert!(text.contains(";AW[ai]AE[ee]PL[W]"), "{text}");
    assert!(board.set_up_stones(setup).is_err(), "nothing changes");
    play(&mut board, "A2");
    board.load(text.as_bytes()).expect("our own file");
    assert_eq!(board.sgf(), text);
    board.take_back().expect("the file");
    board.take_back().expect("the position");
    assert_eq!(
        (board.game.current, board.game.tree.in_order().len()),
        (2, 2)
    );
}

#[test]
fn a_line_is_a_variation_that_can_be_walked_and_removed() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut board, "C3 B2");
    board.go(1).expect("it is there");
    let size = board.board.size();
    let line: Vec<Vertex> = ["D2", "A1", "D2", "E5"]
        .map(|at| parse_vertex(at, size).expect("a vertex"))
        .to_vec();
    board.play_line(&line).expect("its first move is legal");
    assert_eq!(
        board
            .game
            .tree
            .path(board.game.tree.end_of_line(board.game.current))
            .len(),
        3,
        "the third move is illegal"
    );
    assert_eq!(board.game.live, 2, "the game goes on where it was");
    assert!(board.play_line(&line[..1]).is_err(), "occupied");
    board.delete().expect("it is no beginning");
    assert_eq!(board.game.current, 1);
    assert!(board.go(3).is_err());
    assert!(!board.sgf().contains("\n(;B") && board.sgf().contains(";B[cc];W[bd]"));
}

#[test]
fn handicap_and_komi_are_part_of_the_beginning() {
    let handicap = NewGame {
        handicap: 4,
        komi: Some(0.5),
        ..terms("go", "13", [Human, Machine], "")
    };
    let (board, _) = session(handicap.clone());
    assert_eq!(board.game.beginning.setup.len(), 4);
    assert_eq!(requested_tasks(&board)[0], Some(Task::Move), "White begins");
    assert!(board.sgf().contains("HA[4]") && board.sgf().contains("KM[0.5]"));
    // So it is without a wish, but other wishes are met.
    for (komi, written) in [(None, "KM[0.5]"), (Some(6.5), "KM[6.5]")] {
        let terms = NewGame {
            komi,
            ..handicap.clone()
        };
        assert!(session(terms).0.sgf().contains(written), "{written}");
    }
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let elsewhere = NewGame {
        game: "gomoku".to_owned(),
        size: "15".to_owned(),
        ..handicap
    };
    let refused = Session::new(Arc::new(EngineFlags::default()), elsewhere, time);
    assert!(refused.is_err_and(|error| error.to_string().contains("handicap")));
}

#[test]
fn terms_that_nobody_can_play_are_refused() {
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let refused = |terms: NewGame| {
        let flags = Arc::new(EngineFlags::default());
        Session::new(flags, terms, Arc::clone(&time))
            .err()
            .map(|error| error.to_string())
    };
    for clock in ["fischer 0 0", "absolute 0"] {
        let error = refused(terms("go", "9", [Human, Human], clock)).expect(clock);
        assert!(error.contains("first move"), "{clock}: {error}");
    }
    for komi in [401.0, -82.0, 0.3] {
        let terms = NewGame {
            komi: Some(komi),
            ..terms("go", "9", [Human, Human], "byoyomi 0 5 3")
        };
        assert!(refused(terms).expect("no komi").contains("komi"), "{komi}");
    }
    assert_eq!(
        refused(terms("go", "9", [Human, Human], "byoyomi 0 5 3")),
        None
    );
}

#[test]
fn a_weaker_engine_is_asked_for_by_its_level() {
    let strength = |strength| Level {
        strength: Some(strength),
        ..Level::default()
    };
    let mut options = EngineOptions::default();
    let usual = options.thinking_limits();
    let beside = [("move-temperature", "0.5".to_owned())];
    let weakened = strength(3.5).weaken(&mut options, &beside);
    weakened.expect("a level");
    assert_ne!(options, EngineOptions::default());
    assert_eq!(options.search.move_temperature, 0.5, "given beside it");
    let limits = strength(3.5).limits(&options.thinking_limits(), TimeControl::Unlimited);
    assert_eq!(limits.visits, options.visits);
    let free = Level::default();
    assert_eq!(free.limits(&usual, TimeControl::Unlimited), usual);
    let byoyomi = TimeControl::from_kata(&["byoyomi", "600", "30", "3"]).expect("a clock");
    let most = free.limits(&usual, byoyomi).time_per_move;
    assert_eq!(most, Some(Duration::from_secs(10)), "a person waits");
    let weaker = NewGame {
        level: strength(5.2),
        ..terms("nogo", "5", [Human, Machine], "")
    };
    let state = view::state(&session(weaker).0, true);
    assert!(state.contains("\"strength\":5.2"), "{state}");
    let error = strength(13.0).check().expect_err("there is none");
    assert!(error.to_string().contains("level"), "{error}");
}

#[test]
fn an_earlier_game_is_one_step_away() {
    let handicap = NewGame {
        rules: "Japanese".to_owned(),
        komi: Some(0.5),
        handicap: 3,
        ..terms("go", "9x9", [Human, Machine], "absolute 60")
    };
    let (mut old, _) = session(handicap);
    assert!(old.is_untouched());
    play(&mut old, "E5 D4");
    assert!(!old.is_untouched());
    let (text, kept) = old.to_keep();
    let (mut new, _) = session(terms("nogo", "5", [Human, Human], ""));
    new.put_before(text.as_bytes(), kept.clone())
        .expect("a game");
    assert!(new.is_untouched());
    assert_eq!(
        (&*new.game.terms.game, new.last_step()),
        ("nogo", Some("replaced"))
    );
    new.take_back().expect("there is one");
    assert_eq!(new.game.terms, old.game.terms, "also of a rematch");
    assert_eq!(new.game.current, new.game.live);
    assert_eq!(requested_tasks(&new)[0], Some(Task::Move), "it goes on");
    assert_eq!(new.last_step(), None, "nothing was before that");
    assert!(new.put_before(b"no game", kept).is_err());
}

#[test]
fn an_earlier_game_goes_on_where_it_was() {
    let (mut old, _) = session(terms("go", "9", [Human, Machine], ""));
    old.load(b"(;GM[1]SZ[9];B[aa])(;GM[1]SZ[9];B[ee];W[ce];B[gg])")
        .expect("two games");
    old.choose_game(1).expect("it has two");
    // The last of the moves is not in the main line, and its number is not its place in the file.
    for (node, moves) in [(1, "D4 G7"), (3, "A1"), (1, "C7"), (5, "E3")] {
        old.go(node).expect("it is there");
        play(&mut old, moves);
    }
    let (text, kept) = old.to_keep();
    let json = serde_json::to_string(&kept).expect("JSON");
    let kept = serde_json::from_str(&json).expect("ours");
    let (mut new, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut new, "C3");
    new.put_before(text.as_bytes(), kept).expect("a game");
    new.take_back().expect("the earlier one");
    assert_eq!(new.game.others.place, 1);
    assert_eq!(new.game.live, new.game.current);
    let plays = |board: &Session| board.game.moves(board.game.live).plays;
    assert_eq!(plays(&new), plays(&old));
    // A file of an earlier version says less.
    let told: Kept = serde_json::from_str(r#"{"game":"go","size":"9"}"#).expect("JSON");
    assert_eq!((told.place, told.live), (0, None));
}

#[test]
fn a_game_that_was_replaced_comes_back_with_what_was_done_in_it() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    play(&mut board, "E5");
    board
        .begin(terms("nogo", "5", [Human, Human], ""))
        .expect("a game");
    play(&mut board, "C3 B2 D4");
    board.comment(1, "new".to_owned()).expect("it is there");
    board.go(2).expect("it is there");
    board.delete().expect("no beginning");
    let whole = board.sgf();
    for _ in 0..3 {
        board.take_back().expect("a step");
    }
    assert_eq!(&*board.game.terms.game, "go");
    // What is done in the old game does not cost the new one.
    board.comment(1, "old".to_owned()).expect("it is there");
    while board.last_undone().is_some() {
        board.do_again().expect("a step");
    }
    assert_eq!(board.sgf(), whole);
    assert!(board.do_again().is_err());
    // Another step instead of those that were taken back.
    board.take_back().expect("the deletion");
    board.comment(1, "other".to_owned()).expect("it is there");
    assert_eq!(board.last_undone(), None);
    while board.last_step().is_some() {
        board.take_back().expect("a step");
    }
    assert!(!board.sgf().contains("old"), "{}", board.sgf());
}
