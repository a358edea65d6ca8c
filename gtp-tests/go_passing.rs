//! The end of a game of Go: settled areas are left alone under all rules, and unsettled ones are
//! played.

use serde_json::{Value, json};

use crate::katago::plays;
use crate::process::Engine;

/// Backends under test.
const BACKENDS: [&[&str]; 2] = [
    &["--visits", "200"],
    &["--backend", "rollout", "--visits", "1000"],
];

/// A Go engine on this board, in the middle of a game.
fn engine(more: &[&str], size: usize, rules: &str, komi: &str, moves: &str) -> Engine {
    let usual = ["--game", "go", "--threads", "1", "--seed", "1"];
    let mut engine = Engine::start(&[&usual[..], more].concat());
    for command in [
        &*format!("boardsize {size}"),
        &format!("kata-set-rules {rules}"),
        &format!("komi {komi}"),
    ] {
        assert!(engine.ask(command).starts_with('='), "{command}");
    }
    let mut color = ['b', 'w'].into_iter().cycle();
    for name in moves.split(' ') {
        let play = format!("play {} {name}", color.next().unwrap_or('b'));
        assert!(engine.ask(&play).starts_with('='), "{play}");
    }
    engine
}

/// Two solid walls on 9x9.
const WALLS: &str = "E1 F1 E2 F2 E3 F3 E4 F4 E5 F5 E6 F6 E7 F7 E8 F8 E9 F9";

/// `territory_pass.gtp` of issue 45.
#[test]
fn ten_passes_are_answered_by_ten_passes() {
    for backend in BACKENDS {
        for (rules, komi, score) in [
            ("japanese", "6.5", "B+2.5"),
            ("korean", "6.5", "B+2.5"),
            ("chinese", "6.5", "B+2.5"),
            ("aga", "8.5", "B+0.5"),
            ("new-zealand", "8.5", "B+0.5"),
            ("tromp-taylor", "8.5", "B+0.5"),
        ] {
            let mut engine = engine(backend, 9, rules, komi, WALLS);
            assert_eq!(engine.ask("final_score"), format!("= {score}"), "{rules}");
            // Playouts alone are not sure of so large an empty area, and may play in it first.
            let may_play = if backend == BACKENDS[0] { 0 } else { 3 };
            let mut played = 0;
            for _ in 0..10 {
                assert_eq!(engine.ask("play w pass"), "= ");
                let reply = engine.ask("genmove b");
                played += usize::from(reply != "= pass");
                assert!(played <= may_play, "{rules} {komi} by {backend:?}: {reply}");
            }
            let counted = engine.ask("final_score");
            match played {
                0 => assert_eq!(counted, format!("= {score}"), "{rules}"),
                _ => assert!(counted.starts_with("= B+"), "{rules}: {counted}"),
            }
        }
    }
}

/// `japanese_pass.gtp` of issue 45: White leads by half a point, and is to move.
const HALF_A_POINT: &str = "E5 G1 J8 E8 H7 C3 G5 C6 G3 H2 F2 D7 D2 C2 C5 B5 D6 B6 C4 B4 D3 D1 H3 \
                            E6 E1 C1 F6 D5 D4 F7 G7 G8 H8 H9 D6 E7 D5 G9 J9";

#[test]
fn a_lead_of_half_a_point_is_kept() {
    for backend in BACKENDS {
        let mut engine = engine(backend, 9, "japanese", "2.5", HALF_A_POINT);
        assert_eq!(engine.ask("final_score"), "= W+0.5");
        let mut passes = 0;
        while passes < 2 {
            passes = match &*engine.ask("genmove w") {
                "= pass" => passes + 1,
                _ => 0,
            };
            assert_eq!(engine.ask("play b pass"), "= ");
            passes += 1;
        }
        // An engine that only passes may lose more.
        assert!(engine.ask("final_score").starts_with("= W+"), "{backend:?}");
    }
}

/// Games that GNU Go has finished, with the komi under which Black wins by half a point as they are. Black is to
/// move, in one of them after a pass, and White's only hope is a stone of Black's in its own area.
const FINISHED: [(&str, &str); 5] = [
    (
        "-4.5",
        "E3 C7 B2 C3 H6 C5 F5 C2 E2 F7 G8 F8 F9 E9 G9 E7 G7 E5 E4 F6 G5 D4 G6 D3 D2 C1 D1 pass",
    ),
    (
        "16.5",
        "E2 F7 F5 G5 F6 G6 E7 C7 G7 F8 H7 E8 G4 C4 B3 B4 C3 A3 A2 A4 D4 C5 B2 E6 E5 D6 G8 D5 E4 G9 H9 F9",
    ),
    (
        "30.5",
        "B7 D8 C5 H7 G6 C2 F8 H6 F5 H5 F3 H3 D2 G8 F7 F9 E9 G9 E8 G2 F2 G7 G4 H4 G5 G1 F1 G3",
    ),
    (
        "18.5",
        "F4 H8 B3 F8 D4 G5 G4 H5 C7 H4 G3 H3 H2 J2 H1 D8 C8 C9 B9 D9 D7 E7 E6 F7 B8 F6 F5 J3 G2 J1",
    ),
    (
        "22.5",
        "D2 C4 D6 B3 H8 B5 E4 C7 D7 C8 D8 C2 E1 D3 E3 D9 E9 C9 F8 C1 D4 C6 D1 C3 D5 C5",
    ),
];

#[test]
fn a_stone_in_its_own_area_does_not_cost_a_finished_game() {
    for (komi, moves) in FINISHED {
        let mut engine = engine(BACKENDS[0], 9, "japanese", komi, moves);
        assert_eq!(engine.ask("genmove b"), "= pass", "komi {komi}");
        assert_eq!(engine.ask("play w pass"), "= ");
        assert_eq!(engine.ask("final_score"), "= B+0.5");
    }
}

/// White's corner has three points in a row: it lives by playing the middle one, which decides the
/// game. Black has passed.
#[test]
fn a_move_that_is_needed_is_played_after_a_pass() {
    let moves = "B5 pass D5 pass A4 pass B4 pass C4 pass D4 pass E4 pass A3 pass B3 pass C3 A2 D3 B2 E3 C2 E2 D2 \
                 E1 D1 pass";
    for backend in BACKENDS {
        for (rules, komi) in [("japanese", "5.5"), ("chinese", "12.5")] {
            let mut engine = engine(backend, 5, rules, komi, moves);
            assert_eq!(engine.ask("genmove w"), "= B1", "{rules} by {backend:?}");
        }
    }
}

/// Only eyes of uncapturable stones are left.
fn eyes_alone(backend: &[&str], rules: &str, komi: &str) -> Engine {
    let points = |columns: &str, eyes: &[&str]| {
        let rows = 1..10;
        let all = rows.flat_map(|row| columns.chars().map(move |column| format!("{column}{row}")));
        all.filter(|name| !eyes.contains(&&**name))
            .collect::<Vec<_>>()
    };
    let black = points("ABCDE", &["A1", "A3", "C5", "A9", "D9"]);
    let mut white = points("FGHJ", &["J1", "J3", "G5", "J9"]);
    white.resize(black.len(), "pass".to_owned());
    let both = black.into_iter().zip(white);
    let moves: Vec<String> = both.flat_map(|(black, white)| [black, white]).collect();
    engine(backend, 9, rules, komi, &moves.join(" "))
}

#[test]
fn no_move_fills_safe_territory() {
    for backend in BACKENDS {
        for rules in ["japanese", "chinese", "aga", "nz", "tromp-taylor"] {
            // Won and lost, passing first and second.
            for komi in ["0.5", "20.5"] {
                for color in ["b", "w"] {
                    let mut engine = eyes_alone(backend, rules, komi);
                    let what = format!("{rules} {komi} {color} by {backend:?}");
                    assert_eq!(engine.ask(&format!("genmove {color}")), "= pass", "{what}");
                }
            }
        }
    }
}

/// KaTrain's usual rules: the true value of a pass is shown.
#[test]
fn a_pass_is_shown_with_its_true_value() {
    for (rules, komi) in [("japanese", 6.5), ("chinese", 6.5)] {
        let mut engine = engine(BACKENDS[0], 9, rules, &komi.to_string(), WALLS);
        assert_eq!(engine.ask("play w pass"), "= ");
        engine.send("kata-analyze b 100 minmoves 8\n");
        assert!(engine.line().starts_with('='));
        let line = engine.line();
        engine.send("name\n");
        while !engine.line().is_empty() {}
        assert!(engine.reply().starts_with('='));
        let pass = line
            .split("info move ")
            .find(|found| found.starts_with("pass "));
        let pass = pass.unwrap_or_else(|| panic!("{line}"));
        let number = |key: &str| {
            let mut words = pass.split(' ').skip_while(|word| *word != key).skip(1);
            words
                .next()
                .and_then(|word| word.parse::<f64>().ok())
                .expect(key)
        };
        assert!(number("winrate") > 0.9, "{rules}: {pass}");
        assert!((number("scoreLead") - 2.5).abs() < 0.6, "{rules}: {pass}");
    }
}

/// The answers of `tengen analysis` to a query about moves of Black and White in turn.
fn answers(
    rules: &str,
    komi: f64,
    size: usize,
    moves: &str,
    turns: &[usize],
    visits: u32,
) -> Vec<Value> {
    let query = json!({
        "id": "q", "rules": rules, "komi": komi, "boardXSize": size, "boardYSize": size, "moves": plays(moves),
        "maxVisits": visits, "analyzeTurns": turns, "includeOwnership": true,
    });
    let mut engine = Engine::program(&["analysis", "--game", "go", "--analysis-threads", "1"]);
    engine.send(&format!("{query}\n"));
    engine.close();
    let (said, _) = engine.wait();
    let mut answers: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    answers.sort_by_key(|answer| answer["turnNumber"].as_u64());
    assert_eq!(answers.len(), turns.len(), "{said}");
    answers
}

/// The first move of an analysis of the position after these moves on 9x9.
fn first_of_analysis(rules: &str, komi: &str, moves: &str) -> Value {
    let komi = komi.parse().expect("a number");
    let turn = moves.split_whitespace().count();
    let answer = answers(rules, komi, 9, moves, &[turn], 200).remove(0);
    answer["moveInfos"][0]["move"].clone()
}

/// A client that plays the first move of an analysis ends games, too, and plays on where something is left.
#[test]
fn an_analysis_puts_the_pass_first_where_a_move_would_be_a_pass() {
    let (komi, moves) = FINISHED[0];
    for rules in ["japanese", "chinese"] {
        assert_eq!(first_of_analysis(rules, komi, moves), "pass", "{rules}");
    }
    // By area a move within so large an empty area costs nothing, and a network may prefer it.
    let passed = format!("{WALLS} pass pass");
    assert_eq!(first_of_analysis("japanese", "6.5", &passed), "pass");
    let open = WALLS.trim_end_matches(" E9 F9").trim_end_matches(" E8 F8");
    for rules in ["japanese", "chinese"] {
        assert_ne!(first_of_analysis(rules, "6.5", open), "pass", "{rules}");
    }
}

/// Natural games in which something is left to be played for.
const OPEN: [(&str, &str, &str); 7] = [
    (
        "japanese",
        "w",
        "D2 E5 G1 C7 D8 G9 D6 D7 E6 E7 F6 C6 D5 C4 C5 B5 F7 F8 E8 G7 G6 H7 B4 B6 C3 H6 H5",
    ),
    (
        "korean",
        "w",
        "D2 E5 G1 C7 D8 G9 D6 D7 E6 E7 F6 C6 D5 C4 C5 B5 F7 F8 E8 G7 G6 H7 B4 B6 C3 H6 H5",
    ),
    (
        "korean",
        "w",
        "J4 D8 B6 D4 E6 F3 F7 D6 D5 C5 E5 C6 C4 C3 B4 B5 B3 D3 B2 C2 B7 A5 C8 D7 E8 D9 A8 B9 A6 B8 G4 G3 H3 F4 G5 \
         E4 G2 F2 H2 F5 F6 E7 E2 B1 F1 D2 E1",
    ),
    // A capturing race in which a move decides.
    (
        "korean",
        "b",
        "E7 G5 D4 F3 E3 F4 D6 C3 F2 B5 G3 G7 G8 H8 F8 H3 H2 H4 H9 H7 D2 C7 F6 G6 J3 J4 J6 J5 H6 G9 F9 F5 E5 F7 D8 \
         C8 E6 C5 E4 J2 G2 C2 G4 D9 E8 D1 E1 C1 H1 D3 E2 C4 C6 B6 E9 H5 C9 B9 G9 D5 B8 D9 B7 A8 C9 A7 J1 D9",
    ),
    (
        "korean",
        "b",
        "E7 G5 D4 F3 E3 F4 D6 C3 F2 B5 G3 G7 G8 H8 F8 H3 H2 H4 H9 H7 D2 C7 F6 G6 J3 J4 J6 J5 H6 G9 F9 F5 E5 F7 D8 \
         C8 E6 C5 E4 J2 G2 C2 G4 D9 E8 D1 E1 C1 H1 D3 E2 C4 C6 B6 E9 H5 C9 B9 G9 D5 B8 D9 B7 A8 C9 A7 J1 D9 pass C9 \
         J9 D7 J3 J7 J6 J2",
    ),
    // A dead stone that its side would save, and a border that is open.
    (
        "japanese",
        "b",
        "E4 D6 F6 C4 C3 B3 D3 G4 G5 H5 H6 F5 G6 E5 F4 D4 F2 G3 G2 E7 E6 D5 D7 F7 G7 D8 C7 C8 G8 F8 B2 B4 F9 E8 F3 \
         A2 C2 E9 G9 B1 C1 A3",
    ),
    (
        "japanese",
        "w",
        "C3 F6 F7 F3 C6 G5 G7 D6 D7 C5 E6 D5 E5 E4 D4 B5 B6 C7 B7 C8 B4 A5 B8 D2 C2 B2 A4 C1 A6 D3 C4 H6 H7 J7 J8 \
         J6 F4 G4 E3 E2 G3 F2 G6 H4 F5 H8 G8 J9 B3 B1 A2",
    ),
];

#[test]
fn nobody_passes_first_while_there_is_something_to_win() {
    for visits in ["100", "200"] {
        for (rules, color, moves) in OPEN {
            let mut engine = engine(&["--visits", visits], 9, rules, "6.5", moves);
            let reply = engine.ask(&format!("genmove {color}"));
            assert_ne!(reply, "= pass", "{rules}, {visits} visits: {moves}");
        }
    }
}

/// Natural games whose side to move, whose opponent has just passed, would lose by a pass and wins by playing on; in the
/// last it wins either way, by 30 points more if it plays on.
const PASSED_TOO_EARLY: [(&str, &str, &str); 5] = [
    (
        "chinese",
        "b",
        "D7 H5 D9 E4 C3 H3 D5 D3 D4 E3 C2 F7 F6 G7 E5 E8 D8 F4 E1 E7 E6 G6 F2 G2 D2 E2 F1 F3 E9 F9 G4 G3 F5 G1 G5 \
     D1 H4 H6 J5 C1 B1 E1 B2 J6 J4 C4 C5 B4 B5 J3 H8 G8 H9 G9 J8 pass",
    ),
    (
        "japanese",
        "b",
        "J4 D8 B6 D4 E6 F3 F7 D6 D5 C5 E5 C6 C4 C3 B4 B5 B3 D3 B2 C2 B7 A5 C8 D7 E8 D9 A8 B9 A6 B8 G4 G3 H3 F4 G5 \
     E4 G2 F2 H2 F5 F6 E7 E2 B1 F1 D2 E1 pass D1 C1 G1 F8 E3 G7 G6 H7 G8 E9 H8 pass",
    ),
    (
        "japanese",
        "w",
        "J9 E7 G5 D1 A9 B3 D6 E6 E5 D5 D7 F5 E4 F4 F6 F3 D4 C5 F7 E8 D8 C4 F8 D3 E9 H4 H5 G4 J4 J3 J5 H2 C6 B6 B7 \
     B5 pass E3 pass",
    ),
    (
        "japanese",
        "b",
        "B2 A6 E4 B9 B1 A2 F6 G4 H5 E3 D3 F3 D2 E5 F5 F4 D4 G5 G6 H4 H6 D7 G2 F2 H2 J4 D6 C6 E7 D5 C5 E6 D6 C7 E8 \
     B5 B4 J2 A4 D8 H1 F1 E2 H3 E1 E9 F9 D9 F8 J5 J6 A5 G1 pass",
    ),
    (
        "chinese",
        "w",
        "G4 D4 G7 D7 C3 C4 D3 E3 E2 F3 F2 G3 B4 G5 E8 B5 B3 G6 H6 H5 D8 C7 E7 H7 C8 G8 B7 B6 F7 B8 H8 J6 J8 G2 B9 \
     A7 E5 E4 D6 C6 D5 C5 F5 F4 F6 F1 D1 J7 G9 A4 A3 A5 E1 G1 A9 A8 C9 H4 pass",
    ),
];

#[test]
fn a_pass_that_comes_too_early_is_not_answered_by_one() {
    for visits in ["100", "200", "400"] {
        for (rules, color, moves) in PASSED_TOO_EARLY {
            let mut engine = engine(&["--visits", visits], 9, rules, "6.5", moves);
            let reply = engine.ask(&format!("genmove {color}"));
            assert_ne!(reply, "= pass", "{rules}, {visits} visits: {moves}");
        }
    }
}

/// Columns A to E are Black's but for White's stones in B and the hole between them, where Black takes them; F and H
/// are White's and live, with a stone of Black's in each of two eyes. White has passed.
fn hole(rules: &str, whites: &[u8]) -> Engine {
    let mut engine = Engine::start(&[
        "--game",
        "go",
        "--threads",
        "1",
        "--seed",
        "1",
        "--visits",
        "200",
    ]);
    let mut setup = "gogui-setup b G5 b J5".to_owned();
    for row in 1..10_u8 {
        for column in ["A", "B", "C", "D", "E", "F", "H"] {
            let color = match (column, row) {
                ("B", 5) => continue,
                ("B", row) if whites.contains(&row) => "w",
                ("F" | "H", _) => "w",
                _ => "b",
            };
            setup.push_str(&format!(" {color} {column}{row}"));
        }
    }
    let rules = format!("kata-set-rules {rules}");
    for command in [
        "boardsize 9",
        &rules,
        "komi 7.5",
        &setup,
        "gogui-setup_player w",
        "play w pass",
    ] {
        assert!(engine.ask(command).starts_with('='), "{command}");
    }
    engine
}

/// Black has 45 points for certain after a capture; as the board stands White wins.
#[test]
fn a_count_without_an_agreement_is_no_proof() {
    for rules in ["chinese", "aga", "new-zealand"] {
        for whites in [&[4, 6][..], &[1, 2, 3, 4, 6, 7, 8, 9]] {
            let mut engine = hole(rules, whites);
            assert_eq!(engine.ask("genmove b"), "= B5", "{rules}, {whites:?}");
            assert_eq!(engine.ask("final_score"), "= B+1.5");
        }
    }
}

fn lead(of: &Value) -> f64 {
    of["scoreLead"].as_f64().expect("a lead")
}

/// Natural games in the middle of which both have passed.
const PASSED_IN_THE_MIDDLE: [&str; 2] = [
    "E5 C3 C5 E3 G3 F7 D7 G5 F4 F5 E6 F6 pass pass",
    "E5 pass pass",
];

#[test]
fn after_passes_in_an_open_position_the_numbers_are_those_of_the_game_that_goes_on() {
    for rules in ["chinese", "japanese", "aga"] {
        for moves in PASSED_IN_THE_MIDDLE {
            let plies = moves.split(' ').count();
            let answers = answers(rules, 6.5, 9, moves, &[plies], 60);
            let (root, moves) = (&answers[0]["rootInfo"], &answers[0]["moveInfos"]);
            assert_ne!(moves[0]["move"], "pass", "{rules}");
            let difference = lead(root) - lead(&moves[0]);
            assert!(difference.abs() < 2.0, "{rules}: {root} and {}", moves[0]);
        }
    }
}

/// Black has few points, and White has passed: by the stones alone Black wins by half a point.
const PASSED_BY_MISTAKE: &str = "A1 E5 A9 C3 J1 G7 J9 C7 A5 G3 E1 pass";

/// Winrate, lead and sum of the owners of the position, for Black, and the first move.
fn summary(answer: &Value) -> (f64, f64, f64, &Value) {
    let owners = answer["ownership"].as_array().expect("owners");
    let winrate = answer["rootInfo"]["winrate"].as_f64().expect("a winrate");
    let owned = owners.iter().filter_map(Value::as_f64).sum();
    (
        winrate,
        lead(&answer["rootInfo"]),
        owned,
        &answer["moveInfos"][0],
    )
}

#[test]
fn after_a_pass_in_an_open_position_the_numbers_are_those_of_the_game_that_goes_on() {
    for rules in ["chinese", "japanese", "aga"] {
        let answers = answers(rules, 0.5, 9, PASSED_BY_MISTAKE, &[12], 100);
        let (winrate, lead, owned, first) = summary(&answers[0]);
        assert!(
            winrate < 0.1 && lead < -20.0 && owned < -20.0,
            "{rules}: {winrate} {lead} {owned}"
        );
        assert!(first["winrate"].as_f64() < Some(0.1), "{rules}: {first}");
    }
    for rules in ["chinese", "japanese"] {
        let first = first_of_analysis(rules, "6.5", "E5 pass");
        assert_ne!(first, "pass", "{rules}");
    }
}

/// A pass that wins by the rules has its own numbers, and they agree: who wins leads.
#[test]
fn a_pass_that_wins_by_the_rules_has_a_winner_who_leads() {
    for (komi, moves, ahead) in [(6.5, "E5 pass", 74.5), (0.5, PASSED_BY_MISTAKE, 0.5)] {
        let turn = moves.split(' ').count();
        let answers = answers("tromp-taylor", komi, 9, moves, &[turn], 100);
        let (winrate, root, owned, first) = summary(&answers[0]);
        assert!(winrate > 0.9 && first["move"] == "pass", "{first}");
        assert!(first["winrate"].as_f64() > Some(0.9), "{first}");
        for lead in [root, lead(first), owned - komi] {
            assert!((lead - ahead).abs() < 1e-3, "{moves}: {lead}");
        }
    }
}

/// On an empty board, too: by territory nothing is left to be played for.
#[test]
fn a_game_that_is_over_by_the_count_is_won_by_who_leads() {
    let answers = answers("japanese", 7.0, 9, "pass pass", &[2], 50);
    let (winrate, lead, owned, _) = summary(&answers[0]);
    assert_eq!((winrate, lead, owned), (0.0, -7.0, 0.0));
}

/// Under rules by which dead stones count, too.
#[test]
fn after_passes_with_open_points_there_is_no_count() {
    let moves = PASSED_IN_THE_MIDDLE[0];
    let answers = answers("tromp-taylor", 6.5, 9, moves, &[14], 60);
    let (_, root, _, first) = summary(&answers[0]);
    assert!((root - lead(first)).abs() < 2.0, "{root} {first}");
}

#[test]
fn a_finished_game_that_counts_as_it_stands_has_owners_and_a_lead() {
    let moves = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 pass pass";
    let answers = answers("tromp-taylor", 0.5, 5, moves, &[12], 50);
    let owners: Vec<f64> = answers[0]["ownership"]
        .as_array()
        .expect("owners")
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    assert_eq!(owners, [1.0, 1.0, 1.0, -1.0, -1.0].repeat(5));
    assert!((lead(&answers[0]["rootInfo"]) - 4.5).abs() < 1e-6);
    let mut engine = engine(&[], 5, "tromp-taylor", "0.5", moves);
    let raw = engine.ask("kata-raw-nn 0");
    assert!(raw.contains("whiteLead -4.500"), "{raw}");
    assert!(raw.contains("-1.000 -1.000 -1.000 1.000 1.000"), "{raw}");
}

/// A natural game that White wins by four points, and its leads by KataGo (b6c96, 400 visits).
const DECIDED: &str = "J8 F9 J7 H1 C3 F5 F7 D6 F3 G3 D7 C7 E6 D8 E7 C5 E5 F2 E3 G4 B6 B5 C6 B7 D5 A6 E8 D6 H5 E2 D2 H4 C8 B8 D9 \
     H6 G6 G5 J5 H7 H8 G7 F6 G8 J6 J4 F8 C4 D4 B3 B2 A2 C6 B9 B1 C9 D1 G2 E1 F1 A1 A3 A4 B4 F4 D8 E9 C8 A8 B6 \
     D3 D6 H2 J2 pass pass";

#[test]
fn the_lead_of_a_decided_game_is_that_of_sensible_play() {
    let by_katago = [-3.8, -4.2, -4.1, -4.2, -5.3];
    for visits in [100, 400, 1000] {
        let answers = answers("chinese", 6.5, 9, DECIDED, &[71, 72, 73, 74, 75], visits);
        for (answer, wanted) in answers.iter().zip(by_katago) {
            let root = lead(&answer["rootInfo"]);
            let first = lead(&answer["moveInfos"][0]);
            assert!(
                (root - wanted).abs() < 5.0 && (first - wanted).abs() < 5.0,
                "{visits}: {root} {first} {wanted}"
            );
        }
    }
}
