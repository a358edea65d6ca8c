//! The game that is kept while it is played, and how the program ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::client::Board;
use super::games::{begin, play};
use super::page::open;
use crate::scratch::Scratch;

/// A game between people.
fn people() -> Value {
    json!({"game": "nogo", "size": "5", "players": ["human", "human"]})
}

/// Ends a board by a signal; its status, `None` if the signal has ended it.
fn end(board: &mut Board, signal: &str) -> Option<i32> {
    let id = board.child.0.id().to_string();
    let asked = Command::new("kill").args([signal, &id]).status();
    assert!(asked.expect("kill").success());
    board.child.0.wait().expect("it is our child").code()
}

#[test]
fn the_last_move_before_the_end_is_kept() {
    for (signal, status) in [("-TERM", Some(0)), ("-INT", None)] {
        let folder = Scratch::new("kept-at-the-end");
        let file = folder.path("kept.sgf");
        let mut board = Board::start(&["--backend", "rollout", "--autosave", &file]);
        begin(&board, &people());
        play(&board, "C3");
        // At once, long before the next regular write. What stops a service is no failure.
        assert_eq!(end(&mut board, signal), status);
        let kept = std::fs::read_to_string(&file).expect("it was written");
        assert!(kept.contains(";B[cc]"), "{kept}");
    }
    assert_eq!(
        end(&mut Board::start(&["--backend", "rollout"]), "-TERM"),
        Some(0)
    );
}

/// Runs a board until it is asked to end.
fn with_kept(file: &str, args: &[&str], act: impl FnOnce(&Board)) {
    let mut board = Board::start(&[args, &["--backend", "rollout", "--autosave", file]].concat());
    act(&board);
    end(&mut board, "-TERM");
}

#[test]
fn a_kept_game_outlives_a_file_that_is_looked_at() {
    let folder = Scratch::new("kept-and-looked");
    let (file, record) = (folder.path("kept.sgf"), folder.path("record.sgf"));
    std::fs::write(&record, "(;GM[1]SZ[9]C[look];B[aa])").expect("writable");
    let kept = || std::fs::read_to_string(&file).unwrap_or_default();
    let earlier = || std::fs::read_to_string(format!("{file}.bak")).unwrap_or_default();
    with_kept(&file, &[], |board| {
        begin(board, &people());
        play(board, "C3");
    });
    assert!(kept().contains(";B[cc]") && earlier().is_empty());
    with_kept(&file, &[&record], |board| {
        board.do_it(&json!({"do": "go", "node": 1}));
    });
    assert!(
        kept().contains(";B[cc]") && earlier().is_empty(),
        "{}",
        kept()
    );
    // Something is done: the game of the earlier run is still beside it.
    with_kept(&file, &[&record], |board| {
        board.do_it(&json!({"do": "comment", "node": 1, "text": "x"}));
        board.do_it(&json!({"do": "comment", "node": 1, "text": "seen"}));
    });
    assert!(kept().contains("C[seen]") && earlier().contains(";B[cc]"));
}

#[test]
fn the_last_game_is_offered_until_a_move_is_played() {
    let folder = Scratch::new("kept-offered");
    let file = folder.path("kept.sgf");
    with_kept(&file, &[], |board| {
        begin(board, &people());
        play(board, "C3");
    });
    let args = ["--backend", "rollout", "--autosave", file.as_str()];
    let Some((browser, board)) = open(&folder, &args) else {
        return;
    };
    let offers = |hidden: bool| {
        browser.wait(&format!(
            "document.getElementById('toast').hidden === {hidden}"
        ));
    };
    offers(false);
    // Longer than other messages stay.
    std::thread::sleep(Duration::from_secs(9));
    offers(false);
    play(&board, "C3");
    offers(true);
}

/// A board with the usual file, in this environment.
fn usual(environment: &[(&str, &Path)]) -> Board {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["board", "--backend", "rollout"])
        .env_remove("HOME")
        .env_remove("XDG_STATE_HOME")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let mut line = String::new();
    let output = child.stdout.take().expect("it is piped");
    let read = BufReader::new(output).read_line(&mut line);
    read.expect("an address");
    Board::of(child, line.trim())
}

/// The usual file is not refused for its content, and a relative folder is none.
#[test]
fn what_cannot_be_read_is_kept_beside_the_new_game() {
    let home = Scratch::new("kept-unreadable");
    let state = home.join(".local/state/tengen");
    std::fs::create_dir_all(&state).expect("a folder");
    std::fs::write(state.join("board.sgf"), "half a ga").expect("writable");
    let relative = Path::new("kept-relative");
    let mut board = usual(&[("HOME", &*home), ("XDG_STATE_HOME", relative)]);
    begin(&board, &people());
    play(&board, "C3");
    end(&mut board, "-TERM");
    assert!(!relative.exists());
    let text = |name: &str| std::fs::read_to_string(state.join(name)).unwrap_or_default();
    assert!(text("board.sgf").contains(";B[cc]"));
    assert_eq!(text("board.sgf.bak"), "half a ga");
}

#[test]
fn a_board_that_keeps_nothing_says_so() {
    let home = Scratch::new("kept-by-another");
    std::fs::create_dir_all(home.join(".local/state/tengen")).expect("a folder");
    let at_home: &[(&str, &Path)] = &[("HOME", &*home)];
    let _first = usual(at_home);
    let file = home.join("file");
    std::fs::write(&file, "no folder").expect("writable");
    let in_file: &[(&str, &Path)] = &[("XDG_STATE_HOME", file.as_path())];
    for (environment, why) in [
        (&[][..], "neither"),
        (at_home, "another tengen board"),
        (in_file, "board.sgf: "),
    ] {
        let mut board = usual(environment);
        end(&mut board, "-TERM");
        let mut said = String::new();
        let errors = board.child.0.stderr.take();
        let read = errors.map(|mut errors| errors.read_to_string(&mut said));
        read.expect("it is piped").expect("text");
        assert!(
            said.contains("the game is not kept") && said.contains(why) && !said.contains(".bak"),
            "{said}"
        );
    }
}
