//! The columns of a shard.
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
//! The meaning of each is in [`Row`] and [`Ending`].

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

use crate::game::{Color, Move};
use crate::train::ending::Ending;
use crate::train::row::{PointSet, Row, Share};

/// Zstandard level: the usual default; higher levels save under 5% here.
const ZSTD_LEVEL: i32 = 3;

/// Rows of boards of `area` points as a Parquet file with this metadata.
///
/// # Errors
/// What the library says.
pub(super) fn write(area: usize, metadata: Vec<KeyValue>, rows: &[Row]) -> ParquetResult<Vec<u8>> {
    let stone_bytes = area.div_ceil(8);
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
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
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

/// The rows of a Parquet file, on boards of `area` points.
///
/// # Errors
/// What the library says, or which value is missing or out of range.
pub(super) fn read(area: usize, reader: &SerializedFileReader<Bytes>) -> ParquetResult<Vec<Row>> {
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
            PointSet::from_bytes(bytes.data(), area).ok_or_else(|| missing("point"))
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
