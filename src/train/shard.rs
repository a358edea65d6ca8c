//! Shards: Parquet files of recorded positions, one row a position, whole games only.
//!
//! | column | type | content |
//! |---|---|---|
//! | `game`, `ply` | int64, int32 | which game of the run, moves played before |
//! | `black_to_move` | boolean | whose view the row is from |
//! | `own`, `theirs` | bytes | stones of the side to move and of the other, a bit a point, least significant first, points row by row from A1 |
//! | `last_move` | int32 | policy index, -1 for none |
//! | `policy` | bytes | pairs of little-endian u16: policy index, share of the policy target in 1/65535 |
//! | `policy_weight` | float | weight of the policy loss; 0 where only the value is to be learnt |
//! | `surprise` | float | divergence of the policy target from the prior, in nats |
//! | `result` | int32 | 1 won, 0 drawn, -1 lost, for the side to move |
//! | `exact` | boolean | the result is proven for this position |
//! | `root_value` | float | the generator's value in [-1, 1], for the side to move |
//! | `ended` | boolean | the game was played to its end: the columns below hold something |
//! | `end_own`, `end_theirs` | bytes | stones on the last board, as `own` and `theirs` |
//! | `closed_own`, `closed_theirs` | bytes | points that were once empty and forbidden to that side |
//! | `score` | int32 | margin in [-5, 5], for the side to move (see [`Ending`]) |
//!
//! The meaning of each is in [`super::row`] and [`super::ending`].
//!
//! The file's metadata say game, board, how the games were made and by which program. The file's
//! name carries its checksum (see [`durable`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::ending::Ending;
use super::row::{PointSet, Row, Share};
use super::{TrainError, durable};
use crate::game::{BoardSize, Color, Move};

/// Version of the columns and their meaning; a reader refuses any other. Version 1 had neither
/// weights nor endings.
const FORMAT: &str = "2";

/// File name ending of a shard.
const EXTENSION: &str = "parquet";

/// Zstandard level: the usual default; higher levels save under 5% here.
const ZSTD_LEVEL: i32 = 3;

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
    let bytes = to_parquet(info, rows)
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
    let rows = from_parquet(&info, &reader).map_err(|error| TrainError::corrupt(path, error))?;
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

fn to_parquet(info: &ShardInfo, rows: &[Row]) -> ParquetResult<Vec<u8>> {
    let stone_bytes = info.size.area().div_ceil(8);
    let schema = parse_message_type(&format!(
        "message position {{
            required int64 game; required int32 ply; required boolean black_to_move;
            required fixed_len_byte_array({stone_bytes}) own;
            required fixed_len_byte_array({stone_bytes}) theirs;
            required int32 last_move; required binary policy;
            required float policy_weight; required float surprise;
            required int32 result; required boolean exact; required float root_value;
            required boolean ended;
            required fixed_len_byte_array({stone_bytes}) end_own;
            required fixed_len_byte_array({stone_bytes}) end_theirs;
            required fixed_len_byte_array({stone_bytes}) closed_own;
            required fixed_len_byte_array({stone_bytes}) closed_theirs;
            required int32 score;
        }}"
    ))?;
    let pairs = [
        ("tengen.format", FORMAT.to_owned()),
        ("tengen.game", info.game.clone()),
        ("tengen.size", info.size.to_string()),
        ("tengen.policy_len", info.policy_len.to_string()),
        ("tengen.source", info.source.clone()),
    ];
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(pairs.to_vec()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let stones = |set: &PointSet| FixedLenByteArray::from(set.to_bytes(stone_bytes));
    let last_move = |row: &Row| row.last_move.map_or(-1, |mv| i32::from(mv.0));
    column::<Int64Type>(&mut group, rows, |row| row.game.cast_signed())?;
    column::<Int32Type>(&mut group, rows, |row| i32::from(row.ply))?;
    column::<BoolType>(&mut group, rows, |row| row.to_move == Color::Black)?;
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&row.own))?;
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&row.theirs))?;
    column::<Int32Type>(&mut group, rows, last_move)?;
    column::<ByteArrayType>(&mut group, rows, |row| ByteArray::from(pack(&row.policy)))?;
    column::<FloatType>(&mut group, rows, |row| row.policy_weight)?;
    column::<FloatType>(&mut group, rows, |row| row.surprise)?;
    column::<Int32Type>(&mut group, rows, |row| i32::from(row.result))?;
    column::<BoolType>(&mut group, rows, |row| row.exact)?;
    column::<FloatType>(&mut group, rows, |row| row.root_value)?;
    column::<BoolType>(&mut group, rows, |row| row.ending.is_some())?;
    let end = |row: &Row| row.ending.unwrap_or_default();
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&end(row).own))?;
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&end(row).theirs))?;
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&end(row).closed_own))?;
    column::<FixedLenByteArrayType>(&mut group, rows, |row| stones(&end(row).closed_theirs))?;
    column::<Int32Type>(&mut group, rows, |row| i32::from(end(row).score))?;
    group.close()?;
    file.into_inner()
}

/// Writes the next column of the schema.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[Row],
    value: impl Fn(&Row) -> T::T,
) -> ParquetResult<()> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    let mut writer = group.next_column()?.ok_or_else(|| missing("column"))?;
    writer.typed::<T>().write_batch(&values, None, None)?;
    writer.close()
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

fn from_parquet(info: &ShardInfo, reader: &SerializedFileReader<Bytes>) -> ParquetResult<Vec<Row>> {
    let mut rows = Vec::new();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        let group = group.as_ref();
        let game = values::<Int64Type>(group, 0)?;
        let ply = values::<Int32Type>(group, 1)?;
        let black = values::<BoolType>(group, 2)?;
        let own = values::<FixedLenByteArrayType>(group, 3)?;
        let theirs = values::<FixedLenByteArrayType>(group, 4)?;
        let last_move = values::<Int32Type>(group, 5)?;
        let policy = values::<ByteArrayType>(group, 6)?;
        let policy_weight = values::<FloatType>(group, 7)?;
        let surprise = values::<FloatType>(group, 8)?;
        let result = values::<Int32Type>(group, 9)?;
        let exact = values::<BoolType>(group, 10)?;
        let root_value = values::<FloatType>(group, 11)?;
        let ended = values::<BoolType>(group, 12)?;
        let end_own = values::<FixedLenByteArrayType>(group, 13)?;
        let end_theirs = values::<FixedLenByteArrayType>(group, 14)?;
        let closed_own = values::<FixedLenByteArrayType>(group, 15)?;
        let closed_theirs = values::<FixedLenByteArrayType>(group, 16)?;
        let score = values::<Int32Type>(group, 17)?;
        let stones = |bytes: &FixedLenByteArray| {
            PointSet::from_bytes(bytes.data(), info.size.area()).ok_or_else(|| missing("point"))
        };
        for at in 0..game.len() {
            let ending = Ending {
                own: stones(&end_own[at])?,
                theirs: stones(&end_theirs[at])?,
                closed_own: stones(&closed_own[at])?,
                closed_theirs: stones(&closed_theirs[at])?,
                score: i8::try_from(score[at]).map_err(|_| missing("score"))?,
            };
            rows.push(Row {
                game: game[at].cast_unsigned(),
                ply: u16::try_from(ply[at]).map_err(|_| missing("ply"))?,
                to_move: if black[at] {
                    Color::Black
                } else {
                    Color::White
                },
                own: stones(&own[at])?,
                theirs: stones(&theirs[at])?,
                last_move: u16::try_from(last_move[at]).ok().map(Move),
                policy: unpack(policy[at].data()),
                policy_weight: policy_weight[at],
                surprise: surprise[at],
                result: i8::try_from(result[at]).map_err(|_| missing("result"))?,
                exact: exact[at],
                root_value: root_value[at],
                ending: ended[at].then_some(ending),
            });
        }
    }
    Ok(rows)
}

/// All values of one column of a row group.
fn values<T: DataType>(group: &dyn RowGroupReader, index: usize) -> ParquetResult<Vec<T::T>> {
    let len = usize::try_from(group.metadata().num_rows()).map_err(|_| missing("row count"))?;
    let mut values = Vec::with_capacity(len);
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(index)?);
    while values.len() < len {
        let (records, ..) = reader.read_records(len - values.len(), None, None, &mut values)?;
        if records == 0 {
            return Err(missing("end of a column"));
        }
    }
    Ok(values)
}

fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("a {what} is missing or out of range"))
}

fn pack(policy: &[Share]) -> Vec<u8> {
    let bytes = |share: &Share| [share.mv.0.to_le_bytes(), share.share.to_le_bytes()];
    policy.iter().flat_map(bytes).flatten().collect()
}

fn unpack(bytes: &[u8]) -> Vec<Share> {
    let number = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
    bytes
        .chunks_exact(4)
        .map(|pair| Share {
            mv: Move(number(pair)),
            share: number(&pair[2..]),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let bytes = to_parquet(&shard.info, &shard.rows).unwrap();
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
        let mut bytes = to_parquet(&shard.info, &shard.rows).unwrap();
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
        let bytes = to_parquet(&shard.info, &shard.rows).unwrap();
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes[..60]).unwrap();
        assert!(matches!(read(&path), Err(TrainError::Corrupt { .. })));
    }
}
