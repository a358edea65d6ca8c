//! Analysis of positions that are solved, forced or over: the move to play, with reliable numbers.

use serde_json::{Value, json};

use crate::katago::plays;
use crate::process::{Engine, pipe};
use crate::sabaki_parser::variations;

/// The last answers to these queries, in order.
fn answers(arguments: &[&str], queries: &[String]) -> Vec<Value> {
    let mut engine =
        Engine::program(&[&["analysis", "--analysis-threads", "1"], arguments].concat());
    for query in queries {
        engine.send(&format!("{query}\n"));
    }
    engine.close();
    let (said, _) = engine.wait();
    let said = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let last: Vec<Value> = said
        .filter(|answer| answer["isDuringSearch"] == json!(false))
        .collect();
    assert_eq!(last.len(), queries.len(), "{last:?}");
    last
}

/// A query of freestyle Gomoku on 15x15.
fn gomoku(moves: &str, visits: u64, more: Value) -> String {
    let mut query = json!({
        "id": "q", "rules": "freestyle", "boardXSize": 15, "boardYSize": 15, "moves": plays(moves),
        "maxVisits": visits, "includePolicy": true,
    });
    let fields = query.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    query.to_string()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// The moves in an answer, in order; checks the properties of every answer.
#[track_caller]
fn moves(answer: &Value) -> Vec<&str> {
    let infos = answer["moveInfos"].as_array().expect("a list");
    let mut visits = 0;
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info["order"], json!(order), "{answer}");
        assert_eq!(info["pv"][0], info["move"], "{answer}");
        visits += info["visits"].as_u64().expect("a number");
    }
    assert!(
        visits <= answer["rootInfo"]["visits"].as_u64().expect("a number"),
        "{answer}"
    );
    infos
        .iter()
        .filter_map(|info| info["move"].as_str())
        .collect()
}

/// Black to move has four in a row with two open ends, three, or a four of White to block.
const FIVE: &str = "H8 A1 J8 A3 K8 A5 L8 C1";
const THREE: &str = "H8 A1 J8 A3 K8 C1";
const BLOCK: &str = "H8 G8 J8 A3 K8 A5 L8";
/// White cannot block both ends.
const LOST: &str = "H8 A1 J8 A3 K8 C1 L8";

#[test]
fn a_win_by_threats_is_reported_with_its_move() {
    for visits in [1, 30, 1000] {
        let found = answers(
            &["--game", "gomoku"],
            &[FIVE, THREE].map(|at| gomoku(at, visits, json!({}))),
        );
        for (answer, wins) in found.iter().zip([&["G8", "M8"][..], &["G8", "L8"]]) {
            let told = moves(answer);
            let first = &answer["moveInfos"][0];
            assert!(wins.contains(&told[0]), "{visits}: {answer}");
            assert_eq!(first["winrate"], 1.0, "{visits}: {answer}");
            assert!(first["visits"].as_u64() > Some(0), "{visits}: {answer}");
            assert_eq!(answer["rootInfo"]["winrate"], 1.0, "{visits}: {answer}");
        }
        // Two replies are followed to the five.
        let line = found[1]["moveInfos"][0]["pv"].as_array().expect("a list");
        assert_eq!(line.len(), 3, "{visits}: {line:?}");
    }
}

#[test]
fn a_single_reply_is_searched_as_far_as_any_move() {
    let queries = [1, 200].map(|visits| gomoku(BLOCK, visits, json!({})));
    for (answer, visits) in answers(&["--game", "gomoku"], &queries)
        .iter()
        .zip([1, 200])
    {
        assert_eq!(moves(answer)[0], "M8", "{answer}");
        let root = &answer["rootInfo"];
        // Unless the search has proven the winner, it has used all requested visits.
        let winrate = number(&root["winrate"]);
        let proven = winrate == 0.0 || winrate == 1.0;
        assert!(proven || root["visits"] == json!(visits), "{answer}");
        assert!(
            proven || visits == 1 || answer["moveInfos"][0]["visits"].as_u64() > Some(100),
            "{answer}"
        );
    }
}

#[test]
fn a_lost_position_names_the_move_that_lasts_longest() {
    let found = answers(&["--game", "gomoku"], &[gomoku(LOST, 100, json!({}))]);
    let told = moves(&found[0]);
    assert!(["G8", "M8"].contains(&told[0]), "{:?}", found[0]);
    // The numbers are from Black's view.
    assert_eq!(found[0]["moveInfos"][0]["winrate"], 1.0);
    assert_eq!(found[0]["rootInfo"]["winrate"], 1.0);
}

#[test]
fn excluded_moves_are_not_reported_in_solved_positions() {
    let limit = |name: &str, moves: &[&str]| {
        let entry = json!([{"player": "B", "moves": moves, "untilDepth": 1}]);
        gomoku(FIVE, 200, json!({ name: entry }))
    };
    let queries = [
        limit("avoidMoves", &["G8"]),
        limit("avoidMoves", &["G8", "M8"]),
        limit("allowMoves", &["A15"]),
        limit("allowMoves", &["M8"]),
    ];
    let found = answers(&["--game", "gomoku"], &queries);
    assert_eq!(
        (moves(&found[0])[0], &found[0]["rootInfo"]["winrate"]),
        ("M8", &json!(1.0))
    );
    let told = moves(&found[1]);
    assert!(
        !told.is_empty() && !told.contains(&"G8") && !told.contains(&"M8"),
        "{told:?}"
    );
    assert_eq!(moves(&found[2]), ["A15"]);
    assert_eq!(
        (moves(&found[3]), &found[3]["moveInfos"][0]["winrate"]),
        (vec!["M8"], &json!(1.0))
    );
}

#[test]
fn a_game_that_is_over_has_no_moves_and_its_result() {
    let over = format!("{FIVE} M8");
    for visits in [1, 50] {
        let found = answers(&["--game", "gomoku"], &[gomoku(&over, visits, json!({}))]);
        assert_eq!(moves(&found[0]), [""; 0]);
        let root = &found[0]["rootInfo"];
        assert_eq!(
            (&root["winrate"], &root["visits"]),
            (&json!(1.0), &json!(0))
        );
    }
}

/// A whole game of NoGo between two programs, up to its last move.
const NOGO: &str = "B2 E4 C1 B1 A6 D1 F1 A1 G1 F5 C2 E1 D5 E2 H5 H6 H1 J1 D2 D4 D3 D7 H8 B7 G5 A2 B8 A9 F9 J2 C4 \
    G8 H9 J9 E9 F2 G2 J3 J7 A8 B3 D9 A7 H3 B5 G3 A4 B9 E3 G4 E6 G9 C6 J5 D8 H4 F4 F6 C7 E8 H7 D6 C3 G7 F7 J6 C8 E7 \
    B4 J4 A5";

#[test]
fn every_turn_of_an_ending_has_the_engines_move() {
    let flags = ["--visits", "200", "--threads", "1", "--seed", "1"];
    let turns: Vec<usize> = (55..72).collect();
    let game: Vec<&str> = NOGO.split_whitespace().collect();
    let queries = turns.iter().map(|&turn| {
        let query = json!({
            "id": "n", "boardXSize": 9, "boardYSize": 9, "moves": plays(&game[..turn.min(game.len())].join(" ")),
            "maxVisits": 200,
        });
        query.to_string()
    });
    let queries: Vec<String> = queries.collect();
    let found = answers(&[&["--game", "nogo"], &flags[2..]].concat(), &queries);
    let mut engine = Engine::start(&flags);
    let mut solved = 0;
    for (answer, turn) in found.iter().zip(turns) {
        engine.answer("clear_board");
        for (vertex, color) in game[..turn.min(game.len())]
            .iter()
            .zip(["b", "w"].into_iter().cycle())
        {
            engine.answer(&format!("play {color} {vertex}"));
        }
        let color = ["b", "w"][turn % 2];
        let chosen = engine.answer(&format!("reg_genmove {color}"));
        let told = moves(answer);
        if chosen == "resign" {
            assert_eq!(told, [""; 0], "{turn}: {answer}");
            continue;
        }
        let winrate = number(&answer["rootInfo"]["winrate"]);
        if winrate == 0.0 || winrate == 1.0 {
            solved += 1;
            assert_eq!(told[0], chosen, "{turn}: {answer}");
            assert_eq!(
                number(&answer["moveInfos"][0]["winrate"]),
                winrate,
                "{turn}: {answer}"
            );
            assert!(
                answer["moveInfos"][0]["visits"].as_u64() > Some(0),
                "{turn}: {answer}"
            );
        }
    }
    assert!(solved > 10, "{solved}");
}

/// White has only a pass, and no stone.
#[test]
fn a_single_pass_has_its_true_value() {
    let query = |visits: u64| {
        let stones = ["A1", "B1", "A2", "B2", "C2", "B3"].map(|point| json!(["B", point]));
        let query = json!({
            "id": "pass", "rules": "chinese", "komi": 0.5, "boardXSize": 3, "boardYSize": 3,
            "initialStones": stones, "initialPlayer": "W", "moves": [], "maxVisits": visits,
            "includeOwnership": true, "includeMovesOwnership": true,
        });
        query.to_string()
    };
    let found = answers(&[], &[query(50)]);
    assert_eq!(moves(&found[0]), ["pass"]);
    assert!(
        number(&found[0]["moveInfos"][0]["winrate"]) > 0.95,
        "{:?}",
        found[0]
    );
    assert!(number(&found[0]["rootInfo"]["winrate"]) > 0.95);
    assert_eq!(
        found[0]["moveInfos"][0]["ownership"]
            .as_array()
            .map(Vec::len),
        Some(9)
    );
    assert_eq!(found[0]["rootInfo"]["visits"], 50);
    let sent =
        b"boardsize 3\nkomi 0.5\ngogui-setup b A1 b B1 b A2 b B2 b C2 b B3\ngogui-setup_player w\n\
        kata-genmove_analyze w 10\nquit\n";
    let said = pipe(&["--game", "go", "--visits", "50", "--seed", "1"], sent);
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(said.contains("play pass"), "{said}");
    // Where it has searched the pass at all, its value is right.
    for line in said.lines().filter(|line| line.starts_with("info ")) {
        assert!(
            variations(line, "kata").is_empty(),
            "Sabaki leaves passes out"
        );
        let winrate = line.split(' ').skip_while(|word| *word != "winrate").nth(1);
        let winrate: f64 = winrate
            .and_then(|rate| rate.parse().ok())
            .expect("a number");
        assert!(winrate < 0.05, "{line}");
    }
}

#[test]
fn gtp_and_queries_report_the_same_wins_and_replies() {
    for (at, wins, color) in [
        (FIVE, &["G8", "M8"][..], "b"),
        (THREE, &["G8", "L8"], "b"),
        (BLOCK, &["M8"], "b"),
    ] {
        for command in [
            "kata-genmove_analyze",
            "lz-genmove_analyze",
            "cgos-genmove_analyze",
        ] {
            let mut engine =
                Engine::start(&["--game", "gomoku", "--visits", "50", "--threads", "1"]);
            for (vertex, color) in at.split_whitespace().zip(["b", "w"].into_iter().cycle()) {
                engine.answer(&format!("play {color} {vertex}"));
            }
            let color = if at == BLOCK { "w" } else { color };
            let reply = engine.ask(&format!("{command} {color} 100"));
            let lines: Vec<&str> = reply.lines().collect();
            let played = lines
                .last()
                .and_then(|line| line.strip_prefix("play "))
                .expect("a move");
            assert!(wins.contains(&played), "{reply}");
            let told = lines[lines.len() - 2];
            if command.starts_with("cgos") {
                let told: Value = serde_json::from_str(told).expect("JSON");
                assert_eq!(told["moves"][0]["move"], played, "{reply}");
                assert!(at == BLOCK || told["winrate"] == 1.0, "{reply}");
                assert!(told["moves"][0]["visits"].as_u64() > Some(0), "{reply}");
            } else {
                let dialect = if command.starts_with("kata") {
                    "kata"
                } else {
                    "lz"
                };
                let read = variations(told, dialect);
                assert_eq!(read[0].vertex, played, "{reply}");
                assert!(read[0].visits > 0, "{reply}");
            }
        }
    }
}
