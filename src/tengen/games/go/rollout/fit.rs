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
    /// The indices of its features: the named ones come first, then the patterns.
    fn features(&self) -> impl Iterator<Item = usize> {
        let shape = KINDS + usize::from(self.shape);
        self.kinds.numbers().chain([shape])
    }

    fn weight(&self, weights: &[f64]) -> f64 {
        self.features().map(|feature| weights[feature]).product()
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
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
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
    pub fn fit(&self) -> String {
        let count = KINDS + self.shapes.len();
        let (mut weights, mut won) = (vec![1.0; count], vec![IMAGINED; count]);
        for choices in self.positions() {
            choices[0]
                .features()
                .for_each(|feature| won[feature] += 1.0);
        }
        let [step, step_of_kinds] = self.features.steps();
        for _ in 0..ROUNDS {
            let expected = self.expected(&weights);
            for (feature, weight) in weights.iter_mut().enumerate() {
                let step = if feature < KINDS { step_of_kinds } else { step };
                // Virtual: as often won as lost against a move of weight 1.
                let imagined = 2.0 * IMAGINED * *weight / (1.0 + *weight);
                *weight *= (won[feature] / (expected[feature] + imagined)).powf(step);
            }
        }
        self.text(&weights)
    }

    /// Mean natural logarithm of the probability that a weights file gives to the moves played.
    pub fn likelihood(&self, weights: &str) -> f64 {
        let weights = self.known(weights);
        let chance = |choices: &[Choice]| {
            let of = |choice: &Choice| choice.weight(&weights);
            of(&choices[0]) / choices.iter().map(of).sum::<f64>()
        };
        let sum: f64 = self.positions().map(|choices| chance(choices).ln()).sum();
        sum / self.len().max(1) as f64
    }

    /// Share of the positions in which no move weighs more than the one played.
    pub fn share_first(&self, weights: &str) -> f64 {
        let weights = self.known(weights);
        let is_first = |choices: &&[Choice]| {
            let of = |choice: &Choice| choice.weight(&weights);
            let played = of(&choices[0]);
            choices.iter().all(|choice| of(choice) <= played)
        };
        let first = self.positions().filter(is_first).count();
        first as f64 / self.len().max(1) as f64
    }

    /// The weights of a file, by the indices of features here.
    fn known(&self, weights: &str) -> Vec<f64> {
        let known = Weights::read(weights);
        let mut weights = known.kinds.map(f64::from).to_vec();
        weights.resize(KINDS + self.shapes.len(), 1.0);
        for (&code, &shape) in &self.shapes {
            weights[KINDS + usize::from(shape)] = f64::from(known.of_shape(code)[0]);
        }
        weights
    }

    /// The candidates of each position.
    fn positions(&self) -> impl Iterator<Item = &[Choice]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges.map(|(first, &end)| &self.choices[first..end])
    }

    /// Expected number of each feature among the moves played.
    fn expected(&self, weights: &[f64]) -> Vec<f64> {
        let mut expected = vec![0.0; weights.len()];
        for choices in self.positions() {
            let of = |choice: &Choice| choice.weight(weights);
            let each: Vec<f64> = choices.iter().map(of).collect();
            let all: f64 = each.iter().sum();
            for (choice, weight) in choices.iter().zip(each) {
                let features = choice.features();
                features.for_each(|feature| expected[feature] += weight / all);
            }
        }
        expected
    }

    fn text(&self, weights: &[f64]) -> String {
        let mut text = String::new();
        for (name, weight) in names().zip(weights).take(self.features.count()) {
            let _ = writeln!(text, "{name} {weight:.3}");
        }
        for (code, &shape) in &self.shapes {
            let weight = weights[KINDS + usize::from(shape)];
            let _ = writeln!(text, "{code:04x} {weight:.3}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::Kind;
    use super::*;
    use crate::game::{Bits, BoardSize};
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
                let near = position.next_to(Bits::point(last)) & position.legal_points();
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
