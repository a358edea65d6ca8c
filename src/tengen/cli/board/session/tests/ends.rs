//! Ends of games: by rules, counts, resignation and time.

use super::*;

#[test]
fn two_passes_are_counted_and_a_stone_takes_the_game_up_again() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut board, "C3 pass pass");
    assert_eq!(requested_tasks(&board), [Some(Task::Count), None]);
    let settled = board.board.settle(&crate::search::StopFlag::new());
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
    let written = crate::record::sgf::read(&board.sgf()).expect("SGF");
    let end = (written.plays.len(), &*written.result);
    assert_eq!(end, (8, "W+R"), "{}", board.sgf());
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
    play(&mut board, "C3");
    board.go(0).expect("it is there");
    assert!(board.resign().is_err() && board.end().is_none());
    assert_eq!(board.game.current, 0, "a refusal changes nothing");
}

#[test]
fn a_count_during_the_game_is_an_estimate() {
    let (mut board, _) = session(terms("go", "5", [Human, Human], ""));
    play(&mut board, "C3 pass D3");
    board.ask(Task::Count).expect("points are counted");
    let settled = board.board.settle(&crate::search::StopFlag::new());
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
