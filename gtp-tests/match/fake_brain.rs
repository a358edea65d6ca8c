//! A program of the Gomocup protocol that takes the first empty point and that, like Rapfi, is not
//! done with a move yet when it has written it: a command that comes too soon is lost. It has the
//! quirks of such programs.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

/// Time for which it does not listen after a move.
const BUSY: Duration = Duration::from_millis(10);

/// Answers on stdin and stdout until `END` or the end of input.
pub(crate) fn run(kind: &str) -> ExitCode {
    let clock = SystemClock::new();
    let end = if kind == "returns" { "\r" } else { "\r\n" };
    let say = |line: &str| say(&format!("{line}{end}"));
    let mut moved_at = None;
    let mut taken = HashSet::new();
    let mut started = false;
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        if moved_at.take().is_some_and(|at| clock.now() < at + BUSY) {
            continue;
        }
        let (command, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match command {
            "ABOUT" if kind == "two-lines" => {
                say(&format!("name=\"brain\"{end}author=\"two lines\""))
            }
            "ABOUT" => say("name=\"brain\""),
            "START" => {
                taken.clear();
                started = true;
                say("OK");
            }
            "INFO" if kind.starts_with("unknown-info") => say("UNKNOWN command"),
            "INFO" if kind == "wrong-rule" && argument.starts_with("rule") => {
                say("ERROR no such rule")
            }
            "INFO" if kind == "limited" && argument == "max_node 600" => say("ERROR too few nodes"),
            "INFO" if !started => return ExitCode::FAILURE,
            "BEGIN" | "TURN" if kind == "unknown-info-hangs" => hang(),
            "PLAY" if kind == "suggests-hangs" => hang(),
            "BEGIN" | "TURN" => {
                taken.insert(argument.to_owned());
                let mut points = (0..25).map(|point| format!("{},{}", point % 5, point / 5));
                let point = points.find(|point| !taken.contains(point)).unwrap();
                match kind {
                    "suggests" | "suggests-hangs" => say(&format!("suggest {point}")),
                    _ => {
                        taken.insert(point.clone());
                        moved_at = Some(clock.now());
                        match kind {
                            "twice" => say(&format!("{point}{end}{point}")),
                            "chatters" => say(&format!("DEBUG a thought{end}").repeat(20_000)),
                            _ => {}
                        }
                        if kind != "twice" {
                            say(&point);
                        }
                    }
                }
            }
            "PLAY" => {
                taken.insert(argument.to_owned());
                moved_at = Some(clock.now());
                say(argument);
            }
            "END" => break,
            "INFO" | "" => {}
            _ => say("UNKNOWN command"),
        }
    }
    ExitCode::SUCCESS
}

fn hang() {
    std::thread::sleep(Duration::from_secs(3600));
}

fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    // The reader may be gone.
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}
