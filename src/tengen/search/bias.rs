//! Correction of evaluations by what searches below similar moves have found: KataGo's subtree value bias.
//!
//! A network that misjudges a local fight misjudges it in all positions that contain it. So each node adds the
//! difference between the mean of its children and its own evaluation to an entry of a table, which it shares with
//! all nodes that were reached by the same last two moves with the same stones around the last one; and the mean of
//! an entry, times a factor, corrects the evaluations of its nodes.

use super::memory::{AtomicU32, Ordering, zeros};
use crate::game::zobrist::mix;
use crate::game::{Game, Move};

/// The weight of a node's error is the number of its children's visits to this power (KataGo).
const POWER: f32 = 0.85;

/// The surroundings of the last move are the points at most this many lines away from it (KataGo).
const REACH: i32 = 2;

/// Entry of a node without a correction.
pub(super) const NO_BIAS: u32 = 0;

/// The errors of evaluations, in a table.
#[derive(Debug)]
pub(super) struct Biases {
    /// Share of an entry's mean error by which an evaluation is corrected.
    pub(super) factor: f32,
    /// Two numbers an entry: a sum of errors with weights, and the sum of the weights.
    errors: Box<[AtomicU32]>,
}

/// A sum of errors with weights, and the sum of the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Errors {
    pub(super) sum: f32,
    pub(super) weight: f32,
}

impl Errors {
    /// Of a node with an evaluation `own`, whose children have the mean value `children` with this many visits.
    pub(super) fn of(own: f32, children: f32, visits: f32) -> Errors {
        let weight = visits.powf(POWER);
        Errors {
            sum: weight * (children - own),
            weight,
        }
    }
}

impl Biases {
    /// A table of this many entries. With a `factor` of 0 it has none, and corrects nothing.
    pub(super) fn new(factor: f32, entries: usize) -> Biases {
        let entries = if factor > 0.0 { entries } else { 0 };
        Biases {
            factor,
            errors: zeros(2 * entries),
        }
    }

    /// The entry of a position by its last two moves and the stones around the last one. Positions of different
    /// surroundings may share an entry by chance.
    pub(super) fn entry<G: Game>(&self, position: &G) -> u32 {
        let entries = self.errors.len() / 2;
        if entries == 0 {
            return NO_BIAS;
        }
        let mut moves = position.recent().iter();
        let Some(last) = moves.next() else {
            return NO_BIAS;
        };
        let before = moves.next().unwrap_or(position.size().pass());
        let turn = position.to_move().index() as u64;
        let moves = turn << 32 | u64::from(last.0) << 16 | u64::from(before.0);
        let hash = mix(mix(moves) ^ surroundings(position, last));
        (hash as usize % entries).max(1) as u32
    }

    /// The correction of an evaluation with this entry, in the view of the side to move there.
    pub(super) fn correction(&self, entry: u32) -> f32 {
        let [sum, weight] =
            [0, 1].map(|part| f32::from_bits(self.part(entry, part).load(Ordering::Relaxed)));
        // A weight of 0 may still be a little off it after the subtractions.
        match weight > 0.001 {
            true => self.factor * sum / weight,
            false => 0.0,
        }
    }

    /// Replaces what a node has added to its entry.
    pub(super) fn replace(&self, entry: u32, old: Errors, new: Errors) {
        self.add(entry, 0, new.sum - old.sum);
        self.add(entry, 1, new.weight - old.weight);
    }

    /// Forgets all errors.
    pub(super) fn clear(&mut self) {
        self.errors.fill_with(AtomicU32::default);
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.errors)
    }

    fn part(&self, entry: u32, part: usize) -> &AtomicU32 {
        &self.errors[2 * entry as usize + part]
    }

    fn add(&self, entry: u32, part: usize, more: f32) {
        let sum = |bits| Some((f32::from_bits(bits) + more).to_bits());
        let number = self.part(entry, part);
        // Never refused: `sum` always has a result.
        let _ = number.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
    }
}

/// The stones around a point and the board's edge, as a number of two bits for each point; 0 around a pass.
fn surroundings<G: Game>(position: &G, around: Move) -> u64 {
    let size = position.size();
    if around.index() >= size.area() {
        return 0;
    }
    let (x, y) = size.column_row(around);
    let (x, y) = (i32::from(x), i32::from(y));
    let mut stones = 0;
    for row in y - REACH..=y + REACH {
        for column in x - REACH..=x + REACH {
            let inside = |at: i32, side: u8| u8::try_from(at).ok().filter(|&at| at < side);
            let point = inside(column, size.width).zip(inside(row, size.height));
            let content = match point.map(|(column, row)| position.stone(size.point(column, row))) {
                None => 0,
                Some(None) => 1,
                Some(Some(color)) => 2 + color.index() as u64,
            };
            stones = stones << 2 | content;
        }
    }
    stones
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;

    /// The entry after these moves, given by column and row.
    fn entry(biases: &Biases, moves: &[(u8, u8)]) -> u32 {
        let size = BoardSize::square(9);
        let mut position = SmallGo::new(size).unwrap();
        for &(x, y) in moves {
            position.play(size.point(x, y));
        }
        biases.entry(&position)
    }

    #[test]
    fn an_entry_is_for_two_moves_and_the_stones_around_the_last() {
        let biases = Biases::new(0.45, 1 << 16);
        let entry = |moves: &[(u8, u8)]| entry(&biases, moves);
        let first = entry(&[(8, 8), (8, 6), (2, 2), (3, 3)]);
        assert_ne!(first, NO_BIAS);
        // Stones elsewhere do not matter; the last moves, and stones near the last one, do.
        assert_eq!(entry(&[(7, 8), (8, 5), (2, 2), (3, 3)]), first);
        assert_ne!(entry(&[(7, 8), (8, 5), (2, 3), (3, 3)]), first);
        assert_ne!(entry(&[(2, 2), (8, 5), (8, 8), (3, 3)]), first);
        assert_ne!(entry(&[(4, 4), (8, 6), (2, 2), (3, 3)]), first);
        assert_ne!(entry(&[(8, 6), (2, 2), (3, 3)]), first);
        assert_eq!(entry(&[]), NO_BIAS);
    }

    #[test]
    fn a_correction_is_a_share_of_the_mean_error() {
        let biases = Biases::new(0.5, 8);
        assert_eq!(biases.correction(3), 0.0);
        let one = Errors {
            sum: 0.6,
            weight: 2.0,
        };
        biases.replace(3, Errors::default(), one);
        biases.replace(
            3,
            Errors::default(),
            Errors {
                sum: -0.2,
                weight: 2.0,
            },
        );
        assert!((biases.correction(3) - 0.05).abs() < 1e-6);
        biases.replace(3, one, Errors::default());
        assert!((biases.correction(3) + 0.05).abs() < 1e-6);
        assert_eq!(biases.correction(4), 0.0);
    }

    #[test]
    fn errors_weigh_less_than_visits() {
        let errors = Errors::of(0.2, -0.3, 100.0);
        assert!((errors.sum / errors.weight + 0.5).abs() < 1e-6);
        assert!((errors.weight - 50.1).abs() < 0.1);
    }

    #[test]
    fn without_a_factor_there_is_no_table() {
        let biases = Biases::new(0.0, 1 << 16);
        assert_eq!(
            (entry(&biases, &[(2, 2), (3, 3)]), biases.bytes()),
            (NO_BIAS, 0)
        );
    }
}
