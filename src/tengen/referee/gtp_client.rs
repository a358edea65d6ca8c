//! The controller's side of GTP: sends a command and waits for its answer within a limit.
//!
//! Every command carries an id, so that late or unrelated answers are recognised; a program that
//! answers the first one, `protocol_version`, without its id gets no ids. Lines before an answer, such as a banner, are
//! skipped. After any [`Fault`] but [`Fault::Refused`] the stream is unreliable: drop the client.

use std::time::Duration;

use thiserror::Error;

use super::process::{EngineProcess, NoLine};

/// Maximum bytes of one answer that are kept; what follows is dropped.
const MAX_ANSWER_LEN: usize = 1 << 20;

/// Number and interval of checks whether an engine that closed its pipes has ended.
const EXIT_POLLS: u32 = 40;
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Maximum characters of an engine's output quoted in a message.
const QUOTED_LEN: usize = 80;

/// Maximum characters of a refusal that are kept.
const REASON_LEN: usize = 300;

/// An engine's error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The process ended, or closed its input or output: when, and how, in words.
    #[error("{0}")]
    Crashed(String),
    /// It did not answer within the limit.
    #[error("did not answer `{command}` within {limit:?}{}", and_words(said.as_ref()))]
    Hung {
        /// The command it did not answer.
        command: String,
        /// The time limit.
        limit: Duration,
        /// What it said instead.
        said: Option<String>,
    },
    /// Its answer is not of its protocol.
    #[error("answered `{command}` with `{answer}`, which is not {expected}")]
    Malformed {
        /// The command.
        command: String,
        /// The first offending line, shortened.
        answer: String,
        /// What it should be, such as GTP.
        expected: &'static str,
    },
    /// It answered with an error (`?`).
    #[error("refused `{command}`: {message}")]
    Refused {
        /// The command.
        command: String,
        /// Its message.
        message: String,
    },
}

/// The text after `=` and the id, lines joined by `\n`; and the time from the command's sending to the answer's last
/// line, by the referee's clock.
pub(super) type Answer = (String, Duration);

/// A connection to one engine process. Dropping it kills the process.
pub(super) struct GtpClient {
    process: EngineProcess,
    next_id: u32,
    /// Whether commands carry their id.
    numbered: bool,
}

impl GtpClient {
    /// Speaks with this process.
    pub(super) fn new(process: EngineProcess) -> GtpClient {
        GtpClient {
            process,
            next_id: 1,
            numbered: true,
        }
    }

    /// Sends a command and waits at most `limit` for the whole answer. After any [`Fault`] but
    /// [`Fault::Refused`] the client is unusable.
    pub(super) fn command(&mut self, command: &str, limit: Duration) -> Result<Answer, Fault> {
        let id = self.next_id;
        self.next_id += 1;
        let start = self.process.now();
        if self.process.send(&self.written(id, command)).is_err() {
            return Err(ended(&mut self.process, command, None));
        }
        let deadline = start.saturating_add(limit);
        // Of what an engine says before its answer, which may be without end, the first line and the last.
        let (mut first, mut last) = (None::<String>, None::<String>);
        // The answer's first line as it came.
        let mut begun = None::<String>;
        let (mut lines, mut len) = (Vec::<String>::new(), 0);
        loop {
            let (line, at) = match self.process.receive(deadline) {
                Ok(found) => found,
                Err(why) => {
                    let before = match why {
                        NoLine::TimedOut => first,
                        NoLine::Closed | NoLine::Unreadable => last,
                    };
                    let begun = begun.map(|line| format!("{line} (no empty line follows)"));
                    let said = begun.or(before);
                    return Err(no_line(&mut self.process, why, command, limit, said, "GTP"));
                }
            };
            match (lines.is_empty(), line.is_empty()) {
                (true, true) => {}
                // What was there before the command is no answer to it: some programs answer twice.
                (true, false) => match beginning(&line, id, self.numbered) {
                    Some((text, numbered)) if at >= start => {
                        self.numbered = numbered;
                        lines.push(text.trim().to_owned());
                        begun = Some(line);
                    }
                    _ => {
                        first.get_or_insert_with(|| line.clone());
                        last = Some(line);
                    }
                },
                (false, false) => {
                    len += line.len();
                    if len <= MAX_ANSWER_LEN {
                        lines.push(line.trim_end().to_owned());
                    }
                }
                (false, true) => {
                    let succeeds = begun.is_some_and(|line| line.starts_with('='));
                    let text = answer(command, succeeds, &lines)?;
                    return Ok((text, at.saturating_sub(start)));
                }
            }
        }
    }

    fn written(&self, id: u32, command: &str) -> String {
        match self.numbered {
            true => format!("{id} {command}"),
            false => command.to_owned(),
        }
    }

    /// Asks the engine to quit and waits at most `limit`; then kills it.
    pub(super) fn quit(self, limit: Duration) {
        let quit = self.written(self.next_id, "quit");
        self.process.end(&quit, limit);
    }
}

/// The fault of an engine of which no line came, with what it said instead.
pub(super) fn no_line(
    process: &mut EngineProcess,
    why: NoLine,
    command: &str,
    limit: Duration,
    said: Option<String>,
    protocol: &'static str,
) -> Fault {
    match why {
        NoLine::Unreadable => malformed(command, "(an endless line)", protocol),
        NoLine::Closed => ended(process, command, said.as_ref()),
        NoLine::TimedOut => Fault::Hung {
            command: command.to_owned(),
            limit,
            said,
        },
    }
}

/// The fault of an engine whose pipes are closed, with its last output.
pub(super) fn ended(process: &mut EngineProcess, command: &str, said: Option<&String>) -> Fault {
    let asked = format!("while it was asked `{command}`");
    // The pipe closes a moment before the process can be waited for.
    for _ in 0..EXIT_POLLS {
        if let Some(status) = process.exit_status() {
            let said = and_words(said);
            return Fault::Crashed(format!("ended {asked} ({status}{said})"));
        }
        std::thread::sleep(EXIT_POLL_INTERVAL);
    }
    Fault::Crashed(format!("closed its output {asked}"))
}

/// What an engine said, for the end of a message.
fn and_words(said: Option<&String>) -> String {
    said.map_or(String::new(), |line| {
        format!("; it said `{}`", quoted(line))
    })
}

/// The fault of an answer that is not what was expected, such as GTP.
pub(super) fn malformed(command: &str, answer: &str, expected: &'static str) -> Fault {
    Fault::Malformed {
        command: command.to_owned(),
        answer: quoted(answer),
        expected,
    }
}

/// A text quoted for messages.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_LEN).collect()
}

/// The text after `=` or `?` and the id, and whether there is one, if this line begins the answer to a command; `None`
/// if it answers another one, or none.
fn beginning(line: &str, id: u32, numbered: bool) -> Option<(&str, bool)> {
    let starts_with_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let rest = line.strip_prefix(['=', '?'])?;
    let after_id = rest.strip_prefix(&id.to_string());
    if let Some(text) = after_id.filter(|text| numbered && !starts_with_digit(text)) {
        return Some((text, true));
    }
    // The first command asks for a number: anything else is a banner's, as are rules drawn with such characters.
    let is_number = rest.trim().is_empty() || starts_with_digit(rest.trim_start());
    let may_be_first = id == 1 && (is_number || line.starts_with('?'));
    let answers = (!numbered || may_be_first) && !rest.starts_with(['=', '?']);
    answers.then_some((rest, false))
}

/// The text of these lines, or the engine's error.
fn answer(command: &str, succeeds: bool, lines: &[String]) -> Result<String, Fault> {
    let text = lines.join("\n");
    match succeeds {
        true => Ok(text),
        false => Err(Fault::Refused {
            command: command.to_owned(),
            message: text.chars().take(REASON_LEN).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        let text = beginning(line, 17, true).map(|(text, numbered)| {
            assert!(numbered, "{line}");
            text.trim()
        });
        assert_eq!(text, expected, "{line}");
    }

    #[test]
    fn answers_are_read_with_their_id() {
        check("=17 D4", Some("D4"));
        check("=17", Some(""));
        check("=17D4 ", Some("D4"));
        check("?17 no", Some("no"));
        let lines = ["", ". X", "O ."].map(str::to_owned);
        let text = answer("showboard", true, &lines);
        assert_eq!(text.as_deref(), Ok("\n. X\nO ."));
    }

    #[test]
    fn an_answer_to_another_command_is_none() {
        check("=16 D4", None);
        check("=1 7", None);
        check("=171 D4", None);
        check("= D4", None);
    }

    #[test]
    fn a_banner_does_not_take_the_ids_away() {
        let has_id = |line: &str, id, numbered| Some(beginning(line, id, numbered)?.1);
        for banner in ["= ready", "=== Engine 1.0 ===", "ready"] {
            assert_eq!(has_id(banner, 1, true), None, "{banner}");
        }
        assert_eq!(has_id("=1 2", 1, true), Some(true));
        for plain in ["= 2", "=", "? unknown command"] {
            assert_eq!(has_id(plain, 1, true), Some(false), "{plain}");
            assert_eq!(has_id(plain, 2, true), None, "{plain}");
        }
        assert_eq!(has_id("= D4", 7, false), Some(false));
    }

    /// The answer of a shell's script to the first command.
    #[cfg(unix)]
    fn told(script: &str, limit: Duration) -> Result<String, Fault> {
        use std::fs::File;
        use std::sync::Arc;

        use crate::clock::{Clock, SystemClock};
        use crate::referee::process::{EngineProcesses, EngineSpec};

        let spec = EngineSpec::new(
            "script",
            &format!("sh -c 'read asked; {script}; read more'"),
        );
        let stderr = File::options().write(true).open("/dev/null").unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let engines = EngineProcesses::default();
        let process = EngineProcess::spawn(&spec, stderr, &clock, &engines).unwrap();
        let told = GtpClient::new(process).command("protocol_version", limit);
        told.map(|(text, _)| text)
    }

    #[test]
    #[cfg(unix)]
    fn lines_after_the_first_keep_the_blanks_at_their_beginnings() {
        let script = r#"printf "ready\n\n=1  . X \n O .  \n\n""#;
        let text = told(script, Duration::from_secs(60));
        assert_eq!(text.as_deref(), Ok(". X\n O ."));
    }

    #[test]
    #[cfg(unix)]
    fn what_a_hanging_engine_said_first_is_quoted() {
        for (script, said) in [
            (r#"printf "UNKNOWN command\nready\n""#, "`UNKNOWN command`"),
            (
                r#"printf "ready\n=1 2\n3\n""#,
                "`=1 2 (no empty line follows)`",
            ),
        ] {
            let fault = told(script, Duration::from_secs(3)).unwrap_err();
            assert!(
                fault.to_string().ends_with(&format!("; it said {said}")),
                "{fault}"
            );
        }
    }

    #[test]
    fn an_error_is_a_refusal_in_the_engines_words() {
        let fault = answer("play b A1", false, &["illegal move".to_owned()]).unwrap_err();
        assert_eq!(fault.to_string(), "refused `play b A1`: illegal move");
    }
}
