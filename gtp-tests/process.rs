//! A running engine, seen from a controller.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

use crate::killed::Killed;
use crate::scratch::Scratch;

/// After this time a silent or running engine counts as hanging.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// Arguments of an engine that plays fast and reproducibly.
pub(crate) const QUICK: &[&str] = &["--backend", "rollout", "--visits", "100", "--seed", "1"];

/// The folder of these tests.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(crate::REPOSITORY).join("gtp-tests")
}

/// One line of the engine's output.
type OutputLine = Vec<u8>;

/// An engine process.
pub(crate) struct Engine {
    child: Killed,
    input: Option<ChildStdin>,
    lines: Receiver<OutputLine>,
}

impl Engine {
    /// Starts `tengen gtp` with `args`, in the folder of these tests.
    pub(crate) fn start(args: &[&str]) -> Engine {
        Engine::program(&[&["gtp"], args].concat())
    }

    /// Starts `tengen` with `args`, in the folder of these tests.
    pub(crate) fn program(args: &[&str]) -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(args).current_dir(folder());
        Engine::run(command, false)
    }

    /// Starts a program; what it writes to its standard error is read with its output, or discarded.
    pub(crate) fn run(mut command: Command, with_errors: bool) -> Engine {
        let (output, to_output) = std::io::pipe().expect("a pipe");
        let errors = match with_errors {
            true => to_output.try_clone().expect("a pipe").into(),
            false => Stdio::null(),
        };
        let command = command
            .stdin(Stdio::piped())
            .stdout(to_output)
            .stderr(errors);
        let mut child = command.spawn().expect("the binary was built for this test");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = OutputLine::new();
            while output
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Engine {
            input: child.stdin.take(),
            child: Killed(child),
            lines,
        }
    }

    /// Writes `text`, unless the program has ended: then its output says why.
    pub(crate) fn offer(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the input is still open");
        let _ = input
            .write_all(text.as_bytes())
            .and_then(|()| input.flush());
    }

    /// Writes `text` at once.
    pub(crate) fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the input is still open");
        input.write_all(text.as_bytes()).expect("the engine reads");
        input.flush().expect("the engine reads");
    }

    /// The next reply, without its final empty line.
    pub(crate) fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let line = self
                .lines
                .recv_timeout(HANG_TIMEOUT)
                .expect("a whole reply");
            if line == b"\n" {
                return reply.trim_end_matches('\n').to_owned();
            }
            reply.push_str(&String::from_utf8(line).expect("UTF-8"));
        }
    }

    /// The next line, without its end.
    pub(crate) fn line(&self) -> String {
        self.next_line().expect("a line")
    }

    /// The next line, without its end, or whether the output has ended or nothing comes.
    pub(crate) fn next_line(&self) -> Result<String, RecvTimeoutError> {
        self.line_within(HANG_TIMEOUT)
    }

    /// The same within a time.
    pub(crate) fn line_within(&self, time: Duration) -> Result<String, RecvTimeoutError> {
        let line = String::from_utf8(self.lines.recv_timeout(time)?).expect("UTF-8");
        Ok(line.trim_end_matches('\n').to_owned())
    }

    /// Sends one command and returns its reply.
    pub(crate) fn ask(&mut self, command: &str) -> String {
        self.send(&format!("{command}\n"));
        self.reply()
    }

    /// Sends one command that has to succeed and returns the text of its reply.
    pub(crate) fn answer(&mut self, command: &str) -> String {
        let reply = self.ask(command);
        let text = reply.strip_prefix("= ");
        text.unwrap_or_else(|| panic!("{command}: {reply}"))
            .to_owned()
    }

    /// Memory of its own, if known to the system: how much of a program's file is in memory depends on the
    /// system's cache.
    pub(crate) fn memory_kib(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// Closes the engine's input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// The remaining output until the engine ends with success, and the time it takes.
    pub(crate) fn wait(self) -> (String, Duration) {
        let (rest, status, took) = self.end();
        assert!(status.success(), "{status}");
        (rest, took)
    }

    /// The same with any exit status.
    pub(crate) fn end(mut self) -> (String, ExitStatus, Duration) {
        let clock = SystemClock::new();
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(HANG_TIMEOUT) {
                Ok(line) => rest.extend(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the engine does not end"),
            }
        }
        let status = self.child.0.wait().expect("it is our child");
        let took = clock.now();
        (String::from_utf8(rest).expect("UTF-8"), status, took)
    }
}

/// Runs `tengen` with these arguments to its end.
pub(crate) fn tengen(args: &[&str]) -> Output {
    run_on(args, "")
}

/// A copy of `tengen` in a folder, where it reads the file of arguments beside it.
pub(crate) fn copied(folder: &Path, name: &str) -> PathBuf {
    let program = folder
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    // A copy that is being written when another test starts a process is busy until that has begun.
    let own = env!("CARGO_BIN_EXE_tengen");
    std::fs::hard_link(own, &program)
        .or_else(|_| std::fs::copy(own, &program).map(drop))
        .expect("there is room");
    program
}

/// Whether these are arguments with which `tengen` may keep records where it runs, which should be no folder of sources.
pub(crate) fn may_keep_records(args: &[&str]) -> bool {
    matches!(args, [] | ["sau", ..])
}

/// Runs `tengen` on `input` to its end.
pub(crate) fn run_on(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let folder = Scratch::new(&format!("run-{:?}", std::thread::current().id()));
    if may_keep_records(args) {
        command.current_dir(&*folder);
    }
    feed(command.args(args), input.as_bytes())
}

/// The standard output of a shell's script that reads `input`.
#[cfg(target_os = "linux")]
pub(crate) fn run_shell(script: &str, input: &str) -> String {
    let output = feed(Command::new("sh").args(["-c", script]), input.as_bytes());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn feed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let mut to_child = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        // A program that ends at once, or has answered `quit`, reads no further.
        scope.spawn(move || drop(to_child.write_all(input)));
        child.wait_with_output().expect("it is our child")
    })
}

/// `tengen` with these arguments answers nothing, and ends with code 1 and one line that contains all `parts`.
#[track_caller]
pub(crate) fn refuses(args: &[&str], parts: &[&str]) {
    let output = run_on(args, "name\ngenmove b\nquit\n");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    assert_eq!(output.stdout, b"", "{args:?}");
    assert!(
        said.starts_with("tengen: ") && said.trim_end().lines().count() == 1,
        "{args:?}: {said}"
    );
    for part in parts {
        assert!(said.contains(part), "{args:?}: no {part:?} in {said}");
    }
}

/// The whole output of an engine with `args`, in the folder of these tests, when `input` is piped into it.
pub(crate) fn pipe(args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let output = feed(command.arg("gtp").args(args).current_dir(folder()), input);
    assert!(output.status.success(), "{output:?}");
    output.stdout
}
