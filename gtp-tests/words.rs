//! Comments, messages and documents use the terms of `docs/glossary.md`: private idiom and names that
//! were replaced do not come back.

use std::fmt::Write as _;

use regex_lite::{Regex, RegexBuilder};

use crate::documents::texts_with;

/// Words and phrases of private idiom, in any case, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("so many", "a number, or `this many`"),
    ("whoever", "the player, the user, the caller"),
    ("whatever", "any, regardless of"),
    ("nobody", "no player, no thread, neither side"),
    ("somebody", "a user, a player"),
    ("anybody", "any user"),
    ("everybody", "all players, all users"),
    ("anew", "again"),
    ("likewise", "also"),
    ("learnt", "learned"),
    ("foretell", "predict"),
    ("foretells", "predicts"),
    ("foretold", "predicted"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("the house", "the program"),
    ("what it says", "its content, its answer"),
    ("what is said", "the text, the message"),
    ("what becomes of", "the result of"),
    ("what comes of", "the result of"),
    ("of its own accord", "by itself"),
    ("have none of it", "reject"),
    ("as good as", "equal to, like"),
    ("knows nothing of", "does not know"),
    ("ever more", "more and more"),
    ("eats", "uses"),
    ("prover of threats", "threat prover"),
];

/// Type names that were replaced by field terms, as they were written.
const NAMES: &[(&str, &str)] = &[
    ("Wishes", "QueryOptions"),
    ("Occasion", "ProbeContext"),
    ("Reached", "GameState"),
    ("Standing", "CurrentScore"),
    ("Patience", "JudgeLimits"),
    ("PATIENCE", "a name with LIMIT or TIMEOUT"),
    ("Spending", "ThinkingLimits"),
    ("Knob", "TunedParameter"),
    ("Knobs", "TunedParameter"),
    ("Pupil", "CriticTrainee"),
    ("Heard", "TimedAnswer"),
    ("Manners", "Misbehaviour"),
    ("Unfit", "UnsuitableEngine"),
];

/// Lines that may have such a word: values of a protocol or of a file.
const EXCEPTIONS: &[&str] = &["\"nobody\"", "`nobody`"];

fn pattern(words: &[(&str, &str)], ignore_case: bool) -> Regex {
    let words: Vec<String> = words
        .iter()
        .map(|(word, _)| word.replace(' ', r"\s+(?:(?://[/!]?|#)\s+)?"))
        .collect();
    RegexBuilder::new(&format!(r"\b(?:{})\b", words.join("|")))
        .case_insensitive(ignore_case)
        .build()
        .expect("a pattern")
}

/// The banned words of a text, with file and line. Phrases may cross the end of a line.
fn banned(path: &str, content: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (words, ignore_case) in [(PHRASES, true), (NAMES, false)] {
        for hit in pattern(words, ignore_case).find_iter(content) {
            let line = content[..hit.start()].matches('\n').count();
            let whole = content.lines().nth(line).expect("the line of a match");
            if EXCEPTIONS.iter().any(|allowed| whole.contains(allowed)) {
                continue;
            }
            let parts = hit.as_str().split_whitespace();
            let parts: Vec<&str> = parts
                .filter(|part| part.starts_with(char::is_alphabetic))
                .collect();
            let word = parts.join(" ");
            let instead = words
                .iter()
                .find(|(banned, _)| banned.to_lowercase() == word.to_lowercase())
                .map_or("", |(_, instead)| instead);
            found.push(format!(
                "{path}:{}: \"{word}\"; rather: {instead}",
                line + 1
            ));
        }
    }
    found
}

#[test]
fn texts_use_field_terms() {
    let mut wrong = String::new();
    for text in texts_with(&[
        "rs", "md", "toml", "sh", "py", "cmd", "js", "session", "tst",
    ]) {
        let path = text.path.to_string_lossy().replace('\\', "/");
        // Old entries of the list of changes and results of old matches keep their wording.
        let is_read = path != "gtp-tests/words.rs"
            && path != "CHANGELOG.md"
            && !path.starts_with("docs/results")
            && (!path.starts_with("models/") || path == "models/README.md");
        if is_read {
            for line in banned(&path, &text.content) {
                let _ = writeln!(wrong, "{line}");
            }
        }
    }
    assert!(wrong.is_empty(), "terms are in docs/glossary.md:\n{wrong}");
}

#[test]
fn banned_words_are_found_with_their_line() {
    let text = "//! One.\n/// It plays whatever comes, so\n/// many times.\n\nstruct Wishes;\n";
    assert_eq!(
        banned("a.rs", text),
        [
            "a.rs:2: \"whatever\"; rather: any, regardless of",
            "a.rs:2: \"so many\"; rather: a number, or `this many`",
            "a.rs:5: \"Wishes\"; rather: QueryOptions",
        ]
    );
    assert!(banned("a.rs", "the winner is `nobody`").is_empty());
    assert!(banned("a.rs", "a reached position").is_empty());
}
