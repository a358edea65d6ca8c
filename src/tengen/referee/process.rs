//! An engine process: its pipes, its output lines with arrival times, its end.
//!
//! Nothing that an engine does can make this side wait longer than requested or store more than a
//! bounded amount of its output: stderr goes directly to a file, stdout through a bounded channel.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::MatchError;
use crate::clock::Clock;
use crate::system::{Guard, ProcessGroup};

/// Maximum length of an engine's line in bytes; KataGo's longest analysis lines are shorter.
const MAX_LINE_LEN: usize = 1 << 20;

/// Protocol between an engine and the referee.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineProtocol {
    /// The Go Text Protocol.
    #[default]
    Gtp,
    /// That of Gomocup's managers.
    Gomocup,
}

/// An engine's name, command and protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// Its name in results and file names.
    pub name: String,
    /// Its command line, split without a shell.
    pub command: String,
    /// Its protocol.
    #[serde(default)]
    pub protocol: EngineProtocol,
    /// What a Gomocup program is told by `INFO` besides clock and rules, such as `max_node`, at the start of each game.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub info: BTreeMap<String, i64>,
    /// The folder in which it runs; by default the current one, from which its command is found in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

impl EngineSpec {
    /// An engine that speaks GTP.
    pub fn new(name: &str, command: &str) -> EngineSpec {
        EngineSpec {
            name: name.to_owned(),
            command: command.to_owned(),
            ..EngineSpec::default()
        }
    }
}

/// How often it is looked whether an engine that says nothing has ended.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Number of unread lines after which the engine's writes block.
const MAX_WAITING_LINES: usize = 256;

/// A line on an engine's stdout, without its terminator, control characters removed and tabs replaced by blanks; and its
/// arrival time on the referee's clock.
pub(super) type Line = (String, Duration);

/// Why there is no line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    TimedOut,
    /// The engine has closed its stdout, usually by ending, or it cannot be read.
    Closed,
    /// A line longer than [`MAX_LINE_LEN`]; nothing follows.
    Unreadable,
}

/// The running engines of a match, so that all can be killed at once.
#[derive(Debug, Default)]
pub struct EngineProcesses(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    groups: Vec<Weak<Mutex<ProcessGroup>>>,
    /// Whether they were killed: no other is started then.
    killed: bool,
    /// Kills them if this program dies without doing so.
    guard: Option<Arc<Guard>>,
}

impl EngineProcesses {
    /// None yet; `guard` is a program that calls [`system::watch`](crate::system::watch) when it is run with the argument `guard`.
    pub(super) fn guarded(guard: Option<&Path>) -> EngineProcesses {
        let start = |program| {
            let mut command = Command::new(program);
            command.arg("guard");
            let started = Guard::start(command);
            started.inspect_err(|error| log::warn!("no guard of the engines: {error}"))
        };
        let guard = guard.and_then(|program| start(program).ok());
        let running = Running {
            guard: guard.map(Arc::new),
            ..Running::default()
        };
        EngineProcesses(Mutex::new(running))
    }

    /// Kills all engines with their descendants, without waiting for their end. None can be started
    /// afterwards, so the games in progress are worth nothing.
    pub fn kill(&self) {
        let mut running = self.0.lock();
        running.killed = true;
        for group in running.groups.iter().filter_map(Weak::upgrade) {
            group.lock().start_kill();
        }
    }

    fn start(&self, command: Command) -> io::Result<Arc<Mutex<ProcessGroup>>> {
        // Locked until it is on the list.
        let mut running = self.0.lock();
        if running.killed {
            return Err(io::Error::other("the match is being ended"));
        }
        let group = ProcessGroup::spawn(command, running.guard.clone())?;
        let group = Arc::new(Mutex::new(group));
        running.groups.retain(|group| group.strong_count() > 0);
        running.groups.push(Arc::downgrade(&group));
        Ok(group)
    }
}

/// A running engine. Dropping it kills it.
pub(super) struct EngineProcess {
    group: Arc<Mutex<ProcessGroup>>,
    stdin: ChildStdin,
    stdout: Receiver<Result<Line, NoLine>>,
    clock: Arc<dyn Clock>,
}

impl EngineProcess {
    /// Starts an engine among those of its match; its stderr goes to `stderr`.
    pub(super) fn spawn(
        spec: &EngineSpec,
        stderr: File,
        clock: &Arc<dyn Clock>,
        engines: &EngineProcesses,
    ) -> Result<EngineProcess, MatchError> {
        let words = split(&spec.command)?;
        let (program, protocol) = (&words[0], spec.protocol);
        let start = |error: io::Error| MatchError(format!("cannot start `{program}`: {error}"));
        let mut command = match &spec.folder {
            Some(folder) => in_folder(program, folder)?,
            None => Command::new(program),
        };
        command
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr);
        // Its own process group: Ctrl-C must end the referee, not first an engine that would then
        // be recorded as crashed. The referee then kills them all.
        let group = engines.start(command).map_err(start)?;
        let pipes = group.lock().pipes();
        let missing = || start(io::Error::other("its pipes are missing"));
        let (stdin, stdout) = pipes.ok_or_else(missing)?;
        let (sender, receiver) = sync_channel(MAX_WAITING_LINES);
        let time = Arc::clone(clock);
        std::thread::Builder::new()
            .name("engine stdout".to_owned())
            .spawn(move || read_lines(stdout, protocol, &sender, time.as_ref()))
            .map_err(start)?;
        Ok(EngineProcess {
            group,
            stdin,
            stdout: receiver,
            clock: Arc::clone(clock),
        })
    }

    /// The time on the referee's clock.
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Writes one line. An error means that the engine no longer reads.
    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        self.stdin.write_all(format!("{line}\n").as_bytes())?;
        self.stdin.flush()
    }

    /// The next line that arrives until `deadline`. A script that has ended may have left processes behind that hold
    /// its output open: it is closed then.
    pub(super) fn receive(&self, deadline: Duration) -> Result<Line, NoLine> {
        let mut limit = deadline.saturating_sub(self.now());
        let mut has_ended = false;
        loop {
            let wait = limit.min(LOOK_INTERVAL);
            match self.stdout.recv_timeout(wait) {
                // A program may talk without end.
                Ok(Ok((_, at))) if at > deadline => return Err(NoLine::TimedOut),
                Ok(found) => return found,
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) if has_ended => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) => limit -= wait,
            }
            if limit.is_zero() {
                return Err(NoLine::TimedOut);
            }
            // What it has written before is read once more.
            has_ended = self.group.lock().exit_status().is_some();
        }
    }

    /// Sends the command to end and waits at most `limit` for that; then kills it.
    pub(super) fn end(mut self, command: &str, limit: Duration) {
        if self.send(command).is_ok() {
            let deadline = self.now() + limit;
            while self.receive(deadline).is_ok() {}
        }
    }

    /// How the process ended, if it has.
    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.group.lock().exit_status()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.group.lock().kill();
    }
}

/// A program that runs in another folder. Its own path begins at the current one.
fn in_folder(program: &str, folder: &Path) -> Result<Command, MatchError> {
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(MatchError(format!("its folder {folder} does not exist")));
    }
    let by_path = Path::new(program).components().count() > 1;
    let found = by_path.then(|| std::path::absolute(program).ok()).flatten();
    let mut command = Command::new(found.unwrap_or_else(|| program.into()));
    command.current_dir(folder);
    Ok(command)
}

/// Reads until the engine closes its stdout or the receiver is dropped. The thread ends with the
/// process: its pipe closes, or the dropped receiver refuses the next line. It is not joined,
/// because a stray grandchild of the engine could hold the pipe open.
fn read_lines(
    mut stdout: ChildStdout,
    protocol: EngineProtocol,
    sender: &SyncSender<Result<Line, NoLine>>,
    clock: &dyn Clock,
) {
    let mut buffer = [0; 8192];
    let mut line = Vec::new();
    loop {
        let len = match stdout.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => return,
            Ok(len) => len,
        };
        let at = clock.now();
        for &byte in &buffer[..len] {
            let byte = match byte {
                b'\t' => b' ',
                // A manager of Gomocup ignores empty lines.
                b'\r' if protocol == EngineProtocol::Gomocup => b'\n',
                other => other,
            };
            let found = match byte {
                b'\n' => {
                    let line = std::mem::take(&mut line);
                    Ok((String::from_utf8_lossy(&line).into_owned(), at))
                }
                control if control.is_ascii_control() => continue,
                _ if line.len() == MAX_LINE_LEN => Err(NoLine::Unreadable),
                other => {
                    line.push(other);
                    continue;
                }
            };
            let ends = found.is_err();
            if sender.send(found).is_err() || ends {
                return;
            }
        }
    }
}

/// The program and its arguments.
///
/// Blanks separate words; single quotes preserve everything, double quotes everything but a
/// backslash before `"` or `\`, and outside quotes a backslash preserves the next character. On Windows,
/// because of paths, it is an ordinary character, but for those before a `"` in double quotes. Nothing is expanded.
///
/// # Errors
/// [`MatchError`] if a quote is open or the line is empty.
pub(super) fn split(text: &str) -> Result<Vec<String>, MatchError> {
    split_for(cfg!(windows), text)
}

fn split_for(windows: bool, text: &str) -> Result<Vec<String>, MatchError> {
    let refused = |why: &str| MatchError(format!("the command line {why}"));
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            blank if blank.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                let open = || refused(&format!("has an opening {next} without a closing one"));
                loop {
                    match rest.next().ok_or_else(open)? {
                        end if end == next => break,
                        '\\' if next == '"' && quotes_next(windows, rest.clone()) => {
                            word.extend(rest.next());
                        }
                        kept => word.push(kept),
                    }
                }
            }
            '\\' if !windows => {
                let kept = rest
                    .next()
                    .ok_or_else(|| refused("ends with a backslash that quotes nothing"))?;
                word.get_or_insert_default().push(kept);
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    if words.is_empty() {
        return Err(refused("is empty; it must name a program"));
    }
    Ok(words)
}

/// Whether a backslash in double quotes preserves the next character.
fn quotes_next(windows: bool, mut rest: impl Iterator<Item = char>) -> bool {
    match windows {
        // `"\\server\share\engine.exe"` is a path; this is how programs split their own command lines there.
        true => rest.find(|&next| next != '\\') == Some('"'),
        false => matches!(rest.next(), Some('"' | '\\')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_from_here_and_runs_elsewhere() {
        let folder = std::env::temp_dir();
        let program = |name: &str| {
            let command = in_folder(name, &folder).expect("the folder is there");
            assert_eq!(command.get_current_dir(), Some(&*folder));
            PathBuf::from(command.get_program())
        };
        assert_eq!(program("gnugo"), Path::new("gnugo"));
        let here = std::env::current_dir().expect("tests have a folder");
        assert_eq!(program("./brains/pbrain"), here.join("brains/pbrain"));
        let error = in_folder("gnugo", Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.to_string().contains("at/all"), "{error}");
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        // Expected values are those of `printf '[%s]' WORDS` in bash.
        for (text, words) in [
            ("gnugo --mode gtp", vec!["gnugo", "--mode", "gtp"]),
            ("  a\t b ", vec!["a", "b"]),
            ("a 'b c' \"d e\"f", vec!["a", "b c", "d ef"]),
            (r#""c\"d\\e\f" '\'"#, vec![r#"c"d\e\f"#, r"\"]),
            ("a ''", vec!["a", ""]),
        ] {
            assert_eq!(split_for(false, text).unwrap(), words, "{text}");
        }
    }

    /// Windows' paths have backslashes, which quote elsewhere.
    #[test]
    fn backslashes_outside_quotes_quote_except_on_windows() {
        let path = r"C:\Games\tengen.exe gtp";
        let split = |text| split_for(false, text);
        assert_eq!(split(path).unwrap(), ["C:Gamestengen.exe", "gtp"]);
        assert_eq!(split(r"a\ b").unwrap(), ["a b"]);
        let error = split(r"a\").unwrap_err().to_string();
        assert!(error.contains("backslash that quotes nothing"), "{error}");
        // Expected values in double quotes are those of Microsoft's "Parsing C command-line arguments".
        for (text, words) in [
            (path, vec![r"C:\Games\tengen.exe", "gtp"]),
            (r"a\", vec![r"a\"]),
            (
                r#""\\server\my games\a.exe" gtp"#,
                vec![r"\\server\my games\a.exe", "gtp"],
            ),
            (r#""C:\my games\\" "a\"b""#, vec![r"C:\my games\", "a\"b"]),
        ] {
            assert_eq!(split_for(true, text).unwrap(), words, "{text}");
        }
    }

    #[test]
    fn unfinished_text_is_refused() {
        for (text, because) in [
            (" ", "the command line is empty"),
            ("a 'b", "an opening ' without"),
            ("a \"b\\\"", "an opening \" without"),
        ] {
            let error = split(text).unwrap_err().to_string();
            assert!(error.contains(because), "{error}");
        }
    }
}
