//! `tengen review`: text, JSON and pages, of one game and of a folder.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::process::tengen;
use crate::scratch::Scratch;

/// A game of 13 moves on 4x4, solved from the start.
const SMALL: &str = "../../gtp-tests/games/4x4.sgf";
/// A game between RAVE and the network with 12 visits, both without the solver.
const LARGE: &str = "../../gtp-tests/games/9x9.sgf";
/// A quick, reproducible review.
const QUICK: &[&str] = &[
    "--visits",
    "20",
    "--threads",
    "1",
    "--seed",
    "1",
    "--nodes",
    "2000",
];

fn review(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("review").args(args);
    command
}

#[track_caller]
fn run(args: &[&str]) -> Output {
    tengen(&[&["review"], args].concat())
}

/// The output of a successful review.
#[track_caller]
fn text(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn prints(args: &[&str], parts: &[&str]) {
    let text = text(args);
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[track_caller]
fn refuses(args: &[&str], part: &str) {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The log may contain more.
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("tengen: ") && last.contains(part),
        "{text}"
    );
}

fn name(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The review inside a page.
#[track_caller]
fn held(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"review\">").expect("a page of a game");
    json(rest.split_once("</script>").expect("a page of a game").0)
}

#[test]
fn without_a_network_playouts_evaluate_and_the_solver_proves() {
    let args = [&[SMALL, "--nodes", "100000"], &QUICK[..6]].concat();
    prints(
        &args,
        &[
            "4x4.sgf: Black one - White, B+R, 13 moves of NoGo 4x4\n",
            "20 playouts a position, random playouts, no network; proven from move 1 on, White winning before it\n",
            "\n    7  Black  D3      100.0%  ",
            "\n    8  White  A3      100.0%  ",
            "  thrown away\n",
        ],
    );
    let lines = text(&[&args[..], &["--json"]].concat());
    let lines: Vec<Value> = lines.lines().map(json).collect();
    let [game, summary] = &lines[..] else {
        panic!("a line for the game and one for all: {lines:?}");
    };
    assert_eq!(game["by_network"], false);
    let positions = game["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 14);
    let given_away = positions
        .iter()
        .filter(|position| position["played"]["class"] == "thrown_away");
    let given_away: Vec<u64> = given_away
        .map(|position| position["moves"].as_u64().expect("a number"))
        .collect();
    assert!(
        given_away.contains(&6) && given_away.contains(&7),
        "{given_away:?}"
    );
    for &moves in &given_away {
        let [before, after] = [moves, moves + 1].map(|at| &positions[at as usize]);
        assert_eq!(before["winner"], before["to_move"]);
        assert_eq!(after["winner"], after["to_move"]);
        // The suggested move wins.
        let better = &before["played"]["better"][0];
        let candidates = before["candidates"].as_array().expect("a list");
        let best = candidates.iter().find(|found| found["move"] == *better);
        assert_eq!(best.expect("it is among them")["wins"], true, "{before}");
    }
    assert_eq!(positions[13]["winner"], "black");
    assert_eq!(positions[13]["winrate"], 1.0);
    let thrown = |player: &str| summary["summary"]["players"][player]["thrown_away"].as_u64();
    let sum = thrown("one").expect("a number") + thrown("White").expect("a number");
    assert_eq!(sum, given_away.len() as u64);
}

#[test]
fn the_network_judges_a_game_on_its_board() {
    let args = [&[LARGE, "--json"], QUICK].concat();
    let lines = text(&args);
    let game = json(lines.lines().next().expect("a line"));
    assert_eq!(game["by_network"], true);
    assert_eq!(game["settings"]["search"], "20 visits");
    let positions = game["positions"].as_array().expect("a list");
    let moves = game["game"]["moves"].as_array().expect("a list").len();
    assert_eq!(positions.len(), moves + 1);
    for position in &positions[..moves] {
        let winrate = position["winrate"]
            .as_f64()
            .expect("every position is searched");
        assert!((0.0..=1.0).contains(&winrate));
        assert!(position["played"]["policy_rank"].as_u64().expect("a rank") > 0);
        assert!(position["played"]["loss"].is_number());
    }
    // The last position is over, and a dozen before it are proven.
    let proven = game["proven"][0].as_u64().expect("a number") as usize;
    assert!(proven + 10 < moves, "{proven}");
    // A forced move has the value of the position after it, even if its own search is short.
    for position in &positions[moves - 5..] {
        let black = position["winrate"].as_f64().expect("a number") > 0.5;
        assert_eq!(black, position["winner"] == "black", "{position}");
    }
    assert_eq!(
        text(&args),
        lines,
        "one thread, a seed and visits give the same again"
    );
}

#[test]
fn a_page_is_self_contained_and_replaces_only_pages() {
    let folder = Scratch::new("review-page");
    let page = folder.join("game.html");
    let args = [&[LARGE, "--html", name(&page)], QUICK].concat();
    text(&args);
    let written = std::fs::read_to_string(&page).expect("the page");
    // The namespace of SVG is not an address to fetch from.
    let outside = written.replace("http://www.w3.org/2000/svg", "");
    for address in ["http:", "https:", "src=", "@import", "url(http"] {
        assert!(!outside.contains(address), "{address}");
    }
    let review = held(&written);
    assert_eq!(review["game"]["black"], "RAVE, 20000 playouts");
    text(&args);
    std::fs::write(&page, "<html>another page</html>").expect("a file");
    refuses(&args, "is not from an earlier review");
    let kept = std::fs::read_to_string(&page).expect("the file");
    assert_eq!(kept, "<html>another page</html>");
    text(&[&args[..], &["--force"]].concat());
    assert_eq!(
        held(&std::fs::read_to_string(&page).expect("the page")),
        review
    );
    for (flag, file) in [("--html", "game.html"), ("--sgf", "game.sgf")] {
        let nowhere = folder.join("nowhere").join(file);
        let args = [&[LARGE, flag, name(&nowhere)], QUICK].concat();
        refuses(&args, "no such folder");
        assert!(run(&args).stdout.is_empty(), "{flag}: nothing is searched");
    }
    is_javascript(&written, &folder);
}

/// The board of a game that was resigned proves no winner; and what other programs have written stays.
#[test]
fn a_resigned_game_keeps_its_result_and_its_file_all_properties() {
    let folder = Scratch::new("review-resigned");
    let path = folder.join("game.sgf");
    let out = folder.join("out.sgf");
    let game = "(;FF[4]GM[1]SZ[9]RU[Chinese]KM[7]PB[A]BR[3k]PW[B]WR[2d]EV[Cup]TM[1800]OT[3x30 byo-yomi]RE[W+R]\
                (;B[ee]BL[1790]TR[ee]C[mine];W[cc];B[gg];W[cg];B[gc])(;B[cc];W[ee]))";
    std::fs::write(&path, game).expect("writable");
    let said = text(&[&[name(&path), "--sgf", name(&out)], &QUICK[..6]].concat());
    assert!(said.contains("W+R") && !said.contains("has won"), "{said}");
    let written = std::fs::read_to_string(&out).expect("the record");
    assert!(!written.contains("wins, proven"), "{written}");
    for kept in [
        "BR[3k]",
        "WR[2d]",
        "EV[Cup]",
        "TM[1800]",
        "OT[3x30 byo-yomi]",
        "RE[W+R]",
        "BL[1790]",
        "TR[ee]",
        "C[mine\n\nBlack's winrate",
    ] {
        assert!(written.contains(kept), "no {kept} in {written}");
    }
    // The root's and that after each move.
    assert_eq!(written.matches("SBKV[").count(), 6, "{written}");
    let variation = written.find("(;B[cc]").expect("the file's own variation");
    assert!(written[variation..].contains(";W[ee]"), "{written}");
}

#[test]
fn a_record_gets_comments_and_better_lines_in_every_game() {
    let folder = Scratch::new("review-annotated");
    let games = [
        ("nogo.sgf", std::fs::read_to_string(SMALL).expect("a game")),
        (
            "gomoku.sgf",
            "(;GM[4]SZ[9]PB[天元]C[about];B[ee]C[the middle];W[aa];B[ef];W[ba];B[eg];W[ca];B[eh];W[da];B[ia];W[ea])".to_owned(),
        ),
        (
            "go.sgf",
            "(;GM[1]SZ[5]RU[Chinese]KM[0.5];B[cc];W[];B[])".to_owned(),
        ),
    ];
    for (file, text) in &games {
        std::fs::write(folder.join(file), text).expect("writable");
        let out = folder.join(format!("out-{file}"));
        let path = folder.join(file);
        let args = [&[name(&path), "--sgf", name(&out)], &QUICK[..6]].concat();
        self::text(&args);
        let written = std::fs::read_to_string(&out).expect("the record");
        assert!(written.contains("Reviewed by Tengen"), "{written}");
        assert!(
            written.contains("winrate") || written.contains("proven"),
            "{written}"
        );
        // It is a game like the first, whose main line has not changed, and it is replaced.
        self::text(&args);
        let again = self::text(&[&[name(&out), "--json"], &QUICK[..6]].concat());
        let own = self::text(&[&[name(&path), "--json"], &QUICK[..6]].concat());
        let [again, own] = [again, own].map(|lines| json(lines.lines().next().expect("a line")));
        for key in ["game", "width", "setup", "komi"] {
            assert_eq!(again["game"][key], own["game"][key], "{key}");
        }
        let moves = |review: &Value| {
            let moves = review["game"]["moves"].as_array().expect("a list").clone();
            moves
                .iter()
                .map(|played| played["at"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(moves(&again), moves(&own));
    }
    let written = std::fs::read_to_string(folder.join("out-gomoku.sgf")).expect("the record");
    for part in [
        "C[about\n\nReviewed",
        "C[the middle\n\n",
        "PB[天元]",
        "thrown away; better E",
        "\n(;B[ia]",
        "\n(;B[",
    ] {
        assert!(written.contains(part), "no {part:?} in {written}");
    }
    // No other file is replaced, the game itself least of all.
    let go = folder.join("go.sgf");
    refuses(
        &[name(&go), "--sgf", name(&go)],
        "is not from an earlier review",
    );
    assert_eq!(std::fs::read_to_string(&go).expect("the game"), games[2].1);
    let many = folder.join("many");
    let files = [&go, &folder.join("nogo.sgf")].map(|path| name(path).to_owned());
    let args = [&[&*files[0], &*files[1], "--sgf", name(&many)], &QUICK[..6]].concat();
    self::text(&args);
    assert!(many.join("go.sgf").exists() && many.join("nogo.sgf").exists());
}

#[test]
fn every_game_of_a_file_is_reviewed() {
    let folder = Scratch::new("review-collection");
    let games = folder.join("games");
    std::fs::create_dir(&games).expect("a folder");
    let two =
        "(;GM[1]SZ[4]RU[NoGo]PB[one];B[aa];W[bb])(;GM[1]SZ[4]RU[NoGo]PB[two]C[about];B[dd];W[cc])";
    std::fs::write(games.join("ALL.SGF"), two).expect("writable");
    let out = folder.join("out");
    let args = [&[name(&games), "--sgf", name(&out), "--json"], QUICK].concat();
    let lines = text(&args);
    let lines: Vec<Value> = lines.lines().map(json).collect();
    let games = lines.iter().map(|line| &line["game"]);
    let told: Vec<_> = games.filter_map(|game| game["black"].as_str()).collect();
    assert_eq!((told, lines.len()), (vec!["one", "two"], 3));
    let file = lines[1]["game"]["file"].as_str();
    assert!(file.is_some_and(|file| file.ends_with("ALL.SGF game 2")));
    let second = std::fs::read_to_string(out.join("ALL-2.sgf")).expect("the record");
    assert!(
        second.contains("C[about\n\nReviewed") && !second.contains("PB[one]"),
        "{second}"
    );
    assert!(out.join("ALL.sgf").exists());
}

/// Checks the page's script with Node.js, where it is installed.
#[track_caller]
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn is_javascript(page: &str, folder: &Path) {
    let (_, script) = page
        .rsplit_once("<script type=\"module\">")
        .expect("a script");
    let script = script.split_once("</script>").expect("its end").0;
    let file = folder.join("page.mjs");
    std::fs::write(&file, script).expect("a file");
    match Command::new("node").arg("--check").arg(&file).output() {
        Ok(checked) => assert!(checked.status.success(), "{checked:?}"),
        Err(_) => println!("skipped: the page's script is checked only with Node.js"),
    }
}

/// Where nothing is proven beside the search, moves are judged by the search and by the end of the game.
#[test]
fn games_of_go_and_gomoku_are_reviewed() {
    let folder = Scratch::new("review-games");
    let review_of = |name: &str, text: &str| -> Value {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("writable");
        let path = file.to_str().expect("UTF-8");
        let lines = self::text(&[&[path, "--json"], &QUICK[..6]].concat());
        json(lines.lines().next().expect("a line"))
    };
    let go = "(;GM[1]SZ[5]RU[Chinese]KM[0.5];B[cc];W[];B[])";
    let review = review_of("go.sgf", go);
    let game = &review["game"];
    assert_eq!((&game["game"], &game["komi"]), (&"go".into(), &0.5.into()));
    let positions = review["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 4);
    let end = &positions[3];
    assert_eq!(
        (&end["winrate"], &end["winner"]),
        (&1.0.into(), &"black".into())
    );
    assert_eq!(end["lead"], 24.5);
    assert_eq!(
        end["candidates"],
        serde_json::json!([]),
        "nothing is to be answered"
    );
    assert_eq!(game["moves"][1]["at"], "pass");

    // Black has an open three, does not extend it, and loses to White's.
    let gomoku = "(;GM[4]SZ[9];B[ee];W[aa];B[ef];W[ca];B[eg];W[ea];B[ia];W[bi];B[eh];W[di];B[ed])";
    let review = review_of("gomoku.sgf", gomoku);
    assert_eq!(review["game"]["game"], "gomoku");
    let positions = review["positions"].as_array().expect("a list");
    assert_eq!(positions[11]["winner"], "black");
    assert_eq!(positions[11]["winrate"], 1.0);
    let before = &positions[8];
    assert_eq!(before["winner"], "black", "two fours can be made: {before}");

    // Black gives up a game that is won, but not over.
    let given_up = folder.join("given-up.sgf");
    let won = "(;GM[4]SZ[9]RE[W+R];B[ee];W[aa];B[ef];W[ca];B[eg];W[ea])";
    std::fs::write(&given_up, won).expect("writable");
    prints(
        &[&[name(&given_up)], &QUICK[..6]].concat(),
        &["W+R", "; proven at the end: Black wins\n"],
    );

    // SGF has one number for Go and NoGo: what only Go allows is Go, and the flag decides.
    let taken = "(;GM[1]SZ[5];B[ba];W[aa];B[ab];W[ee];B[aa])";
    assert_eq!(review_of("taken.sgf", taken)["game"]["game"], "go");
    assert_eq!(
        review_of("plain.sgf", "(;GM[1]SZ[5];B[cc];W[aa])")["game"]["game"],
        "nogo"
    );
    let plain = folder.join("plain.sgf");
    prints(
        &[&[name(&plain)], &QUICK[..6]].concat(),
        &["read as NoGo 5x5: --game go for Go"],
    );
    let named = folder.join("named.sgf");
    std::fs::write(&named, "(;GM[1]SZ[5]RU[NoGo];B[cc];W[aa])").expect("writable");
    let said = text(&[&[name(&named)], &QUICK[..6]].concat());
    assert!(!said.contains("--game go"), "{said}");
    let args = [name(&plain), "--json", "--game", "go", "--visits", "2"];
    let lines = text(&[&args[..], &QUICK[2..4]].concat());
    assert_eq!(
        json(lines.lines().next().expect("a line"))["game"]["game"],
        "go"
    );
    refuses(&[name(&plain), "--game", "gomoku"], "not of gomoku");
}

#[test]
fn a_folder_gets_one_page_per_game_and_no_game_is_reviewed_twice() {
    let folder = Scratch::new("review-folder");
    let games = folder.join("games");
    std::fs::create_dir(&games).expect("a folder");
    std::fs::copy(SMALL, games.join("one.sgf")).expect("a copy");
    std::fs::write(games.join("broken.sgf"), "(;SZ[4];B[zz])").expect("a file");
    let other = "(;FF[4]GM[1]SZ[4]RU[NoGo]PB[<b>]PW[one];B[aa];W[bb])";
    std::fs::write(games.join("index.sgf"), other).expect("a file");
    let pages = folder.join("pages");
    let args = [&[name(&games), "--html", name(&pages), "--json"], QUICK].concat();
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("broken.sgf") && said.contains("1 of 3 games could not be reviewed"));
    let front = std::fs::read_to_string(pages.join("index.html")).expect("the front page");
    assert!(
        front.contains("./one.html") && front.contains("./index-2.html"),
        "{front}"
    );
    assert!(front.contains("&lt;b&gt;") && !front.contains("<b>"));
    let page = pages.join("one.html");
    let text = std::fs::read_to_string(&page).expect("the page");
    assert_eq!(held(&text)["positions"][0]["visits"], 20);

    // A number that no search gives shows whether the game is searched again.
    let marked = text.replacen("\"visits\":20,", "\"visits\":123,", 1);
    std::fs::write(&page, marked).expect("the page");
    let visits = |args: &[&str]| {
        let lines = String::from_utf8(run(args).stdout).expect("UTF-8");
        let game = lines
            .lines()
            .map(json)
            .find(|line| line["game"]["black"] == "one");
        game.expect("the game")["positions"][0]["visits"].as_u64()
    };
    assert_eq!(visits(&args), Some(123));
    let other = [
        &args[..4],
        &["--visits", "21", "--threads", "1", "--seed", "1"],
    ]
    .concat();
    assert_eq!(visits(&other), Some(21));
}

#[cfg_attr(
    windows,
    ignore = "only a console sends Ctrl-C there, and tests have none"
)]
#[test]
fn an_interrupted_review_keeps_its_results() {
    let folder = Scratch::new("review-interrupt");
    let page = folder.join("game.html");
    let html = ["--html", name(&page), "--nodes", "1000"];
    let slow = [LARGE, "--time-per-move", "0.2", "--log-level", "info"];
    let mut child = review(&[&slow, &html[..]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    // The log names the network when the first position's search begins. A second later some
    // positions are done, and fifty are not.
    let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut said = String::new();
    while !said.contains("network by") {
        let read = stderr.read_line(&mut said).expect("text");
        assert!(read > 0, "it ended by itself: {said}");
    }
    std::thread::sleep(Duration::from_secs(1));
    let id = child.id().to_string();
    let told = Command::new("kill").args(["-INT", &id]).status();
    assert!(told.expect("kill").success());
    stderr.read_to_string(&mut said).expect("text");
    let output = child.wait_with_output().expect("it is our child");
    assert!(
        !output.status.success() && said.contains("interrupted"),
        "{output:?}"
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("interrupted: reviewed from move"),
        "{printed}"
    );
    let review = held(&std::fs::read_to_string(&page).expect("the page"));
    let positions = review["positions"].as_array().expect("a list").len();
    assert!((1..50).contains(&positions), "{positions}");
}
