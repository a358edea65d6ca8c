//! Games that can be reviewed.

use std::path::Path;

use anyhow::{bail, ensure};
use tengen::game::Game as _;
use tengen::games::nogo::SmallNoGo;
use tengen::games::with_game;
use tengen::record::{GameRecord, sgf};

use super::super::position::{position, read as read_file};

/// The game of a file, as this game if SGF has no separate number for it.
///
/// A NoGo record by a program without a name for its rules looks like a record of Go. Without
/// rules, komi and handicap it is read as NoGo, unless only the rules of Go allow its moves.
///
/// # Errors
/// If there is no such file, or it contains no game, or one that is not a sequence of moves.
pub(super) fn read(file: &Path, game: Option<&str>) -> anyhow::Result<GameRecord> {
    let mut record = read_file(file, None)?;
    match game {
        Some(game) if sgf::game_number(game) == sgf::game_number(&record.game) => {
            game.clone_into(&mut record.game);
        }
        Some(game) => bail!(
            "{}: a game of {}, not of {game}",
            file.display(),
            record.game
        ),
        None if is_nogo(&record) => SmallNoGo::NAME.clone_into(&mut record.game),
        None => {}
    }
    ensure!(
        record.later.is_empty(),
        "{}: stones are set up in the middle of the game, which cannot be reviewed",
        file.display()
    );
    Ok(record)
}

fn is_nogo(record: &GameRecord) -> bool {
    let says_more = !record.rules.is_empty() || record.komi.is_some() || record.handicap > 0;
    let same_number = sgf::game_number(&record.game) == sgf::game_number(SmallNoGo::NAME);
    let allows = |game: &str| {
        with_game!(game, record.size, |empty| position(record, empty).is_ok()) == Ok(true)
    };
    !says_more && same_number && (allows(SmallNoGo::NAME) || !allows(&record.game))
}
