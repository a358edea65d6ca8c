//! Questions to engines before and in games, and permitted answers.

use crate::Test;
use crate::matches::{fake, folder, games, play, report, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "engines_may_answer_in_odd_ways",
        engines_may_answer_in_odd_ways,
    ),
    (
        "a_refusal_of_komi_or_rules_is_reported",
        a_refusal_of_komi_or_rules_is_reported,
    ),
    (
        "an_engine_that_is_not_told_its_clock_is_reported",
        an_engine_that_is_not_told_its_clock_is_reported,
    ),
    (
        "an_engine_of_another_game_does_not_play",
        an_engine_of_another_game_does_not_play,
    ),
    (
        "more_games_at_once_than_processors_get_a_warning",
        more_games_at_once_than_processors_get_a_warning,
    ),
];

fn engines_may_answer_in_odd_ways() {
    for kind in [
        "small",
        "talks",
        "no-ids",
        "glued",
        "banner",
        "twice",
        "chatters",
        "fails-at-quit",
    ] {
        let out = folder(&format!("odd-{kind}"));
        let options = ["--games", "2", "--time", "30"];
        let report = report(play(
            &fake(kind, 0, 1),
            &fake("honest", 0, 2),
            &out,
            &options,
        ));
        assert_eq!(report["reasons"]["rules"], 2, "{kind}: {report:#}");
    }
    // Its remarks about clocks cost it no game, and are reported.
    let out = folder("odd-no-clock");
    let options = ["--games", "2", "--time", "30"];
    let report = troubled(play(
        &fake("no-clock", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &options,
    ));
    assert_eq!(report["reasons"]["rules"], 2, "{report:#}");
    assert_eq!(report["complaints"][0]["kind"], "refusal", "{report:#}");
    // An engine that never reads is silent, too.
    let out = folder("odd-deaf");
    let options = ["--games", "2", "--command-limit", "0.5"];
    let output = play(&fake("deaf", 0, 1), &fake("honest", 0, 2), &out, &options)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(
        words.contains("first did not answer `protocol_version` within 500ms"),
        "{words}"
    );
}

fn a_refusal_of_komi_or_rules_is_reported() {
    let out = folder("refuses");
    let go = [
        "--game",
        "go",
        "--rules",
        "japanese",
        "--games",
        "2",
        "--random-plies",
        "0",
    ];
    let engines = (fake("counts-refuses", 0, 1), fake("counts", 0, 2));
    let output = play(&engines.0, &engines.1, &out, &go).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        words.contains("first refused `komi 6.5`: komi 7.5 only"),
        "{words}"
    );
    assert!(words.contains("first refused `kata-set-rules {"), "{words}");
    assert!(
        words.contains("second was not told the rules: it has no command"),
        "{words}"
    );
    assert_eq!(words.matches("`komi 6.5`").count(), 1, "once: {words}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let kinds: Vec<_> = report["complaints"].as_array().unwrap().iter().collect();
    let refused = kinds
        .iter()
        .filter(|complaint| complaint["kind"] == "refusal");
    assert_eq!(refused.count(), 2, "{report:#}");
    // One that has no command for them plays on, and its command line is what counts.
    let out = folder("untold");
    let told = crate::matches::report(play(&engines.1, &engines.1, &out, &go));
    assert_eq!(told["complaints"][0]["kind"], "untold", "{told:#}");
}

fn an_engine_that_is_not_told_its_clock_is_reported() {
    for (kind, time, words) in [
        (
            "untimed",
            "30",
            "was not told the clock, 30: it has no command time_settings or time_left",
        ),
        (
            "honest",
            "30/5",
            "was not told that a move may take at most 5 s: it has no command kata-time_settings",
        ),
    ] {
        let out = folder(&format!("untold-{kind}"));
        let options = ["--games", "2", "--time", time];
        let told = report(play(&fake(kind, 0, 1), &fake(kind, 0, 2), &out, &options));
        let complaint = &told["complaints"][0];
        assert_eq!(complaint["kind"], "untold", "{told:#}");
        assert_eq!(complaint["line"], words);
    }
    let out = folder("untold-nothing");
    let told = report(play(
        &fake("honest", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &["--games", "2", "--time", "30+1"],
    ));
    assert_eq!(told["complaints"].as_array().unwrap().len(), 0, "{told:#}");
}

fn an_engine_of_another_game_does_not_play() {
    for (kind, words) in [
        (
            "other-game",
            "first plays gomoku, and this is a match of nogo: either its command line lacks --game nogo",
        ),
        (
            "no-board",
            "first refused `boardsize 5`: unacceptable size; does it play nogo on 5x5?",
        ),
    ] {
        let out = folder(kind);
        let output = play(&fake(kind, 0, 1), &fake("honest", 0, 2), &out, &[])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words), "{said}");
        assert_eq!(games(&out).len(), 0);
    }
    // The original case: Tengen without --game go, in a match of Go.
    let out = folder("nogo-in-go");
    let tengen = format!(
        "'{}' gtp --backend rollout --visits 1",
        env!("CARGO_BIN_EXE_tengen")
    );
    let output = play(&tengen, &tengen, &out, &["--game", "go"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("plays nogo, and this is a match of go"),
        "{said}"
    );
}

fn more_games_at_once_than_processors_get_a_warning() {
    let many = std::thread::available_parallelism().unwrap().get() + 1;
    let started = |out: &str, games_at_once: usize| {
        let options = ["--games", "2", "--concurrency", &games_at_once.to_string()];
        let output = play(
            &fake("honest", 0, 1),
            &fake("honest", 0, 2),
            &folder(out),
            &options,
        );
        String::from_utf8_lossy(&{ output }.output().unwrap().stderr).into_owned()
    };
    let told = started("crowd", many);
    let words = format!("WARNING: --concurrency {many} on {} processor", many - 1);
    assert!(told.contains(&words), "{told}");
    assert!(!started("no-crowd", many - 1).contains("WARNING"));
}
