//! The columns of a shard of format 2, which are read and no longer written: positions without
//! their games.
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
use parquet::data_type::{
    BoolType, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use super::columns::{missing, unpack, values};
use crate::game::{Color, Move};
use crate::train::ending::Ending;
use crate::train::row::{PointSet, PositionSource, Row, Stones};

/// The rows of a file, on boards of `area` points.
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
        let margin = values::<Int32Type>(group, 17)?;
        let stones = |bytes: &FixedLenByteArray| {
            PointSet::from_bytes(bytes.data(), area).ok_or_else(|| missing("point"))
        };
        for at in 0..game.len() {
            let ending = Ending {
                own: stones(&end_own[at])?,
                theirs: stones(&end_theirs[at])?,
                closed_own: stones(&closed_own[at])?,
                closed_theirs: stones(&closed_theirs[at])?,
                margin: i8::try_from(margin[at]).map_err(|_| missing("score"))?,
            };
            let to_move = side(black[at]);
            let last = u16::try_from(last_move[at]).ok().map(Move);
            rows.push(Row {
                game: game[at].cast_unsigned(),
                ply: u16::try_from(ply[at]).map_err(|_| missing("ply"))?,
                to_move,
                source: source(to_move, [stones(&own[at])?, stones(&theirs[at])?], last),
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

fn side(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

/// The stones of the side to move and of the other one, without the last move's.
fn source(to_move: Color, [own, theirs]: [PointSet; 2], last: Option<Move>) -> PositionSource {
    let own = own.iter().map(|point| (point, to_move));
    let theirs = theirs.iter().map(|point| (point, to_move.opponent()));
    let stones = own.chain(theirs).filter(|(point, _)| Some(*point) != last);
    let mut before: Vec<(Move, Color)> = stones.collect();
    before.sort_unstable();
    PositionSource::Stones(Arc::new(Stones { before, last }))
}
