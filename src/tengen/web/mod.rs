//! The page of the board in the browser, and the server for it on this computer's own address.
//!
//! The page's files are part of the program. What is shown and what may be asked for comes from a
//! [`Host`]: a board to play on, or games to watch. The server knows no game; the page
//! replays records by its own rules (`page/replay.js`).

mod assets;
mod http;
mod server;
mod site;

pub use assets::{STYLE, body, file_script};
pub use http::{Reply, Request};
pub use server::{Server, ServerError};
pub use site::{Host, Page};
