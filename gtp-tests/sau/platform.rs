//! The platform's side of the conversation.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tengen::game::{BoardSize, Move};

use crate::process::{Engine, copied};
use crate::scratch::Scratch;

pub(super) const SIZE: BoardSize = BoardSize::square(9);
/// The platform kills a program that takes longer to end after `quit`.
const QUIT: Duration = Duration::from_secs(1);
/// No move may come in this time when none is due.
const SILENCE: Duration = Duration::from_millis(300);

/// A program on the platform.
pub(super) struct Program {
    engine: Engine,
    pub(super) folder: Scratch,
}

impl Program {
    /// Puts the program into a new folder, with a file of arguments if there are any, and starts it
    /// like the platform.
    pub(super) fn start(name: &str, arguments: &[&str]) -> Program {
        Program::start_where(name, arguments, |_| {})
    }

    /// Like [`Program::start`], in a folder modified by `prepare`.
    pub(super) fn start_where(name: &str, arguments: &[&str], prepare: impl Fn(&Path)) -> Program {
        let folder = Scratch::new(&format!("sau-{name}"));
        prepare(&folder);
        let program = copied(&folder, "tengen");
        if !arguments.is_empty() {
            folder.write("tengen.args", arguments.join("\n").as_bytes());
        }
        // What stands in a file of arguments is meant from where it lies.
        let elsewhere = std::env::temp_dir();
        let mut command = Command::new(&program);
        command
            .current_dir(match arguments {
                [] => &*folder,
                _ => &*elsewhere,
            })
            .env("HOME", folder.join("home"))
            // Its name on Windows.
            .env("USERPROFILE", folder.join("home"));
        let mut program = Program {
            engine: Engine::run(command, true),
            folder,
        };
        program.send("name?\n");
        while program.remark_or("name Tengen").is_some() {}
        program
    }

    pub(super) fn send(&mut self, text: &str) {
        self.engine.send(text);
    }

    pub(super) fn line(&self) -> String {
        self.engine.line()
    }

    /// The next line if it is not `expected`.
    fn remark_or(&self, expected: &str) -> Option<String> {
        let line = self.line();
        (line != expected).then_some(line)
    }

    /// The next line, which is for people: the platform must not take it for a command.
    pub(super) fn remark(&self) -> String {
        let line = self.line();
        for command in ["move ", "name "] {
            let words = line.match_indices(command).map(|(at, _)| at);
            let mut words = words.filter(|&at| !line[..at].ends_with(char::is_alphanumeric));
            assert_eq!(words.next(), None, "{line}");
        }
        line
    }

    pub(super) fn says_nothing(&self) {
        assert_eq!(self.engine.line_within(SILENCE).ok(), None);
    }

    /// The next move, the only permitted output at this point.
    pub(super) fn next_move(&self) -> Move {
        let line = self.line();
        let letters = line
            .strip_prefix("move ")
            .unwrap_or_else(|| panic!("{line}"));
        let index = |letter: u8| letter - b'A';
        let (x, down) = (index(letters.as_bytes()[0]), index(letters.as_bytes()[1]));
        assert!(letters.len() == 2 && x < 9 && down < 9, "{line}");
        SIZE.point(x, 8 - down)
    }

    /// Sends `quit` and checks that the program ends in time, without further output.
    pub(super) fn quit(mut self) {
        self.send("quit\n");
        let (rest, status, took) = self.engine.end();
        assert!(took < QUIT && status.success(), "{status} after {took:?}");
        assert_eq!(rest, "");
    }
}

/// A move as the platform writes it.
pub(super) fn letters(point: Move) -> String {
    let (x, y) = SIZE.column_row(point);
    [x, 8 - y]
        .map(|index| char::from(b'A' + index))
        .iter()
        .collect()
}
