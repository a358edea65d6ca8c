//! One recorded position: what a shard keeps and a network learns from.
//!
//! Everything is seen from the side to move, so that colours never have to be exchanged later.

use crate::game::{BoardSize, Color, Game, Move, Outcome};

/// Points that a [`PointSet`] can hold: a 19x19 board.
pub const MAX_POINTS: usize = 361;

/// A set of points, one bit each in policy order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet([u64; MAX_POINTS.div_ceil(64)]);

impl PointSet {
    /// Adds a point below [`MAX_POINTS`].
    pub fn insert(&mut self, point: Move) {
        self.0[point.index() / 64] |= 1 << (point.index() % 64);
    }

    /// Whether the point is in the set.
    #[must_use]
    pub fn contains(&self, point: Move) -> bool {
        self.0
            .get(point.index() / 64)
            .is_some_and(|word| word >> (point.index() % 64) & 1 == 1)
    }

    /// The points, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let words = self.0.into_iter().enumerate();
        words
            .flat_map(move |(index, word)| bits(word).map(move |bit| Move(index as u16 * 64 + bit)))
    }

    /// The first `len` bytes, least significant bit first: 8 points a byte.
    #[must_use]
    pub fn to_bytes(&self, len: usize) -> Vec<u8> {
        self.0
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .take(len)
            .collect()
    }

    /// The set that [`PointSet::to_bytes`] has packed, or `None` when a point outside the first
    /// `area` is in it.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], area: usize) -> Option<PointSet> {
        let mut set = PointSet::default();
        for (index, &byte) in bytes.iter().enumerate() {
            *set.0.get_mut(index / 8)? |= u64::from(byte) << (8 * (index % 8));
        }
        set.iter().all(|point| point.index() < area).then_some(set)
    }
}

/// One move's share of the policy target, in 1/65535.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The move, as the policy numbers it.
    pub mv: Move,
    /// Its share of the root visits; never 0.
    pub share: u16,
}

/// One recorded position.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The game's number within its run.
    pub game: u64,
    /// Moves played before this position.
    pub ply: u16,
    /// The side to move.
    pub to_move: Color,
    /// Stones of the side to move.
    pub own: PointSet,
    /// Stones of the other side.
    pub theirs: PointSet,
    /// The move that led here.
    pub last_move: Option<Move>,
    /// The policy target: normalised root visits, moves ascending, rounded shares of nothing left
    /// out.
    pub policy: Vec<Share>,
    /// The game's result for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// What the generator's search thought of the position, for the side to move, in [-1, 1].
    pub root_value: f32,
}

impl Row {
    /// Records a position with the root visits of a search; the result is filled in by
    /// [`Row::finish`].
    #[must_use]
    pub fn record<G: Game>(game: u64, position: &G, visits: &[(Move, u32)], value: f32) -> Row {
        let (mut own, mut theirs) = (PointSet::default(), PointSet::default());
        for point in (0..position.size().area() as u16).map(Move) {
            match position.stone(point) {
                Some(color) if color == position.to_move() => own.insert(point),
                Some(_) => theirs.insert(point),
                None => {}
            }
        }
        Row {
            game,
            ply: u16::try_from(position.ply()).unwrap_or(u16::MAX),
            to_move: position.to_move(),
            own,
            theirs,
            last_move: position.last_move(),
            policy: shares(visits),
            result: 0,
            root_value: value,
        }
    }

    /// Fills in the game's result.
    pub fn finish(&mut self, outcome: Outcome) {
        self.result = outcome.value_for(self.to_move) as i8;
    }

    /// The game's result, as [`Row::finish`] has filled it in.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.result {
            0 => Outcome::Draw,
            result if result > 0 => Outcome::Win(self.to_move),
            _ => Outcome::Win(self.to_move.opponent()),
        }
    }

    /// The stones of one colour.
    #[must_use]
    pub fn stones(&self, color: Color) -> &PointSet {
        if color == self.to_move {
            &self.own
        } else {
            &self.theirs
        }
    }

    /// Whether every move of the row exists on a board of this size with `policy_len` moves.
    #[must_use]
    pub fn fits(&self, size: BoardSize, policy_len: usize) -> bool {
        let on_board = |mv: Move| mv.index() < policy_len;
        self.policy.iter().all(|share| on_board(share.mv))
            && self.last_move.is_none_or(on_board)
            && self
                .own
                .iter()
                .all(|point| point.index() < size.area() && !self.theirs.contains(point))
    }
}

/// Visits as shares in 1/65535, those that round to nothing left out.
fn shares(visits: &[(Move, u32)]) -> Vec<Share> {
    let total: u64 = visits.iter().map(|&(_, count)| u64::from(count)).sum();
    let full = u64::from(u16::MAX);
    visits
        .iter()
        .filter_map(|&(mv, count)| {
            // Half of the total added first rounds to the nearest share.
            let share = (u64::from(count) * full + total / 2).checked_div(total)?;
            (share > 0).then_some(Share {
                mv,
                share: share as u16,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn point_sets_survive_packing(points in proptest::collection::vec(0u16..361, 0..40)) {
            let mut set = PointSet::default();
            points.iter().for_each(|&point| set.insert(Move(point)));
            prop_assert_eq!(PointSet::from_bytes(&set.to_bytes(46), 361), Some(set));
            let mut sorted = points;
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(set.iter().map(|mv| mv.0).collect::<Vec<_>>(), sorted);
        }
    }

    #[test]
    fn points_off_the_board_are_refused() {
        assert!(PointSet::from_bytes(&[0, 0b10], 9).is_none());
        assert!(PointSet::from_bytes(&[0xff; 47], 361).is_none());
    }

    #[test]
    fn shares_sum_to_nearly_one() {
        let shares = shares(&[(Move(3), 1), (Move(4), 2), (Move(9), 0), (Move(10), 700)]);
        assert_eq!(
            shares.iter().map(|s| s.mv.0).collect::<Vec<_>>(),
            [3, 4, 10]
        );
        let total: u32 = shares.iter().map(|s| u32::from(s.share)).sum();
        assert!(total.abs_diff(65535) <= 3);
        assert!(super::shares(&[]).is_empty());
    }
}
