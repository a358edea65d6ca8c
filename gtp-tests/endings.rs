//! `tengen solve`.

use std::process::{Command, Output};

fn tengen(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(args)
        .output()
        .expect("the binary was built for this test")
}

#[track_caller]
fn prints(args: &[&str], parts: &[&str]) {
    let output = tengen(args);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[track_caller]
fn refuses(args: &[&str], part: &str) {
    let output = tengen(args);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text.starts_with("tengen: ") && text.contains(part) && text.lines().count() == 1,
        "{text}"
    );
}

#[test]
fn a_position_is_solved_from_a_file_or_from_moves() {
    let file = "gtp-tests/games/4x4.sgf";
    prints(
        &["solve", file, "--plies", "6"],
        &["black wins, black to move", "line: A4 "],
    );
    prints(
        &["solve", file, "--plies", "7"],
        &["white wins, white to move"],
    );
    prints(
        &["solve", "--size", "3x4", "--json"],
        &["\"winner\":\"white\"", "\"move\":null"],
    );
    refuses(&["solve", "nowhere.sgf"], "nowhere.sgf");
    refuses(
        &["solve", "--size", "4", "--play", "A1 A1"],
        "white at A1 is not legal after 1 moves",
    );
}
