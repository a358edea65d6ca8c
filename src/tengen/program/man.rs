//! Manual pages of a program, which a release packs.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;

/// Writes `NAME.1` and a page for each subcommand that help lists, `NAME-SUBCOMMAND.1`, into a folder.
///
/// # Errors
/// If the folder cannot be made or written to.
pub fn man_pages(command: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder)
}
