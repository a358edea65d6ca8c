//! A board as a process, and a client that speaks HTTP over plain TCP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tengen::clock::{Clock as _, SystemClock};

use crate::killed::Killed;

/// After this time a silent board counts as hanging.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// A running board.
pub(super) struct Board {
    pub(super) child: Killed,
    pub(super) address: String,
    pub(super) port: u16,
    pub(super) token: String,
}

impl Board {
    pub(super) fn start(args: &[&str]) -> Board {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .arg("board")
            // What people play on this machine is not for tests.
            .args(
                ["--autosave", "off"]
                    .iter()
                    .filter(|_| !args.contains(&"--autosave")),
            )
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary was built for this test");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        let read = BufReader::new(output).read_line(&mut line);
        read.expect("text");
        Board::of(child, line.trim())
    }

    /// A program that serves a page at this address.
    pub(super) fn of(child: Child, address: &str) -> Board {
        let address = address.to_owned();
        let rest = address
            .strip_prefix("http://127.0.0.1:")
            .expect("an address");
        let (port, token) = rest.split_once('/').expect("an address with a token");
        let (port, token) = (port.parse().expect("a port"), token.trim_end_matches('/'));
        assert_eq!(token.len(), 32, "{address}");
        Board {
            child: Killed(child),
            port,
            token: token.to_owned(),
            address,
        }
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn get(&self, name: &str) -> Reply {
        let path = format!("/{}/{name}", self.token);
        get(self.port, &path, &self.host(), &[]).expect("an answer")
    }

    pub(super) fn post(&self, name: &str, content_type: &str, body: &[u8]) -> Reply {
        let head = format!(
            "POST /{}/{name} HTTP/1.1\r\nHost: {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            self.token,
            self.host(),
            body.len()
        );
        let bytes = [head.as_bytes(), body].concat();
        request(self.port, &bytes).expect("an answer")
    }

    /// A command that has to succeed.
    #[track_caller]
    pub(super) fn do_it(&self, command: &Value) {
        let reply = self.post("do", "application/json", command.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{command}: {}", reply.body);
    }

    /// The answer to a refused command.
    #[track_caller]
    pub(super) fn refusal(&self, command: &Value) -> String {
        let reply = self.post("do", "application/json", command.to_string().as_bytes());
        assert_eq!(reply.status, 422, "{command}: {}", reply.body);
        let said: Value = serde_json::from_str(&reply.body).expect("JSON");
        said["error"].as_str().expect("a reason").to_owned()
    }

    /// The state sent to a newly opened page.
    pub(super) fn state(&self) -> Value {
        Events::open(self).next_of("state")
    }

    /// A connection for events of which none was read.
    pub(super) fn open_events(&self) -> TcpStream {
        self.open_events_of("events")
    }

    fn open_events_of(&self, name: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let head = format!(
            "GET /{}/{name} HTTP/1.1\r\nHost: {}\r\n\r\n",
            self.token,
            self.host()
        );
        stream.write_all(head.as_bytes()).expect("it takes it");
        stream
            .set_read_timeout(Some(HANG_TIMEOUT))
            .expect("a time-out");
        stream
    }

    /// Processor time used, in hundredths of a second; on Linux only.
    pub(super) fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.0.id()));
        let stat = stat.expect("it runs");
        let (_, rest) = stat.rsplit_once(") ").expect("a name in brackets");
        let fields: Vec<u64> = rest
            .split(' ')
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        fields[11] + fields[12]
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Requests a path with these headers.
pub(super) fn get(port: u16, path: &str, host: &str, more: &[&str]) -> Option<Reply> {
    let more: String = more.iter().map(|header| format!("{header}\r\n")).collect();
    let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n");
    request(port, text.as_bytes())
}

/// Sends bytes and reads the answer, if any.
pub(super) fn request(port: u16, bytes: &[u8]) -> Option<Reply> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream
        .set_read_timeout(Some(HANG_TIMEOUT))
        .expect("a time-out");
    // It may refuse before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    // Some keep the connection open behind the answer.
    while !is_whole(&answer) {
        match stream.read(&mut buffer) {
            Ok(read @ 1..) => answer.extend_from_slice(&buffer[..read]),
            _ => break,
        }
    }
    let answer = String::from_utf8(answer).expect("UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(':'));
    Some(Reply {
        status,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect(),
        body: body.to_owned(),
    })
}

/// Whether an answer that says how long it is has all been read.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: Option<usize> = length.and_then(|(_, value)| value.trim().parse().ok());
    length.is_some_and(|length| answer.len() >= head.len() + 4 + length)
}

/// Waits until the other side ends a connection.
pub(super) fn wait_for_end(mut stream: TcpStream) {
    stream
        .set_read_timeout(Some(HANG_TIMEOUT))
        .expect("a time-out");
    let mut rest = Vec::new();
    let ended = stream.read_to_end(&mut rest);
    assert!(ended.is_ok() || rest.is_empty(), "{ended:?}");
}

/// The events of a page.
pub(super) struct Events {
    lines: BufReader<TcpStream>,
}

impl Events {
    pub(super) fn open(board: &Board) -> Events {
        Events::open_at(board, "events")
    }

    /// The events under another name, such as `events?1`.
    pub(super) fn open_at(board: &Board, name: &str) -> Events {
        let mut lines = BufReader::new(board.open_events_of(name));
        let mut line = String::new();
        loop {
            line.clear();
            lines.read_line(&mut line).expect("a head");
            if line == "\r\n" {
                return Events { lines };
            }
            assert!(!line.is_empty(), "the stream has ended");
        }
    }

    /// The next event and its data, if it comes in time: the lines that keep the connection alive
    /// do not count.
    fn next(&mut self, clock: &SystemClock) -> Option<(String, Value)> {
        let mut kind = String::new();
        while clock.now() < HANG_TIMEOUT {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("an event in time");
            assert!(read > 0, "the stream has ended");
            if let Some(name) = line.strip_prefix("event: ") {
                name.trim().clone_into(&mut kind);
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((kind, serde_json::from_str(data).expect("JSON")));
            }
        }
        None
    }

    /// The next event of a kind.
    pub(super) fn next_of(&mut self, kind: &str) -> Value {
        self.wait(kind, |_| true)
    }

    /// The first state that satisfies a condition.
    pub(super) fn state(&mut self, is_it: impl FnMut(&Value) -> bool) -> Value {
        self.wait("state", is_it)
    }

    /// The first analysis that satisfies a condition.
    pub(super) fn analysis(&mut self, is_it: impl FnMut(&Value) -> bool) -> Value {
        self.wait("analysis", is_it)
    }

    /// The state after the next finished review.
    pub(super) fn wait_for_review(&mut self) -> Value {
        self.state(|state| state["reviewed"].as_u64() > Some(0))
    }

    /// The first event of a kind that satisfies a condition.
    pub(super) fn wait(&mut self, kind: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let clock = SystemClock::new();
        let mut last = Value::Null;
        while let Some((found, data)) = self.next(&clock) {
            if found == kind && is_it(&data) {
                return data;
            }
            last = data;
        }
        panic!("no such {kind}; the last event: {last}");
    }
}
