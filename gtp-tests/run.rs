//! Process-level tests: the binary as its controllers see it. `README.md` tells the formats.

mod analysis;
mod games;
mod hostile;
mod lifetime;
mod process;
mod sabaki;
mod sau;
mod sessions;
mod tst;
