//! Matches of programs of Gomocup's protocol.

use std::fs;

use crate::Test;
use crate::matches::{fake, folder, games, play, report, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "programs_of_gomocup_may_answer_in_odd_ways",
        programs_of_gomocup_may_answer_in_odd_ways,
    ),
    (
        "programs_of_gomocup_are_told_what_their_file_says",
        programs_of_gomocup_are_told_what_their_file_says,
    ),
    (
        "the_other_protocol_is_recognized",
        the_other_protocol_is_recognized,
    ),
    (
        "gomoku_is_played_on_fifteen_lines",
        gomoku_is_played_on_fifteen_lines,
    ),
    (
        "a_program_that_has_just_moved_is_not_stopped_at_once",
        a_program_that_has_just_moved_is_not_stopped_at_once,
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

fn a_program_that_has_just_moved_is_not_stopped_at_once() {
    let out = folder("brains");
    let brain = brain("usual");
    let report = report(play(&brain, &brain, &out, &BRAINS));
    assert_eq!(report["reasons"]["rules"], 2, "{report:#}");
    for game in games(&out) {
        let seconds = game["seconds"].as_array().unwrap();
        let quick = seconds.iter().filter(|took| took.as_f64() < Some(0.015));
        assert!(
            2 * quick.count() > seconds.len(),
            "the rest is no thinking: {game:#}"
        );
    }
}
