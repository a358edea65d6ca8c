//! Terminal users: the programs behind a pseudo-terminal, which `script` of util-linux provides.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::killed::Killed;
use crate::scratch::Scratch;

/// After this time a silent program counts as hanging.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// A program in a terminal.
struct Terminal {
    child: Killed,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// Starts `tengen` with these arguments; `None` where there is no `script`.
    #[expect(clippy::print_stdout, reason = "a skipped test must say so")]
    fn start(words: &str) -> Option<Terminal> {
        let command = format!("{} {words}", env!("CARGO_BIN_EXE_tengen"));
        let folder = std::env::temp_dir();
        let child = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: there is no program `script`");
            return None;
        };
        let mut output = child.stdout.take().expect("it is piped");
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Terminal {
            child: Killed(child),
            output: receiver,
            seen: String::new(),
        })
    }

    fn types(&mut self, text: &str) {
        let input = self.child.0.stdin.as_mut().expect("it is piped");
        input.write_all(text.as_bytes()).expect("it reads");
    }

    /// Waits until all parts were shown.
    #[track_caller]
    fn shows(&mut self, parts: &[&str]) {
        for part in parts {
            while !self.seen.contains(part) {
                let more = self.output.recv_timeout(HANG_TIMEOUT);
                let more = more.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.seen));
                self.seen += &String::from_utf8_lossy(&more);
            }
        }
    }

    /// The exit status, as seen by a shell.
    fn end(&mut self) -> Option<i32> {
        self.child.0.wait().expect("it is our child").code()
    }
}

#[test]
fn a_person_gets_a_greeting_and_help() {
    let Some(mut gtp) = Terminal::start("gtp") else {
        return;
    };
    gtp.shows(&["nogo 9x9, network tengen-", "built in", "Try `help`"]);
    gtp.types("help\n");
    gtp.shows(&["= A game: play b E5", "tengen-settings [NAME VALUE]"]);
    gtp.types(CTRL_D);
    assert_eq!(gtp.end(), Some(0));
    let folder = Scratch::new("terminal");
    let words = format!(
        "sau --backend rollout --visits 50 --records {}",
        folder.path("records")
    );
    let mut sau = Terminal::start(&words).expect("as before");
    sau.shows(&["random playouts", "Records go to ", "Try `help`"]);
    sau.types("new black\n");
    sau.shows(&["move ", " = ", "clock "]);
    sau.types("help\nend\n");
    sau.shows(&["take back one stone", "the winner is not known"]);
    sau.types("quit\n");
    assert_eq!(sau.end(), Some(0));
}

#[test]
fn ctrl_c_makes_the_solver_print_a_summary() {
    let solve = "solve --size 9 --threads 2 --memory-mib 64";
    let Some(mut solve) = Terminal::start(solve) else {
        return;
    };
    solve.shows(&[" nodes after 2 s"]);
    solve.types(CTRL_C);
    solve.shows(&[
        "unknown: interrupted before it was solved, black to move",
        " nodes/s",
    ]);
    // Ended by the signal, as seen by a shell.
    assert_eq!(solve.end(), Some(130));
}
