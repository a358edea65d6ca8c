//! Move choice of a rollout: points drawn in proportion to their learned weights.

use rand::{Rng, RngExt};

use super::features::{Local, is_worth_losing};
use super::field::Field;
use super::weights::{Kind, WEIGHTS, Weights, scaled};
use crate::game::{BoardSize, Move};
use crate::rollout::Played;

/// Probability that a chosen self-atari of a single stone is kept. Games have fewer of them (their
/// weight is `loses-one`), but with 0.5 rollouts predict results better than with 0.1
/// (docs/results/measures.toml).
const THROWN_IN: f32 = 0.5;

/// Plays until neither side wants to move, at most `most` moves.
pub(super) fn play_out<const CELLS: usize, const WORDS: usize, R: Rng>(
    field: &mut Field<CELLS, WORDS>,
    most: u32,
    rng: &mut R,
    played: &mut Played,
) {
    let mut chooser = Chooser::of(field);
    for _ in 0..most {
        if field.passes >= 2 {
            break;
        }
        chooser.follow(field);
        match chooser.choose(field, rng) {
            Some(point) => {
                played.add(field.to_move, point);
                field.play(point);
            }
            None => field.pass(),
        }
    }
}

/// The weights of all points, for both sides.
struct Chooser<const CELLS: usize> {
    weights: &'static Weights,
    wheel: Wheel<CELLS>,
    /// Additional weights of points for this move, because of the last one.
    extra: Vec<(Move, u32)>,
    /// Points excluded for now, with their weights.
    refused: Vec<(Move, [u32; 2])>,
}

impl<const CELLS: usize> Chooser<CELLS> {
    fn of<const WORDS: usize>(field: &Field<CELLS, WORDS>) -> Self {
        Chooser {
            weights: &WEIGHTS,
            wheel: Wheel::new(field.frame().size()),
            extra: Vec::with_capacity(32),
            refused: Vec::with_capacity(32),
        }
    }

    /// Updates the weights that have changed.
    fn follow<const WORDS: usize>(&mut self, field: &mut Field<CELLS, WORDS>) {
        for point in field.take_changed().iter() {
            if !field.is_empty(point) {
                self.wheel.set(point, [0; 2]);
                continue;
            }
            let mut weights = self.weights.of_shape(field.around(point));
            let sides = field.sides(point);
            for (side, weight) in weights.iter_mut().enumerate() {
                let (takes, saves) = (sides.takes[side], sides.saves[side]);
                if !sides.legal[side] {
                    *weight = 0;
                } else if takes | saves > 0 {
                    *weight = scaled(*weight, self.sides_weight(takes, saves));
                }
            }
            self.wheel.set(point, weights);
        }
    }

    /// Factor for captured and rescued stones.
    fn sides_weight(&self, takes: u8, saves: u8) -> f32 {
        let of = |number: u8, one: Kind, many: Kind| match number {
            0 => 1.0,
            1 => self.weights.of(one),
            _ => self.weights.of(many),
        };
        of(takes, Kind::TakesOne, Kind::TakesMany) * of(saves, Kind::SavesOne, Kind::SavesMany)
    }

    fn choose<const WORDS: usize, R: Rng>(
        &mut self,
        field: &Field<CELLS, WORDS>,
        rng: &mut R,
    ) -> Option<Move> {
        let side = field.to_move.index();
        let mut extra = self.answers(field);
        let mut poor = None;
        let chosen = loop {
            let total = self.wheel.total(side) + extra;
            if total == 0 {
                break poor;
            }
            let number = ((u64::from(rng.next_u32()) * u64::from(total)) >> 32) as u32;
            let point = match number.checked_sub(extra) {
                Some(number) => self.wheel.point(side, number),
                None => self.answer(number),
            };
            if field.ko != Some(point) {
                if field.is_open(point) {
                    break Some(point);
                }
                let joined = field.joined(point);
                let few = joined.liberties.is_empty() || joined.liberties.is_single();
                if !few || field.sides(point).takes[side] > 0 {
                    break Some(point);
                }
                if is_worth_losing(field.frame(), joined.stones) {
                    let chance = match joined.stones.is_single() {
                        true => THROWN_IN,
                        false => self.weights.of(Kind::LosesMany),
                    };
                    if rng.random::<f32>() < chance {
                        break Some(point);
                    }
                    poor = Some(point);
                }
            }
            extra -= self.refuse(point);
        };
        for (point, weights) in self.refused.drain(..) {
            self.wheel.set(point, weights);
        }
        chosen
    }

    /// Total additional weight of answers to the last move.
    fn answers<const WORDS: usize>(&mut self, field: &Field<CELLS, WORDS>) -> u32 {
        self.extra.clear();
        let Some(local) = Local::of(field) else {
            return 0;
        };
        let (side, rare) = (field.to_move.index(), local.rare());
        let [beside, across] = [Kind::Beside, Kind::Across].map(|kind| self.weights.of(kind));
        let mut all = 0;
        for point in (rare | local.beside | local.across).iter() {
            let weight = self.wheel.weight(side, point);
            if weight == 0 {
                continue;
            }
            let mut factor = match () {
                () if local.beside.contains(point) => beside,
                () if local.across.contains(point) => across,
                () => 1.0,
            };
            if rare.contains(point) {
                let kinds = local
                    .rare
                    .iter()
                    .filter(|(_, points)| points.contains(point));
                factor *= kinds
                    .map(|&(kind, _)| self.weights.of(kind))
                    .product::<f32>();
            }
            let more = scaled(weight, factor).saturating_sub(weight);
            self.extra.push((point, more));
            all += more;
        }
        all
    }

    fn answer(&self, mut number: u32) -> Move {
        for &(point, more) in &self.extra {
            match number.checked_sub(more) {
                Some(left) => number = left,
                None => return point,
            }
        }
        unreachable!("the number is below the sum");
    }

    /// Excludes a point for now; returns its additional weight as an answer.
    fn refuse(&mut self, point: Move) -> u32 {
        let weights = [0, 1].map(|side| self.wheel.weight(side, point));
        self.refused.push((point, weights));
        self.wheel.set(point, [0; 2]);
        let answer = self.extra.iter_mut().find(|(at, _)| *at == point);
        answer.map_or(0, |(_, more)| std::mem::take(more))
    }
}

// Roulette wheel: draws points in proportion to their weights, which are integers, so that sums
// stay exact.

/// Rows, at most.
const ROWS: usize = 128;

/// Weights of points for both sides, with sums by rows.
#[derive(Debug, Clone)]
pub(super) struct Wheel<const CELLS: usize> {
    width: usize,
    /// 2^16 divided by the columns, rounded up: division by them becomes a multiplication.
    through: u32,
    weights: [[u32; 2]; CELLS],
    rows: [[u32; 2]; ROWS],
    total: [u32; 2],
}

impl<const CELLS: usize> Wheel<CELLS> {
    /// All weights zero.
    pub(super) fn new(size: BoardSize) -> Self {
        Wheel {
            width: usize::from(size.width),
            through: (1_u32 << 16).div_ceil(u32::from(size.width)),
            weights: [[0; 2]; CELLS],
            rows: [[0; 2]; ROWS],
            total: [0; 2],
        }
    }

    pub(super) fn weight(&self, side: usize, point: Move) -> u32 {
        self.weights[point.index()][side]
    }

    /// Sum of all weights.
    pub(super) fn total(&self, side: usize) -> u32 {
        self.total[side]
    }

    /// Sets the weights of a point.
    pub(super) fn set(&mut self, point: Move, weights: [u32; 2]) {
        let row = (u32::from(point.0) * self.through) >> 16;
        let before = std::mem::replace(&mut self.weights[point.index()], weights);
        let row = &mut self.rows[row as usize];
        for side in 0..2 {
            let change = weights[side].wrapping_sub(before[side]);
            row[side] = row[side].wrapping_add(change);
            self.total[side] = self.total[side].wrapping_add(change);
        }
    }

    /// The point selected by a number below the total.
    pub(super) fn point(&self, side: usize, number: u32) -> Move {
        let (mut left, mut row) = (number, 0);
        while left >= self.rows[row][side] {
            left -= self.rows[row][side];
            row += 1;
        }
        let mut point = row * self.width;
        while left >= self.weights[point][side] {
            left -= self.weights[point][side];
            point += 1;
        }
        Move(point as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_as_many_numbers_as_it_weighs() {
        let mut wheel = Wheel::<111>::new(BoardSize::new(3, 4));
        for point in 0..12 {
            wheel.set(Move(point), [9, 100]);
        }
        for point in 0..12 {
            wheel.set(Move(point), [u32::from(point) % 4, 1]);
        }
        for (side, total) in [18, 12].into_iter().enumerate() {
            assert_eq!(wheel.total(side), total);
            for point in (0..12).map(Move) {
                let found = (0..total).filter(|&number| wheel.point(side, number) == point);
                assert_eq!(found.count() as u32, wheel.weight(side, point));
            }
        }
    }
}
