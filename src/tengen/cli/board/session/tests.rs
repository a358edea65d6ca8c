//! The engine's tasks; ends, variations and loading of games. No engine thinks here.

use serde_json::{Value, json};
use tengen::clock::FakeClock;
use tengen::gtp::parse_vertex;
use tengen::record::LaterSetup;

use super::super::view;
use super::*;
use Who::{Engine as Machine, Human};
use tengen::clock::{TimeControl, TimeLeft};
use tengen::game::Move;

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
}

#[test]
fn two_passes_are_counted_and_a_stone_takes_the_game_up_again() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut board, "C3 pass pass");
    assert_eq!(requested_tasks(&board), [Some(Task::Count), None]);
    let settled = board.board.settle(&tengen::search::StopFlag::new());
    let settled = settled.expect("not stopped").expect("a game of points");
    board.count(board.game.current, settled);
    assert_eq!(board.end().map(|end| end.why), Some("count"));
    assert_eq!(requested_tasks(&board), [None, None]);
    play(&mut board, "D4");
    assert!(board.end().is_none() && requested_tasks(&board)[0].is_none());
}

#[test]
fn games_end_by_rules_by_resignation_and_on_time() {
    let (mut board, _) = session(terms("gomoku", "9", [Human, Human], ""));
    play(&mut board, "A1 A9 B1 B9 C1 C9 D1 D9 E1");
    let end = board.end().expect("five in a row");
    assert_eq!((&*end.result, end.why), ("B+R", "rules"));
    let vertex = parse_vertex("E9", board.board.size()).expect("a vertex");
    assert!(board.play(vertex).is_err());
    board.undo().expect("a move was made");
    assert!(board.end().is_none());
    let live = board.game.live;
    board.go(2).expect("it is there");
    board.resign().expect("it goes on");
    assert_eq!(board.game.current, live, "at the end of the game");
    assert_eq!(board.end().map(|end| &*end.result), Some("W+R"));
    assert!(board.sgf().contains("RE[W+R]"));
    let vertex = parse_vertex("E2", board.board.size()).expect("a vertex");
    for refused in [board.play(vertex), board.play(Vertex::Pass), board.resign()] {
        let error = refused.expect_err("the game is over");
        assert!(error.to_string().contains("the game is over"), "{error}");
    }
    board.undo().expect("a move was made");
    play(&mut board, "E2");
    assert!(board.end().is_none(), "it was taken up again");

    let (mut board, clock) = session(terms("nogo", "5", [Human, Human], "absolute 10"));
    clock.advance(Duration::from_secs(4));
    play(&mut board, "C3");
    clock.advance(Duration::from_secs(9));
    board.look_at_clocks();
    assert!(board.end().is_none());
    // Showing another position stops the clock.
    board.go(0).expect("it is there");
    clock.advance(Duration::from_secs(100));
    board.look_at_clocks();
    board.go(1).expect("it is there");
    assert!(board.end().is_none());
    clock.advance(Duration::from_secs(1));
    board.look_at_clocks();
    let end = board.end().expect("White's ten seconds are over");
    assert_eq!((&*end.result, end.why), ("B+T", "time"));
}

#[test]
fn a_person_resigns_for_himself_while_the_engine_thinks() {
    for (players, moves, result) in [
        ([Human, Machine], "C3", "W+R"),
        ([Human, Machine], "", "W+R"),
        ([Machine, Human], "", "B+R"),
    ] {
        let (mut board, _) = session(terms("go", "5", players, ""));
        if !moves.is_empty() {
            play(&mut board, moves);
            let pass = board.play_by_hand(Vertex::Pass).expect_err("not his turn");
            assert!(pass.to_string().contains("choosing"), "{pass}");
        }
        board.resign().expect("a person plays");
        assert_eq!(board.end().map(|end| &*end.result), Some(result));
        assert_eq!(requested_tasks(&board), [None, None]);
    }
    let (mut board, _) = session(terms("go", "5", [Machine, Machine], ""));
    assert!(board.resign().is_err() && board.end().is_none());
}

#[test]
fn a_count_during_the_game_is_an_estimate() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut board, "C3 pass D3");
    board.ask(Task::Count).expect("points are counted");
    let settled = board.board.settle(&tengen::search::StopFlag::new());
    let settled = settled.expect("not stopped").expect("a game of points");
    board.count(board.game.current, settled);
    assert!(board.end().is_none() && board.game.counted.is_some());
    play(&mut board, "B2");
    let (mut gomoku, _) = session(terms("gomoku", "9", [Human, Human], ""));
    assert!(gomoku.ask(Task::Count).is_err());
}

/// Black's dead wall leaves the whole board to White: also the stone that was dead behind it.
#[test]
fn a_corrected_count_agrees_with_its_result_and_komi() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut board, "B1 C1 B2 C2 B3 C3 B4 C4 B5 C5 E3 A3 pass pass");
    let size = board.board.size();
    let is_left = |at| size.column_row(Move(at)).0 < 2;
    let owner = (0..25).map(|at| if is_left(at) { 1.0 } else { -1.0 });
    let settled = board.board.settle_as(owner.collect());
    board.count(board.game.current, settled.expect("a game of points"));
    board.mark_dead(size.point(1, 0)).expect("B1");
    let state: Value = serde_json::from_str(&view::state(&board, true)).expect("JSON");
    let (count, white) = (&state["count"], &state["count"]["parts"][1]);
    let komi = state["komi"].as_f64().expect("a game of points");
    let result = format!("W+{}", 25.0 + komi);
    assert_eq!(
        (&count["komi"], &count["result"]),
        (&json!(komi), &json!(result))
    );
    assert_eq!((&white["stones"], &white["empty"]), (&json!(6), &json!(19)));
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
fn a_file_loses_nothing() {
    let text = "(;FF[4]CA[UTF-8]GM[1]SZ[9]KM[6.5]BR[3d]EV[x\\]y]GC[long\nnote]\n;B[cc]TR[aa]LB[bb:1]BL[9.5]\n(;W[dd]C[a];C[off]B[zz];W[ee])\n(;W[cc]N[occupied];B[ff])\n(;AB[ee][ff]AE[cc]PL[B]SQ[ee];B[gg];N[no move];W[hh]))\n(;GM[1]SZ[19]CA[UTF-8];B[aa])\n";
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    board.load(text.as_bytes()).expect("it can be shown");
    let plain = |text: &str| text.replace('\n', "");
    assert_eq!(plain(&board.sgf()), plain(text));
    assert_eq!(
        board.game.tree.in_order().len(),
        6,
        "{:?}",
        board.game.notes
    );
    assert!(
        board.game.notes[0].starts_with("4 nodes are not shown"),
        "{:?}",
        board.game.notes
    );
    for (node, _) in board.game.tree.in_order() {
        board.go(node).expect("it can be shown");
    }
    for (node, _) in board.game.tree.in_order().into_iter().rev() {
        board.go(node).expect("it can be shown");
    }
    // The other game of the file, and back with a change.
    board.choose_game(1).expect("it has two");
    assert_eq!(board.board.size().width, 19);
    play(&mut board, "D4");
    board.choose_game(0).expect("it has two");
    assert!(
        board
            .sgf()
            .ends_with("(;GM[1]SZ[19]CA[UTF-8]\n(;B[aa])\n(;B[dp]))\n"),
        "{}",
        board.sgf()
    );
    assert!(board.choose_game(2).is_err());
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
fn large_files_are_shown_whole_and_quickly() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    let long = ";B[aa]C[a comment of some length];W[bb]";
    let branches = "(;B[cc](;W[dd])(;W[ee])(;W[ff]))".repeat(15_000);
    let text = format!("(;GM[1]SZ[9]{long}{branches})");
    board.load(text.as_bytes()).expect("it can be shown");
    assert_eq!(
        board.game.tree.in_order().len(),
        60_002,
        "{:?}",
        board.game.notes
    );
    let passes = format!("(;GM[1]SZ[19]{})", ";B[]".repeat(60_000));
    board.load(passes.as_bytes()).expect("it can be shown");
    assert!(
        board.game.notes[0].contains("20000 in a line"),
        "{:?}",
        board.game.notes
    );
    assert_eq!(board.sgf().matches(";B[]").count(), 60_000);
}

#[test]
fn stones_set_up_after_long_lines_are_shown_as_far_as_that_is_quick() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    let line = ";B[];W[]".repeat(1000);
    let text = format!("(;SZ[5]{line}{})", "(;AB[aa])(;AW[bb])".repeat(500));
    board.load(text.as_bytes()).expect("it can be shown");
    let shown = board.game.tree.in_order().len();
    assert!((2300..2700).contains(&shown), "{shown}");
    let note = board.game.notes.join("; ");
    assert!(note.contains("set up too often after long lines"), "{note}");
    assert_eq!(board.sgf().matches("AB[aa]").count(), 500);
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
fn a_record_that_cannot_be_played_leaves_the_game_alone() {
    let (mut board, _) = session(terms("nogo", "5", [Human, Human], ""));
    play(&mut board, "C3");
    let before = board.sgf();
    for broken in ["", "(;GM[1]SZ[26])", "(;GM[4]SZ[2])"] {
        assert!(board.load(broken.as_bytes()).is_err(), "{broken}");
    }
    assert_eq!((board.sgf(), board.game.current), (before, 1));
    let set_up = "(;GM[1]SZ[9]KM[6.5];B[cc];W[gg];AW[cg]PL[W];W[ee];B[dd])";
    board.load(set_up.as_bytes()).expect("it can be played");
    assert_eq!(
        board.game.tree.in_order().len(),
        5,
        "{:?}",
        board.game.notes
    );
    board.go(4).expect("it is there");
    assert_eq!(board.board.legal_moves(Color::White).len(), 81 - 4 + 1);
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
    strength(3.5).weaken(&mut options).expect("a level");
    assert_ne!(options, EngineOptions::default());
    let limits = strength(3.5).limits(&options.thinking_limits(), TimeControl::Unlimited);
    assert_eq!(limits.visits, options.visits);
    let free = Level::default();
    assert_eq!(free.limits(&usual, TimeControl::Unlimited), usual);
    let byoyomi = TimeControl::from_kata(&["byoyomi", "600", "30", "3"]).expect("a clock");
    let most = free.limits(&usual, byoyomi).time_per_move;
    assert_eq!(most, Some(Duration::from_secs(10)), "a person waits");
    let error = strength(13.0).check().expect_err("there is none");
    assert!(error.to_string().contains("level"), "{error}");
}

#[test]
fn an_earlier_game_is_one_step_away() {
    let (mut old, _) = session(terms("go", "9", [Human, Machine], ""));
    assert!(old.is_untouched());
    play(&mut old, "E5 C3 G3");
    assert!(!old.is_untouched());
    let (told, text) = (old.game.terms.clone(), old.sgf());
    let (mut new, _) = session(terms("nogo", "5", [Human, Human], ""));
    new.put_before(text.as_bytes(), &told).expect("a game");
    assert!(new.is_untouched());
    assert_eq!(
        (&*new.game.terms.game, new.last_step()),
        ("nogo", Some("replaced"))
    );
    new.take_back().expect("there is one");
    assert_eq!(new.game.terms.players, [Human, Machine]);
    assert_eq!(new.game.current, new.game.live);
    assert_eq!(requested_tasks(&new)[0], Some(Task::Move), "it goes on");
    assert_eq!(new.last_step(), None, "nothing was before that");
    assert!(new.put_before(b"no game", &told).is_err());
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

#[test]
fn a_resigned_game_goes_on_where_it_ended() {
    for players in [[Human, Human], [Human, Machine]] {
        let (mut board, _) = session(terms("go", "9", players, ""));
        play(&mut board, "E5 C5 G5 C3");
        let last = board.game.current;
        board.resign().expect("it goes on");
        board.undo().expect("it was resigned");
        assert_eq!((board.game.current, board.game.live), (last, last));
        assert!(board.end().is_none(), "{players:?}");
        // The same moves again are not the end of it.
        board.undo().expect("a move was made");
        play(&mut board, if players[1] == Human { "C3" } else { "G5 C3" });
        assert_eq!((board.game.current, board.end()), (last, None));
    }
    // At the beginning, too.
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    board.resign().expect("it goes on");
    board.undo().expect("it was resigned");
    assert!(board.end().is_none());
    // Tengen's resignation is its answer.
    let (mut board, _) = session(terms("go", "9", [Human, Machine], ""));
    play(&mut board, "E5");
    board.engine_moved(Decision::Resign).expect("its turn");
    board.undo().expect("a move was made");
    assert_eq!((board.game.current, requested_tasks(&board)[0]), (0, None));
    play(&mut board, "E5");
    assert_eq!(requested_tasks(&board)[0], Some(Task::Move));
}

#[test]
fn a_game_lost_on_time_goes_on_with_the_time_that_there_was() {
    let (mut board, clock) = session(terms("nogo", "5", [Human, Human], "absolute 60"));
    clock.advance(Duration::from_secs(20));
    play(&mut board, "C3 B2");
    clock.advance(Duration::from_secs(45));
    board.look_at_clocks();
    assert_eq!(board.end().map(|end| &*end.result), Some("W+T"));
    board.undo().expect("it was lost");
    let left = |board: &Session| board.game.clocks.left(Color::Black, board.now());
    assert_eq!(left(&board), TimeLeft::Main(Duration::from_secs(40)));
    assert!(board.end().is_none() && board.game.current == 2);
    // Moves that are taken back give their time back; and what is left is enough for one move.
    board.undo().expect("a move was made");
    board.undo().expect("a move was made");
    assert_eq!(left(&board), TimeLeft::Main(Duration::from_secs(60)));
    clock.advance(Duration::from_secs(59));
    play(&mut board, "C3 B2");
    clock.advance(Duration::from_secs(2));
    board.look_at_clocks();
    assert!(board.end().is_some());
    board.undo().expect("it was lost");
    assert_eq!(left(&board), TimeLeft::Main(GRACE));
}

#[test]
fn a_record_keeps_its_result_when_moves_are_tried() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    board
        .load(b"(;GM[1]SZ[9]RE[W+12.50];B[ee];W[ce])")
        .expect("a game");
    board.go(2).expect("it is there");
    play(&mut board, "A1");
    assert!(board.end().is_none() && board.sgf().contains("RE[W+12.50]"));
    board.undo().expect("a move was made");
    assert_eq!(board.end().map(|end| end.why), Some("record"));
    assert!(board.sgf().contains("RE[W+12.50]"));
}

#[test]
fn what_is_only_looked_at_is_not_kept() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    let text = b"(;GM[1]SZ[9];B[ee](;W[cc])(;W[gc]))(;GM[1]SZ[9];B[aa])";
    board.load(text).expect("a game");
    board.go(2).expect("it is there");
    board.choose_game(1).expect("it has two");
    assert!(board.is_untouched());
    board.choose_game(0).expect("it has two");
    board.comment(1, "seen".to_owned()).expect("it is there");
    board.choose_game(1).expect("it has two");
    assert!(!board.is_untouched(), "the other game of the file");
    for change in [
        |board: &mut Session| board.play(Vertex::Pass),
        |board: &mut Session| board.resign(),
        |board: &mut Session| board.play_line(&[Vertex::Pass]),
        |board: &mut Session| board.mark("triangle", Move(0), ""),
    ] {
        board.load(text).expect("a game");
        change(&mut board).expect("it is possible");
        assert!(!board.is_untouched());
    }
}

#[test]
fn a_kept_game_is_offered_until_something_is_done() {
    let (mut old, _) = session(terms("go", "9", [Human, Human], ""));
    play(&mut old, "E5");
    let begun = || {
        let (mut new, _) = session(terms("nogo", "5", [Human, Human], ""));
        let told = old.game.terms.clone();
        new.put_before(old.sgf().as_bytes(), &told).expect("a game");
        assert!(new.is_offering());
        new
    };
    let mut new = begun();
    play(&mut new, "C3");
    assert!(!new.is_offering());
    // Another new game has a game before it, too, but of this run.
    let mut new = begun();
    new.begin(terms("nogo", "5", [Human, Human], ""))
        .expect("a game");
    assert_eq!(
        (new.last_step(), new.is_offering()),
        (Some("replaced"), false)
    );
}

#[test]
fn the_games_of_a_file_after_a_bad_one_are_shown() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    for bad in ["(;GM[1]SZ[9]AB[aa]AW[ab][ba])", "(;GM[2];B[aa])"] {
        let text = format!("{bad}(;GM[1]SZ[9]GN[second];B[ee])(;GM[1]SZ[9]PB[a]PW[b])");
        board.load(text.as_bytes()).expect("the second");
        assert_eq!(
            (board.game.others.place, board.game.others.texts.len()),
            (1, 2)
        );
        let note = &board.game.notes[0];
        assert!(note.starts_with("1 games before this one cannot"), "{note}");
        let own = super::super::game::title(&board.game.tree.node(0).others);
        assert_eq!(board.game.others.titles(own)[1..], ["second", "a – b"]);
        let refused = board.choose_game(0).expect_err("it is bad").to_string();
        assert!(refused.contains("game 1"), "{refused}");
        board.choose_game(2).expect("the third");
        assert_eq!(board.sgf().matches("(;").count(), 3, "{}", board.sgf());
    }
    let none = board.load(b"(;GM[2])(;GM[3])").expect_err("both are bad");
    assert!(none.to_string().contains("none of the 2 games"), "{none}");
}

#[test]
fn tengen_joins_a_record_and_people_have_names() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    let record = b"(;GM[1]SZ[9]PB[bl]PW[wh]RE[B+R]AB[cc];B[ee];W[ce];B[gg])";
    board.load(record).expect("a game");
    board.go(1).expect("it is there");
    board
        .set_up([Human, Machine], Level::default())
        .expect("a level");
    assert_eq!(requested_tasks(&board)[0], Some(Task::Move), "from here on");
    assert!(board.sgf().contains("PB[bl]PW[wh]"));
    let named = NewGame {
        names: ["Anna".to_owned(), String::new()],
        ..terms("go", "9", [Human, Machine], "")
    };
    board.begin(named).expect("a game");
    assert!(
        board.sgf().contains("PB[Anna]PW[Tengen]"),
        "{}",
        board.sgf()
    );
    board
        .set_up([Machine, Human], Level::default())
        .expect("a level");
    assert!(board.sgf().contains("PB[Tengen]") && !board.sgf().contains("PW["));
    board.set_up([Human; 2], Level::default()).expect("a level");
    assert!(board.sgf().contains("PB[Anna]") && !board.sgf().contains("PW["));
}

#[test]
fn marks_are_written_into_any_game_and_taken_back() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    let plain = board.sgf();
    let corner = board.board.size().point(0, 8);
    board.mark("label", corner, "A").expect("a mark");
    let marked = board.sgf();
    assert!(
        marked.contains("SZ[9]") && marked.contains("LB[aa:A]"),
        "{marked}"
    );
    board.load(marked.as_bytes()).expect("our own file");
    assert_eq!(board.sgf(), marked);
    board.take_back().expect("the file");
    board.take_back().expect("the mark");
    assert_eq!(board.sgf(), plain);
    assert!(board.mark("heart", corner, "").is_err());
}
