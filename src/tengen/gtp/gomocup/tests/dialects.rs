//! Input beyond the published protocol, or in other forms.

use super::*;
use crate::gtp::serve;

/// Output of a session for raw bytes.
fn served(input: &'static [u8]) -> Vec<String> {
    let mut output = Vec::new();
    serve(session(), input, &mut output).expect("a Vec takes everything");
    let output = String::from_utf8(output).expect("ASCII");
    output.lines().map(str::to_owned).collect()
}

fn rules(session: &GomocupSession) -> String {
    session.engine.as_deref().expect("it was started").rules()
}

#[test]
fn yixin_starts_with_two_sides_and_its_rule_2_is_renju() {
    for lines in [
        &["INFO timeout_turn 1000", "INFO rule 2", "start 15 15"][..],
        &["start 15 15", "INFO rule 2"],
        &["INFO max_depth 225", "START 15", "info Rule 2"],
        &["yxstop", "START 15", "INFO rule 2"],
        &[
            "INFO rule 2",
            "info usedatabase 0",
            "INFO pondering 0",
            "start 15",
        ],
    ] {
        let mut session = session();
        assert_eq!(said(&mut session, lines), ["OK"], "{lines:?}");
        let first = said(&mut session, &["BEGIN"]);
        assert!(is_point(&first[0]), "{lines:?}: {first:?}");
        assert_eq!(rules(&session), "renju", "{lines:?}");
    }
    let mut session = session();
    assert_eq!(said(&mut session, &["start 15 12"]), ["OK"]);
    let size = session.engine.as_deref().map(|engine| engine.size());
    assert_eq!(size, Some(BoardSize::new(15, 12)));
}

#[test]
fn each_rule_is_played_or_refused_with_a_reason_once() {
    for (rule, expected) in [
        ("0", Ok("freestyle")),
        ("1", Ok("standard")),
        ("4", Ok("renju")),
        ("8", Ok("caro")),
        ("9", Ok("standard-caro")),
        ("2", Err("continuous")),
        ("3", Err("continuous")),
        ("5", Err("INFO rule 5")),
        ("6", Err("continuous")),
        ("12", Err("INFO rule 12")),
        ("-1", Err("INFO rule -1")),
        ("x", Ok("freestyle")),
    ] {
        let mut session = session();
        let info = format!("INFO rule {rule}");
        // Time reports in between change nothing.
        let lines = [
            &info,
            "INFO time_left 5000",
            "START 15",
            "START 15",
            "BEGIN",
        ];
        let reply = said(&mut session, &lines);
        match expected {
            Ok(name) => {
                assert_eq!(reply[..2], ["OK", "OK"], "{rule}");
                assert_eq!(rules(&session), name);
            }
            Err(part) => {
                let told = reply[0].starts_with("ERROR ") && reply[0].contains(part);
                assert!(told && reply[1] == "OK", "{rule}: {reply:?}");
            }
        }
        assert!(is_point(reply.last().expect("a move")), "{rule}: {reply:?}");
    }
}

#[test]
fn lines_end_in_any_way_and_words_come_in_any_case() {
    let expected = ["OK", "9,5"];
    for input in [
        &b"START 15\rBOARD\r5,5,1\r0,0,2\r6,5,1\r2,0,2\r7,5,1\r4,0,2\r8,5,1\r4,5,2\rDONE\rEND\r"[..],
        b"start 15\r\n\r\nboard\r\n5,5,1\r\n0,0,2\r\n6,5,1\r\n2,0,2\r\n7,5,1\r\n4,0,2\r\n8,5,1\r\n4,5,2\r\ndone\r\nEnd\r\n",
        b"Start 15\nBoard\n5, 5, 1\n0 ,0 ,2\n6 5 1\n2,0,2\n7,5,1\n\t4,0,2\n8,5,1\n4,5,2\nDone\n",
        b"START 15\nYXBOARD\n5,5,1\n0,0,2\n6,5,1\n2,0,2\n7,5,1\n4,0,2\n8,5,1\n4,5,2\nDONE\nYXNBEST 1\n",
    ] {
        assert_eq!(served(input), expected, "{:?}", String::from_utf8_lossy(input));
    }
    let mut session = session();
    let turn = said(&mut session, &["START 15", "turn 7, 7"]);
    assert!(is_point(&turn[1]), "{turn:?}");
    assert_eq!(
        said(&mut session, &["Takeback 9,9"])[0],
        "ERROR the last stone is not on 9,9"
    );
    assert_eq!(
        said(&mut session, &[&format!("takeback {}", turn[1])]),
        ["OK"]
    );
}

#[test]
fn what_yixin_adds_is_understood() {
    let mut session = session();
    assert_eq!(
        said(
            &mut session,
            &["start 15 15", "INFO rule 4", "yxhashclear", "yxstop"]
        ),
        ["OK"]
    );
    // Two black threes cross at 7,7.
    let lines = [
        "yxboard",
        "7,5,1",
        "0,0,2",
        "7,6,1",
        "0,2,2",
        "8,7,1",
        "0,4,2",
        "9,7,1",
        "0,6,2",
        "done",
        "yxshowforbid",
    ];
    assert_eq!(said(&mut session, &lines), ["FORBID 0707."]);
    assert_eq!(
        said(&mut session, &["INFO rule 0", "yxshowforbid"]),
        ["FORBID ."]
    );
    let engine = session.engine.as_deref().expect("it was started");
    assert_eq!(engine.record().plays.len(), 8, "nothing was played");
    said(
        &mut session,
        &["INFO max_node 30", "INFO timeout_turn 2000000"],
    );
    assert!(is_point(&said(&mut session, &["yxnbest 1"])[0]));
    let engine = session.engine.as_deref().expect("it was started");
    assert_eq!(engine.thinking_limits().visits, Some(30));
    said(&mut session, &["INFO max_node -1", "start 15 15", "BEGIN"]);
    let engine = session.engine.as_deref().expect("it was started");
    assert_eq!(
        engine.thinking_limits().visits,
        Some(60),
        "the engine's own"
    );
}

/// Its second three would be forbidden as the last stone of Black, which it was not.
#[test]
fn a_position_may_come_in_an_order_that_the_rules_forbid() {
    let lines = [
        "7,6,1", "0,0,2", "7,5,1", "14,14,2", "8,7,1", "14,0,2", "9,7,1", "0,14,2", "7,7,1",
        "10,7,2",
    ];
    for command in ["BOARD", "YXBOARD"] {
        let mut session = session();
        let begin = ["INFO rule 4", "START 15", command];
        let reply = said(
            &mut session,
            &[&begin[..], &lines, &["DONE", "YXNBEST 1"]].concat(),
        );
        assert!(reply.iter().skip(1).all(|line| is_point(line)), "{reply:?}");
        let record = session.engine.as_deref().expect("it was started").record();
        assert_eq!((record.setup.len(), record.rules.as_str()), (10, "renju"));
    }
}

/// As managers do that keep a board and no list of moves.
#[test]
fn stones_of_a_position_are_taken_back_in_any_order() {
    let mut session = session();
    let lines = [
        "START 15", "BOARD", "7,7,2", "8,7,2", "6,6,1", "7,8,1", "9,9,2", "DONE",
    ];
    let made = said(&mut session, &lines).pop().expect("a move");
    let ours = format!("TAKEBACK {made}");
    assert_eq!(
        said(&mut session, &[&ours, "TAKEBACK 7,7", "TAKEBACK 7,7"]),
        ["OK", "OK", "ERROR the last stone is not on 7,7"]
    );
    assert_eq!(
        said(&mut session, &["TAKEBACK 8,7"]),
        ["ERROR the last stone is not on 8,7"],
        "White has moved"
    );
    assert_eq!(
        said(&mut session, &["TAKEBACK 7,8", "TAKEBACK 9,9"]),
        ["OK"; 2]
    );
    let turn = said(&mut session, &["TURN 0,0"]);
    assert!(is_point(&turn[0]), "{turn:?}");
    let engine = session.engine.as_deref().expect("it was started");
    let stones = engine
        .size()
        .points()
        .filter(|&at| engine.stone(at).is_some());
    assert_eq!(stones.count(), 4);
}

#[test]
fn begin_wants_an_empty_board_in_any_order_of_its_lines() {
    for lines in [
        ["7,7,1", "8,7,1", "0,0,2", "0,2,2"],
        ["7,7,1", "0,0,2", "8,7,1", "0,2,2"],
    ] {
        let mut session = session();
        let reply = said(
            &mut session,
            &[&["START 15", "YXBOARD"], &lines[..], &["DONE", "BEGIN"]].concat(),
        );
        assert_eq!(reply.len(), 2, "{reply:?}");
        assert!(reply[1].starts_with("ERROR BEGIN"), "{reply:?}");
    }
}

/// Managers may send the place of the mouse, or what is changed in a dialog, at any time.
#[test]
fn a_list_goes_on_after_what_is_not_answered() {
    let mut session = session();
    let lines = [
        "START 15",
        "INFO rule 3",
        "BOARD",
        "7,7,2",
        "INFO evaluate 3,4",
        "DONE",
        "BOARD",
        "0,0,2",
        "9,0,1",
        "1,0,2",
        "INFO evaluate 3,4",
        "9,2,1",
        "2,0,2",
        "INFO rule 4",
        "9,4,1",
        "YXSTOP",
        "3,0,2",
        "DONE",
    ];
    let reply = said(&mut session, &lines);
    assert!(reply[1].starts_with("ERROR INFO rule 3"), "{reply:?}");
    assert_eq!([&*reply[0], &*reply[2]], ["OK", "4,0"], "{reply:?}");
    assert_eq!((reply.len(), &*rules(&session)), (3, "renju"));
}

#[test]
fn a_refused_command_is_answered_once_with_its_list() {
    let mut session = session();
    let lines = ["START 15", "yxblock", "7,7", "8,8", "done", "BEGIN"];
    let reply = said(&mut session, &lines);
    assert_eq!(reply.len(), 3, "{reply:?}");
    assert!(reply[1].starts_with("UNKNOWN \"YXBLOCK\""), "{reply:?}");
    assert!(is_point(&reply[2]), "{reply:?}");
    assert!(said(&mut session, &["DONE"])[0].starts_with("ERROR DONE"));
    assert!(said(&mut session, &["7,7"])[0].starts_with("UNKNOWN"));
    for (before, error) in [
        ("YXSTOP", "ERROR there is no board"),
        ("INFO rule 3", "ERROR INFO rule 3"),
    ] {
        let reply = said(&mut self::session(), &[before, "BOARD", "7,7,1", "DONE"]);
        assert!(reply.len() == 1 && reply[0].starts_with(error), "{reply:?}");
    }
}

#[test]
fn commands_in_odd_orders_are_answered_each() {
    let mut session = session();
    for early in [
        "SWAP2BOARD",
        "YXSHOWFORBID",
        "YXHASHCLEAR",
        "YXNBEST 2",
        "RESTART",
        "TAKEBACK 1,1",
    ] {
        let reply = said(&mut session, &[early]);
        assert!(
            reply.len() == 1 && reply[0].starts_with("ERROR there is no board"),
            "{reply:?}"
        );
    }
    assert!(said(&mut session, &["YXSTOP", "INFO"]).is_empty());
    assert_eq!(said(&mut session, &["START 15"]), ["OK"]);
    let twice = said(&mut session, &["BEGIN", "BEGIN"]);
    assert!(
        is_point(&twice[0]) && twice[1].starts_with("ERROR BEGIN"),
        "{twice:?}"
    );
    // In the middle of a game an opening starts another one.
    let offered = said(&mut session, &["SWAP2BOARD", "DONE", "SWAP2BOARD", "DONE"]);
    assert_eq!(offered.len(), 2, "{offered:?}");
    let three = [
        "SWAP2BOARD",
        "7,7",
        "8,7",
        "9,9",
        "DONE",
        "RESTART",
        "BEGIN",
    ];
    let chosen = said(&mut session, &three);
    assert_eq!(chosen.len(), 3, "{chosen:?}");
    assert!(is_point(&chosen[2]), "{chosen:?}");
}
