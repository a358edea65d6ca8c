//! One request per connection, over HTTP/1.1: reading it within limits of size and time, first its head, and writing the
//! answer. The head is parsed by `httparse`.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::clock::{Clock as _, SystemClock};

/// Maximum size of a head: a browser's has less than a kilobyte.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
/// Maximum size of a body: a game of the largest size that `loadsgf` accepts.
pub(super) const MAX_BODY: usize = 16 << 20;
/// Time limit for sending the whole head, and for the whole body of a request that is admitted.
const HEAD_TIME: Duration = Duration::from_secs(5);
const BODY_TIME: Duration = Duration::from_secs(30);
/// Time limit for a client that does not read.
pub(super) const WRITE_TIME: Duration = Duration::from_secs(5);

/// A request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    pub(super) method: String,
    /// As sent, with its query.
    pub(super) path: String,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    /// The browser's `Sec-Fetch-Site` header for the requesting page.
    pub(super) site: Option<String>,
    /// Its content type, if given.
    pub content_type: Option<String>,
    /// Length of its body in bytes.
    pub(super) length: usize,
    /// Its body; what has come with the head, until all of it is read.
    pub body: Vec<u8>,
}

/// Reason why there is no request.
#[derive(Debug)]
pub(super) enum Refused {
    /// The client is gone, or too slow.
    Gone,
    /// Answered with this status.
    Status(u16),
}

impl From<io::Error> for Refused {
    fn from(_: io::Error) -> Refused {
        Refused::Gone
    }
}

/// Reads from a connection until a deadline.
struct Until<'a> {
    stream: &'a TcpStream,
    clock: SystemClock,
    within: Duration,
}

impl Until<'_> {
    fn new(stream: &TcpStream, within: Duration) -> Until<'_> {
        let clock = SystemClock::new();
        Until {
            stream,
            within: clock.now() + within,
            clock,
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Refused> {
        let left = self.within.saturating_sub(self.clock.now());
        if left.is_zero() {
            return Err(Refused::Gone);
        }
        self.stream.set_read_timeout(Some(left))?;
        match self.stream.read(buffer)? {
            0 => Err(Refused::Gone),
            read => Ok(read),
        }
    }
}

impl Request {
    /// What follows the `?` in its address; empty without one.
    pub fn query(&self) -> &str {
        self.path.split_once('?').map_or("", |(_, query)| query)
    }

    /// Reads the head of a request.
    pub(super) fn read_head(stream: &TcpStream) -> Result<Request, Refused> {
        let mut until = Until::new(stream, HEAD_TIME);
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = until.read(&mut buffer)?;
            bytes.extend_from_slice(&buffer[..read]);
            let parsed = Request::parse_head(&bytes).map_err(Refused::Status)?;
            if let Some((request, head)) = parsed {
                let body = bytes.split_off(head);
                return Ok(Request { body, ..request });
            }
            if bytes.len() > MAX_HEAD {
                return Err(Refused::Status(431));
            }
        }
    }

    /// Reads the body of a request.
    pub(super) fn read_body(&mut self, stream: &TcpStream) -> Result<(), Refused> {
        if self.length > MAX_BODY {
            return Err(Refused::Status(413));
        }
        let mut until = Until::new(stream, BODY_TIME);
        let mut buffer = [0; 4096];
        while self.body.len() < self.length {
            let read = until.read(&mut buffer)?;
            self.body.extend_from_slice(&buffer[..read]);
        }
        self.body.truncate(self.length);
        Ok(())
    }

    /// A request without its body, and the length of its head in bytes; `None` if the head is incomplete.
    ///
    /// # Errors
    /// The status of HTTP with which it is refused.
    pub fn parse_head(bytes: &[u8]) -> Result<Option<(Request, usize)>, u16> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let head = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(431),
            Err(_) => return Err(400),
        };
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            ..Request::default()
        };
        for header in parsed.headers.iter() {
            let value = || String::from_utf8_lossy(header.value).trim().to_owned();
            let once = |slot: &mut Option<String>| match slot.replace(value()) {
                // Two hosts are an attack.
                Some(_) => Err(400_u16),
                None => Ok(()),
            };
            match header.name.to_ascii_lowercase().as_str() {
                "host" => once(&mut request.host)?,
                "origin" => once(&mut request.origin)?,
                "sec-fetch-site" => once(&mut request.site)?,
                "content-type" => once(&mut request.content_type)?,
                "content-length" => {
                    request.length = value().parse().map_err(|_| 400_u16)?;
                }
                "transfer-encoding" => return Err(411),
                _ => {}
            }
        }
        Ok(Some((request, head)))
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status code of HTTP.
    pub status: u16,
    /// Its content type.
    pub content_type: &'static str,
    /// File name for saving in the browser.
    pub file_name: Option<&'static str>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Plain text.
    pub fn text(status: u16, text: &str) -> Reply {
        Reply {
            status,
            content_type: "text/plain; charset=utf-8",
            file_name: None,
            body: text.as_bytes().to_vec(),
        }
    }

    /// A text of JSON.
    pub fn json(status: u16, text: impl Into<String>) -> Reply {
        Reply {
            content_type: "application/json",
            body: text.into().into_bytes(),
            ..Reply::text(status, "")
        }
    }
}

/// Only the page's own resources are loaded or run, no other page may frame it, and the address with
/// its token is never sent as a referrer.
const ALWAYS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// Writes an answer and ends the connection.
pub(super) fn write(mut stream: &TcpStream, reply: &Reply) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let named = reply.file_name.map_or(String::new(), |name| {
        format!("Content-Disposition: attachment; filename=\"{name}\"\r\n")
    });
    let head = format!(
        // The reason after the status may be empty, and browsers show none.
        "HTTP/1.1 {} \r\nContent-Type: {}\r\nContent-Length: {}\r\n{named}{ALWAYS}\r\n",
        reply.status,
        reply.content_type,
        reply.body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&reply.body)?;
    stream.flush()?;
    stream.shutdown(Shutdown::Write)?;
    // Unread input would make the system discard the answer.
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let mut rest = [0; 4096];
    for _ in 0..16 {
        if stream.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// Begins a stream of events (`text/event-stream`).
pub(super) fn begin_events(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{ALWAYS}\r\n");
    stream.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<u16> {
        Request::parse_head(text.as_bytes()).err()
    }

    #[test]
    fn a_head_is_read_when_it_is_whole() {
        let text = "POST /x/do HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 3\r\n\r\nabc";
        for cut in 0..text.len() - 3 {
            assert!(
                matches!(Request::parse_head(&text.as_bytes()[..cut]), Ok(None)),
                "{cut}"
            );
        }
        let (request, head) = Request::parse_head(text.as_bytes())
            .expect("whole")
            .expect("whole");
        assert_eq!((&text[head..], request.length), ("abc", 3));
        assert_eq!((&*request.method, &*request.path), ("POST", "/x/do"));
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:1"));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(refused("GET\r\n\r\n"), Some(400));
        let with = |header: &str| refused(&format!("GET / HTTP/1.1\r\n{header}\r\n\r\n"));
        assert_eq!(with("Content-Length: -1"), Some(400));
        assert_eq!(with("Content-Length: 99999999999999999999999"), Some(400));
        assert_eq!(with("Transfer-Encoding: chunked"), Some(411));
        assert_eq!(with("Host: a\r\nHost: b"), Some(400));
        assert_eq!(with(&"A: b\r\n".repeat(100)), Some(431));
        assert_eq!(with("Accept: */*"), None);
    }
}
