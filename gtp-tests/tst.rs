//! Regression files in the format of GNU Go and gogui-regress: `*.tst`.

use std::collections::HashSet;
use std::path::Path;

use regex_lite::Regex;

use crate::process::{Engine, QUICK, folder};

/// The expected answer to a numbered command: `#? [pattern]`.
#[derive(Debug)]
struct Pattern {
    regex: Regex,
    negated: bool,
    /// The test is expected to fail.
    fails: bool,
}

impl Pattern {
    /// Reads what follows `#?`.
    fn parse(text: &str) -> Option<Pattern> {
        let text = text.trim();
        let (text, fails) = text
            .strip_suffix('*')
            .map_or((text, false), |text| (text, true));
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let (inner, negated) = inner
            .strip_prefix('!')
            .map_or((inner, false), |rest| (rest, true));
        let regex = Regex::new(&format!("^(?s:{inner})$")).ok()?;
        Some(Pattern {
            regex,
            negated,
            fails,
        })
    }

    /// Whether a test with this reply had the expected result. A refused command never passes.
    fn accepts(&self, reply: &str) -> bool {
        let text = reply
            .strip_prefix('=')
            .and_then(|reply| reply.split_once(' '));
        let passes = text.is_some_and(|(_, text)| self.regex.is_match(text) != self.negated);
        passes != self.fails
    }
}

/// Runs one file with one engine process and returns all failed lines.
fn run(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let mut engine = Engine::start(QUICK);
    let mut wrong = Vec::new();
    let mut numbers = HashSet::new();
    // The number and the reply for a following pattern.
    let mut waiting: Option<(String, String)> = None;
    for line in text.lines().map(str::trim) {
        if let Some(pattern) = line.strip_prefix("#?") {
            let (command, reply) = waiting.take().unwrap_or_default();
            match Pattern::parse(pattern) {
                Some(pattern) if pattern.accepts(&reply) => {}
                Some(_) => wrong.push(format!("{command}: {reply:?}, expected {line}")),
                None => wrong.push(format!("{command}: no pattern: {line}")),
            }
            continue;
        }
        if let Some((command, _)) = waiting.take() {
            wrong.push(format!("{command}: no pattern follows"));
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let reply = engine.ask(line);
        let number = line.split(' ').next().unwrap_or_default();
        if number.bytes().all(|byte| byte.is_ascii_digit()) {
            if !numbers.insert(number.to_owned()) {
                wrong.push(format!("{line}: number used twice"));
            }
            waiting = Some((line.to_owned(), reply));
        } else if !reply.starts_with('=') {
            wrong.push(format!("{line}: {reply}"));
        }
    }
    wrong
}

#[test]
fn regression_files() {
    let mut found = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder of this file") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|extension| extension == "tst") {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            wrong.extend(run(&path).into_iter().map(|line| format!("{name}: {line}")));
            found += 1;
        }
    }
    assert!(found > 0, "no *.tst files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn patterns() {
    let check = |pattern, reply, expected| {
        let pattern = Pattern::parse(pattern).expect("a pattern");
        assert_eq!(pattern.accepts(reply), expected, "{pattern:?} {reply}");
    };
    check("[B14|D17]", "=3 D17", true);
    check("[B14|D17]", "=3 D1", false);
    check("[!P13]", "=3 D1", true);
    check("[!P13]", "=3 P13", false);
    check("[M16]*", "=3 D1", true);
    check("[M16]*", "=3 M16", false);
    check("[.*]", "?3 illegal move", false);
    check("[.*]*", "?3 illegal move", true);
    assert!(Pattern::parse("M16").is_none());
}
