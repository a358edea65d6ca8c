//! Conversations with a small game, and with Go by playouts.

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::clock::{Clock, SystemClock};
use crate::engine::testing::{Behaviour, Line, make};
use crate::engine::{Backend, EngineOptions, Player, Spending, registry};
use crate::game::{Color, Game};
use crate::search::StopFlag;

/// What holds where nothing is said.
pub(super) fn options() -> KatagoOptions {
    KatagoOptions {
        name: "Tengen".to_owned(),
        networks: vec!["go-9x9".to_owned()],
        positions: 1,
        perspective: Perspective::Side(Color::Black),
        visits: 500,
        time: None,
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
        let start = Line::with_rules(size, rules.parse()?)?;
        let player = Player::new(start, make(behaviour.clone()), Spending::default(), time);
        Ok(Box::new(player))
    })
}

/// Engines for Go by playouts, always the same.
fn go() -> MakeAnalyst {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    Box::new(move |size, rules| {
        let mut options = EngineOptions::of("go").expect("it is on the list");
        options.backend = Backend::Rollout;
        options.seed = Some(1);
        options.rules = rules.to_owned();
        registry::create(&options, size, &time)
    })
}

fn resources(make: MakeAnalyst) -> KatagoResources {
    KatagoResources {
        make,
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
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    refused("7\n", "", "JSON object");
    refused("{\n", "", "no JSON");
    refused("\u{7f}\u{0}{}\n", "", "no JSON");
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
    refused(&at(", \"priorities\": [1]"), "priorities", "analyzeTurns");
    refused(
        &at(", \"priority\": 1, \"priorities\": [1]"),
        "priority",
        "beside",
    );
    refused(&at(", \"komi\": 0.3"), "komi", "one half");
    refused(&at(", \"rules\": 7"), "rules", "a name");
    refused(
        &at(", \"whiteHandicapBonus\": \"N\""),
        "whiteHandicapBonus",
        "none",
    );
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
    let more = r#", "moves": [], "rules": "japanese", "typo": 1, "includeNoResultValue": false"#;
    let all = answers(&query("a", more));
    let warned: Vec<&Value> = all.iter().filter_map(|one| one.get("warning")).collect();
    assert_eq!((warned.len(), all.len()), (2, 3), "{all:?}");
    let has = |part: &str| {
        warned
            .iter()
            .any(|one| one.as_str().is_some_and(|text| text.contains(part)))
    };
    assert!(has("japanese") && has("typo"), "{all:?}");
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

/// Gives lines one by one, each when `ready` says so.
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
            let mut ready = self.ready.lock().expect("nobody panics");
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

#[test]
fn terminated_searches_answer_with_what_they_have() {
    // The thinker answers when it is told to stop, and says when it has begun.
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
    let make = on_a_line(Behaviour::WhenStopped(begun));
    serve_queries(resources(make), options(), input, &mut output).expect("a Vec takes everything");
    let text = String::from_utf8(output).expect("UTF-8");
    let all: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(all.len(), 3, "{text}");
    assert_eq!(
        all[0],
        json!({"id": "a", "turnNumber": 1, "isDuringSearch": false, "noResults": true})
    );
    assert_eq!(all[1]["terminateId"], "a");
    assert_eq!(
        (&all[2]["turnNumber"], all[2].get("rootInfo").is_some()),
        (&json!(0), true)
    );
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

/// A whole query as KaTrain writes it, on 5x5.
const KATRAIN: &str = concat!(
    r#"{"rules": "japanese", "priority": 1, "analyzeTurns": [3], "maxVisits": 200, "komi": 0.5, "#,
    r#""boardXSize": 5, "boardYSize": 5, "includeOwnership": true, "includeMovesOwnership": true, "#,
    r#""includePolicy": true, "initialStones": [], "initialPlayer": "B", "moves": [["B", "C3"], "#,
    r#"["W", "B2"], ["B", "C2"]], "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "#,
    r#""wideRootNoise": 0.04, "maxTime": 60.0}, "reportDuringSearchEvery": 1, "id": "QUERY:1"}"#,
    "\n"
);

#[test]
fn go_is_told_as_katrain_reads_it() {
    let all = answers_of(go(), options(), KATRAIN);
    let last = all.last().expect("an answer");
    let (root, moves) = (
        &last["rootInfo"],
        last["moveInfos"].as_array().expect("a list"),
    );
    assert_eq!(
        (&root["visits"], &root["currentPlayer"]),
        (&json!(200), &json!("W"))
    );
    assert!(
        root["winrate"].as_f64().expect("a number") > 0.8,
        "Black has the centre: {root}"
    );
    let lead = root["scoreLead"].as_f64().expect("a number");
    assert!(lead > 5.0 && moves.len() > 3, "{root}");
    let visits = moves
        .iter()
        .filter_map(|one| one["visits"].as_i64())
        .sum::<i64>();
    assert_eq!(visits, 200);
    for one in moves {
        let numbers = [
            "winrate",
            "scoreLead",
            "scoreStdev",
            "utility",
            "lcb",
            "prior",
            "order",
        ];
        assert!(numbers.iter().all(|name| one[*name].is_number()), "{one}");
        assert_eq!(one["pv"][0], one["move"]);
        assert_eq!(one["ownership"].as_array().map(Vec::len), Some(25));
    }
    let leads = |pick: fn(f64, f64) -> f64| {
        moves
            .iter()
            .filter_map(|one| one["scoreLead"].as_f64())
            .reduce(pick)
    };
    assert!(leads(f64::max) > leads(f64::min), "each move has its own");
    let policy = last["policy"].as_array().expect("a list");
    assert_eq!(
        (policy.len(), &policy[12]),
        (26, &json!(-1.0)),
        "C3 is taken"
    );
    let sum: f64 = policy
        .iter()
        .filter_map(Value::as_f64)
        .filter(|&prior| prior >= 0.0)
        .sum();
    assert!((sum - 1.0).abs() < 1e-3);
    let owners = last["ownership"].as_array().expect("a list");
    assert!(
        owners.len() == 25 && owners[12].as_f64() > Some(0.5),
        "{owners:?}"
    );
}

#[test]
fn views_and_komi_are_taken_from_the_query() {
    let lead = |from: &str, to: &str| {
        let all = answers_of(go(), options(), &KATRAIN.replace(from, to));
        let root = &all.last().expect("an answer")["rootInfo"];
        root["scoreLead"].as_f64().expect("a number")
    };
    let black = lead("", "");
    assert_eq!(lead("\"BLACK\"", "\"WHITE\""), -black);
    assert_eq!(lead("\"BLACK\"", "\"SIDETOMOVE\""), -black);
    assert!(lead("0.5", "20.5") < black - 10.0);
    let rules =
        r#"{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":false,"hasButton":false}"#;
    assert!(lead("\"japanese\"", rules) > 0.0);
}

#[test]
fn moves_to_avoid_are_not_told_of() {
    let avoid =
        r#", "avoidMoves": [{"moves": ["B3", "A1"], "player": "W", "untilDepth": 1}], "id""#;
    let all = answers_of(go(), options(), &KATRAIN.replace(", \"id\"", avoid));
    let moves = all.last().expect("an answer")["moveInfos"]
        .as_array()
        .expect("a list");
    assert!(
        moves
            .iter()
            .all(|one| one["move"] != "B3" && one["move"] != "A1")
    );
    let only = r#", "allowMoves": [{"moves": ["B3"], "player": "W", "untilDepth": 1}], "id""#;
    let all = answers_of(go(), options(), &KATRAIN.replace(", \"id\"", only));
    let moves = &all.last().expect("an answer")["moveInfos"];
    assert_eq!(
        (moves.as_array().map(Vec::len), &moves[0]["move"]),
        (Some(1), &json!("B3"))
    );
}

/// A query out of pieces, right and wrong.
fn request() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "id",
        "action",
        "terminateId",
        "turnNumbers",
        "boardXSize",
        "boardYSize",
        "initialStones",
        "moves",
        "initialPlayer",
        "rules",
        "komi",
        "whiteHandicapBonus",
        "analyzeTurns",
        "priority",
        "priorities",
        "maxVisits",
        "overrideSettings",
        "analysisPVLen",
        "includeOwnership",
        "includePolicy",
        "includePVVisits",
        "reportDuringSearchEvery",
        "avoidMoves",
        "allowMoves",
        "x",
    ];
    const VALUES: &[&str] = &[
        "\"a\"",
        "\"b\"",
        "5",
        "1",
        "0",
        "-1",
        "1e300",
        "null",
        "true",
        "[]",
        "{}",
        "[0]",
        "[0,1]",
        "[[\"B\",\"A1\"]]",
        "[[\"B\",\"A1\"],[\"W\",\"C1\"]]",
        "\"usual\"",
        "\"terminate\"",
        "\"terminate_all\"",
        "\"clear_cache\"",
        "99999999999999999999",
        "[[\"B\"]]",
        "\"B\"",
        "[{\"player\":\"B\",\"moves\":[\"A1\",\"B1\",\"C1\",\"D1\",\"E1\"],\"untilDepth\":1}]",
        "{\"maxTime\":1,\"x\":[]}",
        "7.5",
        "\"\\ud800\"",
    ];
    let field = (select(NAMES), select(VALUES));
    let fields = prop::collection::vec(field, 0..6);
    let right = any::<bool>();
    (right, fields).prop_map(|(right, fields)| {
        let begin = r#""id":"q","boardXSize":5,"boardYSize":1,"moves":[["B","A1"]]"#;
        let mut all = vec![if right {
            begin.to_owned()
        } else {
            "\"id\":\"q\"".to_owned()
        }];
        all.extend(
            fields
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}")),
        );
        format!("{{{}}}\n", all.join(","))
    })
}

proptest! {
    #[test]
    fn whatever_is_sent_is_answered(
        lines in prop::collection::vec(
            prop_oneof![8 => request(), 1 => any::<String>().prop_map(|text| format!("{text}\n"))],
            1..12,
        ),
    ) {
        let sent = lines.iter().flat_map(|text| text.split('\n'));
        let sent = sent.filter(|line| !line.as_bytes().trim_ascii().is_empty()).count();
        let all = answers(&lines.concat());
        for answer in &all {
            let known = ["error", "warning", "action", "rootInfo", "noResults"];
            prop_assert!(known.iter().any(|name| answer.get(*name).is_some()), "{answer}");
        }
        // A query without turns gets no answer, as KataGo has it.
        let empty = lines.iter().filter(|line| line.contains("\"analyzeTurns\":[]")).count();
        let heard = all.iter().filter(|answer| answer.get("warning").is_none()).count();
        prop_assert!(heard + empty >= sent, "{lines:?}: {all:?}");
    }
}
