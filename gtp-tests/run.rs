//! Process-level tests: the binary as seen by its controllers. `README.md` describes the formats.

mod analysis;
mod board;
mod book;
mod documents;
mod files;
mod games;
mod go_clients;
mod go_passing;
mod gomocup;
mod hostile;
mod hurry;
mod katago;
mod katago_networks;
mod killed;
mod lifetime;
mod modules;
mod networks;
mod ponder;
mod portable;
mod process;
mod programs;
mod review;
mod sabaki;
mod sabaki_parser;
mod sau;
mod scoring;
mod scratch;
#[cfg(unix)]
mod scripts;
mod sessions;
mod solved;
mod startup;
mod terminal;

/// The folder of the workspace.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
