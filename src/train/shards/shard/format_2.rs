//! The columns of a shard of format 2, which is no longer written: positions without their games.
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

use super::columns::unpack;
use super::table::{columns, missing};
use crate::game::{BoardSize, Color, Move, OneSet};
use crate::train::shards::ending::Ending;
use crate::train::shards::row::{PointSet, PositionSource, Row, Stones};

columns! {
    /// The columns, one row a position.
    read Columns {
        /// Which game of the run.
        game: Int64Type,
        /// Moves played before.
        ply: Int32Type,
        /// Whose view the row is from.
        black_to_move: BoolType,
        /// Stones of the side to move, a bit per point, least significant first, points row by row
        /// from A1.
        own: FixedLenByteArrayType,
        /// Stones of the other side.
        theirs: FixedLenByteArrayType,
        /// Policy index, -1 for none.
        last_move: Int32Type,
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
        /// The game was played to its end: the columns below are set.
        ended: BoolType,
        /// Stones on the final board, as `own`.
        end_own: FixedLenByteArrayType,
        /// The opponent's.
        end_theirs: FixedLenByteArrayType,
        /// Points that were once empty and forbidden to the side to move.
        closed_own: FixedLenByteArrayType,
        /// The opponent's.
        closed_theirs: FixedLenByteArrayType,
        /// Margin in [-5, 5], for the side to move (see [`Ending`]).
        score: Int32Type,
    }
}

/// The rows of a file, on boards of this size.
///
/// # Errors
/// Errors of the library, or of a missing or invalid value.
pub(super) fn read(
    size: BoardSize,
    reader: &SerializedFileReader<Bytes>,
) -> ParquetResult<Vec<Row>> {
    let area = size.area();
    // No game had several rules then.
    let rules: Arc<str> = OneSet.to_string().into();
    let mut rows = Vec::new();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        let of = Columns::read(group.as_ref())?;
        let stones = |bytes: &FixedLenByteArray| {
            PointSet::from_bytes(bytes.data(), area).ok_or_else(|| missing("point"))
        };
        for at in 0..of.game.len() {
            let ending = Ending {
                own: stones(&of.end_own[at])?,
                theirs: stones(&of.end_theirs[at])?,
                closed_own: stones(&of.closed_own[at])?,
                closed_theirs: stones(&of.closed_theirs[at])?,
                margin: i8::try_from(of.score[at]).map_err(|_| missing("score"))?,
                lead: None,
            };
            let to_move = side(of.black_to_move[at]);
            let last = u16::try_from(of.last_move[at]).ok().map(Move);
            rows.push(Row {
                game: of.game[at].cast_unsigned(),
                size,
                ply: u16::try_from(of.ply[at]).map_err(|_| missing("ply"))?,
                to_move,
                source: source(
                    to_move,
                    [stones(&of.own[at])?, stones(&of.theirs[at])?],
                    last,
                ),
                rules: rules.clone(),
                komi: None,
                policy: unpack(of.policy[at].data()),
                policy_weight: of.policy_weight[at],
                surprise: of.surprise[at],
                result: i8::try_from(of.result[at]).map_err(|_| missing("result"))?,
                exact: of.exact[at],
                root_value: of.root_value[at],
                ending: of.ended[at].then_some(ending),
            });
        }
    }
    Ok(rows)
}

fn side(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

/// The stones of the side to move and of the opponent, without the last move's.
fn source(to_move: Color, [own, theirs]: [PointSet; 2], last: Option<Move>) -> PositionSource {
    let own = own.iter().map(|point| (point, to_move));
    let theirs = theirs.iter().map(|point| (point, to_move.opponent()));
    let stones = own.chain(theirs).filter(|(point, _)| Some(*point) != last);
    let mut before: Vec<(Move, Color)> = stones.collect();
    before.sort_unstable();
    PositionSource::Stones(Arc::new(Stones { before, last }))
}
