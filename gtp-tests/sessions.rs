//! Golden conversations: `*.session`.

use std::path::Path;

use crate::process::{QUICK, folder, pipe};

/// What is sent and what has to come back. `VERSION` stands for the program's version.
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

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let (input, expected) = parse(&text);
    let output = String::from_utf8(pipe(QUICK, input.as_bytes())).expect("UTF-8");
    assert_eq!(output, expected, "{}", path.display());
}

#[test]
fn golden_conversations() {
    let mut found = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder of this file") {
        let path = entry.expect("a readable folder").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "session")
        {
            check(&path);
            found += 1;
        }
    }
    assert!(found > 0, "no *.session files");
}
