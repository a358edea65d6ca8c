//! A manager of the Gomocup protocol like Piskvork, under its clocks; `gomocup.session` has what needs none.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

use crate::process::Engine;
use crate::scratch::Scratch;

/// A program under a manager.
struct Brain(Engine);

impl Brain {
    fn start(arguments: &[&str]) -> Brain {
        Brain(Engine::program(arguments))
    }

    /// Lines as the manager writes them, with CR and LF.
    fn send(&mut self, lines: &[&str]) {
        for line in lines {
            self.0.send(&format!("{line}\r\n"));
        }
    }

    /// The next line that is not a message.
    fn hears(&self) -> String {
        loop {
            let line = self.0.line();
            let line = line.trim_end();
            if !line.starts_with("MESSAGE ") {
                return line.to_owned();
            }
        }
    }

    /// Sends END; returns the remaining output, and the time the program takes to end.
    fn ends(mut self) -> (String, Duration) {
        self.send(&["END"]);
        self.0.wait()
    }
}

/// Column and row of a move.
fn point(text: &str) -> (u8, u8) {
    let (x, y) = text
        .split_once(',')
        .unwrap_or_else(|| panic!("{text:?} is no move"));
    (x.parse().expect("a column"), y.parse().expect("a row"))
}

#[test]
fn turns_stay_within_their_time_and_end_comes_at_once() {
    let mut brain = Brain::start(&["gomocup", "--seed", "1"]);
    brain.send(&[
        "START 15",
        "INFO timeout_turn 400",
        "INFO timeout_match 100000",
    ]);
    assert_eq!(brain.hears(), "OK");
    let clock = SystemClock::new();
    for turn in ["TURN 7,7", "TURN 0,0", "TURN 14,14"] {
        let begin = clock.now();
        brain.send(&["INFO time_left 90000", turn]);
        point(&brain.hears());
        let took = clock.now() - begin;
        // The test machine is busy; the rest is the tolerated delay of a search.
        assert!(took < Duration::from_secs(2), "{turn}: {took:?}");
    }
    // With one stone, where nothing is proven soon.
    brain.send(&["RESTART"]);
    assert_eq!(brain.hears(), "OK");
    brain.send(&[
        "INFO timeout_turn 600000",
        "INFO time_left 2147483647",
        "TURN 7,7",
    ]);
    std::thread::sleep(Duration::from_millis(300));
    // Piskvork's button for a move at once.
    let begin = clock.now();
    brain.send(&["INFO timeout_turn 0"]);
    point(&brain.hears());
    assert!(clock.now() - begin < Duration::from_secs(5));
    brain.send(&["INFO timeout_turn 600000", "TURN 0,0"]);
    std::thread::sleep(Duration::from_millis(300));
    let (rest, took) = brain.ends();
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(rest.is_empty(), "after END nothing is said: {rest:?}");
}

/// Moves to be played as fast as possible, by the built-in network, cold and warm.
#[test]
fn a_move_demanded_at_once_is_the_best_so_far() {
    for arguments in [&[][..], &["gomocup", "--backend", "rollout"]] {
        let mut brain = Brain::start(arguments);
        // The rows of a game: a five is on the board.
        let five = [
            "BOARD", "7,7,1", "8,8,2", "7,8,1", "8,9,2", "7,9,1", "8,10,2", "7,10,1", "3,3,2",
            "DONE",
        ];
        brain.send(&["START 15"]);
        assert_eq!(brain.hears(), "OK");
        for turn in ["0", "1", "3", "7", "20"] {
            brain.send(&[&format!("INFO timeout_turn {turn}")]);
            brain.send(&five);
            let made = brain.hears();
            assert!(
                ["7,6", "7,11"].contains(&made.as_str()),
                "{turn} ms: {made}"
            );
            brain.send(&[
                "RESTART", "BOARD", "0,0,2", "9,0,1", "1,0,2", "9,2,1", "2,0,2",
            ]);
            brain.send(&["9,4,1", "3,0,2", "DONE"]);
            assert_eq!(brain.hears(), "OK");
            assert_eq!(brain.hears(), "4,0", "{turn} ms");
            brain.send(&["RESTART"]);
            assert_eq!(brain.hears(), "OK");
        }
        assert!(brain.ends().1 < Duration::from_secs(1));
    }
}

/// Yixin's way to begin, sent to a program without arguments.
#[test]
fn yixin_board_is_understood() {
    let mut brain = Brain::start(&[]);
    brain.send(&[
        "INFO timeout_turn 1000",
        "INFO rule 2",
        "start 15 15",
        "BEGIN",
    ]);
    assert_eq!(brain.hears(), "OK");
    point(&brain.hears());
    // It stops thinking on command.
    brain.send(&[
        "INFO timeout_turn 600000",
        "INFO timeout_match 0",
        "yxhashclear",
        "start 15 15",
        "turn 7,7",
    ]);
    assert_eq!(brain.hears(), "OK");
    std::thread::sleep(Duration::from_millis(300));
    let clock = SystemClock::new();
    let begin = clock.now();
    brain.send(&["yxstop"]);
    point(&brain.hears());
    assert!(clock.now() - begin < Duration::from_secs(5));
    brain.send(&["yxshowforbid"]);
    assert_eq!(brain.hears(), "FORBID .");
    assert!(brain.ends().1 < Duration::from_secs(1));
}

/// Lines that end with CR alone, from the first byte on.
#[test]
fn carriage_returns_alone_end_lines() {
    let mut engine = Engine::program(&[]);
    engine.send("start 15\rBOARD\r0,0,2\r9,0,1\r1,0,2\r9,2,1\r2,0,2\r9,4,1\r3,0,2\rDONE\r");
    let mut brain = Brain(engine);
    assert_eq!(brain.hears(), "OK");
    assert_eq!(brain.hears(), "4,0");
    brain.0.send("end\r");
    assert!(brain.0.wait().1 < Duration::from_secs(1));
}

/// Piskvork gives a program one pipe for both of its streams, and skips lines of DEBUG.
#[test]
fn the_log_cannot_be_taken_for_an_answer() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["gomocup", "--threads", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let lines = "START 15\r\nINFO time_left 300\r\nINFO timeout_turn 5000\r\nBOARD\r\n7,7,2\r\nDONE\r\nEND\r\n";
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    let run = child.wait_with_output().expect("it ends");
    let log = String::from_utf8_lossy(&run.stderr);
    assert!(log.contains("gets only"), "{log}");
    for line in log.lines() {
        assert!(line.starts_with("DEBUG "), "{line}");
    }
}

/// A whole match with clocks, one side over GTP and the other over this protocol.
#[test]
fn a_match_against_a_program_of_this_protocol() {
    let folder = Scratch::new("gomocup-match");
    let out = folder.join("match");
    let tengen = env!("CARGO_BIN_EXE_tengen");
    let quick = "--visits 40 --seed 1 --backend rollout";
    let run = Command::new(env!("CARGO_BIN_EXE_tengen-match"))
        .args([
            "play", "--game", "gomoku", "--rules", "renju", "--size", "9", "--games", "4",
            "--time", "60",
        ])
        .args(["--random-plies", "3", "--json", "--out"])
        .arg(&out)
        .args([
            "--first",
            &format!("{tengen} gtp --game gomoku --size 9 {quick}"),
        ])
        .args([
            "--second",
            &format!("{tengen} gomocup {quick}"),
            "--second-protocol",
            "gomocup",
        ])
        .output()
        .expect("the binary was built for this test");
    let (report, errors) = (
        String::from_utf8_lossy(&run.stdout).into_owned(),
        String::from_utf8_lossy(&run.stderr).into_owned(),
    );
    let results = std::fs::read_to_string(out.join("results.jsonl")).unwrap_or_default();
    assert!(run.status.success(), "{report}{errors}");
    // The first line is the agreed opening.
    let games: Vec<&str> = results.lines().skip(1).collect();
    assert_eq!(games.len(), 4, "{results}");
    for game in games {
        assert!(game.contains("\"reason\":\"rules\""), "{game}");
    }
    assert!(results.contains("\"protocol\":\"gomocup\""), "{results}");
}
