//! The columns of a shard.
//!
//! Positions, sides to move and endings are reconstructed by playing the moves. The meaning of each
//! column is in [`Row`]. Games with komi have one more column: `komi`, in half points.

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

use crate::shards::ending;
use crate::shards::row::{Row, Share};
use crate::shards::training_game::with_komi;
use tengen::game::{Game, HalfPoints, Move, Rules};
use tengen::program::counted;

/// The columns, one row a position, in file order. `moves` has on the first row of a game all its moves from the empty
/// board, a little-endian u16 each, else nothing; `policy` pairs of little-endian u16: policy index, share of the policy
/// target in 1/65535.
const COLUMNS: &str = "
    REQUIRED INT64 game;
    REQUIRED INT32 ply;
    REQUIRED BYTE_ARRAY moves;
    REQUIRED BYTE_ARRAY policy;
    REQUIRED FLOAT policy_weight;
    REQUIRED FLOAT surprise;
    REQUIRED INT32 result;
    REQUIRED BOOLEAN exact;
    REQUIRED FLOAT root_value;
    REQUIRED BOOLEAN ended;
";

/// The column of games with komi.
const KOMI: &str = "REQUIRED INT32 komi;";

/// Zstandard level: the usual default; higher levels save under 5% here.
const ZSTD_LEVEL: i32 = 3;

/// How many times as large as its file a shard is in memory at most, besides [`SLACK`]: rows of games have some ten times
/// as much. Of rows that are all alike a file of a kilobyte could fill all memory.
const MAX_TIMES: usize = 128;
/// Bytes of memory that a shard may take in any case.
const SLACK: usize = 32 << 20;

/// Rows as a Parquet file with this metadata.
///
/// # Errors
/// Errors of the library, of a row without komi in a game with komi, or of rows of one game with
/// different moves.
pub(super) fn write(metadata: Vec<KeyValue>, rows: &[Row]) -> ParquetResult<Vec<u8>> {
    let (moves, komi) = (moves(rows)?, komi(rows)?);
    let more = komi.as_ref().map_or("", |_| KOMI);
    let schema = parse_message_type(&format!("message position {{ {COLUMNS} {more} }}"))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let each = || rows.iter();
    put::<Int64Type>(&mut group, each().map(|row| row.game.cast_signed()))?;
    put::<Int32Type>(&mut group, each().map(|row| row.ply.into()))?;
    put::<ByteArrayType>(&mut group, moves)?;
    put::<ByteArrayType>(&mut group, each().map(|row| pack(&row.policy).into()))?;
    put::<FloatType>(&mut group, each().map(|row| row.policy_weight))?;
    put::<FloatType>(&mut group, each().map(|row| row.surprise))?;
    put::<Int32Type>(&mut group, each().map(|row| row.result.into()))?;
    put::<BoolType>(&mut group, each().map(|row| row.exact))?;
    put::<FloatType>(&mut group, each().map(|row| row.root_value))?;
    put::<BoolType>(&mut group, each().map(|row| row.ending.is_some()))?;
    if let Some(komi) = komi {
        put::<Int32Type>(&mut group, komi)?;
    }
    group.close()?;
    file.into_inner()
}

/// Writes the next column of the schema.
fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: impl IntoIterator<Item = T::T>,
) -> ParquetResult<()> {
    let values: Vec<T::T> = values.into_iter().collect();
    let mut writer = group.next_column()?.ok_or_else(|| missing("column"))?;
    writer.typed::<T>().write_batch(&values, None, None)?;
    writer.close()
}

/// The komi of each row's game; `None` in games without komi.
fn komi(rows: &[Row]) -> ParquetResult<Option<Vec<i32>>> {
    if rows.iter().all(|row| row.komi.is_none()) {
        return Ok(None);
    }
    let komi = |row: &Row| row.komi.map(|komi| komi.0).ok_or_else(|| missing("komi"));
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
    let mut room = bytes.saturating_mul(MAX_TIMES).saturating_add(SLACK);
    let mut take = |bytes: usize| match room.checked_sub(bytes) {
        Some(left) => {
            room = left;
            Ok(())
        }
        None => Err(ParquetError::General(format!(
            "its rows would be more than {MAX_TIMES} times as large as the file, which no recorded games are"
        ))),
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut moves: Arc<[Move]> = Arc::default();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        let count = usize::try_from(group.metadata().num_rows());
        let count = count.map_err(|_| missing("row count"))?;
        take(count.saturating_mul(size_of::<Row>()))?;
        let mut columns = Columns {
            group: group.as_ref(),
            rows: count,
            next: 0,
        };
        let game = columns.take::<Int64Type>("game")?;
        let ply = columns.take::<Int32Type>("ply")?;
        let all_moves = columns.take::<ByteArrayType>("moves")?;
        let policy = columns.take::<ByteArrayType>("policy")?;
        let policy_weight = columns.take::<FloatType>("policy_weight")?;
        let surprise = columns.take::<FloatType>("surprise")?;
        let result = columns.take::<Int32Type>("result")?;
        let exact = columns.take::<BoolType>("exact")?;
        let root_value = columns.take::<FloatType>("root_value")?;
        let ended = columns.take::<BoolType>("ended")?;
        let komi = match empty.rules().komi() {
            Some(_) => columns.take::<Int32Type>("komi")?,
            None => Vec::new(),
        };
        let rules: Arc<str> = empty.rules().to_string().into();
        let first = rows.len();
        for at in 0..count {
            // Other programs begin a group of rows within a game.
            let before = rows.last().map(|row| row.game.cast_signed());
            if before != Some(game[at]) || (at == 0 && !all_moves[at].is_empty()) {
                take(all_moves[at].len())?;
                moves = unpack_moves(all_moves[at].data());
            }
            take(policy[at].len())?;
            rows.push(Row {
                game: game[at].cast_unsigned(),
                size: empty.size(),
                ply: u16::try_from(ply[at]).map_err(|_| missing("ply"))?,
                to_move: empty.to_move(),
                moves: moves.clone(),
                rules: rules.clone(),
                komi: komi.get(at).copied().map(HalfPoints),
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
            let end = at + game.len();
            replay(empty, game, &ended[at..end]).map_err(ParquetError::General)?;
            at = end;
        }
    }
    Ok(rows)
}

/// The columns of a row group, which has this number of rows, one after the other.
struct Columns<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
    next: usize,
}

impl Columns<'_> {
    /// All values of the next column, which has this name.
    fn take<T: DataType>(&mut self, name: &str) -> ParquetResult<Vec<T::T>> {
        let index = self.next;
        self.next += 1;
        let column = self.group.metadata().schema_descr().columns().get(index);
        // The library panics on a column of another type.
        column
            .filter(|column| column.name() == name)
            .filter(|column| column.physical_type() == T::get_physical_type())
            .filter(|column| column.max_def_level() <= 1 && column.max_rep_level() == 0)
            .ok_or_else(|| missing(&format!("column {name}")))?;
        // Memory is not reserved in advance: the number may be wrong.
        let (mut values, mut levels) = (Vec::new(), Vec::<i16>::new());
        let mut reader = get_typed_column_reader::<T>(self.group.get_column_reader(index)?);
        let mut left = self.rows;
        while left > 0 {
            let (records, ..) = reader.read_records(left, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Err(missing("end of a column"));
            }
            left = left.saturating_sub(records);
        }
        // Other programs write columns that may lack a value. None may here.
        match values.len() == self.rows {
            true => Ok(values),
            false => Err(missing(&format!("value of column {name}"))),
        }
    }
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
            let before = counted(movers.len() - 1, "move");
            return Err(wrong(format!("move {} is illegal after {before}", mv.0)));
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

/// Error for an invalid part of a file.
fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("a {what} is missing or out of range"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::nogo::SmallNoGo;

    /// These rows as other programs write them: in groups of some rows, and in columns that may lack a value. With
    /// `gap` the first row of each group has no `exact`.
    fn foreign(rows: &[Row], each: usize, gap: bool) -> Vec<u8> {
        let schema = format!("message position {{ {COLUMNS} }}").replace("REQUIRED", "OPTIONAL");
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let all_moves = moves(rows).unwrap();
        for (rows, moves) in rows.chunks(each).zip(all_moves.chunks(each)) {
            let mut group = file.next_row_group().unwrap();
            let mut put = Put(&mut group);
            put.column::<Int64Type>(rows.iter().map(|row| row.game.cast_signed()).collect());
            put.column::<Int32Type>(rows.iter().map(|row| row.ply.into()).collect());
            put.column::<ByteArrayType>(moves.to_vec());
            put.column::<ByteArrayType>(rows.iter().map(|row| pack(&row.policy).into()).collect());
            put.column::<FloatType>(rows.iter().map(|row| row.policy_weight).collect());
            put.column::<FloatType>(rows.iter().map(|row| row.surprise).collect());
            put.column::<Int32Type>(rows.iter().map(|row| row.result.into()).collect());
            let exact: Vec<bool> = rows.iter().map(|row| row.exact).collect();
            put.some::<BoolType>(&exact[usize::from(gap)..], usize::from(gap));
            put.column::<FloatType>(rows.iter().map(|row| row.root_value).collect());
            put.column::<BoolType>(rows.iter().map(|row| row.ending.is_some()).collect());
            group.close().unwrap();
        }
        file.into_inner().unwrap()
    }

    struct Put<'a, 'f>(&'a mut SerializedRowGroupWriter<'f, Vec<u8>>);

    impl Put<'_, '_> {
        fn column<T: DataType>(&mut self, values: Vec<T::T>) {
            self.some::<T>(&values, 0);
        }

        /// Values after this many missing ones.
        fn some<T: DataType>(&mut self, values: &[T::T], gaps: usize) {
            let levels: Vec<i16> = [vec![0; gaps], vec![1; values.len()]].concat();
            let mut writer = self.0.next_column().unwrap().unwrap();
            let written = writer.typed::<T>().write_batch(values, Some(&levels), None);
            written.unwrap();
            writer.close().unwrap();
        }
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let empty = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let rows = example("foreign").rows;
        let read_back = |each: usize, gap: bool| {
            let bytes = foreign(&rows, each, gap);
            let len = bytes.len();
            let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
            read(&empty, &reader, len).map_err(|error| error.to_string())
        };
        // With a game in one group, in several, and with a row in each.
        for each in [rows.len(), 7, 1] {
            assert_eq!(read_back(each, false).as_ref(), Ok(&rows));
        }
        let lacking = read_back(7, true).unwrap_err();
        assert!(lacking.contains("value of column exact"), "{lacking}");
    }
}
