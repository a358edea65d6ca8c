//! Process-level tests of `tengen-match`.
//!
//! The engines of these matches are this very executable, started as `--fake-engine KIND FROM SEED`
//! or `--fake-brain KIND`; that is why it has its own `main` (`harness = false`) instead of the
//! standard test runner. It accepts a name to filter by, and `--list`, like the standard one.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod asked;
mod fake_brain;
mod fake_engine;
mod gomocup;
mod manners;
mod matches;
mod processes;
mod subcommands;
mod tournaments;
mod tuning;

use std::panic::catch_unwind;
use std::process::ExitCode;

use fake_engine::Misbehaviour;

/// A test's name and body.
type Test = (&'static str, fn());

/// Tests that do not run on Windows, and why.
const NOT_ON_WINDOWS: &[(&str, &str)] = &[
    (
        "ctrl_c_prints_the_results_and_how_to_continue",
        "only a console sends Ctrl-C there",
    ),
    (
        "an_interrupted_match_leaves_no_engine_behind",
        "only a console sends Ctrl-C there",
    ),
    (
        "a_stopped_match_loses_no_game_on_time",
        "it has no signal that stops a process",
    ),
    (
        "what_a_script_has_left_behind_is_ended",
        "its script is one for sh",
    ),
    (
        "a_match_without_a_thread_says_so",
        "its Ctrl-C needs a thread before",
    ),
    (
        "a_report_that_cannot_be_written_is_an_error",
        "there is no full device",
    ),
    (
        "a_tournament_may_come_through_a_pipe",
        "pipes have no paths there",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, kind, from, seed] = arguments.as_slice()
        && flag == "--fake-engine"
    {
        let manners = Misbehaviour {
            kind: kind.clone(),
            from: from.parse().unwrap(),
        };
        return fake_engine::run(&manners, seed.parse().unwrap());
    }
    if let [flag, kind] = arguments.as_slice()
        && flag == "--fake-brain"
    {
        return fake_brain::run(kind);
    }
    let tests = [
        asked::TESTS,
        gomocup::TESTS,
        manners::TESTS,
        matches::TESTS,
        processes::TESTS,
        subcommands::TESTS,
        tournaments::TESTS,
        tuning::TESTS,
    ]
    .concat();
    if arguments.iter().any(|argument| argument == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let asked = |(name, _): &&Test| filter.is_none_or(|filter| name.contains(filter.as_str()));
    let mut failed = 0;
    for (name, body) in tests.iter().filter(asked) {
        print!("test {name} ... ");
        let ignored = NOT_ON_WINDOWS.iter().find(|(test, _)| test == name);
        if let Some((_, reason)) = ignored.filter(|_| cfg!(windows)) {
            println!("ignored, {reason}");
            continue;
        }
        let passed = catch_unwind(body).is_ok();
        failed += u32::from(!passed);
        println!("{}", if passed { "ok" } else { "FAILED" });
    }
    println!("{failed} failed");
    ExitCode::from(u8::from(failed > 0))
}
