//! The columns of a shard.
//!
//! | column | type | content |
//! |---|---|---|
//! | `game`, `ply` | int64, int32 | which game of the run, moves played before |
//! | `moves` | bytes | on the first row of a game all its moves from the empty board, a little-endian u16 each; else empty |
//! | `policy` | bytes | pairs of little-endian u16: policy index, share of the policy target in 1/65535 |
//! | `policy_weight` | float | weight of the policy loss; 0 where only the value is to be learnt |
//! | `surprise` | float | divergence of the policy target from the prior, in nats |
//! | `result` | int32 | 1 won, 0 drawn, -1 lost, for the side to move |
//! | `exact` | boolean | the result is proven for this position |
//! | `root_value` | float | the generator's value in [-1, 1], for the side to move |
//! | `ended` | boolean | the moves lead to the end of the game, and to its result |
//!
//! Positions, sides to move and endings come back by playing the moves. The meaning of each column
//! is in [`Row`].

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::game::{Game, Move};
use crate::train::ending;
use crate::train::row::{PositionSource, Row, Share};

/// Zstandard level: the usual default; higher levels save under 5% here.
const ZSTD_LEVEL: i32 = 3;

const SCHEMA: &str = "message position {
    required int64 game; required int32 ply; required binary moves; required binary policy;
    required float policy_weight; required float surprise;
    required int32 result; required boolean exact; required float root_value;
    required boolean ended;
}";

/// Rows as a Parquet file with this metadata.
///
/// # Errors
/// What the library says, or that a row has no game: it was read from a shard of format 2.
pub(super) fn write(metadata: Vec<KeyValue>, rows: &[Row]) -> ParquetResult<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let moves = moves(rows)?;
    column::<Int64Type, _>(&mut group, rows, |row| row.game.cast_signed())?;
    column::<Int32Type, _>(&mut group, rows, |row| i32::from(row.ply))?;
    column::<ByteArrayType, _>(&mut group, &moves, ByteArray::clone)?;
    column::<ByteArrayType, _>(&mut group, rows, |row| ByteArray::from(pack(&row.policy)))?;
    column::<FloatType, _>(&mut group, rows, |row| row.policy_weight)?;
    column::<FloatType, _>(&mut group, rows, |row| row.surprise)?;
    column::<Int32Type, _>(&mut group, rows, |row| i32::from(row.result))?;
    column::<BoolType, _>(&mut group, rows, |row| row.exact)?;
    column::<FloatType, _>(&mut group, rows, |row| row.root_value)?;
    column::<BoolType, _>(&mut group, rows, |row| row.ending.is_some())?;
    group.close()?;
    file.into_inner()
}

/// For each row the moves of its game, where it is the game's first, else nothing.
fn moves(rows: &[Row]) -> ParquetResult<Vec<ByteArray>> {
    let mut column = Vec::with_capacity(rows.len());
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        let PositionSource::Game(moves) = &game[0].source else {
            return Err(missing("game's move list"));
        };
        if !game.iter().all(|row| row.source == game[0].source) {
            return Err(missing("game of its own"));
        }
        let bytes: Vec<u8> = moves.iter().flat_map(|mv| mv.0.to_le_bytes()).collect();
        column.push(ByteArray::from(bytes));
        column.resize(column.len() + game.len() - 1, ByteArray::from(Vec::new()));
    }
    Ok(column)
}

/// Writes the next column of the schema.
fn column<T: DataType, R>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[R],
    value: impl Fn(&R) -> T::T,
) -> ParquetResult<()> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    let mut writer = group.next_column()?.ok_or_else(|| missing("column"))?;
    writer.typed::<T>().write_batch(&values, None, None)?;
    writer.close()
}

/// The rows of a Parquet file, whose games begin at `empty`.
///
/// # Errors
/// What the library says, which value is missing or out of range, or which game cannot be played.
pub(super) fn read<G: Game>(
    empty: &G,
    reader: &SerializedFileReader<Bytes>,
) -> ParquetResult<Vec<Row>> {
    let mut rows = Vec::new();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        let group = group.as_ref();
        let game = values::<Int64Type>(group, 0)?;
        let ply = values::<Int32Type>(group, 1)?;
        let moves = values::<ByteArrayType>(group, 2)?;
        let policy = values::<ByteArrayType>(group, 3)?;
        let policy_weight = values::<FloatType>(group, 4)?;
        let surprise = values::<FloatType>(group, 5)?;
        let result = values::<Int32Type>(group, 6)?;
        let exact = values::<BoolType>(group, 7)?;
        let root_value = values::<FloatType>(group, 8)?;
        let ended = values::<BoolType>(group, 9)?;
        let first = rows.len();
        let mut source = PositionSource::Game(Arc::default());
        for at in 0..game.len() {
            if at == 0 || game[at] != game[at - 1] {
                source = PositionSource::Game(unpack_moves(moves[at].data()));
            }
            rows.push(Row {
                game: game[at].cast_unsigned(),
                ply: u16::try_from(ply[at]).map_err(|_| missing("ply"))?,
                to_move: empty.to_move(),
                source: source.clone(),
                policy: unpack(policy[at].data()),
                policy_weight: policy_weight[at],
                surprise: surprise[at],
                result: i8::try_from(result[at]).map_err(|_| missing("result"))?,
                exact: exact[at],
                root_value: root_value[at],
                ending: None,
            });
        }
        let mut at = 0;
        for game in rows[first..].chunk_by_mut(|a, b| a.game == b.game) {
            replay(empty, game, ended[at]).map_err(ParquetError::General)?;
            at += game.len();
        }
    }
    Ok(rows)
}

/// Plays the game of these rows and fills in what follows from its moves.
fn replay<G: Game>(empty: &G, rows: &mut [Row], ended: bool) -> Result<(), String> {
    let PositionSource::Game(moves) = rows[0].source.clone() else {
        return Ok(());
    };
    let wrong = |why: String| format!("game {}: {why}", rows[0].game);
    let mut position = empty.clone();
    let mut movers = vec![position.to_move()];
    for mv in moves.iter() {
        if !position.is_legal(*mv) {
            let ply = movers.len() - 1;
            return Err(wrong(format!("move {} is illegal after {ply} moves", mv.0)));
        }
        position.play(*mv);
        movers.push(position.to_move());
    }
    let ending = match ended.then(|| ending::of(empty, &moves)) {
        None => None,
        Some(Some((black, _))) => Some(black),
        Some(None) => return Err(wrong("its moves do not lead to its end".to_owned())),
    };
    for row in rows {
        let mover = movers.get(usize::from(row.ply));
        row.to_move =
            *mover.ok_or_else(|| format!("game {} has fewer than {} moves", row.game, row.ply))?;
        row.ending = ending.map(|black| black.seen_by(row.to_move));
    }
    Ok(())
}

/// All values of one column of a row group.
pub(super) fn values<T: DataType>(
    group: &dyn RowGroupReader,
    index: usize,
) -> ParquetResult<Vec<T::T>> {
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

pub(super) fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("a {what} is missing or out of range"))
}

fn pack(policy: &[Share]) -> Vec<u8> {
    let bytes = |share: &Share| [share.mv.0.to_le_bytes(), share.share.to_le_bytes()];
    policy.iter().flat_map(bytes).flatten().collect()
}

pub(super) fn unpack(bytes: &[u8]) -> Vec<Share> {
    let number = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
    bytes
        .chunks_exact(4)
        .map(|pair| Share {
            mv: Move(number(pair)),
            share: number(&pair[2..]),
        })
        .collect()
}

fn unpack_moves(bytes: &[u8]) -> Arc<[Move]> {
    let moves = bytes.chunks_exact(2);
    moves
        .map(|pair| Move(u16::from_le_bytes([pair[0], pair[1]])))
        .collect()
}
