//! Fits the weights of moves to games: those that maximise the likelihood of the moves played
//! among the legal ones (a generalized Bradley-Terry model, fitted by minorization-maximization:
//! Coulom, Computing "Elo ratings" of move patterns in the game of Go, 2007).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::domain::Domain;
use super::features::View;
use super::field::Field;
use super::weights::{KINDS, Kinds, WHERE, Weights, alike, is_eye, names};
use crate::game::{Game, Move};
use crate::games::go::Go;

/// Prior: each weight is kept near 1 by this many virtual moves, played as often as expected.
const IMAGINED: f64 = 2.0;

const ROUNDS: usize = 60;

/// Which features have weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Features {
    /// Those of rollouts, which are cheap to update.
    #[default]
    Rollouts,
    /// Place, distance and liberties as well, for [`crate::rollout::Rollout::ranking`].
    All,
}

impl Features {
    /// Exponents of the steps of patterns and of other features. A full step is right if one weight
    /// of a move changes at a time; several change here, so that the steps are smaller.
    fn steps(self) -> [f64; 2] {
        match self {
            Features::Rollouts => [1.0, 0.5],
            Features::All => [0.3, 0.3],
        }
    }

    /// Number of named features.
    fn count(self) -> usize {
        match self {
            Features::Rollouts => WHERE,
            Features::All => KINDS,
        }
    }
}

/// A candidate move: the index of its pattern, and its features.
#[derive(Debug, Clone, Copy)]
struct Choice {
    shape: u16,
    kinds: Kinds,
}

impl Choice {
    fn weight(&self, shapes: &[f64], kinds: &[f64; KINDS]) -> f64 {
        let kinds = self.kinds.numbers().map(|kind| kinds[kind]);
        shapes[usize::from(self.shape)] * kinds.product::<f64>()
    }
}

/// Candidates of all positions in sequence, the move played first in each.
#[derive(Debug, Default)]
pub struct WeightFit {
    features: Features,
    choices: Vec<Choice>,
    /// End of each position's candidates.
    ends: Vec<usize>,
    /// Indices of patterns.
    shapes: BTreeMap<u16, u16>,
}

impl WeightFit {
    /// A fit of these features without positions.
    #[must_use]
    pub fn of(features: Features) -> WeightFit {
        WeightFit {
            features,
            ..WeightFit::default()
        }
    }

    /// Adds one of `every` moves of a game, up to the first pass.
    pub fn add<const CELLS: usize, const WORDS: usize>(
        &mut self,
        start: &Go<CELLS, WORDS>,
        moves: &[Move],
        every: usize,
    ) {
        let mut position = start.clone();
        for (ply, &mv) in moves.iter().enumerate() {
            if mv == position.pass() || !position.is_legal(mv) {
                break;
            }
            if ply % every == 0 {
                self.add_move(&position, mv);
            }
            position.play(mv);
        }
    }

    /// Positions so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn add_move<const CELLS: usize, const WORDS: usize>(
        &mut self,
        position: &Go<CELLS, WORDS>,
        played: Move,
    ) {
        let field = Field::of(position);
        let mover = field.to_move;
        let view = View::of(&field);
        let domain = Domain::of(position, &field);
        let first = self.choices.len();
        for point in position.legal_points().iter() {
            let around = field.around(point);
            if is_eye(around, mover) {
                continue;
            }
            let shapes = self.shapes.len() as u16;
            let shape = *self.shapes.entry(alike(around, mover)).or_insert(shapes);
            let kinds = match self.features {
                Features::Rollouts => view.kinds(point),
                Features::All => domain.kinds(point),
            };
            self.choices.push(Choice { shape, kinds });
            if point == played {
                let last = self.choices.len() - 1;
                self.choices.swap(first, last);
            }
        }
        if self.choices.len() > first
            && field.is_empty(played)
            && !is_eye(field.around(played), mover)
        {
            self.ends.push(self.choices.len());
        } else {
            self.choices.truncate(first);
        }
    }

    /// The weights, as lines of a weights file.
    #[must_use]
    pub fn fit(&self) -> String {
        let mut shapes = vec![1.0_f64; self.shapes.len()];
        let mut kinds = [1.0_f64; KINDS];
        let mut won = (vec![IMAGINED; shapes.len()], [IMAGINED; KINDS]);
        for choices in self.positions() {
            won.0[usize::from(choices[0].shape)] += 1.0;
            let numbers = choices[0].kinds.numbers();
            numbers.for_each(|kind| won.1[kind] += 1.0);
        }
        let [step, step_of_kinds] = self.features.steps();
        for _ in 0..ROUNDS {
            let (of_shapes, of_kinds) = self.expected(&shapes, &kinds);
            // Virtual: as often won as lost against a move of weight 1.
            let imagined = |weight: f64| 2.0 * IMAGINED * weight / (1.0 + weight);
            for (shape, weight) in shapes.iter_mut().enumerate() {
                *weight *= (won.0[shape] / (of_shapes[shape] + imagined(*weight))).powf(step);
            }
            for (kind, weight) in kinds.iter_mut().enumerate() {
                *weight *= (won.1[kind] / (of_kinds[kind] + imagined(*weight))).powf(step_of_kinds);
            }
        }
        self.text(&shapes, &kinds)
    }

    /// Mean natural logarithm of the probability that a weights file gives to the moves played.
    #[must_use]
    pub fn likelihood(&self, weights: &str) -> f64 {
        let (shapes, kinds) = self.known(weights);
        let chance = |choices: &[Choice]| {
            let of = |choice: &Choice| choice.weight(&shapes, &kinds);
            of(&choices[0]) / choices.iter().map(of).sum::<f64>()
        };
        let sum: f64 = self.positions().map(|choices| chance(choices).ln()).sum();
        sum / self.len().max(1) as f64
    }

    /// Share of the positions in which no move weighs more than the one played.
    #[must_use]
    pub fn share_first(&self, weights: &str) -> f64 {
        let (shapes, kinds) = self.known(weights);
        let is_first = |choices: &&[Choice]| {
            let of = |choice: &Choice| choice.weight(&shapes, &kinds);
            let played = of(&choices[0]);
            choices.iter().all(|choice| of(choice) <= played)
        };
        let first = self.positions().filter(is_first).count();
        first as f64 / self.len().max(1) as f64
    }

    /// The weights of a file, by the indices of patterns and features here.
    fn known(&self, weights: &str) -> (Vec<f64>, [f64; KINDS]) {
        let known = Weights::read(weights);
        let mut shapes = vec![1.0; self.shapes.len()];
        for (&code, &shape) in &self.shapes {
            shapes[usize::from(shape)] = f64::from(known.of_shape(code)[0]);
        }
        (shapes, known.kinds.map(f64::from))
    }

    /// The candidates of each position.
    fn positions(&self) -> impl Iterator<Item = &[Choice]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges.map(|(first, &end)| &self.choices[first..end])
    }

    /// Expected number of each pattern and feature among the moves played.
    fn expected(&self, shapes: &[f64], kinds: &[f64; KINDS]) -> (Vec<f64>, [f64; KINDS]) {
        let mut expected = (vec![0.0_f64; shapes.len()], [0.0_f64; KINDS]);
        let mut weights = Vec::new();
        for choices in self.positions() {
            weights.clear();
            weights.extend(choices.iter().map(|choice| choice.weight(shapes, kinds)));
            let all: f64 = weights.iter().sum();
            for (choice, weight) in choices.iter().zip(&weights) {
                let chance = weight / all;
                expected.0[usize::from(choice.shape)] += chance;
                let numbers = choice.kinds.numbers();
                numbers.for_each(|kind| expected.1[kind] += chance);
            }
        }
        expected
    }

    fn text(&self, shapes: &[f64], kinds: &[f64]) -> String {
        let mut text = String::new();
        for (name, weight) in names().zip(kinds).take(self.features.count()) {
            let _ = writeln!(text, "{name} {weight:.3}");
        }
        for (code, &shape) in &self.shapes {
            let _ = writeln!(text, "{code:04x} {:.3}", shapes[usize::from(shape)]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::Kind;
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;

    #[test]
    fn what_is_always_done_weighs_most() {
        // Each side plays beside the other's last stone, at the lowest such point.
        let start = SmallGo::new(BoardSize::square(7)).unwrap();
        let mut fit = WeightFit::default();
        for first in 8..40 {
            let (mut position, mut moves) = (start.clone(), vec![Move(first)]);
            position.play(Move(first));
            for _ in 0..12 {
                let last = *moves.last().expect("the first");
                let near = position.around(last) & position.legal_points();
                let Some(mv) = near.lowest() else { break };
                moves.push(mv);
                position.play(mv);
            }
            fit.add(&start, &moves, 1);
        }
        assert!(fit.len() > 100);
        let text = fit.fit();
        let weights = Weights::read(&text);
        assert!(
            weights.of(Kind::Beside) > 10.0,
            "{}",
            weights.of(Kind::Beside)
        );
        assert!(weights.of(Kind::Across) < 1.0);
        assert!(fit.likelihood(&text) > fit.likelihood("") + 1.0);
    }
}
