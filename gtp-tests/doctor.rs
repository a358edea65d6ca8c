//! `tengen doctor`.

use std::process::Command;

use tengen_nn::eval::FETCH_SCRIPT;

/// Its output with `args`, and whether all checks passed.
fn doctor(args: &[&str]) -> (String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .arg("doctor")
        .args(args)
        .output()
        .expect("the binary was built for this test");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text, output.status.success())
}

#[track_caller]
fn check(args: &[&str], well: bool, parts: &[&str]) {
    let (text, success) = doctor(args);
    assert_eq!(success, well, "{text}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn built_in_parts_work() {
    check(
        &[],
        true,
        &[
            "ok      network",
            "nogo 9x9",
            "ok      native",
            "ok      tract",
            "ms per evaluation on 9x9",
            "ok      choice",
            "go 9x9",
            "gomoku",
            "ms per evaluation on 15x15",
        ],
    );
    let (text, _) = doctor(&[]);
    assert!(!text.contains("fix:"), "nothing is broken: {text}");
    // The usual board, not the first one of a network for many.
    check(&["--game", "gomoku"], true, &["ms per evaluation on 15x15"]);
    // Integers differ by rounding, which is not an error.
    let int8 = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/nogo-9x9-int8.onnx"
    );
    check(
        &["--model", int8],
        true,
        &["ok      native", "ok      tract"],
    );
    let (text, _) = doctor(&["--json"]);
    assert!(text.lines().count() >= 6, "{text}");
    assert!(
        text.lines().all(|line| line.starts_with("{\"state\":\"")),
        "{text}"
    );
}

#[test]
fn failed_requests_are_named_with_a_fix() {
    check(
        &["--model", "/nowhere.onnx"],
        false,
        &["BROKEN  network", "/nowhere.onnx", "fix: "],
    );
    let failed = |args: &[&str], count: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .arg("doctor")
            .args(args)
            .output();
        let text = String::from_utf8(output.expect("it was built").stderr).expect("UTF-8");
        assert!(text.contains(count), "{text}");
    };
    failed(&["--model", "/nowhere.onnx"], "1 check failed");
    failed(&["--device", "cuda:63"], "2 checks failed");
    check(
        &["--size", "7"],
        false,
        &[
            "BROKEN  network",
            "the built-in networks for nogo play on 9x9, not on 7x7",
            "fix: tengen gtp --model FILE",
            "ms per evaluation on 9x9",
        ],
    );
    check(
        &["--game", "gomoku", "--size", "7"],
        false,
        &[
            "play on 8x8 and boards with sides from 9 to 20, not on 7x7",
            "ms per evaluation on 15x15",
        ],
    );
    check(
        &["--game", "go", "--size", "25"],
        false,
        &[
            "BROKEN  game",
            "go is not played on 25x25 here",
            "fix: --size 9x9",
        ],
    );
    check(
        &["--game", "gomoku", "--rules", "foo"],
        false,
        &["BROKEN  game", "unknown rules `foo`", "fix: leave --rules"],
    );
    let missing = ["--backend", "ort", "--ort-library", "/nowhere.so"];
    check(
        &missing,
        false,
        &[
            "BROKEN  ort",
            "/nowhere.so",
            &format!("fix: {FETCH_SCRIPT}"),
        ],
    );
    check(&missing[2..], false, &["BROKEN  ort"]);
    check(
        &["--device", "cuda:63"],
        false,
        &["BROKEN  gpu", "BROKEN  choice"],
    );
    check(
        &["--set", "memory_mib=1000000"],
        false,
        &["BROKEN  memory", "--memory-mib "],
    );
}
