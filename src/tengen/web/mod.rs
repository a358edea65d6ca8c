//! The page of the board in the browser, and the server for it on this computer's own address.
//!
//! The page's files are part of the program. What is shown and what may be asked for comes from a
//! [`Host`]: a board to play on, or games to watch. The server knows no game; the page
//! replays records by its own rules (`page/replay.js`).

mod assets;
mod http;
mod server;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

pub use assets::{STYLE, body, file_script};
pub use http::{Reply, Request};
pub use server::{Server, ServerError};

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

/// The site.
pub(super) struct Site {
    pub(super) host: Arc<dyn Host>,
    pub(super) token: String,
    pub(super) port: u16,
    /// This computer's addresses in local networks, if the site is for them, too.
    pub(super) networks: Vec<Ipv4Addr>,
}

impl Site {
    /// The address of the page on this host.
    pub(super) fn address(&self, host: Ipv4Addr) -> String {
        format!("http://{host}:{}/{}/", self.port, self.token)
    }

    /// The path after the token, if the client is allowed and the method is that of the path: judged before the body of
    /// the request is read.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn admit(&self, request: &Request) -> Result<String, Reply> {
        // A request through another host name for this machine has that name in its header.
        // Browsers leave out the port that is usual.
        let port = match self.port {
            80 => String::new(),
            port => format!(":{port}"),
        };
        let hosts = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let networks = self.networks.iter().map(Ipv4Addr::to_string);
        let mut hosts = hosts.into_iter().chain(networks).map(|host| host + &port);
        let named = request.host.as_deref().unwrap_or_default();
        if !hosts.any(|host| host.eq_ignore_ascii_case(named)) {
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
        if !same(token.as_bytes(), self.token.as_bytes()) {
            let text = "Open the whole address that was printed.\n请打开程序显示的完整网址。\n";
            return Err(Reply::text(404, text));
        }
        let posts = self.host.commands().contains(&rest);
        let method = if posts { "POST" } else { "GET" };
        if request.method != method {
            return Err(Reply::text(405, "another method is needed\n"));
        }
        Ok(rest.to_owned())
    }

    /// Answers a request that is admitted, other than one for events.
    pub(super) fn answer(&self, path: &str, request: &Request) -> Reply {
        let own = || {
            let (content_type, text) = assets::find(path, self.host.start())?;
            Some(Reply {
                content_type,
                ..Reply::text(200, &text)
            })
        };
        let found = self.host.answer(path, request).or_else(own);
        found.unwrap_or_else(|| Reply::text(404, "there is no such page\n"))
    }
}

/// Compares in constant time.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) struct Nothing;

    impl Page for Nothing {
        fn news(&mut self, _: Duration) -> Vec<(&'static str, Arc<str>)> {
            Vec::new()
        }
    }

    impl Host for Nothing {
        fn start(&self) -> &'static str {
            "start.js"
        }

        fn answer(&self, _: &str, _: &Request) -> Option<Reply> {
            None
        }

        fn open(self: Arc<Self>, _: &str) -> Box<dyn Page> {
            Box::new(Nothing)
        }
    }

    /// Whether a request under this name of the host, from a page of this origin, is admitted.
    fn admits(port: u16, networks: &[Ipv4Addr], host: &str, origin: Option<&str>) -> bool {
        let site = Site {
            host: Arc::new(Nothing),
            token: "t".to_owned(),
            port,
            networks: networks.to_vec(),
        };
        let request = Request {
            method: "GET".to_owned(),
            path: "/t/".to_owned(),
            host: Some(host.to_owned()),
            origin: origin.map(str::to_owned),
            ..Request::default()
        };
        site.admit(&request).is_ok()
    }

    #[test]
    fn browsers_leave_the_usual_port_out() {
        assert!(admits(80, &[], "127.0.0.1", Some("http://127.0.0.1")));
        assert!(admits(80, &[], "localhost", None));
        assert!(!admits(80, &[], "evil.example", None));
        assert!(!admits(8080, &[], "127.0.0.1", None));
        assert!(admits(
            8080,
            &[],
            "127.0.0.1:8080",
            Some("http://127.0.0.1:8080")
        ));
    }

    #[test]
    fn only_a_site_for_the_network_is_reached_by_its_address() {
        let (own, other) = (Ipv4Addr::new(192, 168, 1, 7), Ipv4Addr::new(10, 0, 0, 1));
        assert!(!admits(8080, &[], "192.168.1.7:8080", None));
        assert!(admits(
            8080,
            &[other, own],
            "192.168.1.7:8080",
            Some("http://192.168.1.7:8080")
        ));
        assert!(!admits(8080, &[other, own], "192.168.1.8:8080", None));
        assert!(!admits(
            8080,
            &[other, own],
            "192.168.1.7:8080",
            Some("http://127.0.0.1:8080")
        ));
    }
}
