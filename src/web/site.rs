//! The resources under the page's address, and access control.

use std::sync::Arc;
use std::time::Duration;

use super::assets;
use super::http::{Reply, Request};

/// What a site is about.
pub trait Host: Send + Sync {
    /// The module of the page with which it begins.
    fn start(&self) -> &'static str;

    /// The paths that change something, which take `POST`; all others take `GET`.
    fn commands(&self) -> &'static [&'static str] {
        &[]
    }

    /// The answer to a request that is not for the page's own files; `None` if there is nothing
    /// under this path.
    fn answer(&self, path: &str, request: &Request) -> Option<Reply>;

    /// A page is open as long as the result exists. `query` is that of its address.
    fn open(self: Arc<Self>, query: &str) -> Box<dyn Page>;
}

/// An open page.
pub trait Page {
    /// Messages since the last call, each with its kind; waits for them up to this time. A page
    /// that is slow to ask gets the newest of each kind only.
    fn news(&mut self, patience: Duration) -> Vec<(&'static str, Arc<str>)>;
}

/// The answer to a request.
pub(super) enum Answer {
    Reply(Reply),
    /// A stream of events for a page.
    Events(Box<dyn Page>),
}

/// The site.
pub(super) struct Site {
    pub(super) host: Arc<dyn Host>,
    pub(super) token: String,
    pub(super) port: u16,
}

impl Site {
    pub(super) fn answer(&self, request: &Request) -> Answer {
        match self.admit(request) {
            Ok((path, query)) => self.route(path, query, request),
            Err(refusal) => Answer::Reply(refusal),
        }
    }

    /// The path after the token and the query, if the client is allowed.
    fn admit<'a>(&self, request: &'a Request) -> Result<(&'a str, &'a str), Reply> {
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
        let path = request.path.split_once('?');
        let (path, query) = path.unwrap_or((&request.path, ""));
        let (token, rest) = path
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'))
            .unwrap_or_default();
        if same(token.as_bytes(), self.token.as_bytes()) {
            return Ok((rest, query));
        }
        let text = "Open the whole address that was printed.\n";
        Err(Reply::text(404, text))
    }

    fn route(&self, path: &str, query: &str, request: &Request) -> Answer {
        let posts = self.host.commands().contains(&path);
        let method = if posts { "POST" } else { "GET" };
        if request.method != method {
            return Answer::Reply(Reply::text(405, "another method is needed\n"));
        }
        if path == "events" {
            return Answer::Events(Arc::clone(&self.host).open(query));
        }
        let own = || {
            let (content_type, text) = assets::find(path, self.host.start())?;
            Some(Reply {
                content_type,
                ..Reply::text(200, &text)
            })
        };
        let found = self.host.answer(path, request).or_else(own);
        Answer::Reply(found.unwrap_or_else(|| Reply::text(404, "there is no such page\n")))
    }
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
pub(super) fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
