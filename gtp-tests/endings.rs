//! `tengen solve` from the command line.

use crate::process::{refuses, tengen};

#[track_caller]
fn prints(args: &[&str], parts: &[&str]) {
    let output = tengen(args);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_position_is_solved_from_a_file_or_from_moves() {
    let file = "../../gtp-tests/games/4x4.sgf";
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
    refuses(
        &["solve", "--size", "5", "--play", "b"],
        "\"b\" is a colour without a point",
    );
    for time in ["inf", "NaN", "1e30", "-1.0"] {
        refuses(
            &["solve", "--size", "2", "--time", time],
            &format!("takes seconds from 0 to 1e19, not {time}"),
        );
    }
}
