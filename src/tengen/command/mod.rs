//! What the subcommands of several programs share: game files and positions from user input.

mod position;

use anyhow::{Context as _, bail};
pub use position::{board_size, parse_color, played, position, positions, read, replay};
use std::path::PathBuf;

/// The SGF files among these paths, and in folders among them, in order.
///
/// # Errors
/// Names a folder that cannot be read or has none.
pub fn sgf_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let name = || path.display().to_string();
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).with_context(name)? {
            let file = entry.with_context(name)?.path();
            if file.extension().is_some_and(|extension| extension == "sgf") {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            bail!("{} contains no SGF file", name());
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// At most this many of the items, evenly chosen; all without a limit.
#[must_use]
pub fn sample<T: Clone>(items: Vec<T>, most: Option<usize>) -> Vec<T> {
    match most.filter(|&most| most < items.len()) {
        None => items,
        Some(most) => (0..most)
            .map(|index| items[index * items.len() / most].clone())
            .collect(),
    }
}
