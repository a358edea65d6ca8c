//! Connections: one thread each, limited to the needs of a few pages. Those without the token have a few places of their
//! own, so that they take none from pages.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;

use super::http::{self, Refused, Reply, Request};
use super::{Host, Page, Site};

/// Maximum number of connections with the token. A page has up to six.
const MAX_CONNECTIONS: usize = 256;
/// Maximum number of others, and of those from one address.
const MAX_STRANGERS: usize = 48;
const MAX_STRANGERS_OF_ADDRESS: usize = 16;
/// Maximum number of pages, whose connections stay open: those of a class.
const MAX_PAGES: usize = 64;
/// Interval for checking whether an idle page is still open.
const ALIVE: Duration = Duration::from_secs(2);

/// What is open: each connection and each page holds a share.
#[derive(Default)]
struct Count {
    connections: Arc<()>,
    pages: Arc<()>,
    strangers: Strangers,
}

/// One of at most this many shares; `None` if all are held. Two requests at once for the last one may both be refused.
fn share(all: &Arc<()>, most: usize) -> Option<Arc<()>> {
    let share = Arc::clone(all);
    // The first one is held by the count itself.
    (Arc::strong_count(all) <= most + 1).then_some(share)
}

/// Connections whose request is not known, or refused. The oldest makes room for a new one: a client that sends its request at
/// once is heard, however many send nothing.
#[derive(Default)]
struct Strangers(Mutex<VecDeque<(IpAddr, Arc<TcpStream>)>>);

impl Strangers {
    fn add(&self, address: IpAddr, stream: &Arc<TcpStream>) {
        let mut strangers = self.0.lock();
        let is_own = |(other, _): &&(IpAddr, _)| *other == address;
        let place = match strangers.iter().filter(is_own).count() {
            MAX_STRANGERS_OF_ADDRESS.. => strangers.iter().position(|other| is_own(&other)),
            _ => (strangers.len() >= MAX_STRANGERS).then_some(0),
        };
        if let Some((_, oldest)) = place.and_then(|place| strangers.remove(place)) {
            // What it has sent is read, and its thread ends.
            let _ = oldest.shutdown(Shutdown::Read);
        }
        strangers.push_back((address, Arc::clone(stream)));
    }

    fn remove(&self, stream: &Arc<TcpStream>) {
        self.0
            .lock()
            .retain(|(_, other)| !Arc::ptr_eq(other, stream));
    }
}

/// Why a page cannot be served: the port is taken, this computer has no address in a network, or the system has no random
/// numbers or no thread.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ServerError(String);

/// A server on the loopback address, or for the local network.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
}

impl Server {
    /// Takes a port, any free one for 0: of the loopback address, or for all computers of the local network. There all who
    /// have the address can use the page, and others on the network can read along, as nothing is encrypted. Nothing is
    /// answered before it [serves](Server::serve).
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn bind(port: u16, host: Arc<dyn Host>, for_network: bool) -> Result<Server, ServerError> {
        let networks = for_network.then(own_addresses).unwrap_or_default();
        if for_network && networks.is_empty() {
            let text = "this computer is in no network that a phone could use";
            return Err(ServerError(text.to_owned()));
        }
        let at = match for_network {
            true => Ipv4Addr::UNSPECIFIED,
            false => Ipv4Addr::LOCALHOST,
        };
        let refused = |error: io::Error| ServerError(format!("cannot use port {port}: {error}"));
        let listener = TcpListener::bind((at, port)).map_err(refused)?;
        let site = Site {
            host,
            token: token()?,
            port: listener.local_addr().map_err(refused)?.port(),
            networks,
        };
        Ok(Server {
            listener,
            site: Arc::new(site),
        })
    }

    /// The address of the page, with the secret that it takes to open it.
    pub fn address(&self) -> String {
        self.site.address(Ipv4Addr::LOCALHOST)
    }

    /// The addresses for other computers, one for each network of this one, if it is for them.
    pub fn network_addresses(&self) -> Vec<String> {
        let networks = self.site.networks.iter();
        networks.map(|&own| self.site.address(own)).collect()
    }

    /// Serves on a thread of its own, until the program ends.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn spawn(self) -> Result<(), ServerError> {
        let thread = std::thread::Builder::new().name("server".to_owned());
        let spawned = thread.spawn(move || self.serve());
        let failed = |error: io::Error| ServerError(format!("no thread can be started: {error}"));
        spawned.map(drop).map_err(failed)
    }

    /// Serves forever.
    pub fn serve(self) -> ! {
        let count = Arc::new(Count::default());
        loop {
            let (stream, address) = match self.listener.accept() {
                Ok((stream, address)) => (Arc::new(stream), address.ip()),
                // The client was gone at once, or no file descriptors are left.
                Err(error) => {
                    log::debug!("a connection was not taken: {error}");
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
            };
            let (site, counts) = (Arc::clone(&self.site), Arc::clone(&count));
            count.strangers.add(address, &stream);
            let client = Arc::clone(&stream);
            let thread = std::thread::Builder::new().name("page".to_owned());
            let spawned = thread.spawn(move || {
                if let Err(error) = connection(&client, &site, &counts) {
                    log::debug!("a connection broke off: {error}");
                }
                counts.strangers.remove(&client);
            });
            if let Err(error) = spawned {
                // That closes it.
                count.strangers.remove(&stream);
                log::warn!("no thread for a connection: {error}");
            }
        }
    }
}

/// An unguessable token: 128 bits from the operating system.
fn token() -> Result<String, ServerError> {
    let mut bytes = [0; 16];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| ServerError(format!("no random numbers for the address: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// This computer's addresses in its networks, the one by which it reaches others first. A computer that phones are connected
/// to may reach no others.
fn own_addresses() -> Vec<Ipv4Addr> {
    let mut own = Vec::from_iter(routed_address());
    for interface in if_addrs::get_if_addrs().unwrap_or_default() {
        if let IpAddr::V4(address) = interface.ip()
            && !address.is_loopback()
            && !address.is_link_local()
            && !own.contains(&address)
        {
            own.push(address);
        }
    }
    own
}

/// The address from which this computer would send a packet elsewhere. None is sent.
fn routed_address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that is reserved for documentation.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(own) if !own.is_loopback() && !own.is_unspecified() => Some(own),
        _ => None,
    }
}

fn connection(stream: &Arc<TcpStream>, site: &Site, count: &Count) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let refuse = |refused| match refused {
        Refused::Gone => Ok(()),
        Refused::Status(status) => http::write(stream, &Reply::text(status, "refused\n")),
    };
    let mut request = match Request::read_head(stream) {
        Ok(request) => request,
        Err(refused) => return refuse(refused),
    };
    let path = match site.admit(&request) {
        Ok(path) => path,
        Err(refusal) => return http::write(stream, &refusal),
    };
    let Some(_share) = share(&count.connections, MAX_CONNECTIONS) else {
        return http::write(stream, &Reply::text(503, "too many connections\n"));
    };
    count.strangers.remove(stream);
    if let Err(refused) = request.read_body(stream) {
        return refuse(refused);
    }
    if path != "events" {
        return http::write(stream, &site.answer(&path, &request));
    }
    http::begin_events(stream)?;
    match share(&count.pages, MAX_PAGES) {
        Some(_share) => events(stream, Arc::clone(&site.host).open(request.query())),
        // A page is not told the status of a refused connection for events.
        None => write!(&**stream, "event: full\ndata: {MAX_PAGES}\n\n"),
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
        let server = Server::bind(0, Arc::new(Nothing), false).expect("a free port");
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
