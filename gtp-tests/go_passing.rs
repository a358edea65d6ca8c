//! The end of a game of Go: settled areas are left alone under all rules, and unsettled ones are
//! played.

use serde_json::{Value, json};

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
            for _ in 0..10 {
                assert_eq!(engine.ask("play w pass"), "= ");
                let reply = engine.ask("genmove b");
                assert_eq!(reply, "= pass", "{rules} {komi} by {backend:?}");
            }
            assert_eq!(engine.ask("final_score"), format!("= {score}"), "{rules}");
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

/// The first move of an analysis: of `tengen analysis`, which KaTrain plays.
fn first_of_analysis(rules: &str, komi: &str, moves: &str) -> Value {
    let colors = ["B", "W"].into_iter().cycle();
    let plays: Vec<Value> = colors
        .zip(moves.split_whitespace())
        .map(|(color, vertex)| json!([color, vertex]))
        .collect();
    let komi: f64 = komi.parse().expect("a number");
    let query = json!({
        "id": "q", "rules": rules, "komi": komi, "boardXSize": 9, "boardYSize": 9, "moves": plays, "maxVisits": 200,
    });
    let mut engine = Engine::program(&["analysis", "--game", "go", "--analysis-threads", "1"]);
    engine.send(&format!("{query}\n"));
    engine.close();
    let (said, _) = engine.wait();
    let answer: Value = serde_json::from_str(said.trim()).expect("JSON");
    answer["moveInfos"][0]["move"].clone()
}

/// A client that plays the first move of an analysis ends games, too, and plays on where something is left.
#[test]
fn an_analysis_puts_the_pass_first_where_a_move_would_be_a_pass() {
    let (komi, moves) = FINISHED[0];
    assert_eq!(first_of_analysis("japanese", komi, moves), "pass");
    for rules in ["japanese", "chinese"] {
        let passed = format!("{WALLS} pass pass pass");
        for moves in [&passed[..passed.len() - 5], &passed[..passed.len() - 10]] {
            assert_eq!(first_of_analysis(rules, "6.5", moves), "pass", "{rules}");
        }
    }
    let open = WALLS.trim_end_matches(" E9 F9").trim_end_matches(" E8 F8");
    for rules in ["japanese", "chinese"] {
        assert_ne!(first_of_analysis(rules, "6.5", open), "pass", "{rules}");
    }
}
