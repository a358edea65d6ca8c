//! Sessions with a small game.

mod any_input;
mod go;

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use super::*;
use crate::clock::SystemClock;
use crate::engine::testing::{Behaviour, FillGame, make};
use crate::engine::{Player, ThinkingLimits};
use crate::game::{Color, Game};
use crate::gtp::Perspective;
use crate::search::StopFlag;

/// Default options.
pub(super) fn options() -> KatagoOptions {
    KatagoOptions {
        network: Some("go-9x9".to_owned()),
        imitator: None,
        positions: 1,
        perspective: Perspective::Side(Color::Black),
        visits: 500,
        time: None,
        settings: Object::new(),
        finish: true,
    }
}

/// Engines for the game on a line of points.
fn on_a_line(behaviour: Behaviour) -> MakeAnalyst {
    Box::new(move |size, rules| {
        let time = Arc::new(SystemClock::new());
        let rules = match rules {
            "" => "usual",
            text => text,
        };
        let start = FillGame::with_rules(size, rules.parse()?)?;
        let player = Player::new(
            start,
            make(behaviour.clone()),
            ThinkingLimits::default(),
            time,
        );
        Ok(Box::new(player))
    })
}

fn resources(make: MakeAnalyst) -> KatagoResources {
    KatagoResources {
        make,
        imitate: None,
        forget: Box::new(|| {}),
    }
}

/// All answers to these lines.
fn answers_of(make: MakeAnalyst, options: KatagoOptions, lines: &str) -> Vec<Value> {
    let mut output = Vec::new();
    let input = Cursor::new(lines.as_bytes().to_vec());
    serve_queries(resources(make), options, input, &mut output).expect("a Vec takes everything");
    let text = String::from_utf8(output).expect("UTF-8");
    let read = |line| serde_json::from_str(line).expect("JSON, an object a line");
    text.lines().map(read).collect()
}

fn answers(lines: &str) -> Vec<Value> {
    answers_of(on_a_line(Behaviour::Highest), options(), lines)
}

/// A query on a line of five points, with more fields.
fn query(id: &str, more: &str) -> String {
    format!("{{\"id\": \"{id}\", \"boardXSize\": 5, \"boardYSize\": 1{more}}}\n")
}

#[track_caller]
fn refused(line: &str, field: &str, part: &str) {
    let all = answers(line);
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    let error = all[0]["error"].as_str().unwrap_or_default();
    assert!(error.contains(part), "{line}: {all:?}");
    assert_eq!(
        all[0].get("field").and_then(Value::as_str).unwrap_or(""),
        field
    );
}

#[test]
fn every_turn_gets_one_answer() {
    let moves = r#", "moves": [["B", "A1"], ["W", "C1"]], "analyzeTurns": [2, 0, 2, 1]"#;
    let all = answers(&query("game", moves));
    let turns: Vec<i64> = all
        .iter()
        .filter_map(|one| one["turnNumber"].as_i64())
        .collect();
    assert_eq!(turns, [0, 1, 2]);
    for (answer, player) in all.iter().zip(["B", "W", "B"]) {
        assert_eq!(
            (&answer["id"], &answer["isDuringSearch"]),
            (&json!("game"), &json!(false))
        );
        assert_eq!(answer["rootInfo"]["currentPlayer"], player);
    }
    assert_eq!(all[0].get("ownership"), None);
    let last = &answers(&query("last", r#", "moves": [["B", "A1"]]"#))[0];
    assert_eq!(last["turnNumber"], 1);
    let all = answers(&query(
        "first",
        &format!("{moves}, \"priorities\": [1, 2, 3, 4]"),
    ));
    let turns = all.iter().filter_map(|one| one["turnNumber"].as_i64());
    assert_eq!(turns.collect::<Vec<i64>>(), [1, 2, 0]);
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    refused("7\n", "", "JSON object");
    refused("{\n", "", "invalid JSON");
    refused("\u{7f}\u{0}{}\n", "", "invalid JSON");
    refused("{\"id\": 7}\n", "", "\"id\"");
    refused(
        "{\"id\": \"a\", \"action\": \"fly\"}\n",
        "action",
        "query_version",
    );
    refused("{\"id\": \"a\", \"action\": 7}\n", "action", "a string");
    refused(
        "{\"id\": \"a\", \"action\": \"terminate\"}\n",
        "terminateId",
        "missing",
    );
    refused("{\"id\": \"a\"}\n", "boardXSize", "missing");
    refused(&query("a", ""), "moves", "missing");
    let at = |more: &str| query("a", &format!(", \"moves\": []{more}"));
    refused(&at(", \"boardXSize\": 40"), "boardXSize", "from 1 to 25");
    refused(
        &at(", \"boardXSize\": 25, \"boardYSize\": 25"),
        "boardXSize",
        "up to 25 points",
    );
    refused(
        &at(", \"analyzeTurns\": [1]"),
        "analyzeTurns",
        "from 0 to 0",
    );
    for more in ["", ", \"priority\": 1"] {
        let empty = at(&format!(", \"analyzeTurns\": []{more}"));
        refused(&empty, "analyzeTurns", "is empty");
    }
    refused(&at(", \"komi\": 0.3"), "komi", "one half");
    refused(&at(", \"rules\": 7"), "rules", "a name");
    for empty in ["", " "] {
        let rules = at(&format!(", \"rules\": \"{empty}\""));
        refused(&rules, "rules", "are empty");
    }
    for more in [
        "\"priorities\": [1]",
        "\"analyzeTurns\": [0], \"priorities\": [1, 2]",
        "\"analyzeTurns\": [0], \"priorities\": [1], \"priority\": 1",
        "\"analyzeTurns\": [0], \"priorities\": 1",
    ] {
        refused(&at(&format!(", {more}")), "priorities", "");
    }
    refused(
        &at(", \"initialStones\": [[\"B\", \"pass\"]]"),
        "initialStones",
        "a point",
    );
    refused(
        &at(", \"initialStones\": [[\"B\", \"F1\"]]"),
        "initialStones",
        "5x1",
    );
    let twice = query("a", r#", "moves": [["B", "A1"], ["W", "A1"]]"#);
    refused(&twice, "moves", "Illegal move 1: white A1");
}

#[test]
fn what_means_nothing_is_warned_of() {
    let more = r#", "moves": [], "rules": "japanese", "typo": 1, "includeNoResultValue": false, "whiteHandicapBonus": "N""#;
    let all = answers(&query("a", more));
    let warned: Vec<&Value> = all.iter().filter_map(|one| one.get("warning")).collect();
    assert_eq!((warned.len(), all.len()), (3, 4), "{all:?}");
    let has = |part: &str| {
        warned
            .iter()
            .any(|one| one.as_str().is_some_and(|text| text.contains(part)))
    };
    assert!(
        has("japanese") && has("typo") && has("whiteHandicapBonus"),
        "{all:?}"
    );
}

#[test]
fn actions_are_answered_at_once() {
    let all = answers(
        "{\"id\":\"v\",\"action\":\"query_version\"}\n\n{\"id\":\"m\",\"action\":\"query_models\"}\n\
         {\"id\":\"c\",\"action\":\"clear_cache\",\"more\":1}\n{\"id\":\"t\",\"action\":\"terminate_all\"}",
    );
    assert_eq!(
        all[0]["program"],
        concat!("Tengen ", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(all[1]["models"][0]["name"], "go-9x9");
    assert_eq!(
        all[2],
        json!({"id": "c", "action": "clear_cache", "more": 1})
    );
    assert_eq!(all[3], json!({"id": "t", "action": "terminate_all"}));
}

/// Sends lines one by one, each when `ready` says so.
struct Paced {
    lines: Vec<String>,
    ready: Arc<Mutex<Vec<StopFlag>>>,
}

impl Read for Paced {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.lines.is_empty() {
            return Ok(0);
        }
        let flag = {
            let mut ready = self.ready.lock().expect("no other thread panics");
            if ready.is_empty() {
                None
            } else {
                Some(ready.remove(0))
            }
        };
        while flag.as_ref().is_some_and(|flag| !flag.is_raised()) {
            std::thread::yield_now();
        }
        let line = self.lines.remove(0);
        into[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

/// Answers to a query of two turns that is terminated during its first search. The thinker answers when it is told to
/// stop, and reports when it has begun.
fn terminated(behaviour: fn(StopFlag) -> Behaviour) -> Vec<Value> {
    let begun = StopFlag::new();
    let up = StopFlag::new();
    up.raise();
    let input = Paced {
        lines: vec![
            query("a", r#", "moves": [["B", "A1"]], "analyzeTurns": [0, 1]"#),
            "{\"id\": \"t\", \"action\": \"terminate\", \"terminateId\": \"a\"}\n".to_owned(),
        ],
        ready: Arc::new(Mutex::new(vec![up, begun.clone()])),
    };
    let mut output = Vec::new();
    let make = on_a_line(behaviour(begun));
    serve_queries(resources(make), options(), input, &mut output).expect("a Vec takes everything");
    let text = String::from_utf8(output).expect("UTF-8");
    let read = |line| serde_json::from_str(line).expect("JSON");
    text.lines().map(read).collect()
}

#[test]
fn terminated_searches_answer_with_what_they_have() {
    let no_results =
        |turn| json!({"id": "a", "turnNumber": turn, "isDuringSearch": false, "noResults": true});
    let all = terminated(Behaviour::WhenStopped);
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[0], no_results(1));
    assert_eq!(all[1]["terminateId"], "a");
    assert_eq!(
        (&all[2]["turnNumber"], all[2].get("rootInfo").is_some()),
        (&json!(0), true)
    );
    let all = terminated(Behaviour::UnvisitedWhenStopped);
    assert_eq!(all[2], no_results(0), "{all:?}");
}

#[test]
fn restrictions_that_leave_no_move_leave_the_root() {
    for (field, moves) in [
        ("avoidMoves", r#""B1", "C1", "D1", "E1", "pass""#),
        ("allowMoves", r#""A1""#),
        ("allowMoves", ""),
    ] {
        let entry =
            |side: &str| format!(r#"{{"player": "{side}", "moves": [{moves}], "untilDepth": 1}}"#);
        let with = |entry: String| {
            answers(&query(
                "a",
                &format!(r#", "moves": [["B", "A1"]], "{field}": [{entry}]"#),
            ))
        };
        let all = with(entry("W"));
        assert_eq!(
            (all.len(), &all[0]["id"], &all[0]["turnNumber"]),
            (1, &json!("a"), &json!(1))
        );
        assert_eq!(all[0]["moveInfos"], json!([]), "{all:?}");
        assert!(all[0]["rootInfo"]["winrate"].is_number(), "{all:?}");
        // Those of the other side do not apply.
        assert_ne!(with(entry("B"))[0]["moveInfos"], json!([]));
    }
}

#[test]
fn a_search_that_fails_is_an_error() {
    for behaviour in [Behaviour::Fails, Behaviour::Panics] {
        let line = query("a", r#", "moves": []"#);
        let all = answers_of(on_a_line(behaviour), options(), &line.repeat(2));
        assert_eq!(all.len(), 2);
        assert!(
            all.iter()
                .all(|one| one["error"].is_string() && one["turnNumber"] == 0),
            "{all:?}"
        );
    }
}

#[test]
fn a_game_that_is_over_says_how() {
    let moves = r#", "moves": [["B","A1"],["W","B1"],["B","C1"],["W","D1"],["B","E1"]], "komi": 2,
        "includePolicy": true, "includeOwnership": true"#;
    let all = answers(&query("a", &moves.replace('\n', " ")));
    let root = &all[0]["rootInfo"];
    assert_eq!(
        (&root["winrate"], &root["scoreLead"]),
        (&json!(1.0), &json!(2.0))
    );
    assert_eq!(all[0]["moveInfos"], json!([]));
    assert_eq!(
        all[0]["policy"],
        json!([-1.0, -1.0, -1.0, -1.0, -1.0, -1.0])
    );
    assert_eq!(all[0]["ownership"], json!([1.0, -1.0, 1.0, -1.0, 1.0]));
}
