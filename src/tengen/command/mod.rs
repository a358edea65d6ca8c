//! What the subcommands of several programs share: game files and positions from user input.

mod files;
mod position;

pub use files::{sample, sgf_files};
pub use position::{board_size, parse_color, played, position, positions, read, replay};
