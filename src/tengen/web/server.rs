//! Connections: one thread each, limited to the needs of a few pages. Those without the token have a few places of their
//! own, so that they take none from pages.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;

use super::http::{self, Refused, Reply};
use super::{Answer, Host, Page, Site, token};

/// Maximum number of connections with the token. A page has up to six.
const MAX_CONNECTIONS: usize = 256;
/// Maximum number of others.
const MAX_STRANGERS: usize = 16;
/// Maximum number of pages, whose connections stay open: those of a class.
const MAX_PAGES: usize = 64;
/// Interval for checking whether an idle page is still open.
const ALIVE: Duration = Duration::from_secs(2);

/// Current number.
#[derive(Default)]
struct Count {
    connections: AtomicUsize,
    pages: AtomicUsize,
    strangers: Strangers,
}

/// Connections whose request is not known, or refused. The oldest makes room for a new one: a client that sends its request at
/// once is heard, however many send nothing.
#[derive(Default)]
struct Strangers(Mutex<VecDeque<Arc<TcpStream>>>);

impl Strangers {
    fn add(&self, stream: &Arc<TcpStream>) {
        let mut strangers = self.0.lock();
        let is_full = strangers.len() >= MAX_STRANGERS;
        if let Some(oldest) = strangers.pop_front_if(|_| is_full) {
            // What it has sent is read, and its thread ends.
            let _ = oldest.shutdown(Shutdown::Read);
        }
        strangers.push_back(Arc::clone(stream));
    }

    fn remove(&self, stream: &Arc<TcpStream>) {
        self.0.lock().retain(|other| !Arc::ptr_eq(other, stream));
    }
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

/// Why a page cannot be served.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port is taken, or not allowed.
    #[error("cannot use port {port}: {source}")]
    Port {
        /// The port; 0 for any free one.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The system has no random numbers for the address.
    #[error("no random numbers for the address: {0}")]
    Token(getrandom::Error),
    /// No thread can be started.
    #[error("no thread can be started: {0}")]
    Thread(io::Error),
}

/// A server on the loopback address.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
}

impl Server {
    /// Takes a port of the loopback address, any free one for 0. Nothing is answered before it [serves](Server::serve).
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn bind(port: u16, host: Arc<dyn Host>) -> Result<Server, ServerError> {
        let refused = |source| ServerError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        let site = Site {
            host,
            token: token().map_err(ServerError::Token)?,
            port: listener.local_addr().map_err(refused)?.port(),
        };
        Ok(Server {
            listener,
            site: Arc::new(site),
        })
    }

    /// The address of the page, with the secret that it takes to open it.
    pub fn address(&self) -> String {
        let Site { port, token, .. } = &*self.site;
        format!("http://127.0.0.1:{port}/{token}/")
    }

    /// Serves on a thread of its own, until the program ends.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn spawn(self) -> Result<(), ServerError> {
        let thread = std::thread::Builder::new().name("server".to_owned());
        let spawned = thread.spawn(move || self.serve());
        spawned.map(drop).map_err(ServerError::Thread)
    }

    /// Serves forever.
    pub fn serve(self) -> ! {
        let count = Arc::new(Count::default());
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => Arc::new(stream),
                // The client was gone at once, or no file descriptors are left.
                Err(error) => {
                    log::debug!("a connection was not taken: {error}");
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
            };
            let (site, count) = (Arc::clone(&self.site), Arc::clone(&count));
            count.strangers.add(&stream);
            let thread = std::thread::Builder::new().name("page".to_owned());
            let spawned = thread.spawn(move || {
                if let Err(error) = connection(&stream, &site, &count) {
                    log::debug!("a connection broke off: {error}");
                }
                count.strangers.remove(&stream);
            });
            if let Err(error) = spawned {
                log::warn!("no thread for a connection: {error}");
            }
        }
    }
}

fn connection(stream: &Arc<TcpStream>, site: &Site, count: &Count) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let refuse = |refused| match refused {
        Refused::Gone => Ok(()),
        Refused::Status(status) => http::write(stream, &Reply::text(status, "refused\n")),
    };
    let head = match http::read_head(stream) {
        Ok(head) => head,
        Err(refused) => return refuse(refused),
    };
    let (path, query) = match site.admit(&head.request) {
        Ok(admitted) => admitted,
        Err(refusal) => return http::write(stream, &refusal),
    };
    let Some(_counted) = Counted::new(&count.connections, MAX_CONNECTIONS) else {
        return http::write(stream, &Reply::text(503, "too many connections\n"));
    };
    count.strangers.remove(stream);
    let request = match head.read_body(stream) {
        Ok(request) => request,
        Err(refused) => return refuse(refused),
    };
    match site.answer(&path, &query, &request) {
        Answer::Reply(reply) => http::write(stream, &reply),
        Answer::Events(page) => match Counted::new(&count.pages, MAX_PAGES) {
            Some(_counted) => events(stream, page),
            // A page is not told the status of a refused connection for events.
            None => {
                http::begin_events(stream)?;
                write!(&**stream, "event: full\ndata: {MAX_PAGES}\n\n")
            }
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
fn events(mut stream: &TcpStream, mut page: Box<dyn Page>) -> io::Result<()> {
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
            // A page that hears nothing for a while connects again.
            text.push_str("event: alive\ndata: 0\n\n");
        }
        stream.write_all(text.as_bytes())?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Nothing;
    use super::*;
    use std::io::Read as _;

    #[test]
    fn connections_without_the_token_take_no_place_and_upload_nothing() {
        let server = Server::bind(0, Arc::new(Nothing)).expect("a free port");
        let (port, token) = (server.site.port, server.site.token.clone());
        server.spawn().expect("a thread");
        let connect = |head: &str| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
            stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .expect("a socket");
            stream.write_all(head.as_bytes()).expect("it is open");
            stream
        };
        let status = |head: &str| {
            let mut answer = [0; 12];
            connect(head).read_exact(&mut answer).expect("an answer");
            String::from_utf8_lossy(&answer).into_owned()
        };
        let host = format!("Host: 127.0.0.1:{port}\r\n");
        let held: Vec<_> = (0..MAX_CONNECTIONS + 10)
            .map(|at| connect(["", "POST / HTTP/1.1\r\n"][at % 2]))
            .collect();
        // The body does not come, and is not waited for.
        let upload = format!("POST /x/do HTTP/1.1\r\n{host}Content-Length: 9\r\n\r\n");
        assert_eq!(status(&upload), "HTTP/1.1 404");
        let upload = format!("POST /{token}/ HTTP/1.1\r\n{host}Content-Length: 9\r\n\r\n");
        assert_eq!(status(&upload), "HTTP/1.1 405");
        let page = format!("GET /{token}/ HTTP/1.1\r\n{host}\r\n");
        assert_eq!(status(&page), "HTTP/1.1 200");
        drop(held);
    }
}
