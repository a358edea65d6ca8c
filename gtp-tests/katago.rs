//! A client of KataGo's analysis engine like KaTrain: it starts the program with KataGo's
//! arguments, and its messages are sent byte for byte.

use std::time::Duration;

use serde_json::{Value, json};
use tengen::clock::{Clock, SystemClock};

use crate::process::Engine;

/// Arguments with which KaTrain starts its engine.
const KATRAIN: &[&str] = &[
    "analysis",
    "-model",
    "katrain/models/kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
    "-config",
    "katrain/KataGo/analysis_config.cfg",
    "-override-config",
    "homeDataDir=/home/me/.katrain",
];

/// A program under a client.
struct Analyst(Engine);

impl Analyst {
    fn start(arguments: &[&str]) -> Analyst {
        Analyst(Engine::program(arguments))
    }

    fn send(&mut self, line: &str) {
        self.0.send(&format!("{line}\n"));
    }

    /// The next answer.
    fn hears(&self) -> Value {
        serde_json::from_str(&self.0.line()).expect("JSON")
    }

    /// The next final answer to a query.
    fn result(&self) -> Value {
        loop {
            let answer = self.hears();
            if answer["isDuringSearch"] == json!(false) {
                return answer;
            }
        }
    }

    /// The rest of the output until the program ends by itself after the end of its input.
    fn rest(mut self) -> Vec<Value> {
        self.0.close();
        let (rest, _) = self.0.wait();
        rest.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

/// A game on 9x9.
const GAME: &[[&str; 2]] = &[
    ["B", "E5"],
    ["W", "E3"],
    ["B", "G4"],
    ["W", "C5"],
    ["B", "C7"],
    ["W", "D7"],
    ["B", "D8"],
    ["W", "E7"],
];

/// The query for the position after this many moves, as KaTrain writes it.
fn query(id: &str, moves: usize, visits: u64, more: &str) -> String {
    let played: Vec<String> = GAME[..moves]
        .iter()
        .map(|[color, point]| format!("[\"{color}\", \"{point}\"]"))
        .collect();
    format!(
        "{{\"rules\": \"japanese\", \"priority\": 0, \"analyzeTurns\": [{moves}], \"maxVisits\": {visits}, \
         \"komi\": 6.5, \"boardXSize\": 9, \"boardYSize\": 9, \"includeOwnership\": true, \
         \"includeMovesOwnership\": true, \"includePolicy\": true, \"initialStones\": [], \
         \"initialPlayer\": \"B\", \"moves\": [{}], \"overrideSettings\": \
         {{\"reportAnalysisWinratesAs\": \"BLACK\", \"wideRootNoise\": 0.04, \"maxTime\": 60.0}}, \
         \"reportDuringSearchEvery\": 1{more}, \"id\": \"{id}\"}}",
        played.join(", ")
    )
}

#[test]
fn a_whole_game_is_analysed() {
    let mut engine = Analyst::start(KATRAIN);
    for moves in 0..=GAME.len() {
        engine.send(&query(&format!("QUERY:{}", moves + 1), moves, 30, ""));
    }
    let mut turns: Vec<u64> = Vec::new();
    for _ in 0..=GAME.len() {
        let answer = engine.result();
        let turn = answer["turnNumber"].as_u64().expect("a number");
        assert_eq!(answer["id"], format!("QUERY:{}", turn + 1));
        turns.push(turn);
        let root = &answer["rootInfo"];
        assert_eq!(root["visits"], 30, "{root}");
        assert_eq!(
            root["currentPlayer"],
            if turn.is_multiple_of(2) { "B" } else { "W" }
        );
        assert!(root["scoreLead"].as_f64().expect("a number").abs() < 30.0);
        let moves = answer["moveInfos"].as_array().expect("a list");
        let visits: u64 = moves.iter().filter_map(|one| one["visits"].as_u64()).sum();
        assert_eq!(visits, 29, "all but the root's own");
        for one in moves {
            assert_eq!(one["pv"][0], one["move"]);
            assert_eq!(one["ownership"].as_array().map(Vec::len), Some(81));
            assert!(one["scoreLead"].is_number() && one["prior"].is_number());
        }
        assert_eq!(answer["ownership"].as_array().map(Vec::len), Some(81));
        let policy = answer["policy"].as_array().expect("a list");
        let illegal = policy.iter().filter(|&prior| prior == &json!(-1.0)).count();
        assert_eq!(
            (policy.len(), illegal),
            (82, usize::try_from(turn).expect("few"))
        );
    }
    turns.sort_unstable();
    assert_eq!(turns, (0..=GAME.len() as u64).collect::<Vec<_>>());
    assert_eq!(engine.rest(), [] as [Value; 0]);
}

#[test]
fn an_unlimited_analysis_can_be_terminated() {
    let mut engine = Analyst::start(KATRAIN);
    engine.send(&query("QUERY:1", 3, 10_000_000, ""));
    let during = engine.hears();
    assert_eq!(during["isDuringSearch"], true, "{during}");
    // Other queries do not wait for it.
    engine.send(&query("QUERY:2", 4, 10, ""));
    assert_eq!(engine.result()["id"], "QUERY:2");
    engine.send(r#"{"action": "terminate", "terminateId": "QUERY:1", "id": "QUERY:3"}"#);
    let clock = SystemClock::new();
    let last = engine.result();
    assert!(clock.now() < Duration::from_secs(5), "{:?}", clock.now());
    let visits = last["rootInfo"]["visits"].as_u64();
    assert!(
        last["id"] == "QUERY:1" && visits < Some(10_000_000),
        "{last}"
    );
    assert_eq!(engine.rest(), [] as [Value; 0]);
}

#[test]
fn analysis_can_be_restricted_to_regions_and_moves() {
    let mut engine = Analyst::start(KATRAIN);
    let region = r#", "avoidMoves": [{"moves": ["A1", "E4", "E6", "D5"], "player": "B", "untilDepth": 1}, {"moves": ["E6"], "player": "W", "untilDepth": 1}]"#;
    engine.send(&query("QUERY:1", 2, 40, region));
    let moves = engine.result()["moveInfos"].clone();
    let avoided = |one: &Value| {
        ["A1", "E4", "E6", "D5"]
            .iter()
            .any(|&point| one["move"] == point)
    };
    assert!(
        !moves.as_array().expect("a list").iter().any(avoided),
        "{moves}"
    );
    // A move that cannot be played: KaTrain tries all points.
    let illegal = query("QUERY:2", 2, 40, "").replace("\"E3\"]]", "\"E3\"], [\"B\", \"E3\"]]");
    engine.send(&illegal);
    let error = engine.hears();
    assert_eq!(
        (&error["id"], &error["field"]),
        (&json!("QUERY:2"), &json!("moves"))
    );
    assert!(
        error["error"]
            .as_str()
            .expect("a text")
            .contains("Illegal move")
    );
}

/// Moves such as "H8 A1", Black first, in the format of a query.
pub(crate) fn plays(moves: &str) -> Value {
    let colors = ["B", "W"].into_iter().cycle();
    let pairs = colors.zip(moves.split_whitespace());
    pairs
        .map(|(color, vertex)| json!([color, vertex]))
        .collect()
}

/// Servers differ in what they allow, and records do not always say by which rules they were played.
#[test]
fn a_game_against_its_rules_is_analysed_with_a_warning() {
    let superko = "E3 C1 A1 D3 B4 E1 E4 E2 C2 A2 D4 D5 D1 B2 B1 C1 A1";
    let suicide = "C5 B2 D4 D5 C4 E5 E3 E4";
    let ko = "B3 D4 C4 D2 C2 E3 A5 C3 D3 C3";
    let mut analyst = Analyst::start(KATRAIN);
    for (points, last, rules, is_legal) in [
        (ko, 10, "chinese", false),
        (superko, 17, "chinese", true),
        (superko, 17, "chinese-kgs", false),
        (superko, 17, "tromp-taylor", false),
        (suicide, 8, "chinese", false),
        (suicide, 8, "japanese", false),
        (suicide, 8, "aga", false),
        (suicide, 8, "new-zealand", true),
    ] {
        let query = json!({"id": rules, "moves": plays(points), "rules": rules, "komi": 5.5,
            "boardXSize": 5, "boardYSize": 5, "maxVisits": 4, "analyzeTurns": [0, last]});
        analyst.send(&query.to_string());
        if !is_legal {
            let answer = analyst.hears();
            let warning = answer["warning"].as_str().unwrap_or_default();
            let part = format!("move {last} is against the rules");
            assert!(warning.contains(&part), "{rules}: {answer}");
        }
        for turn in [analyst.result(), analyst.result()] {
            assert!(turn["rootInfo"]["visits"].as_u64() >= Some(4), "{turn}");
        }
    }
    // What no rules allow is refused, and KaTrain looks for the words.
    let query = json!({"id": "x", "moves": plays("E3 C1 E3"), "boardXSize": 5, "boardYSize": 5});
    analyst.send(&query.to_string());
    let answer = analyst.hears();
    assert_eq!(answer["error"], "moves: Illegal move 2: black E3");
}

/// A finished game on 7x7, Black's wall beside White's: seven black stones are its handicap, set
/// up, played in a row, or played between passes of White.
fn handicap_game(id: &str, how: &str, bonus: &str) -> String {
    let mut stones = Vec::new();
    let mut moves = Vec::new();
    for row in 1..=7 {
        match how {
            "initialStones" => stones.push(json!(["B", format!("D{row}")])),
            _ => moves.push(json!(["B", format!("D{row}")])),
        }
        if how == "passes" && row < 7 {
            moves.push(json!(["W", "pass"]));
        }
    }
    for row in 1..=7 {
        moves.extend([json!(["W", format!("E{row}")]), json!(["B", "pass"])]);
    }
    moves.push(json!(["W", "pass"]));
    let rules = json!({"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": true,
        "hasButton": false, "friendlyPassOk": false, "whiteHandicapBonus": "0"});
    let query = json!({"id": id, "rules": rules, "komi": 0.5, "boardXSize": 7, "boardYSize": 7,
        "whiteHandicapBonus": bonus, "initialStones": stones, "moves": moves,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"}});
    query.to_string()
}

#[test]
fn handicap_is_compensated_in_every_form() {
    let mut analyst = Analyst::start(KATRAIN);
    for (bonus, lead) in [("0", 6.5), ("N", -0.5), ("N-1", 0.5)] {
        for how in ["initialStones", "moves", "passes"] {
            analyst.send(&handicap_game(how, how, bonus));
            let answer = analyst.result();
            let found = answer["rootInfo"]["scoreLead"].as_f64();
            assert_eq!(found, Some(lead), "{how}, {bonus}: {answer}");
        }
    }
}
