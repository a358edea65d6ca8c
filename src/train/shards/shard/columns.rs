//! The columns of a shard.
//!
//! Positions, sides to move and endings are reconstructed by playing the moves. The meaning of each
//! column is in [`Row`]. Games with komi have one more column: `komi`, in half points.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, FloatType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;

use super::table::{self, Room, columns, field, missing, schema};
use crate::shards::ending;
use crate::shards::row::{Row, Share};
use crate::shards::training_game::with_komi;
use tengen::game::{Game, HalfPoints, Move, Rules};

/// The column of games with komi.
const KOMI: &str = "komi";

/// Zstandard level: the usual default; higher levels save under 5% here.
const ZSTD_LEVEL: i32 = 3;

columns! {
    /// The columns, one row a position.
    Columns {
        /// Which game of the run.
        game: Int64Type,
        /// Moves played before.
        ply: Int32Type,
        /// On the first row of a game all its moves from the empty board, a little-endian u16 each;
        /// else empty.
        moves: ByteArrayType,
        /// Pairs of little-endian u16: policy index, share of the policy target in 1/65535.
        policy: ByteArrayType,
        /// Weight of the policy loss; 0 where only the value is a target.
        policy_weight: FloatType,
        /// Divergence of the policy target from the prior, in nats.
        surprise: FloatType,
        /// 1 won, 0 drawn, -1 lost, for the side to move.
        result: Int32Type,
        /// The result is proven for this position.
        exact: BoolType,
        /// The generator's value in [-1, 1], for the side to move.
        root_value: FloatType,
        /// The moves lead to the end of the game, and to its result.
        ended: BoolType,
    }
}

impl Columns {
    fn of(rows: &[Row]) -> ParquetResult<Columns> {
        fn each<T>(rows: &[Row], value: impl Fn(&Row) -> T) -> Vec<T> {
            rows.iter().map(value).collect()
        }
        Ok(Columns {
            game: each(rows, |row| row.game.cast_signed()),
            ply: each(rows, |row| row.ply.into()),
            moves: moves(rows)?,
            policy: each(rows, |row| pack(&row.policy).into()),
            policy_weight: each(rows, |row| row.policy_weight),
            surprise: each(rows, |row| row.surprise),
            result: each(rows, |row| row.result.into()),
            exact: each(rows, |row| row.exact),
            root_value: each(rows, |row| row.root_value),
            ended: each(rows, |row| row.ending.is_some()),
        })
    }
}

/// Rows as a Parquet file with this metadata.
///
/// # Errors
/// Errors of the library, of a row without komi in a game with komi, or of rows of one game with
/// different moves.
pub(super) fn write(metadata: Vec<KeyValue>, rows: &[Row]) -> ParquetResult<Vec<u8>> {
    let komi = komi(rows)?;
    let mut fields = Columns::fields()?;
    if komi.is_some() {
        fields.push(field::<Int32Type>(KOMI)?);
    }
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema(fields)?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    Columns::of(rows)?.write(&mut group)?;
    if let Some(komi) = komi {
        table::write::<Int32Type>(&mut group, &komi)?;
    }
    group.close()?;
    file.into_inner()
}

/// The komi of each row's game; `None` in games without komi.
fn komi(rows: &[Row]) -> ParquetResult<Option<Vec<i32>>> {
    if rows.iter().all(|row| row.komi.is_none()) {
        return Ok(None);
    }
    let komi = |row: &Row| row.komi.map(|komi| komi.0).ok_or_else(|| missing(KOMI));
    rows.iter()
        .map(komi)
        .collect::<ParquetResult<_>>()
        .map(Some)
}

/// For each row the moves of its game, if it is the game's first, else empty.
fn moves(rows: &[Row]) -> ParquetResult<Vec<ByteArray>> {
    let mut column = Vec::with_capacity(rows.len());
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        let moves = &game[0].moves;
        if !game.iter().all(|row| row.moves == *moves) {
            return Err(missing("game of its own"));
        }
        let bytes: Vec<u8> = moves.iter().flat_map(|mv| mv.0.to_le_bytes()).collect();
        column.push(ByteArray::from(bytes));
        column.resize(column.len() + game.len() - 1, ByteArray::from(Vec::new()));
    }
    Ok(column)
}

/// The rows of a Parquet file of this size, whose games begin at `empty`.
///
/// # Errors
/// Errors of the library, of a missing or invalid value, of an illegal game, or of more rows than such a file can have.
pub(super) fn read<G: Game>(
    empty: &G,
    reader: &SerializedFileReader<Bytes>,
    bytes: usize,
) -> ParquetResult<Vec<Row>> {
    let (mut rows, mut room) = (Vec::new(), Room::of_file(bytes));
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        let count = usize::try_from(group.metadata().num_rows());
        let count = count.map_err(|_| missing("row count"))?;
        room.take::<Row>(count)?;
        let of = Columns::read(group.as_ref(), count)?;
        let komi = match empty.rules().komi() {
            Some(_) => table::read::<Int32Type>(group.as_ref(), Columns::COUNT, KOMI, count)?,
            None => Vec::new(),
        };
        let rules: Arc<str> = empty.rules().to_string().into();
        let first = rows.len();
        let mut moves: Arc<[Move]> = Arc::default();
        for at in 0..of.game.len() {
            if at == 0 || of.game[at] != of.game[at - 1] {
                room.take::<u8>(of.moves[at].len())?;
                moves = unpack_moves(of.moves[at].data());
            }
            room.take::<u8>(of.policy[at].len())?;
            rows.push(Row {
                game: of.game[at].cast_unsigned(),
                size: empty.size(),
                ply: u16::try_from(of.ply[at]).map_err(|_| missing("ply"))?,
                to_move: empty.to_move(),
                moves: moves.clone(),
                rules: rules.clone(),
                komi: komi.get(at).copied().map(HalfPoints),
                policy: unpack(of.policy[at].data()),
                policy_weight: of.policy_weight[at],
                surprise: of.surprise[at],
                result: i8::try_from(of.result[at]).map_err(|_| missing("result"))?,
                exact: of.exact[at],
                root_value: of.root_value[at],
                ending: None,
            });
        }
        let mut at = 0;
        for game in rows[first..].chunk_by_mut(|a, b| a.game == b.game) {
            let end = at + game.len();
            replay(empty, game, &of.ended[at..end]).map_err(ParquetError::General)?;
            at = end;
        }
    }
    Ok(rows)
}

/// Plays the game of these rows and fills in what follows from its moves; `ended` are the rows to
/// which its ending applies.
fn replay<G: Game>(empty: &G, rows: &mut [Row], ended: &[bool]) -> Result<(), String> {
    let moves = rows[0].moves.clone();
    let wrong = |why: String| format!("game {}: {why}", rows[0].game);
    let start = with_komi(empty, rows[0].komi);
    let mut position = start.clone();
    let mut movers = vec![position.to_move()];
    for mv in moves.iter() {
        if !position.is_legal(*mv) {
            let ply = movers.len() - 1;
            return Err(wrong(format!("move {} is illegal after {ply} moves", mv.0)));
        }
        position.play(*mv);
        movers.push(position.to_move());
    }
    let any_ended = ended.contains(&true);
    let ending = match any_ended.then(|| ending::of(&start, &moves)) {
        None => None,
        Some(Some((black, _))) => Some(black),
        Some(None) => return Err(wrong("its moves do not lead to its end".to_owned())),
    };
    for (row, ended) in rows.iter_mut().zip(ended) {
        let mover = movers.get(usize::from(row.ply));
        row.to_move =
            *mover.ok_or_else(|| format!("game {} has fewer than {} moves", row.game, row.ply))?;
        let ending = ending.filter(|_| *ended);
        row.ending = ending.map(|black| black.seen_by(row.to_move));
    }
    Ok(())
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

fn unpack_moves(bytes: &[u8]) -> Arc<[Move]> {
    let moves = bytes.chunks_exact(2);
    moves
        .map(|pair| Move(u16::from_le_bytes([pair[0], pair[1]])))
        .collect()
}
