//! Connections: one thread each, limited to the needs of a few pages.

use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::http::{self, Refused, Reply};
use super::site::{Answer, Site};
use super::table::Page;

/// Maximum number of connections. A page has up to six.
const MOST_CONNECTIONS: usize = 64;
/// Maximum number of pages, whose connections stay open.
const MOST_PAGES: usize = 24;
/// Interval for checking whether an idle page is still open.
const ALIVE: Duration = Duration::from_secs(2);

/// Current number.
#[derive(Default)]
struct Count {
    connections: AtomicUsize,
    pages: AtomicUsize,
}

/// A counted connection, until it is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// `None` at the maximum number.
    fn new(count: &'a AtomicUsize, most: usize) -> Option<Counted<'a>> {
        let before = count.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(count);
        (before < most).then_some(counted)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves the site forever.
pub(super) fn serve(listener: &TcpListener, site: &Arc<Site>) -> ! {
    let count = Arc::new(Count::default());
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // The client was gone at once, or no file descriptors are left.
            Err(error) => {
                log::debug!("a connection was not taken: {error}");
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        let (site, count) = (Arc::clone(site), Arc::clone(&count));
        let thread = std::thread::Builder::new().name("page".to_owned());
        let spawned = thread.spawn(move || {
            if let Err(error) = connection(stream, &site, &count) {
                log::debug!("a connection broke off: {error}");
            }
        });
        if let Err(error) = spawned {
            log::warn!("no thread for a connection: {error}");
        }
    }
}

fn connection(mut stream: TcpStream, site: &Site, count: &Count) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(_counted) = Counted::new(&count.connections, MOST_CONNECTIONS) else {
        return http::write(&mut stream, &Reply::text(503, "too many connections\n"));
    };
    let request = match http::read(&mut stream) {
        Ok(request) => request,
        Err(Refused::Gone) => return Ok(()),
        Err(Refused::Status(status)) => {
            return http::write(&mut stream, &Reply::text(status, "refused\n"));
        }
    };
    match site.answer(&request) {
        Answer::Reply(reply) => http::write(&mut stream, &reply),
        Answer::Events => match Counted::new(&count.pages, MOST_PAGES) {
            Some(_counted) => events(&mut stream, site.table.open()),
            None => http::write(&mut stream, &Reply::text(503, "too many pages\n")),
        },
    }
}

/// Whether the client has closed the connection. A page sends nothing after its request.
fn is_gone(stream: &TcpStream) -> io::Result<bool> {
    stream.set_nonblocking(true)?;
    let gone = matches!(stream.peek(&mut [0]), Ok(0));
    stream.set_nonblocking(false)?;
    Ok(gone)
}

/// Sends changes to a page, until it is gone or stops reading.
fn events(stream: &mut TcpStream, mut page: Page) -> io::Result<()> {
    http::begin_events(stream)?;
    loop {
        let news = page.news(ALIVE);
        if is_gone(stream)? {
            return Ok(());
        }
        let mut text = String::new();
        for (kind, data) in &news {
            // JSON has no line breaks.
            text.extend(["event: ", kind, "\ndata: ", data, "\n\n"]);
        }
        if news.is_empty() {
            text.push_str(":\n\n");
        }
        stream.write_all(text.as_bytes())?;
    }
}
