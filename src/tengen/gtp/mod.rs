//! GTP, version 2: text in, text out, independent of any game's rules.
//!
//! [`Session`] turns one command into one reply and does no input or output except SGF files, as
//! far as [`FileAccess`] permits; [`serve`] feeds it from a reader thread that is never blocked, so
//! that `quit`, the end of input and `# interrupt` act during a search. Commands are listed in one
//! table, [`COMMANDS`].

// Any input from controllers and users gets an answer: nothing here may panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable
)]

mod analysis;
mod answer;
mod board;
mod commands;
mod failure;
mod files;
mod gomocup;
mod graphics;
mod interrupts;
mod katago;
mod line;
mod numbers;
mod sau;
mod server;
mod session;
mod vertex;

use board::ownership;
pub use commands::{COMMANDS, Command, fixed_handicap_points};
pub use failure::Failure;
pub use files::FileAccess;
pub use gomocup::{
    Allowance, GOMOCUP_RULES, GomocupOptions, GomocupSession, MakeBrain, read_xy, write_xy,
};
pub use interrupts::Interrupts;
pub use katago::{KatagoOptions, KatagoResources, MakeAnalyst, MakeImitator, serve_queries};
pub use line::{Request, parse_line};
pub use numbers::Perspective;
pub use sau::{SauOptions, SauResources, SauSession, harmless};
pub use server::{Input, Protocol, serve};
pub use session::{MakeEngine, Session, SessionOptions};
pub use vertex::{format_vertex, parse_vertex};
