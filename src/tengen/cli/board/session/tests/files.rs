//! Games from and to files.

use crate::record::sgf;
use tengen_nn::files::scratch::Scratch;

use super::super::super::autosave::{self, Autosave};
use super::*;

#[test]
fn a_game_that_could_not_be_kept_is_kept_later() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    play(&mut board, "C3");
    let scratch = Scratch::new("board-kept-later");
    let folder = scratch.path().join("state");
    let file = folder.join("board.sgf");
    std::fs::write(&folder, "in the way").expect("writable");
    let autosave = Autosave::new(Arc::new(BoardState::new(board)), (file.clone(), None));
    assert!(autosave.save() && autosave.save(), "it is tried again");
    std::fs::remove_file(&folder).expect("it is ours");
    assert!(autosave.save() && file.exists());
    assert!(!autosave.save(), "there is nothing left to write");
}

#[test]
fn two_boards_do_not_keep_their_games_in_one_file() {
    let scratch = Scratch::new("board-kept-twice");
    let file = scratch.path().join("board.sgf");
    let [one, other] = ["C3", "D4"].map(|at| {
        let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
        play(&mut board, at);
        Autosave::new(Arc::new(BoardState::new(board)), (file.clone(), None))
    });
    let text = |ending: &str| {
        let path = format!("{}{ending}", file.display());
        std::fs::read_to_string(path).unwrap_or_default()
    };
    assert!(one.save() && other.save() && !one.save());
    assert!(text("").contains(";B[cg]") && text(".bak").is_empty());
    let (mut third, _) = session(terms("go", "9", [Human, Human], ""));
    let refused = autosave::open(&mut third, Some(file.clone())).expect_err("it is in use");
    let refused = format!("{refused:#}");
    assert!(refused.contains("another tengen board"), "{refused}");
    // When the first one has ended, the other takes the file over.
    drop(one);
    assert!(other.save() && text("").contains(";B[df]"));
    assert!(text(".bak").contains(";B[cg]"));
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
        board.game.notes[0].contains("in the file: 4 nodes, the first after 2 nodes: "),
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

/// Also when it is taken up in another run.
#[test]
fn a_file_of_go_or_nogo_is_go_if_go_is_shown_or_nogo_forbids_its_moves() {
    let (plain, taken) = ("B[ee];W[cc];B[gg]", "B[ba];W[aa];B[ab];W[ee];B[aa]");
    for (shown, moves, read) in [
        ("nogo", plain, "nogo"),
        ("gomoku", plain, "nogo"),
        ("go", plain, "go"),
        ("nogo", taken, "go"),
    ] {
        let (mut board, _) = session(terms(shown, "9", [Human, Human], ""));
        let file = format!("(;GM[1]SZ[9];{moves})");
        board.load(file.as_bytes()).expect("a game");
        assert_eq!(board.game.terms.game, read, "{shown} {moves}");
        for shown in ["go", "nogo"] {
            let (text, kept) = board.to_keep();
            let (mut later, _) = session(terms(shown, "9", [Human, Human], ""));
            later.put_before(text.as_bytes(), kept).expect("a game");
            later.take_back().expect("the earlier one");
            assert_eq!(later.game.terms.game, read, "{shown} {moves}");
        }
    }
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
fn a_ko_that_is_retaken_at_once_is_shown() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    let ko = "B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb]";
    // In the main line, as its note says, and in a variation.
    for (text, notes) in [
        (format!("(;SZ[9]RU[Chinese];{ko};B[cb];W[ii])"), 1),
        (
            format!("(;SZ[9]RU[Chinese];{ko}(;B[hh];W[ii])(;B[cb];W[ii]))"),
            0,
        ),
    ] {
        board.load(text.as_bytes()).expect("a game");
        let nodes = board.game.tree.in_order();
        assert_eq!(board.game.notes.len(), notes, "{:?}", board.game.notes);
        assert_eq!(nodes.len() + 1, text.matches(';').count(), "{text}");
        for (node, _) in nodes {
            board.go(node).expect("it is there");
        }
        assert!(board.sgf().contains(";B[cb];W[ii])"), "{}", board.sgf());
    }
    // People who play may not.
    board.go(8).expect("it is there");
    let retaken = parse_vertex("C8", board.board.size()).expect("a vertex");
    assert!(board.play(retaken).is_err());
}

#[test]
fn a_record_keeps_its_result_when_moves_are_tried() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    board
        .load(b"(;GM[1]SZ[9]RE[W+12.50];B[ee];W[ce])")
        .expect("a game");
    let check = |board: &Session| {
        let record = sgf::read(&board.sgf()).expect("SGF");
        assert_eq!((record.plays.len(), &*record.result), (2, "W+12.50"));
    };
    check(&board);
    board.go(2).expect("it is there");
    play(&mut board, "A1");
    assert!(board.end().is_none());
    assert_eq!(board.to_keep().1.live, Some(4), "after the end");
    check(&board);
    board.undo().expect("a move was made");
    assert_eq!(board.end().map(|end| end.why), Some("record"));
    assert_eq!(board.to_keep().1.live, Some(3), "the end");
    check(&board);
}

#[test]
fn the_main_line_ends_where_a_game_was_given_up() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    play(&mut board, "E5 C5 D4");
    board.undo().expect("a move was made");
    board.resign().expect("it goes on");
    let check = |text: &str| {
        let record = sgf::read(text).expect("SGF");
        let end = (record.plays.len(), &*record.result);
        assert_eq!(end, (2, "W+R"), "{text}");
        assert_eq!(text.matches(";B[").count(), 2, "{text}");
    };
    let (text, kept) = board.to_keep();
    check(&text);
    let (mut later, _) = session(terms("go", "9", [Human, Human], ""));
    later.put_before(text.as_bytes(), kept).expect("a game");
    later.take_back().expect("the earlier one");
    assert!(later.end().is_some(), "it is over");
    check(&later.sgf());
}

#[test]
fn a_record_with_an_unknown_result_goes_on() {
    for result in ["?", "Void", "void"] {
        let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
        let text = format!("(;GM[1]SZ[9]PW[Tengen]RE[{result}];B[ee])");
        board.load(text.as_bytes()).expect("a game");
        assert_eq!(board.game.terms.players, [Human, Machine]);
        board.go(1).expect("it is there");
        assert!(board.end().is_none() && board.sgf().contains(&format!("RE[{result}]")));
        board.resign().expect("it goes on");
        assert!(board.sgf().contains("RE[W+R]"), "{}", board.sgf());
    }
}

#[test]
fn the_result_of_a_file_is_that_of_its_main_line() {
    let (mut board, _) = session(terms("go", "9", [Human, Machine], ""));
    play(&mut board, "E5 C5");
    board.undo().expect("both moves");
    play(&mut board, "D4");
    let first = |text: &str| sgf::read(text).expect("SGF").plays[0].play.vertex;
    let [given_up, played] = ["E5", "D4"].map(|at| parse_vertex(at, board.board.size()));
    assert_eq!(first(&board.sgf()), given_up.expect("a vertex"));
    board.resign().expect("it goes on");
    let (text, kept) = board.to_keep();
    assert!(text.contains("RE[W+R]"), "{text}");
    assert_eq!(
        (first(&text), kept.live),
        (played.expect("a vertex"), Some(1))
    );
    // That of a record is not one of a variation.
    let record = "(;GM[1]SZ[9]RE[W+12.50];B[ee];W[ce])";
    board.load(record.as_bytes()).expect("a game");
    play(&mut board, "D4");
    board.resign().expect("it goes on");
    let text = board.sgf();
    assert!(text.contains("RE[W+12.50]"), "{text}");
    assert_eq!(first(&text), first(record));
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
        let (text, kept) = old.to_keep();
        new.put_before(text.as_bytes(), kept).expect("a game");
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
    for bad in ["(;GM[1]SZ[9]AB[aa]AW[ab][ba])", "(;GM[2];B[aa])", "(;%)"] {
        let text = format!("{bad}(;GM[1]SZ[9]GN[second];B[ee])(;GM[1]SZ[9]PB[a]PW[b])");
        board.load(text.as_bytes()).expect("the second");
        assert_eq!(
            (board.game.others.place, board.game.others.texts.len()),
            (1, 2)
        );
        let note = &board.game.notes[0];
        assert!(
            note.contains("in the file: 1 game before this one, game 1: "),
            "{note}"
        );
        let own = super::super::super::game::title(&board.game.tree.node(0).others);
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
fn a_bad_game_or_file_does_not_hide_the_others() {
    let (mut board, _) = session(terms("go", "9", [Human, Human], ""));
    board
        .load(b"(;SZ[9];B[aa])(;%)(;SZ[9];B[bb])")
        .expect("the first");
    let refused = board.choose_game(1).expect_err("it is bad").to_string();
    assert!(refused.contains("game 2"), "{refused}");
    board.choose_game(2).expect("the third");
    assert!(board.sgf().contains("B[bb]"), "{}", board.sgf());
    let files: [&[u8]; 3] = [b"hello", b"(;SZ[9])", b""];
    board.load_files(&files).expect("one has a game");
    assert_eq!(board.game.notes[0], "without a game: 2 of 3 files");
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
