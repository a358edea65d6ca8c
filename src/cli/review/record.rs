//! The games that can be reviewed.

use std::path::Path;

use anyhow::ensure;
use tengen::game::Game as _;
use tengen::game::nogo::SmallNoGo;
use tengen::record::GameRecord;

use super::super::position;

/// The game of a file, unless it is one of Go: a record of NoGo by a program that has no name for its
/// rules looks like Go, but it names no rules.
///
/// # Errors
/// When there is no such file, or it holds no such game, or one that is no row of moves.
pub(super) fn read(file: &Path) -> anyhow::Result<GameRecord> {
    let record = position::read(file, None)?;
    ensure!(
        record.rules.is_empty() || record.game == SmallNoGo::NAME,
        "{}: only games of NoGo are reviewed, and this one has the rules {:?}",
        file.display(),
        record.rules
    );
    ensure!(
        record.later.is_empty(),
        "{}: stones are set up in the middle of the game, which cannot be reviewed",
        file.display()
    );
    Ok(record)
}
