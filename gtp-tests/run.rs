//! Process-level tests: the binary as its controllers see it. `README.md` tells the formats.

mod analysis;
mod doctor;
mod endings;
mod files;
mod games;
mod hostile;
mod lifetime;
mod ponder;
mod process;
mod review;
mod sabaki;
mod sabaki_parser;
mod sau;
mod sessions;
mod terminal;
mod tst;
