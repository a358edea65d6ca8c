use std::time::Duration;

use proptest::prelude::*;

use super::super::{COMMANDS, Input, Protocol, parse_line};
use super::testing::{session, session_by};
use super::*;
use crate::clock::{FakeClock, SystemClock};
use crate::engine::testing::Behaviour;
use crate::game::HalfPoints;

/// The reply to one line; empty if there is none.
fn say(session: &mut Session, line: &str) -> String {
    match parse_line(line.as_bytes()) {
        Input::Command(request) => {
            let mut reply = String::new();
            // There is no other input for which an analysis would wait.
            session.interrupts.close(0);
            session.interrupts.begin_command();
            session.answer(&request, &mut |text| reply.push_str(text));
            reply
        }
        Input::Nothing | Input::Interrupt => String::new(),
    }
}

/// Sends each line and compares the reply without its final empty line; if the expectation ends
/// with a colon, a reason follows.
#[track_caller]
fn check(lines: &[(&str, &str)]) {
    let mut session = session(Behaviour::Highest);
    for (line, expected) in lines {
        let reply = say(&mut session, line);
        match expected.strip_suffix(": ") {
            Some(_) => {
                let reason = reply.strip_prefix(expected).unwrap_or_default();
                assert!(!reason.trim().is_empty(), "{line}: {reply}");
            }
            None => assert_eq!(reply, format!("{expected}\n\n"), "{line}"),
        }
    }
}

/// KataGo's parameters without effect here are accepted, unknown ones are not.
#[test]
fn parameters_of_katago_alone_have_no_effect() {
    check(&[
        (
            "kata-set-param numSearchThreads 8",
            "= ignored: numSearchThreads has no effect here",
        ),
        (
            "kata-set-param humanSLProfile rank_5k",
            "? whom the network imitates is set at the start: tengen gtp --model FILE --human-profile NAME",
        ),
        (
            "kata-get-param numSearchThreads",
            "? unknown parameter; see kata-list-params and tengen-settings",
        ),
        (
            "kata-set-param numSerchThreads 8",
            "? unknown parameter; see kata-list-params and tengen-settings",
        ),
    ]);
}

#[test]
fn the_listed_parameters_are_read_and_set() {
    let mut session = session(Behaviour::Highest);
    let listed = say(&mut session, "kata-list-params");
    let names = listed.strip_prefix("= ").expect("names").split_whitespace();
    for name in names {
        let found = say(&mut session, &format!("kata-get-param {name}"));
        let value = found.strip_prefix("= ").expect("a value").trim_end();
        let reply = say(&mut session, &format!("kata-set-param {name} {value}"));
        assert_eq!(reply, "= \n\n", "{name} {value}");
    }
}

#[test]
fn the_listed_commands_are_known() {
    let mut session = session(Behaviour::Highest);
    let listed = say(&mut session, "list_commands");
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    // Nothing solves this game, it is not Go, and counts no points.
    let is_hidden = |name: &&str| {
        ["tengen-solve", "tengen-ownership"].contains(name) || name.ends_with("_handicap")
    };
    let (hidden, names): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_hidden);
    assert_eq!(listed, format!("= {}\n\n", names.join("\n")));
    for (names, known) in [(names, true), (hidden, false)] {
        for name in names {
            let known_command = say(&mut session, &format!("known_command {name}"));
            assert_eq!(known_command, format!("= {known}\n\n"), "{name}");
        }
    }
}

#[test]
fn moves() {
    check(&[
        ("play b a1", "= "),
        ("play BLACK b1", "= "),
        ("play White B1", "? illegal move: "),
        ("play white pass", "? illegal move: "),
        ("play white", "? syntax error: "),
        ("play green c1", "? syntax error: "),
        ("play w i1", "? syntax error: "),
        ("genmove", "? syntax error: "),
        ("genmove w", "= E1"),
        ("reg_genmove w", "= D1"),
        ("final_score", "? cannot score"),
        ("genmove b", "= D1"),
        (
            "showboard",
            "= line 5x1, 4 moves, last move black D1, white to move\n   A B C D E\n 1 X X . X O 1\n   A B C D E",
        ),
        ("genmove W extra arguments", "= C1"),
        ("genmove b", "= resign"),
        ("final_score", "= W+R"),
        ("undo", "= "),
        ("undo 2", "= "),
        ("final_score", "? cannot score"),
    ]);
}

#[test]
fn times_and_komi() {
    check(&[
        ("komi 6.5", "= "),
        ("komi -0", "= "),
        // It counts no points.
        ("komi 4.75", "= "),
        ("komi 1000", "= "),
        ("get_komi", "= 0"),
        ("komi nan", "? syntax error: "),
        ("komi", "? syntax error: "),
        ("time_settings 0 1 0", "= "),
        ("time_settings 300 30 5", "= "),
        ("time_settings 300", "? syntax error: "),
        ("time_settings a b c", "? syntax error: "),
        ("kgs-time_settings byoyomi 60 10 3", "= "),
        ("kgs-time_settings fischer 60 3", "? syntax error: "),
        ("time_left b 12.5 0", "= "),
        ("time_left w -3 0", "= "),
        ("time_left w 3 -1", "? syntax error: "),
        ("time_left w", "? syntax error: "),
    ]);
    let used = say(&mut session(Behaviour::Highest), "cputime");
    let used = used.trim_start_matches("= ").trim_end();
    assert!(
        used.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0),
        "{used}"
    );
}

#[test]
fn the_komi_given_last_counts() {
    check(&[
        ("komi 7.5", "= "),
        ("kata-set-rules komi 20.5", "= "),
        ("get_komi", "= 20.5"),
        ("rectangular_boardsize 4 1", "= "),
        ("get_komi", "= 20.5"),
        ("komi 3.5", "= "),
        ("kata-set-rules usual", "= "),
        ("get_komi", "= 3.5"),
    ]);
}

#[test]
fn a_side_is_as_much_stronger_as_it_is_set() {
    let mut session = session(Behaviour::Highest);
    for (setting, expected) in [
        ("", None),
        (" -1.5", Some((Color::White, -1.5))),
        ("Pla black", Some((Color::Black, -1.5))),
        ("Pla empty", Some((Color::White, -1.5))),
        (" 0", None),
    ] {
        if !setting.is_empty() {
            let line = format!("kata-set-param playoutDoublingAdvantage{setting}");
            assert_eq!(say(&mut session, &line), "= \n\n", "{setting}");
        }
        let advantage = session.root.opponent(Color::White).advantage;
        let found = advantage.map(|own| (own.color, own.doublings));
        assert_eq!(found, expected, "{setting}");
    }
}

#[test]
fn a_search_is_as_wide_at_the_root_as_it_is_set() {
    let mut session = session(Behaviour::Highest);
    let widths = |session: &Session| [true, false].map(|one| session.root.temperature(one));
    assert_eq!(widths(&session), [None, None]);
    for (setting, expected) in [
        ("rootPolicyTemperature 1.5", [Some(1.5), Some(1.5)]),
        ("analysisWideRootNoise 0.04", [Some(1.16), Some(1.5)]),
        ("wideRootNoise 0.25", [Some(1.16), Some(2.0)]),
        ("analysisWideRootNoise 0", [Some(2.0), Some(2.0)]),
    ] {
        let reply = say(&mut session, &format!("kata-set-param {setting}"));
        assert_eq!(
            (&*reply, widths(&session)),
            ("= \n\n", expected),
            "{setting}"
        );
    }
    let refused = say(&mut session, "kata-set-param wideRootNoise 6");
    assert!(refused.contains("a valid number from 0 to 5"), "{refused}");
}

#[test]
fn komi_and_time_control_outlive_boards() {
    let mut session = session(Behaviour::Highest);
    say(&mut session, "komi 7.5");
    say(&mut session, "time_settings 2 0 0");
    say(&mut session, "rectangular_boardsize 4 1");
    say(&mut session, "clear_board");
    assert_eq!(session.engine.record().komi, Some(HalfPoints(15)));
    assert_eq!(say(&mut session, "genmove b"), "= D1\n\n");
    let times = session.engine.move_times();
    let budget = times.last().expect("a move").budget;
    assert!(budget.expect("a clock").hard <= Duration::from_secs(2));
}

/// The controller's clock runs since it sent the line, also while pondering ends.
#[test]
fn time_in_the_queue_is_thinking_time() {
    let clock = FakeClock::new();
    let mut session = session_by(Arc::new(clock.clone()), Behaviour::Highest);
    let late = Duration::from_millis(700);
    for (message, line) in [(1, "genmove b"), (2, "kata-genmove_analyze w 10")] {
        let arrived = session.interrupts.arrive(message);
        clock.advance(late);
        session.interrupts.handle(message, 1, arrived);
        say(&mut session, line);
        let times = session.engine.move_times();
        assert_eq!(times.last().expect("a move").used.elapsed, late, "{line}");
    }
    // What comes in one message waits for the answers before it, and these take no time of the controller's.
    let arrived = session.interrupts.arrive(3);
    session.interrupts.handle(3, 2, arrived);
    clock.advance(late);
    say(&mut session, "showboard");
    say(&mut session, "genmove b");
    let times = session.engine.move_times();
    let used = times.last().expect("a move").used.elapsed;
    assert_eq!(used, Duration::ZERO);
    // What ends an analysis waits until it has ended.
    let arrived = session.interrupts.arrive(4);
    session.interrupts.handle(4, 1, arrived);
    let arrived = session.interrupts.arrive(5);
    clock.advance(late);
    say(&mut session, "kata-analyze w 10");
    session.interrupts.handle(5, 1, arrived);
    say(&mut session, "genmove w");
    let times = session.engine.move_times();
    assert_eq!(times.last().expect("a move").used.elapsed, late);
}

#[test]
fn less_than_no_time_is_a_clock_that_has_run_out() {
    for left in ["-5 0", "-0.5 2", "-1"] {
        // This thinker would continue until the default time per move is up, and ten seconds more.
        let mut session = session(Behaviour::WhenStopped(StopFlag::new()));
        say(&mut session, "time_settings 0 1 0");
        assert_eq!(say(&mut session, &format!("time_left b {left}")), "= \n\n");
        let clock = SystemClock::new();
        let reply = say(&mut session, "genmove b");
        assert!(reply.starts_with("= "), "{left}: {reply}");
        assert!(
            clock.now() < Duration::from_secs(5),
            "{left}: {:?}",
            clock.now()
        );
    }
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("tengen-session-{}.sgf", std::process::id()));
    let path = path.to_str().expect("a plain path");
    let mut session = session(Behaviour::Highest);
    for line in [
        "play b A1",
        "play w B1",
        "play w C1",
        &format!("printsgf {path}"),
    ] {
        assert_eq!(say(&mut session, line), "= \n\n", "{line}");
    }
    let text = std::fs::read_to_string(path).expect("it was just saved");
    assert_eq!(say(&mut session, "printsgf"), format!("= {text}\n"));

    say(&mut session, "rectangular_boardsize 2 1");
    let count = |session: &Session| session.engine.record().plays.len();
    assert_eq!(say(&mut session, &format!("loadsgf {path} 3")), "= \n\n");
    assert_eq!(
        (count(&session), session.engine.size()),
        (2, BoardSize::new(5, 1))
    );
    assert_eq!(say(&mut session, &format!("loadsgf {path} 99")), "= \n\n");
    assert_eq!(count(&session), 3);
    assert_eq!(
        say(&mut session, &format!("loadsgf {path} -1")),
        "? syntax error: loadsgf takes FILE [MOVE]\n\n"
    );
    std::fs::write(path, "(;SZ[5:1];B[aa];W[aa])").expect("the folder is writable");
    assert_eq!(
        say(&mut session, &format!("loadsgf {path}")),
        "? cannot load file: move 2, white A1, is illegal (the point is occupied); loadsgf FILE 2 loads the game up to it\n\n"
    );
    assert_eq!(count(&session), 3, "nothing has changed");
    assert_eq!(say(&mut session, &format!("loadsgf {path} 2")), "= \n\n");
    assert_eq!(count(&session), 1);
    // The players' names are kept with the game.
    std::fs::write(path, "(;SZ[5:1]PB[天元];B[aa])").expect("the folder is writable");
    assert_eq!(say(&mut session, &format!("loadsgf {path}")), "= \n\n");
    assert!(say(&mut session, "printsgf").contains("PB[天元]"));
    say(&mut session, "clear_board");
    assert!(!say(&mut session, "printsgf").contains("PB"));
    say(&mut session, "play b A1");
    std::fs::write(path, "(;GM[4]SZ[5:1];B[aa])").expect("the folder is writable");
    assert_eq!(
        say(&mut session, &format!("loadsgf {path}")),
        "? cannot load file: it is a game of gomoku\n\n"
    );
    std::fs::remove_file(path).expect("it is ours");
    assert_eq!(
        say(&mut session, &format!("loadsgf {path}")),
        "? cannot load file: no such file\n\n"
    );
    if cfg!(unix) {
        assert_eq!(
            say(&mut session, "loadsgf /dev/zero"),
            "? cannot load file: it is not a regular file, but a folder, a device or a pipe\n\n"
        );
    }
    assert_eq!(
        say(&mut session, "printsgf /nowhere/at/all.sgf"),
        "? cannot save file: no such folder\n\n"
    );
    assert_eq!(count(&session), 1);
}

#[test]
fn file_names_may_have_blanks_quotes_and_numbers() {
    let folder = std::env::temp_dir().join(format!("tengen names {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let folder_text = folder.to_str().expect("plain text");
    let mut session = session(Behaviour::Highest);
    for line in ["play b A1", "play w B1", "play b C1"] {
        say(&mut session, line);
    }
    let count = |session: &Session| session.engine.record().plays.len();
    for name in [
        "my  game.sgf",
        "game 2",
        "棋谱 一.sgf",
        "plain.sgf",
        "it's.sgf",
    ] {
        let path = format!("{folder_text}/{name}");
        for written in [
            format!("printsgf {path}  "),
            format!("printsgf \"{path}\""),
            format!("7 printsgf\t'{path}' \r").replace("it's", "its"),
        ] {
            let reply = say(&mut session, &written);
            assert!(
                reply.starts_with('=') && reply.ends_with(" \n\n"),
                "{written}: {reply}"
            );
        }
        assert!(std::path::Path::new(&path).is_file(), "{path}");
        for (read, plays) in [
            (format!("loadsgf {path}"), 3),
            (format!("loadsgf {path} 3"), 2),
            (format!("loadsgf {path}   1  "), 0),
            (format!("loadsgf \"{path}\"   2"), 1),
            (format!("loadsgf \"{path}\""), 3),
        ] {
            assert_eq!(say(&mut session, &read), "= \n\n", "{read}");
            assert_eq!(count(&session), plays, "{read}");
        }
        say(&mut session, &format!("loadsgf \"{path}\""));
    }
    for (wrong, reply) in [
        ("loadsgf", "? syntax error: loadsgf takes FILE [MOVE]\n\n"),
        (
            "loadsgf ''",
            "? syntax error: loadsgf takes FILE [MOVE]\n\n",
        ),
        (
            "loadsgf \"plain.sgf",
            "? cannot load file: no such file\n\n",
        ),
        (
            "loadsgf no such game.sgf 3",
            "? cannot load file: no such file\n\n",
        ),
    ] {
        assert_eq!(say(&mut session, wrong), reply, "{wrong}");
    }
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn an_interrupt_ends_a_search_with_its_normal_reply() {
    let begun = StopFlag::new();
    let mut session = session(Behaviour::WhenStopped(begun.clone()));
    let interrupts = session.interrupts();
    let presser = std::thread::spawn(move || {
        while !begun.is_raised() {
            std::thread::yield_now();
        }
        interrupts.interrupt(1);
    });
    assert_eq!(say(&mut session, "genmove b"), "= E1\n\n");
    presser.join().expect("it only interrupts");
}

/// A line of parts of commands, in any order, and of other text.
fn lines() -> impl Strategy<Value = String> {
    let names = COMMANDS.iter().map(|command| command.name);
    let names: Vec<&str> = names
        .filter(|name| !["quit", "printsgf", "tengen-ccgc"].contains(name))
        .collect();
    let word = prop_oneof![
        4 => proptest::sample::select(names).prop_map(str::to_owned),
        4 => proptest::sample::select(vec![
            "b", "w", "A1", "e1", "I9", "pass", "resign", "0", "-1", "5", "1e99", "nan", "#", "\t",
            "\r", "\u{0}", "canadian", "99999999999999999999",
        ])
        .prop_map(str::to_owned),
        1 => "\\PC{0,6}",
        1 => proptest::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ];
    proptest::collection::vec(word, 0..5).prop_map(|words| words.join(" ").replace('\n', ""))
}

proptest! {
    #[test]
    fn every_line_with_a_command_gets_one_well_formed_reply(
        lines in proptest::collection::vec(lines(), 1..20),
    ) {
        let mut session = session(Behaviour::Highest);
        for line in lines {
            let reply = say(&mut session, &line);
            let bare = line.trim_start_matches('\u{feff}');
            let visible = bare.split('#').next().unwrap_or_default();
            let visible = visible.chars().any(|c| c != ' ' && !c.is_control());
            prop_assert_eq!(visible, !reply.is_empty(), "{:?}", line);
            if visible {
                let head = reply.trim_start_matches(['=', '?']);
                prop_assert_eq!(reply.len() - head.len(), 1, "{:?} {:?}", line, reply);
                let head = head.trim_start_matches(|c: char| c.is_ascii_digit());
                let Input::Command(request) = parse_line(line.as_bytes()) else {
                    return Err(TestCaseError::fail(line));
                };
                let streams = ["analyze", "analyze_cancellable"];
                let stream = streams.iter().any(|end| request.name.ends_with(end));
                let stream = reply.starts_with('=') && stream;
                let first = if stream { '\n' } else { ' ' };
                prop_assert!(head.starts_with(first), "{:?} {:?}", line, reply);
                prop_assert_eq!(reply.find("\n\n"), Some(reply.len() - 2));
            }
        }
    }
}
