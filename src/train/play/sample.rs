//! Self-play games as SGF files, for inspection.

use std::path::Path;

use crate::TrainError;
use crate::durable;
use crate::play::selfplay::PlayedGame;
use crate::shards::shard::ShardInfo;
use tengen::game::Color;
use tengen::record::{GameRecord, Play, RecordedPlay, Vertex, result_text, sgf};

/// Writes a game into the folder's subfolder `sgf`, with the search's value beside each recorded
/// move.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub(crate) fn write(folder: &Path, info: &ShardInfo, game: &PlayedGame) -> Result<(), TrainError> {
    let folder = folder.join("sgf");
    durable::prepare_folder(&folder)?;
    let mut record = GameRecord::new(&info.game, info.size);
    record.result = result_text(game.outcome);
    record.komi = game.komi;
    record.comment = format!("game {} of {}", game.game, info.source);
    let mut color = Color::Black;
    for (ply, &mv) in game.moves.iter().enumerate() {
        let row = game.rows.iter().find(|row| usize::from(row.ply) == ply);
        let value = |value: f32| format!("{:.0}%", 50.0 * (value + 1.0));
        record.plays.push(RecordedPlay {
            play: Play {
                color,
                vertex: Vertex::of(mv, info.size),
            },
            comment: row.map_or_else(String::new, |row| value(row.root_value)),
        });
        color = color.opponent();
    }
    let path = folder.join(format!("game-{:08}.sgf", game.game));
    durable::write(&path, sgf::write(&record).as_bytes())
}
