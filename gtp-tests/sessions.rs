//! Transcripts of programs: `*.session`. `README.md` explains the format.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::RecvTimeoutError;

use regex_lite::Regex;
use tengen::gtp::COMMANDS;

use crate::process::{Engine, folder, may_keep_records, run_on};
use crate::scratch::Scratch;

/// What a line `$ COMMAND` has started.
enum Running {
    Program(Engine),
    /// `cat > FILE`.
    Writes(String),
    /// `cat FILE`: the lines that are left.
    Reads(std::vec::IntoIter<String>),
}

/// A transcript on its way.
struct Transcript {
    folder: Scratch,
    running: Option<Running>,
    /// Lines that are sent together, before the next expected one.
    to_send: String,
    /// Empty lines that are expected unless the program's part ends here.
    empty: usize,
    /// After `...`.
    any: bool,
}

/// The words of a command; double quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in command.split('"').enumerate() {
        let quoted = index % 2 == 1;
        let mut parts = part.split(|c: char| c == ' ' && !quoted);
        let last = words.last_mut().expect("there is one");
        last.push_str(parts.next().unwrap_or_default());
        words.extend(parts.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a line of output is the expected one, which may have placeholders.
fn is_expected(expected: &str, line: &str) -> bool {
    let pattern = regex_lite::escape(expected)
        .replace(r"\*", ".*")
        .replace("<n>", r"-?\d+(\.\d+)?")
        .replace("<point>", "[A-HJ-Z][1-9][0-9]?");
    let pattern = Regex::new(&format!("^{pattern}$")).expect("it is escaped");
    expected == line || pattern.is_match(line)
}

/// The exit code in a line `[CODE]`.
fn exit_code(line: &str) -> Option<i32> {
    line.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

impl Transcript {
    fn new(name: &str) -> Transcript {
        Transcript {
            folder: Scratch::new(&format!("session-{name}")),
            running: None,
            to_send: String::new(),
            empty: 0,
            any: false,
        }
    }

    /// A line with the folder and the version in place of their names.
    fn filled(&self, line: &str) -> String {
        line.replace("$TMP", &self.folder.display().to_string())
            .replace("VERSION", env!("CARGO_PKG_VERSION"))
    }

    fn start(&self, command: &str) -> Running {
        let words: Vec<String> = words(command)
            .iter()
            .map(|word| self.filled(word))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let program = match *words {
            ["cat", ">", file] => return Running::Writes(file.to_owned()),
            ["cat", file] => {
                let text = std::fs::read_to_string(file);
                let text = text.unwrap_or_else(|_| "no such file".to_owned());
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                return Running::Reads(lines.into_iter());
            }
            ["tengen", ..] => env!("CARGO_BIN_EXE_tengen"),
            ["tengen-match", ..] => env!("CARGO_BIN_EXE_tengen-match"),
            _ => panic!("{command}: only tengen, tengen-match and cat can be started"),
        };
        let (arguments, with_errors) = match &words[1..] {
            [arguments @ .., "2>&1"] => (arguments, true),
            arguments => (arguments, false),
        };
        let mut command = Command::new(program);
        command.args(arguments);
        match may_keep_records(arguments) {
            true => command.current_dir(&*self.folder),
            false => command.current_dir(folder()),
        };
        Running::Program(Engine::run(command, with_errors))
    }

    /// The next line of output, or why there is none.
    fn next(&mut self) -> Result<String, &'static str> {
        let end = "the end of the output";
        match self.running.as_mut().expect("a line `$ COMMAND` is first") {
            Running::Program(engine) => {
                engine.offer(&std::mem::take(&mut self.to_send));
                engine.next_line().map_err(|error| match error {
                    RecvTimeoutError::Disconnected => end,
                    RecvTimeoutError::Timeout => "nothing, for a minute",
                })
            }
            Running::Writes(_) => Err(end),
            Running::Reads(lines) => lines.next().ok_or(end),
        }
    }

    /// Reads one line, or with `...` before it as many as it takes.
    fn expect(&mut self, expected: &str) -> Result<(), String> {
        loop {
            let line = self.next();
            if line.as_ref().is_ok_and(|line| is_expected(expected, line)) {
                self.any = false;
                return Ok(());
            }
            if line.is_err() || !self.any {
                let found = line.unwrap_or_else(str::to_owned);
                return Err(format!("expected: {expected}\n   found: {found}"));
            }
        }
    }

    /// Ends what runs: nothing more may be said, and the exit code must be this.
    fn end(&mut self, expected: i32) -> Result<(), String> {
        self.empty = 0;
        let any = std::mem::take(&mut self.any);
        let to_send = std::mem::take(&mut self.to_send);
        let (rest, code) = match self.running.take() {
            Some(Running::Program(mut engine)) => {
                engine.offer(&to_send);
                engine.close();
                let (rest, status, _) = engine.end();
                (rest, status.code())
            }
            Some(Running::Writes(file)) => {
                std::fs::write(file, to_send).expect("the folder is writable");
                return Ok(());
            }
            Some(Running::Reads(lines)) => (lines.collect::<Vec<_>>().join("\n"), Some(0)),
            None => return Ok(()),
        };
        if !any && !rest.trim().is_empty() {
            return Err(format!("more output: {rest}"));
        }
        match code == Some(expected) {
            true => Ok(()),
            false => Err(format!("exit code {code:?} instead of {expected}: {rest}")),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("# ") {
            return Ok(());
        }
        if let Some(command) = line.strip_prefix("$ ") {
            self.end(0)?;
            self.running = Some(self.start(command));
            return Ok(());
        }
        if let Some(code) = exit_code(line) {
            return self.end(code);
        }
        if line.is_empty() {
            self.empty += usize::from(self.running.is_some());
            return Ok(());
        }
        for _ in 0..std::mem::take(&mut self.empty) {
            self.expect("")?;
        }
        let line = self.filled(line);
        match line.strip_prefix("> ") {
            Some(sent) => self.to_send.extend([sent, "\n"]),
            None if line == ">" => self.to_send.push('\n'),
            None if line == "..." => self.any = true,
            None => return self.expect(&line),
        }
        Ok(())
    }
}

/// The first difference between a file and what its programs say.
fn difference(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut transcript = Transcript::new(&name);
    let told = |number: usize, error| format!("{}:{number}:\n{error}", path.display());
    for (index, line) in text.lines().enumerate() {
        if let Err(error) = transcript.line(line) {
            return Some(told(index + 1, error));
        }
    }
    let end = transcript.end(0).err();
    end.map(|error| told(text.lines().count(), error))
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of this file");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let is_session = |path: &PathBuf| path.extension().is_some_and(|end| end == "session");
    let found: Vec<PathBuf> = paths.filter(is_session).collect();
    assert!(!found.is_empty(), "no transcripts");
    found
}

#[test]
fn programs_say_what_their_transcripts_say() {
    let files = files();
    let half = files.len().div_ceil(2);
    let differences: Vec<String> = std::thread::scope(|scope| {
        let halves = files.chunks(half).map(|files| {
            scope.spawn(|| {
                files
                    .iter()
                    .filter_map(|file| difference(file))
                    .collect::<Vec<_>>()
            })
        });
        let halves: Vec<_> = halves.collect();
        let found = halves
            .into_iter()
            .map(|half| half.join().expect("no panic"));
        found.flatten().collect()
    });
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn records_are_not_kept_among_the_sources() {
    let len = |path: &Path| path.metadata().map_or(0, |file| file.len());
    let logs = [folder(), PathBuf::new()].map(|folder| folder.join("records/tengen.log"));
    let before = logs.each_ref().map(|log| len(log));
    run_on(&[], "name?\nquit\n");
    let mut transcript = Transcript::new("records");
    for line in ["$ tengen", "> name?", "name Tengen", "> quit"] {
        assert_eq!(transcript.line(line), Ok(()));
    }
    assert_eq!(transcript.end(0), Ok(()));
    assert_eq!(logs.each_ref().map(|log| len(log)), before);
}

#[test]
fn placeholders() {
    for (expected, line, holds) in [
        ("= *", "= D4", true),
        ("* wins", "black wins now", false),
        ("<n> s.", "-1.50 s.", true),
        ("<n> s.", "soon s.", false),
        ("= <point>", "= J12", true),
        ("= <point>", "= I1", false),
        ("a.b", "axb", false),
    ] {
        assert_eq!(is_expected(expected, line), holds, "{expected} {line}");
    }
    assert_eq!(words("a --b \"c d\"  e"), ["a", "--b", "c d", "e"]);
    assert_eq!((exit_code("[1]"), exit_code("[bool] 1")), (Some(1), None));
}

/// The command in a line that may begin with an id.
fn command(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.find(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn every_command_has_a_transcript() {
    let read = |path| std::fs::read_to_string(path).expect("a readable file");
    let texts: Vec<String> = files().into_iter().map(read).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let sent = lines.filter_map(|line| command(line.strip_prefix("> ")?));
    let sent: HashSet<&str> = sent.collect();
    let missing = COMMANDS.iter().map(|command| command.name);
    let missing: Vec<&str> = missing.filter(|name| !sent.contains(name)).collect();
    assert_eq!(missing, [""; 0], "commands without a transcript");
}
