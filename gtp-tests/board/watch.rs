//! Games that are watched: of an engine under GTP and on the platforms, and of a match.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};

use super::client::{Board, Events};
use super::driver::Browser;
use crate::scratch::Scratch;

/// An engine under GTP whose game is watched.
struct Watched {
    board: Board,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Reads the error stream up to the address, and leaves the rest to a thread.
fn address(child: &mut Child) -> String {
    let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    let address = loop {
        line.clear();
        let read = errors.read_line(&mut line).expect("text");
        assert!(read > 0, "there is no address");
        if let Some((_, address)) = line.split_once("can be watched at ") {
            break address.trim().to_owned();
        }
    };
    std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
    address
}

impl Watched {
    fn start(args: &[&str]) -> Watched {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["gtp", "--live-board"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let address = address(&mut child);
        Watched {
            board: Board::of(child, &address),
            input,
            output,
        }
    }

    fn send(&mut self, command: &str) {
        writeln!(self.input, "{command}").expect("it reads");
    }

    /// The answer to a command, without `= `.
    #[track_caller]
    fn answer(&mut self) -> String {
        let mut text = String::new();
        while !text.ends_with("\n\n") {
            let read = self.output.read_line(&mut text).expect("text");
            assert!(read > 0, "{text}");
        }
        text.strip_prefix("= ")
            .expect("an answer")
            .trim()
            .to_owned()
    }

    #[track_caller]
    fn ask(&mut self, command: &str) -> String {
        self.send(command);
        self.answer()
    }
}

const QUICK: &[&str] = &["--backend", "rollout", "--threads", "1", "--seed", "1"];

#[test]
fn a_game_over_gtp_is_shown_with_clocks_plan_and_search() {
    let mut engine = Watched::start(&[QUICK, &["--size", "9", "--name", "天元"]].concat());
    let mut page = Events::open(&engine.board);
    let empty = page.next_of("game");
    assert_eq!(
        (&empty["game"], &empty["width"]),
        (&json!("nogo"), &json!(9))
    );
    assert_eq!(empty["moves"], json!([]));
    engine.ask("time_settings 60 0 0");
    engine.ask("play b e5");
    page.wait("game", |game| game["moves"][0]["at"] == "E5");
    engine.send("genmove w");
    let thinks = page.wait("game", |game| game["task"] == "move");
    assert_eq!(
        (&thinks["to_move"], &thinks["names"][1]),
        (&json!("W"), &json!("天元"))
    );
    let clocks = &thinks["clocks"];
    assert_eq!(
        (&clocks[0]["running"], &clocks[1]["running"]),
        (&json!(false), &json!(true))
    );
    let plan = ["planned", "most", "hard"].map(|name| thinks["plan"][name].as_f64());
    assert!(
        Some(0.0) < plan[0] && plan[0] <= plan[1] && plan[1] <= plan[2],
        "{thinks}"
    );
    let found = page.wait("analysis", |found| found["visits"].as_u64() > Some(0));
    assert_eq!(
        (&found["node"], &found["task"]),
        (&json!(1), &json!("move"))
    );
    assert!(found["candidates"][0]["pv"].is_array(), "{found}");
    let answer = engine.answer();
    let moved = page.wait("game", |game| {
        game["moves"].as_array().map(Vec::len) == Some(2)
    });
    assert_eq!(moved["moves"][1]["at"], json!(answer));
    assert!(
        moved["moves"][1]["note"]
            .as_str()
            .is_some_and(|note| note.contains("visits"))
    );
    assert!(moved["evals"][1]["winrate"].is_number(), "{moved}");
    assert!(moved["plan"].is_null() && moved["task"].is_null());
    engine.ask("undo");
    page.wait("game", |game| {
        game["moves"].as_array().map(Vec::len) == Some(1)
    });
    engine.ask("boardsize 5");
    page.wait("game", |game| {
        game["width"] == 5 && game["moves"] == json!([])
    });
    // Who comes late sees it, too; and the answers were nothing but GTP.
    assert_eq!(Events::open(&engine.board).next_of("game")["width"], 5);
    assert_eq!(engine.ask("name"), "天元");
}

#[test]
fn viewers_change_nothing() {
    let mut engine = Watched::start(QUICK);
    for name in ["do", "load"] {
        for kind in ["application/json", "application/octet-stream"] {
            let reply = engine.board.post(name, kind, b"{\"do\":\"undo\"}");
            assert_eq!(reply.status, 405, "{}", reply.body);
        }
    }
    for name in ["review", "game.sgf", "reviewed.sgf"] {
        assert_eq!(engine.board.get(name).status, 404, "{name}");
    }
    assert!(engine.board.get("").body.contains("src=\"watch.js\""));
    for module in ["watch.js", "replay.js", "app.js"] {
        assert_eq!(engine.board.get(module).status, 200, "{module}");
    }
    assert_eq!(engine.ask("name"), "Tengen");
}

/// Pages that do not read, and others that come and go, while moves have a fixed time.
#[test]
fn no_viewer_slows_a_move() {
    let args = ["--time-per-move", "0.3"];
    let mut engine = Watched::start(&[QUICK, &args].concat());
    let deaf: Vec<TcpStream> = (0..20).map(|_| engine.board.open_events()).collect();
    let over = AtomicBool::new(false);
    let Watched {
        board,
        input,
        output,
    } = &mut engine;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                board.get("");
                drop(board.open_events());
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        for turn in 0..8 {
            let clock = SystemClock::new();
            writeln!(input, "genmove {}", ["b", "w"][turn % 2]).expect("it reads");
            let mut text = String::new();
            while !text.ends_with("\n\n") {
                output.read_line(&mut text).expect("text");
            }
            let took = clock.now();
            assert!(
                text.starts_with("= ") && took < Duration::from_secs(2),
                "{took:?}: {text}"
            );
        }
        over.store(true, Ordering::Relaxed);
    });
    drop(deaf);
}

#[test]
fn a_platform_that_reads_the_error_stream_sees_no_address() {
    let folder = Scratch::new("board-sau");
    let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["sau", "--live-board", "--records"])
        .arg(&*folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built for this test");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let log = std::fs::read_to_string(folder.join("tengen.log")).expect("a log");
    assert!(log.contains("can be watched at http://127.0.0.1:"), "{log}");
}

/// A match of two games at once, with its folder.
fn watch_a_match() -> (Board, Scratch) {
    let folder = Scratch::new("board-match");
    let engine = format!(
        "{} gtp --backend rollout --threads 1 --time-per-move 0.1",
        env!("CARGO_BIN_EXE_tengen")
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen-match"))
        .args(["play", "--first", &engine, "--second", &engine])
        .args(["--first-name", "One", "--second-name", "Other"])
        .args([
            "--games",
            "4",
            "--concurrency",
            "2",
            "--size",
            "5",
            "--time",
            "60+1",
        ])
        .args(["--live-board", "--out"])
        .arg(folder.join("match"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let address = address(&mut child);
    (Board::of(child, &address), folder)
}

#[test]
fn the_games_of_a_match_are_shown_each_on_its_board() {
    let (mut board, folder) = watch_a_match();
    let mut page = Events::open_at(&board, "events?1");
    let game = page.wait("game", |game| game["task"] == "move");
    assert_eq!(
        (&game["game"], &game["height"]),
        (&json!("nogo"), &json!(5))
    );
    let mover = usize::from(game["to_move"] == "W");
    assert_eq!(game["clocks"][mover]["running"], true, "{game}");
    let names = [&game["names"][0], &game["names"][1]];
    assert!(
        names.contains(&&json!("One")) && names.contains(&&json!("Other")),
        "{game}"
    );
    // Its number in the match's files.
    let title = game["title"].clone();
    assert!([json!("0"), json!("1")].contains(&title), "{title}");
    let end = page.wait("game", |game| !game["end"].is_null());
    assert_eq!((&end["title"], &end["end"][1]), (&title, &json!("rules")));
    let last = end["moves"].as_array().and_then(|moves| moves.last());
    assert!(
        last.and_then(|last| last["note"].as_str())
            .is_some_and(|note| note.contains("visits"))
    );
    // The next game on this board, and the score.
    page.wait("game", |game| game["title"] != title);
    let list = page.wait("games", |list| list["score"] != "");
    assert_eq!(list["games"].as_array().map(Vec::len), Some(2));
    assert!(board.child.0.wait().is_ok_and(|status| status.success()));
    let kept = std::fs::read_to_string(folder.join("match/results.jsonl")).expect("results");
    assert_eq!(kept.lines().count(), 5, "{kept}");
}

#[test]
fn a_browser_follows_a_game_and_walks_by_itself() {
    let folder = Scratch::new("board-watching");
    let Some(browser) = Browser::start(&folder) else {
        return;
    };
    let mut engine = Watched::start(&[QUICK, &["--visits", "200", "--size", "5"]].concat());
    browser.ask("POST", "/url", &json!({"url": engine.board.address}));
    browser.wait("/Black to move/.test(document.querySelector('#status').innerText)");
    engine.ask("play b c3");
    let answer = engine.ask("genmove w");
    browser.wait("document.querySelectorAll('#stones .stone').length === 2");
    browser.wait("document.getElementById('players').innerText.includes('Tengen')");
    browser.click("#back");
    browser.wait("document.querySelectorAll('#stones .stone').length === 1");
    // Who looks back is not taken along; who returns to the end is.
    engine.ask("play b a1");
    browser.wait("document.getElementById('slider').max === '3'");
    assert_eq!(
        browser.run("return document.getElementById('slider').value;"),
        "1"
    );
    // Where the engine moved it has searched.
    browser.wait(&format!(
        "!!document.querySelector('#over [data-at=\"{answer}\"], #over circle[stroke-dasharray]')"
    ));
    browser.click("[data-layer=legal]");
    browser.wait("document.querySelectorAll('#under > *').length > 20");
    browser.click("#last");
    browser.wait("document.querySelectorAll('#stones .stone').length === 3");
    engine.ask("clear_board");
    browser.wait("document.querySelectorAll('#stones .stone').length === 0");
    let hidden = browser
        .run("return [...document.querySelectorAll('.server')].every((e) => !e.offsetParent);");
    assert_eq!(hidden, Value::Bool(true), "nothing to play with");
    browser.check();
    browser.size(390, 844);
    browser.wait("innerWidth === 390");
    browser.check();
}
