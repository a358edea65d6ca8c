//! The resources under the board's address, and access control.

use std::sync::Arc;

use super::assets;
use super::command::Command;
use super::http::{Reply, Request};
use super::table::Table;

/// Maximum size of a command; games are sent another way.
const MOST_COMMAND: usize = 256 << 10;

/// The answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Reply(Reply),
    /// A stream of events for a page.
    Events,
}

/// The site.
pub(super) struct Site {
    pub(super) table: Arc<Table>,
    pub(super) token: String,
    pub(super) port: u16,
}

impl Site {
    pub(super) fn answer(&self, request: &Request) -> Answer {
        match self.admit(request) {
            Ok(path) => self.route(path, request),
            Err(refusal) => Answer::Reply(refusal),
        }
    }

    /// The path after the token, if the client is allowed.
    fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, Reply> {
        // A request through another host name for this machine has that name in its header.
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let named = request.host.as_deref().unwrap_or_default();
        if !hosts.iter().any(|host| host.eq_ignore_ascii_case(named)) {
            return Err(Reply::text(421, "not the address of this board\n"));
        }
        let foreign = |origin: &str| origin != format!("http://{}", named.to_ascii_lowercase());
        let site = request.site.as_deref().unwrap_or("none");
        if request.origin.as_deref().is_some_and(foreign)
            || !["none", "same-origin"].contains(&site)
        {
            return Err(Reply::text(403, "not for other pages\n"));
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let (token, rest) = path
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'))
            .unwrap_or_default();
        if same(token.as_bytes(), self.token.as_bytes()) {
            return Ok(rest);
        }
        let text = "Open the whole address that `tengen board` has printed.\n";
        Err(Reply::text(404, text))
    }

    fn route(&self, path: &str, request: &Request) -> Answer {
        let posts = ["do", "load"].contains(&path);
        let method = if posts { "POST" } else { "GET" };
        if request.method != method {
            return Answer::Reply(Reply::text(405, "another method is needed\n"));
        }
        Answer::Reply(match path {
            "events" => return Answer::Events,
            "do" => self.command(request),
            "load" => self.load(request),
            "review" => {
                let text = self.table.look(|session| Arc::clone(&session.reviewed.1));
                Reply::json(200, &*text)
            }
            "game.sgf" => Reply {
                content_type: "application/x-go-sgf; charset=utf-8",
                file_name: Some("game.sgf"),
                ..Reply::text(200, &self.table.look(super::session::Session::sgf))
            },
            _ => match assets::find(path) {
                Some((content_type, text)) => Reply {
                    content_type,
                    ..Reply::text(200, text)
                },
                None => Reply::text(404, "there is no such page\n"),
            },
        })
    }

    /// Other pages cannot send JSON without a preflight request, which is refused.
    fn command(&self, request: &Request) -> Reply {
        let json = request.content_type.as_deref().unwrap_or_default();
        if !json.starts_with("application/json") {
            return Reply::text(415, "commands are JSON\n");
        }
        if request.body.len() > MOST_COMMAND {
            return Reply::text(413, "a command is shorter\n");
        }
        let command: Command = match serde_json::from_slice(&request.body) {
            Ok(command) => command,
            Err(error) => return refusal(400, &format!("no command: {error}")),
        };
        done(command.run(&self.table))
    }

    fn load(&self, request: &Request) -> Reply {
        let kind = request.content_type.as_deref().unwrap_or_default();
        if kind != "application/octet-stream" {
            return Reply::text(415, "games are sent as application/octet-stream\n");
        }
        done(self.table.act(|session| session.load(&request.body)))
    }
}

fn done(result: anyhow::Result<()>) -> Reply {
    match result {
        Ok(()) => Reply::json(200, "{}"),
        Err(error) => refusal(422, &format!("{error:#}")),
    }
}

fn refusal(status: u16, text: &str) -> Reply {
    Reply::json(status, serde_json::json!({ "error": text }).to_string())
}

/// Compares in constant time.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// An unguessable token: 128 bits from the operating system.
///
/// # Errors
/// If the system has none.
pub(super) fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| anyhow::anyhow!("no random numbers for the address: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
