//! A program of the Gomocup protocol that takes the first empty point, and that, as Rapfi, is not done with
//! a move yet when it has written it: a command that comes too soon is not heard.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

/// So long it does not listen after a move.
const BUSY: Duration = Duration::from_millis(10);

/// Answers on stdin and stdout until `END` or the end of input.
pub(crate) fn run() -> ExitCode {
    let clock = SystemClock::new();
    let mut moved_at = None;
    let mut taken = HashSet::new();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        if moved_at.take().is_some_and(|at| clock.now() < at + BUSY) {
            continue;
        }
        let (command, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match command {
            "ABOUT" => say("name=\"brain\""),
            "START" => {
                taken.clear();
                say("OK");
            }
            "BEGIN" | "TURN" => {
                taken.insert(argument.to_owned());
                let mut points = (0..25).map(|point| format!("{},{}", point % 5, point / 5));
                let point = points.find(|point| !taken.contains(point)).unwrap();
                taken.insert(point.clone());
                moved_at = Some(clock.now());
                say(&point);
            }
            "END" => break,
            _ => {}
        }
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // Nobody may be left to read it.
    let _ = stdout.write_all(format!("{line}\r\n").as_bytes());
    let _ = stdout.flush();
}
