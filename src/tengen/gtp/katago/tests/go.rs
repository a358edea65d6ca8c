//! Go sessions with playouts.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{answers_of, options};
use crate::clock::{Clock, SystemClock};
use crate::engine::{Backend, EngineOptions};
use crate::gtp::katago::{KatagoOptions, MakeAnalyst};
use crate::registry;

/// A deterministic engine for Go with playouts.
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

/// A complete query as KaTrain writes it, on 5x5.
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
fn a_line_has_the_wanted_length_and_the_visits_of_its_moves() {
    let wanted = r#""maxVisits": 1000, "analysisPVLen": 1, "includePVVisits": true"#;
    let all = answers_of(
        go(),
        options(),
        &KATRAIN.replace(r#""maxVisits": 200"#, wanted),
    );
    let best = &all.last().expect("an answer")["moveInfos"][0];
    // The move and one after it.
    for field in ["pv", "pvVisits", "pvEdgeVisits"] {
        let len = best[field].as_array().map(Vec::len);
        assert_eq!(len, Some(2), "{field}: {best}");
    }
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

#[test]
fn a_finished_game_is_analysed_on_under_all_rules() {
    for rules in ["chinese", "tromp-taylor"] {
        let query = KATRAIN.replace("japanese", rules).replace("[3]", "[5]");
        let passes = r#"["B", "C2"], ["W", "pass"], ["B", "pass"]]"#;
        let all = answers_of(go(), options(), &query.replace(r#"["B", "C2"]]"#, passes));
        let moves = all.last().expect("an answer")["moveInfos"].as_array();
        assert!(
            moves.is_some_and(|moves| moves.len() > 1),
            "{rules}: {all:?}"
        );
    }
}

/// KaTrain's players for handicap games and against mirrored play.
#[test]
fn rollouts_know_no_advantage_and_mirrored_play_is_accepted() {
    let asked = |setting: &str| {
        let query = KATRAIN.replace("\"maxTime\": 60.0", setting);
        let all = answers_of(go(), options(), &query);
        let texts = all.iter().filter_map(|one| one.get("warning"));
        let warned = texts.filter(|text| {
            text.as_str()
                .is_some_and(|text| text.contains("equal sides"))
        });
        assert_eq!(all.last().expect("an answer")["rootInfo"]["visits"], 200);
        warned.count()
    };
    assert_eq!(
        asked(r#""playoutDoublingAdvantage": 1.5, "playoutDoublingAdvantagePla": "BLACK""#),
        1
    );
    assert_eq!(asked(r#""playoutDoublingAdvantage": 0"#), 0);
    assert_eq!(asked(r#""antiMirror": true"#), 0);
}

/// Turns of a query are searched by several threads.
#[test]
fn a_query_is_warned_of_once_and_first() {
    let advantage = KATRAIN.replace("\"maxTime\": 60.0", "\"playoutDoublingAdvantage\": 1");
    let query = advantage.replace("[3]", "[0, 1, 2, 3]");
    let threads = KatagoOptions {
        positions: 4,
        ..options()
    };
    let lines = query.clone() + &query.replace("QUERY:1", "QUERY:2");
    let all = answers_of(go(), threads, &lines);
    for id in ["QUERY:1", "QUERY:2"] {
        let own = all.iter().filter(|one| one["id"] == id);
        let warns: Vec<bool> = own.map(|one| one["warning"].is_string()).collect();
        assert_eq!(warns[..2], [true, false], "{id}: {all:?}");
        assert_eq!(warns.iter().filter(|warns| **warns).count(), 1, "{id}");
    }
}

#[test]
fn rules_that_are_refused_are_named_with_all_that_are_known() {
    let error = |rules: &str| {
        let all = answers_of(go(), options(), &KATRAIN.replace("\"japanese\"", rules));
        all[0]["error"].as_str().expect("an error").to_owned()
    };
    let long = format!("{{\"kudos\": \"{}\"}}", "x".repeat(500));
    for rules in ["\"chess\"", long.as_str()] {
        assert!(error(rules).ends_with(')'), "{}", error(rules));
    }
    assert!(error(&long).contains("xxx...`"), "{}", error(&long));
}
