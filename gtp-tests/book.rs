//! `tengen book`: a book is built, killed, continued, shown, merged and played from; other files are
//! refused.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::killed::Killed;
use crate::process::{Engine, QUICK, refuses, tengen};
use crate::scratch::Scratch;

/// A board that takes no time.
pub(crate) const SMALL: &[&str] = &[
    "--size",
    "5",
    "--backend",
    "rollout",
    "--visits",
    "50",
    "--seed",
    "1",
];

#[track_caller]
fn run(args: &[&str]) -> String {
    let output = tengen(&[&["book"], args].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

#[track_caller]
pub(crate) fn build(book: &str, steps: &str) -> String {
    run(&[&["build", book, "--steps", steps], SMALL].concat())
}

/// What `show --json` says.
#[track_caller]
fn shown(book: &str, moves: &[&str]) -> serde_json::Value {
    let text = run(&[&["show", book, "--json"], moves].concat());
    serde_json::from_str(&text).expect("JSON")
}

/// Number of searches: some of them only add moves to a position.
#[track_caller]
fn steps(book: &str) -> u64 {
    shown(book, &[])["steps"].as_u64().expect("a number")
}

#[track_caller]
fn positions(book: &str) -> u64 {
    shown(book, &[])["positions"].as_u64().expect("a number")
}

#[test]
fn a_book_that_was_killed_goes_on() {
    let folder = Scratch::new("book-killed");
    let book = &folder.path("small.book");
    assert!(build(book, "20").contains("20 searches"));
    let mut known = 20;
    for _ in 0..3 {
        let child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args([&["book", "build", book], SMALL].concat())
            .stderr(Stdio::null())
            .spawn();
        let child = Killed(child.expect("the binary was built for this test"));
        // It can be read while it grows.
        while steps(book) < known + 10 {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(child);
        let now = steps(book);
        assert!(now >= known + 10, "{now} after {known}");
        known = now;
    }
    build(book, "7");
    assert_eq!(steps(book), known + 7);
}

#[test]
fn an_engine_plays_from_a_book_and_says_so() {
    let folder = Scratch::new("book-played");
    let book = &folder.path("small.book");
    build(book, "30");
    let root = shown(book, &[]);
    let best = &root["position"]["moves"][0];
    let name = best["move"].as_str().expect("a vertex");
    assert_eq!(best["known"], true);
    let args = [SMALL, &["--book", book]].concat();
    let mut engine = Engine::start(&args);
    assert_eq!(engine.answer("genmove b"), name);
    let report = engine.answer("tengen-report");
    assert!(report.contains("stop book"), "{report}");
    // Far away from the book it searches.
    engine.answer("undo");
    for (color, vertex) in [("b", "A1"), ("b", "C1"), ("b", "E1")] {
        engine.send(&format!("play {color} {vertex}\n"));
        engine.reply();
    }
    engine.answer("genmove w");
    let report = engine.answer("tengen-report");
    assert!(!report.contains("stop book"), "{report}");
    // On another board it finds nothing.
    engine.send("boardsize 4\n");
    engine.reply();
    engine.answer("genmove b");
    let report = engine.answer("tengen-report");
    assert!(!report.contains("stop book"), "{report}");
    assert_eq!(
        shown(book, &["A1", "C1", "E1"])["position"],
        serde_json::Value::Null
    );
}

#[test]
fn the_built_in_book_is_for_full_strength_under_a_clock() {
    for (args, plays) in [
        ("--time-per-move 0.1", true),
        ("--time-per-move 0.1 --book none", false),
        ("--time-per-move 0.1 --size 7", false),
        ("--time-per-move 0.1 --backend rollout", false),
        ("--visits 2", false),
        ("--level 1", false),
        ("--visits 2 --book built-in", true),
    ] {
        let mut engine = Engine::start(&args.split(' ').collect::<Vec<_>>());
        engine.answer("genmove b");
        let report = engine.answer("tengen-report");
        assert_eq!(report.contains("stop book"), plays, "{args}: {report}");
    }
    refuses(
        &["gtp", "--book", "built-in", "--size", "7"],
        &["a book of nogo 9x9"],
    );
}

/// The file of settings may be shared with programs that play.
#[test]
fn no_level_grows_a_book() {
    let folder = Scratch::new("book-level");
    let book = &folder.path("small.book");
    let config = &folder.write("shared.toml", b"level = 3\n");
    let small = ["--size", "5", "--backend", "rollout", "--seed", "1"];
    run(&[
        &["build", &**book, "--steps", "1", "--config", &**config],
        &small[..],
    ]
    .concat());
    assert_eq!(shown(book, &[])["position"]["visits"], 1600);
}

#[test]
fn books_are_joined_and_exported() {
    let folder = Scratch::new("book-joined");
    let [one, other, both, sgf] =
        ["one.book", "other.book", "both.book", "both.sgf"].map(|name| folder.path(name));
    build(&one, "10");
    run(&[
        &["build", &*other, "--steps", "10", "--from", "A1 E5"],
        SMALL,
    ]
    .concat());
    run(&["merge", &both, &one, &other]);
    let all = positions(&both);
    assert!((11..=20).contains(&all), "{all}");
    let searches = steps(&both);
    assert!((11..=20).contains(&searches), "counted once: {searches}");
    assert_ne!(
        shown(&both, &["A1", "E5"])["position"],
        serde_json::Value::Null
    );
    let way = &folder.path("way.book");
    let said = run(&[&["build", &**way, "--steps", "1", "--from", "A1 E5"], SMALL].concat());
    assert!(said.contains("yet to be searched from there"), "{said}");
    refuses(
        &["book", "export", &one, &sgf, "--from", "A1 B1 C1"],
        &["one.book: it does not have this position"],
    );
    run(&["export", &both, &sgf]);
    let text = std::fs::read_to_string(&sgf).expect("it was written");
    assert!(text.starts_with("(;") && text.contains("value "), "{text}");
    run(&["merge", &both, &one, &both]);
    assert_eq!(positions(&both), all, "nothing is new");
    assert_eq!(steps(&both), searches, "and nothing was searched");
}

/// The searches on the way need not have kept the moves to the position that a book grows from.
#[test]
fn what_follows_on_a_move_that_was_not_kept_is_reached() {
    let folder = Scratch::new("book-unkept");
    let [far, sgf] = ["far.book", "far.sgf"].map(|name| folder.path(name));
    let engine = [
        "--backend",
        "rollout",
        "--visits",
        "30",
        "--seed",
        "1",
        "--threads",
        "1",
    ];
    let line = ["build", &*far, "--steps", "20", "--from", "C3 G7"];
    run(&[&line[..], &engine[..]].concat());
    let said = run(&["export", &far, &sgf]);
    let all = positions(&far);
    assert!(said.contains(&format!(": {all} positions")), "{said}");
    let said = run(&["export", &far, &sgf, "--from", "C3 G7"]);
    assert!(said.contains(&format!(": {} positions", all - 2)), "{said}");
}

/// These bytes with a bit of each such word changed.
fn damaged(bytes: &[u8], word: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let places = bytes.windows(word.len()).enumerate();
    for (at, _) in places.filter(|(_, found)| *found == word) {
        changed[at] ^= 1;
    }
    assert_ne!(changed, bytes);
    changed
}

#[test]
fn what_is_no_book_is_refused() {
    let folder = Scratch::new("book-refused");
    let text = folder.write("game.sgf", b"(;GM[1]SZ[9])");
    let book = &folder.path("small.book");
    let missing = &folder.path("missing.book");
    let out = &folder.path("out.book");
    build(book, "3");
    let whole = std::fs::read(book).expect("readable");
    let cut = folder.write("cut.book", &whole[..whole.len() / 2]);
    // The name of the rules, wherever it stands.
    let changed = damaged(&whole, b"usual");
    let changed = folder.write("changed.book", &changed);
    for (file, words) in [
        (&text, "it is not a book of Tengen"),
        (missing, "missing.book"),
        (&cut, "cut.book"),
        (&changed, "changed.book: it is damaged"),
    ] {
        refuses(&["book", "show", file], &[words]);
        refuses(&["book", "merge", out, file], &[words]);
        refuses(&[&["gtp", "--book", file], QUICK].concat(), &[words]);
    }
    assert!(!std::path::Path::new(out).exists(), "nothing was merged");
    refuses(
        &["book", "build", &text, "--steps", "1"],
        &["it is not a book of Tengen"],
    );
    assert_eq!(std::fs::read(&text).expect("readable"), b"(;GM[1]SZ[9])");
    for args in [
        &["--game", "gomoku"][..],
        &["--size", "7"],
        &["--game", "go", "--size", "5"],
    ] {
        let args = [&["gtp", "--backend", "rollout", "--book", book], args].concat();
        refuses(&args, &["it is a book of nogo 5x5, rules usual, not of"]);
    }
    refuses(
        &["book", "show", book, "A1", "A1"],
        &["move 2, white at A1, is not legal: the point is occupied"],
    );
    refuses(
        &["book", "show", book, "A1", "b", "C3"],
        &["move 2, black at C3, is out of turn"],
    );
    refuses(
        &["book", "build", book, "--size", "5", "--from", "Z9"],
        &["--from"],
    );
    let nowhere = &folder.path("nowhere/new.book");
    refuses(
        &["book", "build", nowhere, "--steps", "1"],
        &["no such folder"],
    );
    refuses(&["book", "export", book, nowhere], &["no such folder"]);
    for args in [
        ["--lag", "1"],
        ["--time-rise", "2"],
        ["--time-per-move", "1"],
    ] {
        let output = tengen(&[&["book", "build", &**book], &args[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("this command does not use it"), "{said}");
    }
}

#[test]
fn books_that_do_not_fit_are_not_merged() {
    let folder = Scratch::new("book-unmerged");
    let [book, other, out, missing] =
        &["small.book", "other.book", "out.book", "missing.book"].map(|name| folder.path(name));
    build(book, "3");
    run(&[
        "build",
        other,
        "--size",
        "4",
        "--backend",
        "rollout",
        "--visits",
        "20",
        "--steps",
        "2",
    ]);
    refuses(
        &["book", "merge", other, book],
        &["it is a book of nogo 4x4"],
    );
    for second in [other, missing] {
        refuses(&["book", "merge", out, book, second], &[second.as_str()]);
        assert!(!std::path::Path::new(out).exists(), "nothing was merged");
    }
}

#[test]
fn what_is_proven_is_no_position_of_the_book() {
    let folder = Scratch::new("book-proven");
    let book = &folder.path("tiny.book");
    let tiny = [
        "--size",
        "3",
        "--backend",
        "rollout",
        "--visits",
        "50",
        "--steps",
        "200",
        "--seed",
        "1",
    ];
    let said = run(&[&["build", &**book], &tiny[..]].concat());
    assert!(said.contains("won: there is nothing left"), "{said}");
    let root = shown(book, &[]);
    for found in root["position"]["moves"].as_array().expect("a list") {
        let after = shown(book, &[found["move"].as_str().expect("a vertex")]);
        assert_eq!(found["known"], !after["position"].is_null(), "{found}");
    }
}

/// A book that may not be written is played from all the same.
#[test]
fn a_protected_book_is_read() {
    let folder = Scratch::new("book-protected");
    let book = &folder.path("small.book");
    build(book, "30");
    let mut permissions = std::fs::metadata(book).expect("it is there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(book, permissions).expect("it is ours");
    assert_eq!(steps(book), 30);
    let args = [SMALL, &["--book", book]].concat();
    let mut engine = Engine::start(&args);
    engine.answer("genmove b");
    assert!(engine.answer("tengen-report").contains("stop book"));
}
