//! Games on the board: whole games of each kind, records, clocks, reviews.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::client::{Board, Events};
use super::quick;

pub(super) fn begin(board: &Board, terms: &Value) {
    board.do_it(&json!({"do": "new", "terms": terms}));
}

/// Plays in the shown position.
#[track_caller]
pub(super) fn play(board: &Board, at: &str) {
    let node = &board.state()["current"];
    board.do_it(&json!({"do": "play", "at": at, "node": node}));
}

#[track_caller]
fn load(board: &Board, bytes: &[u8]) -> (u16, String) {
    let reply = board.post("load", "application/octet-stream", bytes);
    (reply.status, reply.body)
}

#[test]
fn the_engine_plays_every_game_to_its_end() {
    let board = quick();
    let mut page = Events::open(&board);
    for (game, size, why, level) in [
        ("nogo", "5", "rules", json!({"visits": 30})),
        ("gomoku", "9", "rules", json!({"strength": 4})),
        ("go", "5", "count", json!({"visits": 30})),
    ] {
        let players = ["engine", "engine"];
        begin(
            &board,
            &json!({"game": game, "size": size, "players": players, "level": level}),
        );
        let end = page.state(|state| state["game"] == game && !state["end"].is_null());
        // A player may have resigned a game of Go.
        let ended = end["end"]["why"].as_str().expect("a reason");
        assert!(
            ended == why || game == "go" && ended == "resignation",
            "{end}"
        );
        let result = end["end"]["result"].as_str().expect("a result");
        assert!(result.starts_with(['B', 'W', '0']), "{result}");
        let sgf = board.get("game.sgf").body;
        assert!(sgf.contains(&format!("RE[{result}]")), "{sgf}");
        assert_eq!(load(&board, sgf.as_bytes()).0, 200);
        let state = board.state();
        assert_eq!(
            (&state["game"], &state["current"]),
            (&json!(game), &json!(0))
        );
        assert_eq!(board.get("game.sgf").body, sgf, "saved again");
    }
}

#[test]
fn a_person_plays_undoes_branches_and_resigns() {
    let board = quick();
    let mut page = Events::open(&board);
    let terms = json!({"game": "nogo", "size": "5", "players": ["human", "engine"], "level": {"visits": 20}});
    begin(&board, &terms);
    play(&board, "C3");
    let answered = page.state(|state| state["to_move"] == "B" && state["current"] != 0);
    let answer = answered["last"].as_str().expect("a move").to_owned();
    let refused = board.refusal(&json!({"do": "play", "at": "C3", "node": answered["current"]}));
    assert!(refused.contains("occupied"), "{refused}");
    // Both moves are taken back, and kept as a variation.
    board.do_it(&json!({"do": "undo"}));
    assert_eq!(board.state()["current"], 0);
    play(&board, "B2");
    page.state(|state| {
        state["to_move"] == "B"
            && state["live"] == state["current"]
            && state["current"].as_u64() > Some(3)
    });
    board.do_it(&json!({"do": "comment", "node": 1, "text": "天元 ] \\"}));
    let sgf = board.get("game.sgf").body;
    assert!(
        sgf.contains("(;B[cc]C[天元 \\] \\\\]") && sgf.contains("(;B[bd]"),
        "{sgf}"
    );
    let name = board.state()["names"][1].clone();
    assert_eq!(name, "Tengen");
    board.do_it(&json!({"do": "resign"}));
    let end = page.state(|state| !state["end"].is_null());
    assert_eq!(end["end"], json!({"result": "W+R", "why": "resignation"}));
    assert!(!answer.is_empty());
    // The first line becomes the main line, the other is removed.
    board.do_it(&json!({"do": "go", "node": 1}));
    board.do_it(&json!({"do": "promote"}));
    board.do_it(&json!({"do": "go", "node": 3}));
    board.do_it(&json!({"do": "delete"}));
    let sgf = board.get("game.sgf").body;
    assert!(!sgf.contains("B[bd]") && sgf.contains("B[cc]"), "{sgf}");
}

#[test]
fn captures_ko_and_dead_stones_follow_the_engine() {
    let board = quick();
    let mut page = Events::open(&board);
    let both = ["human", "human"];
    begin(
        &board,
        &json!({"game": "go", "size": "5", "players": both, "rules": "japanese", "komi": 0.5}),
    );
    for at in ["B1", "A1", "A2"] {
        play(&board, at);
    }
    let state = board.state();
    assert_eq!(
        state["taken"],
        json!([0, 1]),
        "White's stone is gone: {state}"
    );
    assert_eq!(state["stones"], "...............B.....B...");
    begin(
        &board,
        &json!({"game": "go", "size": "5", "players": both, "rules": "chinese", "komi": 0.5}),
    );
    for at in ["C3", "E5", "C4", "pass", "D4", "pass", "C2"] {
        play(&board, at);
    }
    play(&board, "pass");
    play(&board, "pass");
    let end = page.state(|state| !state["end"].is_null());
    assert_eq!(end["end"]["why"], "count", "{end}");
    let count = end["count"]["points"].as_str().expect("a count");
    assert_eq!(
        count.as_bytes()[4],
        b'd',
        "the stone in the corner is dead: {count}"
    );
    assert_eq!(end["end"]["result"], "B+24.5");
    // To disagree, a player plays on.
    play(&board, "E4");
    assert!(board.state()["end"].is_null());
}

#[test]
fn records_of_other_programs_are_read_with_their_variations() {
    let board = quick();
    let text = "(;GM[1]FF[4]CA[GBK]SZ[9]RU[Chinese]KM[7.5]PB[柯洁]PW[x]RE[B+R];B[ee]C[好];W[cc](;B[gg])(;B[gc];W[cg]))";
    let (bytes, ..) = encoding_rs::GBK.encode(text);
    assert_eq!(load(&board, &bytes).0, 200);
    let mut page = Events::open(&board);
    let tree = page.next_of("tree");
    let state = page.next_of("state");
    assert_eq!(
        (&state["names"][0], &state["game"]),
        (&json!("柯洁"), &json!("go"))
    );
    assert_eq!(
        (&state["komi"], &state["rules"]),
        (&json!(7.5), &json!("Chinese"))
    );
    let nodes = tree["nodes"].as_array().expect("a list");
    assert_eq!(
        (nodes.len(), &tree["all"]),
        (6, &json!(true)),
        "with the root"
    );
    assert_eq!(nodes[1]["remark"], true);
    // Later only what has changed is sent.
    board.do_it(&json!({"do": "comment", "node": 2, "text": "x"}));
    let changed = page.wait("tree", |tree| {
        tree["all"] == false && tree["nodes"][0]["remark"] == true
    });
    assert_eq!(changed["nodes"][0]["id"], 2);
    let before = board.get("game.sgf").body;
    for broken in [
        &b"no game"[..],
        b"(;GM[9]SZ[9])",
        b"",
        b"(;GM[1]SZ[40];B[aa])",
    ] {
        let (status, said) = load(&board, broken);
        assert_eq!(status, 422, "{said}");
    }
    assert_eq!(board.get("game.sgf").body, before, "nothing is lost");
    let odd = b"(;GM[1]SZ[9]RU[my own rules];B[ee])";
    assert_eq!(load(&board, odd).0, 200);
    let notes = board.state()["notes"].to_string();
    assert!(notes.contains("my own rules"), "{notes}");
}

/// Also where one of them is cut off.
#[test]
fn files_in_different_encodings_are_opened_together() {
    let board = quick();
    let (gbk, ..) = encoding_rs::GBK.encode("(;GM[1]CA[GBK]SZ[9]PB[柯洁]PW[x];B[ee]");
    let (big5, ..) = encoding_rs::BIG5.encode("(;GM[1]SZ[9]CA[Big5]PB[許功蓋]PW[y];B[ee])");
    let files = [
        &*gbk,
        "(;GM[1]SZ[9]PB[申真谞]PW[z];B[ee])".as_bytes(),
        &*big5,
    ];
    let sizes = files.map(|file| file.len().to_string()).join(",");
    let reply = board.post(
        &format!("load?{sizes}"),
        "application/octet-stream",
        &files.concat(),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
    let titles: Value = serde_json::from_str(&board.get("titles").body).expect("JSON");
    assert_eq!(titles, json!(["柯洁 – x", "申真谞 – z", "許功蓋 – y"]));
}

/// Stones in the middle of a game are judged dead where the points around them are not settled yet.
#[test]
fn a_count_of_a_game_that_goes_on_has_the_komi_of_the_game() {
    let board = Board::start(&["--threads", "1"]);
    let mut page = Events::open(&board);
    let moves =
        ";B[ee];W[gf];B[cd];W[fd];B[gd];W[fe];B[cf];W[ef];B[ec];W[fc];B[eg];W[dg];B[he];W[df]";
    let game = format!("(;GM[1]SZ[9]RU[Chinese]KM[7.5]{moves})");
    assert_eq!(load(&board, game.as_bytes()).0, 200);
    for node in 8..=14 {
        board.do_it(&json!({"do": "go", "node": node}));
        board.do_it(&json!({"do": "count"}));
        let state = page.state(|state| state["current"] == node && !state["count"].is_null());
        let count = &state["count"];
        assert_eq!(count["komi"], 7.5, "{count}");
        let of = |side: usize, what: &str| count["parts"][side][what].as_f64().expect("a number");
        let ahead = of(0, "stones") + of(0, "empty") - of(1, "stones") - of(1, "empty") - 7.5;
        let winner = if ahead > 0.0 { "B" } else { "W" };
        assert_eq!(
            count["result"],
            format!("{winner}+{}", ahead.abs()),
            "{count}"
        );
    }
}

#[test]
fn a_saved_game_against_tengen_goes_on() {
    let board = quick();
    let mut page = Events::open(&board);
    for (file, players) in [
        ("(;GM[1]SZ[9]PW[Tengen];B[ee];W[cc])", ["human", "engine"]),
        ("(;GM[1]SZ[9]PB[Tengen]PW[I];B[ee])", ["engine", "human"]),
        (
            "(;GM[1]SZ[9]PW[Tengen]RE[B+R];B[ee];W[cc])",
            ["human", "human"],
        ),
        (
            "(;GM[1]SZ[9]PB[Tengen]PW[Tengen];B[ee])",
            ["human", "human"],
        ),
    ] {
        assert_eq!(load(&board, file.as_bytes()).0, 200);
        assert_eq!(board.state()["terms"]["players"], json!(players), "{file}");
    }
    assert_eq!(load(&board, b"(;GM[1]SZ[9]PW[Tengen];B[ee];W[cc])").0, 200);
    // At its beginning nothing happens by itself.
    board.do_it(&json!({"do": "go", "node": 2}));
    play(&board, "G3");
    let answered = page.state(|state| state["current"] == 4);
    assert_eq!(answered["to_move"], "B");
}

#[test]
fn every_saved_game_names_its_encoding() {
    let board = quick();
    let mut page = Events::open(&board);
    let named = |text: &str| {
        let games = text.matches("(;FF[4]").count() + text.matches("(;GM[").count();
        (
            games,
            text.matches("CA[UTF-8]").count(),
            text.matches("CA[").count(),
        )
    };
    begin(
        &board,
        &json!({"game": "nogo", "size": "5", "players": ["human", "human"]}),
    );
    play(&board, "C3");
    board.do_it(&json!({"do": "comment", "node": 1, "text": "好棋 – naïve"}));
    let sgf = board.get("game.sgf").body;
    assert!(sgf.contains("C[好棋 – naïve]"), "{sgf}");
    assert_eq!(named(&sgf), (1, 1, 1), "{sgf}");
    board.do_it(&json!({"do": "review", "on": true}));
    page.wait_for_review();
    let sgf = board.get("reviewed.sgf").body;
    assert_eq!(named(&sgf), (1, 1, 1), "{sgf}");
    // Of files with several games, whichever is shown, and whatever they named.
    for file in [
        "(;GM[1]SZ[9];B[aa])(;GM[1]SZ[9];B[bb])",
        "(;GM[1]SZ[9]CA[ISO-8859-1];B[aa])(;GM[1]CA[ISO-8859-1]SZ[9];B[bb])",
    ] {
        assert_eq!(load(&board, file.as_bytes()).0, 200);
        for place in [0, 1] {
            board.do_it(&json!({"do": "game", "place": place}));
            let sgf = board.get("game.sgf").body;
            assert_eq!(named(&sgf), (2, 2, 2), "{sgf}");
        }
    }
}

/// Both sides have eight seconds for a game, while other clients disturb it.
#[test]
fn a_clock_holds_regardless_of_pages() {
    let board = quick();
    let mut page = Events::open(&board);
    let deaf = board.open_events();
    let over = AtomicBool::new(false);
    let terms = json!({"game": "nogo", "size": "6", "players": ["engine", "engine"], "clock": "absolute 8"});
    begin(&board, &terms);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    board.get("");
                    board.post("do", "application/json", b"{\"do\":\"go\",\"node\":99999}");
                    // A page that is opened and closed at once.
                    drop(board.open_events());
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            });
        }
        let end = page.state(|state| !state["end"].is_null());
        over.store(true, Ordering::Relaxed);
        assert_eq!(end["end"]["why"], "rules", "a loss on time: {end}");
        for clock in end["clocks"].as_array().expect("two clocks") {
            assert!(clock["seconds"].as_f64() > Some(0.0), "{end}");
        }
    });
    drop(deaf);
}

#[test]
fn a_side_without_a_move_loses_on_time() {
    let board = quick();
    let mut page = Events::open(&board);
    begin(
        &board,
        &json!({"game": "nogo", "size": "5", "players": ["human", "human"], "clock": "absolute 1"}),
    );
    let end = page.state(|state| !state["end"].is_null());
    assert_eq!(end["end"], json!({"result": "W+T", "why": "time"}));
    let late = board.refusal(&json!({"do": "resign"}));
    assert!(late.contains("over"), "{late}");
}

#[test]
fn a_game_on_the_board_is_reviewed() {
    let board = Board::start(&["--visits", "8", "--threads", "1", "--seed", "1"]);
    // Black could have made five, and White did.
    let game = "(;GM[4]SZ[9];B[ee];W[aa];B[ef];W[ba];B[eg];W[ca];B[eh];W[da];B[ia];W[ea])";
    assert_eq!(load(&board, game.as_bytes()).0, 200);
    let mut page = Events::open(&board);
    board.do_it(&json!({"do": "review", "on": true}));
    let done = page.wait_for_review();
    assert_eq!(done["reviewing"], false);
    let found: Value = serde_json::from_str(&board.get("review").body).expect("JSON");
    let positions = found["review"]["positions"].as_array().expect("a list");
    assert_eq!(
        (positions.len(), found["nodes"].as_array().map(Vec::len)),
        (11, Some(11))
    );
    let bad = &positions[8]["played"];
    assert_eq!(bad["class"], "thrown_away", "{bad}");
    let better = &bad["better"][0];
    assert!(better == "E6" || better == "E1", "{bad}");
    let line = json!({"do": "line", "moves": bad["better"], "node": 8});
    board.do_it(&json!({"do": "go", "node": 8}));
    board.do_it(&line);
    let state = board.state();
    assert_eq!(
        (&state["last"], &state["end"]["why"]),
        (better, &json!("rules"))
    );
    // Another game has no review.
    begin(&board, &json!({"game": "nogo", "size": "5"}));
    assert_eq!(board.get("review").body, "null");
}

#[test]
fn a_level_resigns_also_where_the_person_takes_hints() {
    let board = Board::start(&[
        "--game",
        "go",
        "--backend",
        "rollout",
        "--threads",
        "1",
        "--seed",
        "1",
    ]);
    let mut page = Events::open(&board);
    // White is far behind, and there are points left to play on.
    let walls = b"(;GM[1]SZ[7]KM[-40.5]RU[Chinese]AB[ae:ge]AW[ac:gc]PL[B])";
    assert_eq!(load(&board, walls).0, 200);
    let players = ["human", "engine"];
    board.do_it(&json!({"do": "players", "players": players, "level": {"strength": 6}}));
    let mut state = page.state(|state| state["komi"] == -40.5);
    while state["end"].is_null() {
        let node = state["current"].clone();
        board.do_it(&json!({"do": "analyse", "on": true}));
        page.analysis(|found| found["task"] == "analyse" && found["node"] == node);
        board.do_it(&json!({"do": "analyse", "on": false}));
        let mut points = "A4 B4 C4 D4 E4 F4 G4 A2 B2 C2 D2 E2 F2 G2".split(' ');
        let is_played = points.any(|at| {
            let command = json!({"do": "play", "at": at, "node": node}).to_string();
            let reply = board.post("do", "application/json", command.as_bytes());
            reply.status == 200
        });
        assert!(is_played, "White has not resigned: {state}");
        let is_answered = |state: &Value| state["to_move"] == "B" && state["current"] != node;
        state = page.state(|state| !state["end"].is_null() || is_answered(state));
    }
    assert_eq!(state["end"]["why"], "resignation");
}

#[test]
fn an_analysis_ends_with_its_game() {
    let board = Board::start(&["--threads", "1"]);
    let mut page = Events::open(&board);
    let players = ["human", "human"];
    begin(
        &board,
        &json!({"game": "go", "size": "5", "players": players}),
    );
    board.do_it(&json!({"do": "analyse", "on": true}));
    page.analysis(|found| found["visits"].as_u64() > Some(0));
    board.do_it(&json!({"do": "analyse", "on": false}));
    // Both games have a position 0.
    assert_eq!(load(&board, b"(;GM[4]SZ[9])").0, 200);
    page.analysis(Value::is_null);
    assert!(Events::open(&board).next_of("analysis").is_null());
}

#[test]
fn an_attempt_is_judged_and_a_stopped_review_keeps_what_it_has() {
    let board = Board::start(&["--visits", "8", "--threads", "1", "--seed", "1"]);
    let game = "(;GM[4]SZ[9];B[ee];W[aa];B[ef];W[ba];B[eg];W[ca];B[eh];W[da];B[ia];W[ea])";
    assert_eq!(load(&board, game.as_bytes()).0, 200);
    let mut page = Events::open(&board);
    // Black could have made five; another move leaves that to White.
    board.do_it(&json!({"do": "go", "node": 8}));
    let moves_before = board.state()["last"].clone();
    for (at, winner) in [("E6", "B"), ("J1", "W")] {
        board.do_it(&json!({"do": "judge", "at": at, "node": 8}));
        let state =
            page.state(|state| state["judged"]["at"] == at && state["judged"]["done"] == true);
        assert_eq!(state["judged"]["proven"], winner, "{state}");
        assert_eq!(
            (&state["last"], &state["current"]),
            (&moves_before, &json!(8)),
            "nothing is played"
        );
    }
    let occupied = board.refusal(&json!({"do": "judge", "at": "A9", "node": 8}));
    assert!(occupied.contains("occupied"), "{occupied}");
    // The analyses of a review are in the file, and are read again.
    board.do_it(&json!({"do": "review", "on": true}));
    page.wait_for_review();
    let sgf = board.get("game.sgf").body;
    assert!(sgf.matches("TNGA[").count() >= 8, "{sgf}");
    assert_eq!(load(&board, sgf.as_bytes()).0, 200);
    board.do_it(&json!({"do": "go", "node": 8}));
    let kept = page.analysis(|found| found["node"] == 8);
    assert_eq!(kept["candidates"][0]["proven"], "B", "{kept}");
    // The encoding stands where the file has it.
    let plain = |text: String| text.replacen("CA[UTF-8]", "", 1);
    assert_eq!(plain(board.get("game.sgf").body), plain(sgf));
    // A review that is stopped keeps the positions that it has searched.
    let long = Board::start(&["--visits", "400", "--threads", "1", "--seed", "1"]);
    let moves: String = (0..40)
        .map(|index| {
            let (x, y) = (b'a' + (4 * index % 15) as u8, b'a' + (4 * index / 15) as u8);
            let color = if index % 2 == 0 { 'B' } else { 'W' };
            format!(";{color}[{}{}]", char::from(x), char::from(y))
        })
        .collect();
    assert_eq!(
        load(&long, format!("(;GM[4]SZ[15]{moves})").as_bytes()).0,
        200
    );
    let mut page = Events::open(&long);
    long.do_it(&json!({"do": "review", "on": true}));
    page.wait("progress", |progress| progress[0].as_u64() > Some(2));
    // After another task it goes on.
    long.do_it(&json!({"do": "judge", "at": "H8", "node": 0}));
    page.state(|state| state["judged"]["done"] == true);
    let next = page.next_of("progress");
    assert!(next[0].as_u64() > Some(2), "{next}");
    long.do_it(&json!({"do": "review", "on": false}));
    page.wait_for_review();
    let found: Value = serde_json::from_str(&long.get("review").body).expect("JSON");
    let positions = found["review"]["positions"].as_array().map(Vec::len);
    assert!(
        (2..41).contains(&positions.expect("a list")),
        "{positions:?}"
    );
}

#[test]
fn a_commented_record_keeps_what_its_file_has() {
    let board = Board::start(&["--visits", "5", "--threads", "1"]);
    let game = "(;GM[1]FF[4]CA[UTF-8]RU[Japanese]SZ[9]KM[6.50]PW[wh]PB[bl]WR[3k]PC[KGS]EV[Class]XX[keep]C[hi]RE[W+12.50];B[ee]BL[595.3]TR[ee]LB[cc:A];W[ce]C[wh: hello](;B[cd];W[dd])(;B[gc]C[var]))";
    assert_eq!(
        load(&board, format!("{game}(;GM[1]SZ[9]GN[other])").as_bytes()).0,
        200
    );
    let mut page = Events::open(&board);
    // The line of the variation.
    for node in [5, 0] {
        board.do_it(&json!({"do": "go", "node": node}));
        let seen = page.state(|state| state["current"] == node)["reviewed"].clone();
        board.do_it(&json!({"do": "review", "on": true}));
        page.state(|state| state["reviewed"] != seen && state["reviewing"] == false);
        let sgf = board.get("reviewed.sgf").body;
        for part in [
            "RE[W+12.50]",
            "WR[3k]",
            "PC[KGS]",
            "EV[Class]",
            "XX[keep]",
            "BL[595.3]",
            "TR[ee]",
            "LB[cc:A]",
            "GN[other]",
            "C[hi\n\nReviewed by Tengen",
            "C[wh: hello\n\n",
            "W[dd]",
            if node == 5 { "C[var\n\n" } else { "C[var]" },
        ] {
            assert!(sgf.contains(part), "no {part:?} in {sgf}");
        }
        // For a page in Chinese.
        let chinese = board.get("reviewed.sgf?zh").body;
        for part in [
            "C[hi\n\n由 Tengen",
            "复盘：每个局面 5 次搜索，内置网络，",
            "黑方胜率 ",
            "领先 ",
        ] {
            assert!(chinese.contains(part), "no {part:?} in {chinese}");
        }
        assert!(!chinese.contains("Black's winrate"), "{chinese}");
        assert_eq!(load(&board, sgf.as_bytes()).0, 200);
        assert_eq!(
            load(&board, format!("{game}(;GM[1]SZ[9]GN[other])").as_bytes()).0,
            200
        );
    }
}

#[test]
fn the_rules_of_the_command_line_are_the_usual_ones() {
    let board = Board::start(&["--game", "go", "--size", "13", "--rules", "japanese"]);
    let terms = json!({"game": "go", "size": "9", "rules": "", "players": ["human", "human"]});
    begin(&board, &terms);
    assert_eq!(board.state()["rules"], "Japanese");
    assert_eq!(load(&board, b"(;GM[1]SZ[9];B[ee])").0, 200);
    assert_eq!(board.state()["rules"], "Japanese");
    let games: Value = serde_json::from_str(&board.get("games").body).expect("JSON");
    let games = games.as_array().expect("a list").iter();
    let given = games.map(|game| game["given_rules"] == "japanese");
    assert_eq!(given.filter(|is_it| *is_it).count(), 1, "those of Go");
    begin(&board, &json!({"game": "gomoku", "size": "9"}));
}
