//! Shards: Parquet files of recorded positions, one row a position, whole games only. The columns
//! are in [`columns`].
//!
//! The file's metadata say game, board, how the games were made and by which program. The file's
//! name carries its checksum (see [`durable`]).

mod columns;

use std::path::{Path, PathBuf};

use bytes::Bytes;
use parquet::file::metadata::KeyValue;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use super::row::Row;
use super::{TrainError, durable};
use crate::game::BoardSize;

/// Version of the columns and their meaning; a reader refuses any other. Version 1 had neither
/// weights nor endings.
const FORMAT: &str = "2";

/// File name ending of a shard.
const EXTENSION: &str = "parquet";

/// What all rows of a shard have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardInfo {
    /// The game's name.
    pub game: String,
    /// The board.
    pub size: BoardSize,
    /// Number of policy indices.
    pub policy_len: usize,
    /// How the games were made: generator, settings and seed. Two shards of one run agree in it.
    pub source: String,
}

/// A shard in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Shard {
    /// What the rows have in common.
    pub info: ShardInfo,
    /// The positions, game after game.
    pub rows: Vec<Row>,
}

/// Writes rows into `folder` as one durable shard; answers its path.
///
/// # Errors
/// [`TrainError::Io`] when the file cannot be written.
pub fn write(folder: &Path, info: &ShardInfo, rows: &[Row]) -> Result<PathBuf, TrainError> {
    if !rows.iter().all(|row| row.fits(info.size, info.policy_len)) {
        return Err(TrainError::Setting(
            "a generated row is off the board or out of range: a mistake of the program".to_owned(),
        ));
    }
    let bytes = columns::write(info.size.area(), metadata(info), rows)
        .map_err(|error| TrainError::Setting(format!("cannot encode a shard: {error}")))?;
    let first = rows.iter().map(|row| row.game).min().unwrap_or(0);
    durable::save(folder, &format!("games-{first:08}"), EXTENSION, &bytes)
}

/// Reads one shard.
///
/// # Errors
/// [`TrainError::Corrupt`] or [`TrainError::Mismatch`] names the file and what is wrong with it.
pub fn read(path: &Path) -> Result<Shard, TrainError> {
    let bytes = durable::load(path)?;
    let reader = SerializedFileReader::new(Bytes::from(bytes))
        .map_err(|error| TrainError::corrupt(path, error))?;
    let info = read_info(path, &reader)?;
    let rows = columns::read(info.size.area(), &reader)
        .map_err(|error| TrainError::corrupt(path, error))?;
    if !rows.iter().all(|row| row.fits(info.size, info.policy_len)) {
        return Err(TrainError::corrupt(
            path,
            "a row has a point that is not on the board, or a number out of range",
        ));
    }
    Ok(Shard { info, rows })
}

/// The shards of a folder, by name.
///
/// # Errors
/// [`TrainError::Io`] when the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    durable::list(folder, "games-", EXTENSION)
}

fn metadata(info: &ShardInfo) -> Vec<KeyValue> {
    let pairs = [
        ("tengen.format", FORMAT.to_owned()),
        ("tengen.game", info.game.clone()),
        ("tengen.size", info.size.to_string()),
        ("tengen.policy_len", info.policy_len.to_string()),
        ("tengen.source", info.source.clone()),
    ];
    pairs
        .map(|(key, value)| KeyValue::new(key.to_owned(), value))
        .to_vec()
}

fn read_info(path: &Path, reader: &SerializedFileReader<Bytes>) -> Result<ShardInfo, TrainError> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let get = |key: &str| {
        let pair = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == key));
        pair.and_then(|pair| pair.value.clone())
            .ok_or_else(|| TrainError::corrupt(path, format!("it has no metadata {key}")))
    };
    let format = get("tengen.format")?;
    if format != FORMAT {
        let reason = format!(
            "it has shard format {format}, this program reads {FORMAT}: make its games again in another folder"
        );
        return Err(TrainError::mismatch(path, reason));
    }
    let size = get("tengen.size")?;
    let size = parse_size(&size)
        .ok_or_else(|| TrainError::corrupt(path, format!("{size} is no board size")))?;
    let policy_len = get("tengen.policy_len")?.parse();
    Ok(ShardInfo {
        game: get("tengen.game")?,
        size,
        policy_len: policy_len.map_err(|error| TrainError::corrupt(path, error))?,
        source: get("tengen.source")?,
    })
}

/// Reads a board size as [`BoardSize`] displays it.
fn parse_size(text: &str) -> Option<BoardSize> {
    let (width, height) = text.split_once('x')?;
    Some(BoardSize::new(width.parse().ok()?, height.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Color, Move};
    use crate::train::ending::Ending;
    use crate::train::row::{PointSet, Share};
    use crate::train::scratch::Scratch;

    fn example() -> Shard {
        let info = ShardInfo {
            game: "nogo".to_owned(),
            size: BoardSize::new(5, 4),
            policy_len: 20,
            source: "test seed=1".to_owned(),
        };
        let mut own = PointSet::default();
        own.insert(Move(19));
        let row = Row {
            game: 7,
            ply: 3,
            to_move: Color::White,
            own,
            theirs: PointSet::default(),
            last_move: None,
            policy: vec![
                Share {
                    mv: Move(0),
                    share: 65535,
                },
                Share {
                    mv: Move(258),
                    share: 1,
                },
            ],
            policy_weight: 0.5,
            surprise: 1.25,
            result: -1,
            exact: true,
            root_value: -0.25,
            ending: Some(Ending {
                closed_own: own,
                score: -3,
                ..Ending::default()
            }),
        };
        let legal = Row {
            game: u64::MAX,
            last_move: Some(Move(4)),
            policy: vec![Share {
                mv: Move(2),
                share: 300,
            }],
            ..row.clone()
        };
        let broken_off = Row {
            ending: None,
            ..legal.clone()
        };
        Shard {
            info,
            rows: vec![legal.clone(), legal, broken_off],
        }
    }

    #[test]
    fn rows_survive_the_file() {
        let scratch = Scratch::new("shard");
        let shard = example();
        let path = write(scratch.path(), &shard.info, &shard.rows).unwrap();
        assert_eq!(list(scratch.path()).unwrap(), std::slice::from_ref(&path));
        assert_eq!(read(&path).unwrap(), shard);
    }

    #[test]
    fn a_row_off_the_board_is_refused() {
        let scratch = Scratch::new("shard-row");
        let mut shard = example();
        shard.rows[1].policy[0].mv = Move(20);
        assert!(write(scratch.path(), &shard.info, &shard.rows).is_err());
        let bytes = columns::write(20, metadata(&shard.info), &shard.rows).unwrap();
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(
            message.contains("games-") && message.contains("not on the board"),
            "{message}"
        );
    }

    #[test]
    fn another_format_is_refused() {
        let scratch = Scratch::new("shard-format");
        let shard = example();
        let mut bytes = columns::write(20, metadata(&shard.info), &shard.rows).unwrap();
        let key = b"tengen.format";
        let at = bytes
            .windows(key.len())
            .position(|window| window == key)
            .unwrap()
            + key.len();
        let digit = at + bytes[at..].iter().position(|&byte| byte == b'2').unwrap();
        bytes[digit] = b'9';
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("format 9"), "{message}");
    }

    #[test]
    fn a_truncated_file_is_refused_even_with_a_right_checksum() {
        let scratch = Scratch::new("shard-cut");
        let shard = example();
        let bytes = columns::write(20, metadata(&shard.info), &shard.rows).unwrap();
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes[..60]).unwrap();
        assert!(matches!(read(&path), Err(TrainError::Corrupt { .. })));
    }
}
