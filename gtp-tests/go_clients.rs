//! Go as its clients play and analyse it: Lizzie, LizzieYzy, Sabaki and q5Go, with handicap, moves
//! taken back, another komi in the middle of a game, and records. The commands are documented in
//! the sources that `analysis.rs` follows for NoGo.

use crate::process::{Engine, folder};
use crate::sabaki_parser::variations;

/// A Go engine with the built-in network.
fn go(more: &[&str]) -> Engine {
    let usual = ["--game", "go", "--visits", "60", "--threads", "1"];
    Engine::start(&[&usual[..], &["--seed", "1"], more].concat())
}

/// Waits for a line of an analysis, ends it with `end`, and returns the line.
fn shown(engine: &mut Engine, command: &str, end: &str) -> String {
    engine.send(&format!("{command}\n"));
    assert!(engine.line().starts_with('='));
    let line = engine.line();
    engine.send(&format!("{end}\n"));
    while !engine.line().is_empty() {}
    assert!(engine.reply().starts_with('='), "{end}");
    line
}

/// The number after the first such word.
#[track_caller]
fn number(line: &str, key: &str) -> f64 {
    let mut words = line.split(' ').skip_while(|word| *word != key).skip(1);
    let number = words.next().and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("{key} in {line}"))
}

/// The ownership at the end of a line, top row first.
#[track_caller]
fn owners(line: &str) -> Vec<f64> {
    let (_, owners) = line.split_once(" ownership ").expect("owners");
    let owners: Vec<f64> = owners
        .split(' ')
        .map(|owner| owner.parse().expect("a number"))
        .collect();
    assert!(owners.iter().all(|owner| owner.abs() <= 1.0), "{owners:?}");
    owners
}

/// The moves that have entries in a line in KataGo's format.
fn moves(line: &str) -> Vec<&str> {
    let entries = line.split("info move ").skip(1);
    entries
        .filter_map(|entry| entry.split(' ').next())
        .collect()
}

#[test]
fn lizzie_sets_handicap_and_komi_and_excludes_moves() {
    let mut engine = go(&["--name", "KataGo"]);
    for (id, command) in [
        "name",
        "version",
        "boardsize 9",
        "komi 0.5",
        "fixed_handicap 4",
        "play W E5",
    ]
    .iter()
    .enumerate()
    {
        assert!(
            engine
                .ask(&format!("{id} {command}"))
                .starts_with(&format!("={id} "))
        );
    }
    let even = shown(&mut engine, "6 kata-analyze 10 ownership true", "7 name");
    // Black is to move, and has four stones in the corners.
    assert!(
        number(&even, "scoreMean") > 10.0 && number(&even, "winrate") > 0.9,
        "{even}"
    );
    let owner = owners(&even);
    assert_eq!(owner.len(), 81);
    for corner in [(2, 2), (6, 2), (2, 6), (6, 6)] {
        assert!(owner[9 * corner.1 + corner.0] > 0.3, "{owner:?}");
    }
    // The same position with another komi is another position.
    assert_eq!(engine.ask("8 komi 60.5"), "=8 ");
    let behind = shown(&mut engine, "9 kata-analyze 10 ownership true", "10 name");
    let lost = |name: &str| number(&even, name) - number(&behind, name);
    assert!(
        lost("winrate") > 0.2 && lost("scoreMean") > 25.0,
        "{even} {behind}"
    );
    assert_eq!(engine.ask("11 komi 0.5"), "=11 ");
    let only = shown(
        &mut engine,
        "12 kata-analyze B 10 allow B F5,E6,pass 1",
        "13 name",
    );
    assert!(
        moves(&only)
            .iter()
            .all(|found| ["F5", "E6", "pass"].contains(found)),
        "{only}"
    );
    let best = moves(&even)[0];
    let command = format!("14 lz-analyze 10 avoid b {best},pass 1 avoid w D4 1");
    let without = shown(&mut engine, &command, "15 name");
    assert!(
        !moves(&without).contains(&best) && !moves(&without).contains(&"pass"),
        "{without}"
    );
    // Back to the handicap stones and no further.
    assert_eq!(engine.ask("16 undo"), "=16 ");
    assert_eq!(engine.ask("17 undo"), "?17 cannot undo");
    let reply = engine.ask("18 lz-genmove_analyze W 10");
    assert!(
        reply.starts_with("=18\n") && reply.contains("\nplay "),
        "{reply}"
    );
}

#[test]
fn lizzieyzy_gets_rules_raw_network_output_and_ownership() {
    let mut engine = go(&["--name", "KataGo"]);
    for command in ["boardsize 9", "komi 7.5", "play B C3", "play W G7"] {
        engine.answer(command);
    }
    assert!(engine.answer("kata-get-rules").starts_with('{'));
    engine.answer(r#"kata-set-rules {"ko":"SIMPLE","scoring":"TERRITORY","suicide":false,"tax":"SEKI","hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":true}"#);
    assert!(engine.answer("kata-get-rules").contains("TERRITORY"));
    engine.answer("kata-set-rules chinese");
    for name in ["playoutDoublingAdvantage", "analysisWideRootNoise"] {
        assert_eq!(engine.answer(&format!("kata-get-param {name}")), "0");
    }
    let line = shown(
        &mut engine,
        "kata-analyze B 10 ownership true pvVisits true movesOwnership true",
        "stop",
    );
    assert_eq!(owners(&line).len(), 81);
    let entry = line.split("info ").nth(1).expect("a move");
    let (_, found) = entry.split_once(" pv ").expect("a line of play");
    let (pv, rest) = found.split_once(" pvVisits ").expect("its visits");
    let (visits, whose) = rest.split_once(" movesOwnership ").expect("its owners");
    assert_eq!(visits.split(' ').count(), pv.split(' ').count(), "{entry}");
    assert_eq!(whose.split_whitespace().count(), 81);
    let raw = engine.answer("kata-raw-nn 0");
    let text = raw.replace('\n', " ");
    let (policy, rest) = text
        .split_once(" policy ")
        .and_then(|(_, rest)| rest.split_once(" policyPass "))
        .expect("a policy");
    let pass: f64 = rest
        .split(' ')
        .next()
        .and_then(|pass| pass.parse().ok())
        .expect("a pass");
    let all = policy.split(' ').filter(|share| *share != "NAN");
    let sum: f64 = all
        .map(|share| share.parse::<f64>().expect("a number"))
        .sum();
    assert!((sum + pass - 1.0).abs() < 0.01, "{raw}");
    // From White's view, by the network: C3 belongs to Black.
    let whites = rest.split_once(" whiteOwnership ").expect("owners").1;
    let whites: Vec<f64> = whites
        .split(' ')
        .map(|owner| owner.parse().expect("a number"))
        .collect();
    assert!(
        whites.len() == 81 && whites[9 * 6 + 2] < -0.2 && whites[9 * 6 + 2] > -1.0,
        "{raw}"
    );
    assert!(number(&text, "whiteLead") != 0.0 && number(&text, "whiteScoreSelfplaySq") > 0.0);
    engine.answer("time_settings 0 5 1");
    let reply = engine.ask("kata-genmove_analyze B 10 ownership true");
    assert!(
        reply.contains(" ownership ") && reply.contains("\nplay "),
        "{reply}"
    );
}

/// Sabaki sends everything at once, komi before the board size.
#[test]
fn sabaki_sends_a_handicap_game_and_its_changes_at_once() {
    let mut engine = go(&[]);
    engine.send("komi 0.5\nboardsize 9\nclear_board\nset_free_handicap C3 G7\nplay W E5\nplay B E3\nkata-analyze W 10\n");
    for _ in 0..6 {
        assert_eq!(engine.reply(), "= ");
    }
    assert_eq!(engine.line(), "=");
    let line = engine.line();
    let read = variations(&line, "kata-analyze");
    // It drops passes, and nothing else.
    let points = moves(&line)
        .into_iter()
        .filter(|found| *found != "pass")
        .count();
    assert!(!read.is_empty() && read.len() == points, "{line}");
    assert!(
        read.iter()
            .all(|found| !["C3", "G7", "E5", "E3"].contains(&&*found.vertex))
    );
    engine.send("protocol_version\nundo\nundo\nkomi 6.5\nplay W C7\nkata-analyze B 10\n");
    while !engine.line().is_empty() {}
    assert_eq!(engine.reply(), "= 2");
    for _ in 0..4 {
        assert_eq!(engine.reply(), "= ");
    }
    assert_eq!(engine.line(), "=");
    let line = engine.line();
    assert!(
        !moves(&line).contains(&"C7") && number(&line, "scoreLead").is_finite(),
        "{line}"
    );
    engine.send("quit\n");
    while !engine.line().is_empty() {}
    assert_eq!(engine.reply(), "= ");
}

#[test]
fn a_record_is_loaded_and_analysed_move_by_move() {
    let mut engine = go(&[]);
    let path = folder().join("games/go-handicap.sgf");
    engine.answer(&format!("loadsgf {}", path.display()));
    assert!(
        engine.answer("kata-get-rules").contains("TERRITORY"),
        "as the record says"
    );
    let mut leads = Vec::new();
    for _ in 0..4 {
        let line = shown(
            &mut engine,
            "kata-analyze 5 ownership true rootInfo true",
            "stop",
        );
        assert_eq!(owners(&line).len(), 81);
        leads.push(number(&line, "scoreLead"));
        engine.answer("undo");
    }
    // The side to move alternates, and Black leads throughout.
    let [after_pass, before, ..] = leads[..] else {
        panic!("{leads:?}")
    };
    assert!(after_pass > 0.0 && before < 0.0, "{leads:?}");
}

/// Both have passed, and a user asks for the ownership.
#[test]
fn a_finished_game_is_analysed_as_if_it_continued() {
    let mut engine = go(&[]);
    for command in [
        "boardsize 9",
        "komi 7",
        "play b E5",
        "play w pass",
        "play b pass",
    ] {
        engine.answer(command);
    }
    let line = shown(&mut engine, "kata-analyze w 5 ownership true", "stop");
    assert_eq!(owners(&line).len(), 81);
    assert_eq!(engine.answer("final_score"), "B+74", "nothing has changed");
    // Under rules that count all stones on the board the game is over.
    engine.answer("kata-set-rules tromp-taylor");
    engine.send("kata-analyze w 5 ownership true\n");
    assert_eq!(engine.line(), "=");
    engine.send("stop\n");
    assert_eq!(engine.line(), "");
    assert_eq!(engine.reply(), "= ");
}

#[test]
fn a_pass_may_be_the_only_move_or_excluded() {
    let mut engine = go(&[]);
    engine.answer("boardsize 9");
    for dialect in ["kata-analyze", "lz-analyze"] {
        let only = shown(
            &mut engine,
            &format!("{dialect} b 10 allow b PASS 1"),
            "name",
        );
        assert_eq!(moves(&only), ["pass"]);
        let without = shown(
            &mut engine,
            &format!("{dialect} b 10 minmoves 90 avoid b pass,E5 1"),
            "name",
        );
        let told = moves(&without);
        assert!(
            told.len() == 80 && !told.contains(&"pass") && !told.contains(&"E5"),
            "{told:?}"
        );
        // Statements about the other side do not apply here.
        let all = shown(
            &mut engine,
            &format!("{dialect} b 10 minmoves 90 avoid w pass 1 allow w A1 1"),
            "name",
        );
        assert_eq!(moves(&all).len(), 82);
    }
    for command in [
        "kata-genmove_analyze",
        "lz-genmove_analyze",
        "cgos-genmove_analyze",
    ] {
        let reply = engine.ask(&format!("{command} w 10 avoid w pass 1"));
        assert!(
            reply.contains("\nplay ") && !reply.ends_with("pass"),
            "{reply}"
        );
        engine.answer("clear_board");
    }
}

/// The client of CGOS takes the last line before the move, and its server shows it.
#[test]
fn cgos_gets_its_line_of_json() {
    let mut engine = go(&["--rules", "tromp-taylor"]);
    for command in [
        "boardsize 9",
        "clear_board",
        "komi 7.0",
        "time_settings 300 0 0",
        "play b E5",
    ] {
        engine.answer(command);
    }
    assert_eq!(engine.answer("known_command cgos-genmove_analyze"), "true");
    let reply = engine.ask("cgos-genmove_analyze w");
    let lines: Vec<&str> = reply.lines().collect();
    let [mark, told, played] = lines[..] else {
        panic!("{reply}")
    };
    let told: serde_json::Value = serde_json::from_str(told).expect("JSON");
    let first = &told["moves"][0];
    assert_eq!(
        (mark, played.strip_prefix("play ")),
        ("=", first["move"].as_str())
    );
    assert_eq!(told["visits"], 60);
    assert_eq!(told["ownership"].as_str().map(str::len), Some(81));
    for number in ["winrate", "score", "visits", "prior"] {
        assert!(first[number].is_number(), "{number}: {told}");
    }
    let line = first["pv"].as_str().expect("a text");
    assert!(
        !line.starts_with(first["move"].as_str().unwrap_or_default()),
        "{told}"
    );
    assert!(
        told["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() <= 10)
    );
}
