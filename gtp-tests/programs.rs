//! What holds for each program: `-h` is short, `--help` has everything, an old processor gets a clear error.
//! Every package tests its own programs.

use std::process::Command;

/// Lines of `-h` that fit on a screen.
const MAX_LINES: usize = 30;

const PROGRAMS: [Option<&str>; 4] = [
    option_env!("CARGO_BIN_EXE_tengen"),
    option_env!("CARGO_BIN_EXE_tengen-match"),
    option_env!("CARGO_BIN_EXE_tengen-train"),
    option_env!("CARGO_BIN_EXE_tengen-lab"),
];

fn help(program: &str, words: &[&str], flag: &str) -> String {
    let output = Command::new(program).args(words).arg(flag).output();
    let output = output.expect("it was built for this test");
    assert!(output.status.success(), "{program} {words:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Checks a command and those below it; returns how many there are.
fn check(program: &str, words: &[&str]) -> usize {
    let short = help(program, words, "-h");
    let long = help(program, words, "--help");
    let most = long.lines().count().min(MAX_LINES);
    assert!(short.lines().count() <= most, "{short}");
    let below = short.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let below = below.lines().take_while(|line| !line.is_empty());
    // What a command is for may go on in the next line, further to the right.
    let names = below.filter(|line| !line.starts_with("    "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "help");
    let counts = names.map(|name| check(program, &[words, &[name]].concat()));
    1 + counts.sum::<usize>()
}

#[test]
fn the_short_help_of_every_command_is_part_of_the_long_one() {
    let programs = PROGRAMS.into_iter().flatten();
    let commands: usize = programs.map(|program| check(program, &[])).sum();
    assert!(commands > 4, "{commands}");
    let Some(tengen) = PROGRAMS[0] else { return };
    let (short, long) = (
        help(tengen, &["gtp"], "-h"),
        help(tengen, &["gtp"], "--help"),
    );
    for (flag, is_short) in [("--visits", true), ("--cpuct", false), ("--lag", false)] {
        assert!(long.contains(flag), "{long}");
        assert_eq!(short.contains(flag), is_short, "{short}");
    }
}

/// A processor of 2008 has no AVX2, which all code of the usual build may use.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn an_old_processor_gets_a_clear_error() {
    if !cfg!(target_feature = "avx2") {
        return println!("skipped: this build runs on all processors");
    }
    let qemu = |program: &str| {
        let mut command = Command::new("qemu-x86_64");
        command
            .args(["-cpu", "Nehalem", program, "--version"])
            .output()
    };
    for program in PROGRAMS.into_iter().flatten() {
        let Ok(output) = qemu(program) else {
            return println!("skipped: qemu-user is not installed");
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
        assert!(
            said.contains("AVX2") && said.contains("target-cpu=x86-64"),
            "{program}: {said}"
        );
    }
}
