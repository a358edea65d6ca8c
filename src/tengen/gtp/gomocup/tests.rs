//! Sessions, with the manager's input byte for byte.

mod at_once;
mod dialects;

use std::time::Duration;

use super::*;
use crate::clock::{Clock, FakeClock, SystemClock, TimeLeft};
use crate::engine::EngineOptions;
use crate::gtp::Input;
use crate::registry;

fn session() -> GomocupSession {
    let mut options = EngineOptions::of("gomoku").expect("it is on the list");
    options.set("visits", "60").expect("a number");
    options.set("seed", "1").expect("a number");
    session_with(options)
}

fn session_with(options: EngineOptions) -> GomocupSession {
    session_at(options, Arc::new(SystemClock::new()))
}

fn session_at(options: EngineOptions, time: Arc<dyn Clock>) -> GomocupSession {
    let clock = Arc::clone(&time);
    let make: MakeBrain = Box::new(move |size, _| registry::create(&options, size, &time));
    let options = GomocupOptions {
        name: "Tengen".to_owned(),
        ponder: false,
        messages: false,
        opening_seed: 0,
    };
    GomocupSession::new(make, options, clock)
}

/// Output of a session for these lines.
fn said(session: &mut GomocupSession, lines: &[&str]) -> Vec<String> {
    let mut said = Vec::new();
    for line in lines {
        if let Input::Command(line) = GomocupSession::parse(line.as_bytes()) {
            session.interrupts().begin_command();
            session.answer(&line, &mut |text| {
                assert!(
                    text.ends_with('\n') && text.matches('\n').count() == 1,
                    "{text:?}"
                );
                said.push(text.trim_end().to_owned());
            });
        }
    }
    said
}

fn is_point(text: &str) -> bool {
    text::numbers(text).is_some_and(|numbers| numbers.len() == 2)
}

#[test]
fn a_game_is_begun_turn_by_turn() {
    let mut session = session();
    assert_eq!(said(&mut session, &["START 15\r"]), ["OK"]);
    let info = [
        "INFO timeout_turn 5000",
        "INFO timeout_match 180000",
        "INFO folder C:\\brains",
    ];
    assert!(said(&mut session, &info).is_empty());
    let first = said(&mut session, &["INFO time_left 180000", "BEGIN"]);
    assert!(first.len() == 1 && is_point(&first[0]), "{first:?}");
    let second = said(&mut session, &["INFO time_left 179000", "TURN 0,0"]);
    assert!(
        second.len() == 1 && is_point(&second[0]) && second != first,
        "{second:?}"
    );
    let engine = session.engine.as_deref().expect("it was started");
    assert_eq!(engine.record().plays.len(), 3);
    assert_eq!(
        engine.thinking_limits().time_per_move,
        Some(Duration::from_millis(4940))
    );
    let clock = engine.clock_state(crate::game::Color::Black).clock.left();
    assert!(clock.to_string().starts_with("17"), "{clock}");
}

/// Each move costs at least the lag that is taken for usual.
#[test]
fn a_time_is_taken_once_and_then_counted_down() {
    let mut options = EngineOptions::of("gomoku").expect("it is on the list");
    options.set("visits", "60").expect("a number");
    let mut session = session_at(options, Arc::new(FakeClock::new()));
    let mut left_after = |lines: &[&str]| {
        said(&mut session, lines);
        let engine = session.engine.as_deref().expect("it was started");
        match engine.clock_state(crate::game::Color::Black).clock.left() {
            TimeLeft::Main(left) => left,
            other => panic!("{other}"),
        }
    };
    let begun = [
        "START 15",
        "INFO timeout_match 180000",
        "INFO time_left 90000",
        "BEGIN",
    ];
    let turns = [&begun[..], &["TURN 0,0"], &["TURN 0,2"], &["TURN 0,4"]];
    let left = turns.map(&mut left_after);
    assert!(
        left.is_sorted_by(|before, after| before > after),
        "{left:?}"
    );
}

#[test]
fn a_list_is_a_position_and_fives_are_made_and_stopped() {
    let mut session = session();
    said(&mut session, &["START 20"]);
    let ours = [
        "BOARD", "5,5,1", "0,0,2", "6,5,1", "2,0,2", "7,5,1", "4,0,2", "8,5,1", "4,5,2", "DONE",
    ];
    assert_eq!(said(&mut session, &ours), ["9,5"]);
    let theirs = [
        "RESTART", "BOARD", "9,9,2", "5,5,1", "9,10,2", "5,8,1", "9,11,2", "9,8,1", "9,12,2",
        "DONE",
    ];
    assert_eq!(said(&mut session, &theirs), ["OK", "9,13"]);
    // In another order it is set up.
    let theirs = [
        "board", "9,9,2", "9,10,2", "9,11,2", "9,12,2", "5,5,1", "5,8,1", "9,8,1", "done",
    ];
    assert_eq!(said(&mut session, &theirs), ["9,13"]);
    assert!(said(&mut session, &["YXBOARD", "3,3,2", "DONE"]).is_empty());
    assert_eq!(
        said(&mut session, &["TAKEBACK 3,3", "PLAY 7,8"]),
        ["OK", "7,8"]
    );
}

#[test]
fn the_rules_are_those_of_the_manager() {
    let mut session = session();
    said(&mut session, &["INFO rule 1", "START 15"]);
    // White has four in a row with a gap to a sixth: five at one end only.
    let rules = |session: &GomocupSession| session.info.rules;
    assert_eq!(rules(&session), Some("standard"));
    said(&mut session, &["INFO rule 4", "RESTART"]);
    let six = [
        "YXBOARD", "0,0,1", "0,14,2", "1,0,1", "2,14,2", "2,0,1", "4,14,2", "4,0,1", "6,14,2",
        "5,0,1", "8,14,2", "DONE",
    ];
    assert!(said(&mut session, &six).is_empty());
    let refused = said(&mut session, &["TURN 3,0"]);
    assert_eq!(
        refused,
        ["ERROR illegal move: Black is forbidden an overline: 3,0"]
    );
    let mut session = self::session();
    let trouble = said(&mut session, &["START 15", "INFO rule 2", "BEGIN", "ABOUT"]);
    assert!(trouble[1].starts_with("ERROR INFO rule 2"), "{trouble:?}");
    assert!(
        trouble[2].starts_with("name=\"Tengen\", version="),
        "{trouble:?}"
    );
}

#[test]
fn limits_of_memory_are_those_of_the_next_game() {
    let mut session = session();
    let lines = ["START 15", "BEGIN", "INFO max_memory 300000000", "RESTART"];
    assert_eq!(said(&mut session, &lines).len(), 3);
    assert_eq!(session.allowance.memory, Some(300_000_000));
}

/// To the network many points are as good, and a short search took a corner of them.
#[test]
fn the_first_stone_goes_to_the_centre() {
    let mut session = session();
    for (start, centre) in [
        ("START 20", "9,10"),
        ("START 15", "7,7"),
        ("RECTSTART 20,5", "9,2"),
    ] {
        for rule in ["0", "1", "4", "8"] {
            let rule = format!("INFO rule {rule}");
            let reply = said(&mut session, &[start, &rule, "BEGIN"]);
            assert_eq!(reply, ["OK", centre], "{start} {rule}");
            let engine = session.engine.as_deref().expect("it was started");
            let best = engine.last_report().and_then(|report| report.best());
            let told = best.map(|best| write_point(best.mv, engine.size()));
            assert_eq!(told.as_deref(), Some(centre), "{start} {rule}");
        }
    }
}

#[test]
fn rules_may_be_sent_before_their_game_begins() {
    let mut session = session();
    let overline = [
        "START 15", "YXBOARD", "0,0,1", "0,14,2", "1,0,1", "2,14,2", "2,0,1", "4,14,2", "4,0,1",
        "6,14,2", "5,0,1", "8,14,2", "3,0,1", "10,14,2", "DONE",
    ];
    // Black's last stone made an overline, which only Renju forbids.
    for begin in ["START 15", "RECTSTART 15,15", "RESTART"] {
        said(&mut session, &["INFO rule 1", "RESTART"]);
        assert_eq!(said(&mut session, &overline), ["OK"]);
        assert_eq!(said(&mut session, &["INFO rule 4", begin]), ["OK"]);
        let record = session.engine().expect("a board").record();
        assert_eq!(record.rules, "renju");
    }
    said(&mut session, &["INFO rule 1", "RESTART"]);
    said(&mut session, &overline);
    let refused = said(&mut session, &["INFO rule 4", "TURN 9,9", "INFO rule 1"]);
    assert!(
        refused[0].starts_with("ERROR the game so far"),
        "{refused:?}"
    );
    let answer = said(&mut session, &["TURN 9,9"]);
    assert!(is_point(&answer[0]), "{answer:?}");
}

#[test]
fn openings_are_offered_and_sides_chosen() {
    let mut session = session();
    let offered = said(&mut session, &["START 15", "SWAP2BOARD", "DONE"]);
    assert_eq!(
        offered[1]
            .split(' ')
            .filter(|point| is_point(point))
            .count(),
        3
    );
    // Three black stones that White cannot stop, and White's in a corner: Black it is.
    let black = said(
        &mut session,
        &["SWAP2BOARD", "7,7", "0,0", "8,7", "0,14", "9,7", "DONE"],
    );
    assert!(black == ["SWAP"] || is_point(&black[0]), "{black:?}");
    // White to make a straight four.
    let white = ["SWAP2BOARD", "0,0", "7,7", "0,14", "8,7", "14,14", "DONE"];
    assert!(is_point(&said(&mut session, &white)[0]));
    let wrong = said(&mut session, &["SWAP2BOARD", "0,0", "7,7", "DONE"]);
    assert!(
        wrong[0].starts_with("ERROR SWAP2BOARD takes 0, 3 or 5"),
        "{wrong:?}"
    );
}

#[test]
fn whatever_is_wrong_is_named_and_changes_nothing() {
    let mut session = session();
    for (line, part) in [
        ("BEGIN", "START"),
        ("TURN 3,3", "START"),
        ("BOARD", "START"),
        ("START", "START 15"),
        ("START 4", "4x4"),
        ("START 99999999999999999999", "START 15"),
        ("START -15", "-15"),
        ("RECTSTART 30,20", "30x20"),
        ("RECTSTART 15", "RECTSTART 20,15"),
        ("DONE", "none has begun"),
    ] {
        let reply = said(&mut session, &[line]);
        assert!(reply.len() == 1, "{line}: {reply:?}");
        assert!(
            reply[0].starts_with("ERROR ") && reply[0].contains(part),
            "{line}: {reply:?}"
        );
    }
    said(&mut session, &["RECTSTART 15,10", "PLAY 3,3"]);
    for (line, part) in [
        ("TURN 3,3", "illegal move"),
        ("TURN 15,0", "15x10"),
        ("TURN x", "0"),
        ("TAKEBACK 4,4", "last stone"),
        ("BEGIN", "RESTART"),
    ] {
        let reply = said(&mut session, &[line]);
        assert!(
            reply[0].starts_with("ERROR ") && reply[0].contains(part),
            "{line}: {reply:?}"
        );
        let engine = session.engine.as_deref().expect("it was started");
        assert_eq!(engine.record().plays.len(), 1, "{line}");
    }
    assert_eq!(
        said(&mut session, &["HELLO 1"]),
        ["UNKNOWN \"HELLO\" is not a command of this program"]
    );
    let unended = said(&mut session, &["BOARD", "1,1,2", "TAKEBACK 3,3"]);
    assert_eq!(
        unended,
        ["ERROR a list was not ended by DONE before TAKEBACK", "OK"]
    );
    assert!(said(&mut session, &["BOARD", "1,1,2", "END"]).is_empty());
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let mut session = session();
    let five = [
        "START 15", "YXBOARD", "0,0,2", "0,5,1", "1,0,2", "2,5,1", "2,0,2", "4,5,1", "3,0,2",
        "6,5,1", "DONE",
    ];
    said(&mut session, &five);
    // The list leaves the turn to us; White's fifth stone comes after ours.
    let reply = said(&mut session, &["PLAY 9,9", "TURN 4,0"]);
    let reply = &reply[1..];
    assert!(reply[0].starts_with("ERROR the game is over"), "{reply:?}");
}

#[test]
fn words_of_all_kinds_do_no_harm() {
    let mut session = session();
    let pieces = [
        "START 5",
        "BEGIN",
        "TURN 1,1",
        "BOARD",
        "DONE",
        "1,1,1",
        "2,2,2",
        "0,0,2",
        "SWAP2BOARD",
        "1,1",
        "RESTART",
        "TAKEBACK 1,1",
        "PLAY 2,2",
        "INFO rule 4",
        "INFO rule 99",
        "INFO time_left -1",
        "INFO timeout_turn 0",
        "INFO max_memory 1",
        "YXBOARD",
        "\u{0}",
        "17",
        "17 18",
        "END",
        "\u{76e4},1",
        "TURN 9999999999999999999999,0",
        "INFO",
        "info timeout_match 99999999999999999999",
        "ABOUT",
        "3,3,3",
    ];
    // A walk through all pairs of lines and many longer sequences.
    let mut state = 1_u64;
    for _ in 0..3000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let piece = pieces[(state >> 33) as usize % pieces.len()];
        for line in said(&mut session, &[piece]) {
            let known = ["OK", "ERROR ", "UNKNOWN ", "SWAP", "name="];
            let known = known.iter().any(|word| line.starts_with(word));
            assert!(
                known || line.split(' ').all(is_point),
                "{piece:?}: {line:?}"
            );
        }
    }
}
