//! Golden conversations: `*.session`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tengen::gtp::COMMANDS;

use crate::process::{QUICK, folder, pipe};

/// Input and expected output. `VERSION` stands for the program's version.
fn parse(text: &str) -> (String, String) {
    let mut input = String::new();
    let mut output = String::new();
    for line in text.lines() {
        match line.strip_prefix("> ") {
            Some(command) => input.extend([command, "\n"]),
            None => output.extend([line, "\n"]),
        }
    }
    (input, output.replace("VERSION", env!("CARGO_PKG_VERSION")))
}

/// A file named after a game is a conversation about that game.
fn arguments(path: &Path) -> Vec<&'static str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut games = ["go", "gomoku"].into_iter();
    let named = games.find(|game| name.split('.').next() == Some(game));
    let game = named.unwrap_or("nogo");
    [QUICK, &["--game", game]].concat()
}

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let (input, expected) = parse(&text);
    let output = String::from_utf8(pipe(&arguments(path), input.as_bytes())).expect("UTF-8");
    assert_eq!(output, expected, "{}", path.display());
}

/// All files here of a kind.
fn files(kind: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of this file");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == kind))
        .collect();
    assert!(!found.is_empty(), "no *.{kind} files");
    found
}

#[test]
fn golden_conversations() {
    for path in files("session") {
        check(&path);
    }
}

/// The command in a line that may begin with an id.
fn command(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.find(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn every_command_has_a_transcript() {
    let mut lines = String::new();
    for path in files("session") {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let sent = text.lines().filter_map(|line| line.strip_prefix("> "));
        lines.extend(sent.flat_map(|line| [line, "\n"]));
    }
    for path in files("tst") {
        lines.push_str(&std::fs::read_to_string(path).expect("a readable file"));
    }
    let sent: HashSet<&str> = lines.lines().filter_map(command).collect();
    let missing = COMMANDS.iter().map(|command| command.name);
    let missing: Vec<&str> = missing.filter(|name| !sent.contains(name)).collect();
    assert_eq!(missing, [""; 0], "commands without a transcript");
}
