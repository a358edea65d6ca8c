//! Questions to engines before and in games, and permitted answers.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::Test;
use crate::matches::{fake, folder, games, lines, play, report, signal, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "engines_may_answer_in_odd_ways",
        engines_may_answer_in_odd_ways,
    ),
    (
        "programs_of_gomocup_may_answer_in_odd_ways",
        programs_of_gomocup_may_answer_in_odd_ways,
    ),
    (
        "programs_of_gomocup_are_told_what_their_file_says",
        programs_of_gomocup_are_told_what_their_file_says,
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
        "the_other_protocol_is_recognized",
        the_other_protocol_is_recognized,
    ),
    (
        "more_games_at_once_than_processors_get_a_warning",
        more_games_at_once_than_processors_get_a_warning,
    ),
    (
        "gomoku_is_played_on_fifteen_lines",
        gomoku_is_played_on_fifteen_lines,
    ),
    (
        "ctrl_c_prints_the_results_and_how_to_continue",
        ctrl_c_prints_the_results_and_how_to_continue,
    ),
];

/// Options of two games between programs of Gomocup.
pub(crate) const BRAINS: [&str; 12] = [
    "--game",
    "gomoku",
    "--games",
    "2",
    "--random-plies",
    "0",
    "--move-limit",
    "2",
    "--first-protocol",
    "gomocup",
    "--second-protocol",
    "gomocup",
];

/// The command line of a fake program of Gomocup.
pub(crate) fn brain(kind: &str) -> String {
    let executable = std::env::current_exe().unwrap();
    format!("'{}' --fake-brain {kind}", executable.display())
}

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

fn programs_of_gomocup_may_answer_in_odd_ways() {
    let options = |rules: &'static str| [&BRAINS[..], &["--time", "60", "--rules", rules]].concat();
    for kind in [
        "returns",
        "two-lines",
        "unknown-info",
        "suggests",
        "twice",
        "chatters",
    ] {
        let out = folder(&format!("brain-{kind}"));
        let report = report(play(&brain(kind), &brain("usual"), &out, &options("")));
        assert_eq!(report["reasons"]["rules"], 2, "{kind}: {report:#}");
    }
    let out = folder("brain-wrong-rule");
    let report = troubled(play(
        &brain("wrong-rule"),
        &brain("usual"),
        &out,
        &options("renju"),
    ));
    let refusal = report["complaints"][0]["line"].as_str().unwrap();
    assert!(
        refusal.contains("the rules renju: ERROR no such rule"),
        "{report:#}"
    );
}

fn programs_of_gomocup_are_told_what_their_file_says() {
    let out = folder("brain-info");
    fs::create_dir_all(&out).unwrap();
    let file = out.join("engines.toml");
    let write = |protocol: &str| {
        let engine = format!("[[engine]]\nname = \"limited\"\nprotocol = \"{protocol}\"\n");
        let command = format!(
            "command = {:?}\ninfo = {{ max_node = 600 }}\n",
            brain("limited")
        );
        fs::write(&file, engine + &command).unwrap();
    };
    let options = [
        "--game",
        "gomoku",
        "--games",
        "2",
        "--random-plies",
        "0",
        "--engines",
    ];
    let options = [
        &options[..],
        &[file.to_str().unwrap(), "--second-protocol", "gomocup"],
    ]
    .concat();
    write("gomocup");
    let report = troubled(play("limited", &brain("usual"), &out, &options));
    let refusal = report["complaints"][0]["line"].as_str().unwrap();
    assert!(refusal.contains("ERROR too few nodes"), "{report:#}");
    write("gtp");
    let refused = play("limited", &brain("usual"), &out, &options)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(
        words.contains("`limited` has `info`") && !refused.status.success(),
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

fn the_other_protocol_is_recognized() {
    let gomoku = ["--game", "gomoku", "--command-limit", "1"];
    let out = folder("brain-as-gtp");
    let output = play(&brain("unknown-info"), &fake("honest", 0, 2), &out, &gomoku)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("say so by --first-protocol"), "{said}");
    assert!(
        said.contains("in a file by protocol = \"gomocup\""),
        "{said}"
    );
    let out = folder("gtp-as-brain");
    let options = [&gomoku[..], &["--first-protocol", "gomocup"]].concat();
    let output = play(&fake("honest", 0, 1), &fake("honest", 0, 2), &out, &options)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let words = "which is not Gomocup's protocol; if it speaks GTP, leave its protocol out";
    assert!(said.contains(words), "{said}");
    assert_eq!(said.matches("answered `ABOUT`").count(), 1, "once: {said}");
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
    let words = format!("WARNING: --concurrency {many} on {} processors", many - 1);
    assert!(told.contains(&words), "{told}");
    assert!(!started("no-crowd", many - 1).contains("WARNING"));
}

fn gomoku_is_played_on_fifteen_lines() {
    let out = folder("fifteen");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args([
        "play",
        "--json",
        "--game",
        "gomoku",
        "--games",
        "1",
        "--random-plies",
        "0",
    ]);
    command.args([
        "--max-moves",
        "4",
        "--first-protocol",
        "gomocup",
        "--second-protocol",
        "gomocup",
    ]);
    command.args(["--first", &brain("usual"), "--second", &brain("usual")]);
    let report = report({
        command.arg("--out").arg(&out);
        command
    });
    assert_eq!(report["reasons"]["max_moves"], 1, "{report:#}");
    let text = fs::read_to_string(out.join("results.jsonl")).unwrap();
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&header["width"], &header["height"]),
        (&15.into(), &15.into())
    );
}

fn ctrl_c_prints_the_results_and_how_to_continue() {
    let out = folder("ctrl-c");
    let engines = [fake("slow", 0, 1), fake("slow", 0, 2)];
    let start = |games: &str| play(&engines[0], &engines[1], &out, &["--games", games]);
    let mut running = start("4000")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while lines(&out) < 4 {
        assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&running, "INT");
    let output = running.wait_with_output().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        assert_eq!(output.status.signal(), Some(2), "as a shell expects it");
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let kept = games(&out).len();
    assert!(
        words.contains(&format!(
            "Interrupted with {kept} of 4000 games played: first"
        )),
        "{words}"
    );
    assert!(
        words.contains("They are kept, and the same command continues with the others."),
        "{words}"
    );
    report(start(&(kept + 2).to_string()));
    assert_eq!(games(&out).len(), kept + 2);
}
