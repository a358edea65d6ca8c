//! Distillation: a network's answers as targets, where a stronger one is to be learned from (Hinton et al.
//! 2015, section 2, at temperature 1).
//!
//! A result tells a network one bit about a position, and a played move names one of many good ones;
//! a teacher's answer gives the probabilities of all moves, the lead and the owners of points. It is asked
//! about the position as it was played, and its answer is turned by the sample's symmetry.

mod kept;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::fit::batch::{AuxTarget, Batch, BatchSpec, Sample, encode};
use crate::fit::teacher::kept::Kept;
pub use crate::fit::teacher::kept::KeptAnswers;
use crate::network::net::AuxHead;
use crate::trainable::{Trainable, encoding_of};
use tengen::encode::{Encode, Encoding};
use tengen::fnv;
use tengen::game::{BoardSize, Move, Symmetry};
use tengen_nn::eval::{
    self, Evaluator, EvaluatorFactory, LEAD_SCALE, Outputs, evaluate_finite, softmax,
};

/// Who is learned from, as a fit's settings keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TeacherParams {
    /// The names of its networks, of which each board has one.
    pub networks: Vec<String>,
    /// The checksums of their files; older checkpoints have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<String>,
    /// The teacher's share in each target, above 0 and at most 1; the rest is the row's own.
    pub share: f32,
}

/// A network to learn from, opened for one board.
pub struct TeacherNetwork {
    /// Makes its evaluators.
    pub factory: EvaluatorFactory,
    /// The FNV hash of its file.
    pub hash: u64,
    /// Where its answers are kept, if anywhere.
    pub kept: Option<Arc<KeptAnswers>>,
}

/// A teacher with an evaluator for each board.
pub struct Teacher<G: Encode> {
    share: f32,
    boards: Vec<OnBoard<G>>,
}

/// A teacher's network on boards of one size, and what it is being asked.
struct OnBoard<G: Encode> {
    size: BoardSize,
    encoding: &'static Encoding<G>,
    evaluator: Box<dyn Evaluator>,
    questions: eval::Batch,
    answers: Outputs,
}

impl<G: Trainable> Teacher<G> {
    /// A teacher whose networks, each opened for its board, cover all `boards`.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the board without a network, or the network that does not fit the
    /// game.
    pub fn new(
        networks: &[TeacherNetwork],
        boards: &[G],
        share: f32,
    ) -> Result<Teacher<G>, TrainError> {
        let on_board = |empty: &G| -> Result<OnBoard<G>, TrainError> {
            let size = empty.size();
            let mut networks = networks.iter();
            let network = networks.find(|network| network.factory.info().size == size);
            let network = network.ok_or_else(|| {
                TrainError::Setting(format!("the teacher has no network for {size}"))
            })?;
            let info = network.factory.info();
            let encoding = encoding_of(info, empty)?;
            let evaluator = network.factory.make()?;
            Ok(OnBoard {
                size,
                encoding,
                evaluator: match &network.kept {
                    Some(kept) => Box::new(Kept::new(evaluator, Arc::clone(kept), network.hash)),
                    None => evaluator,
                },
                questions: eval::Batch::new(info.row_len()),
                answers: Outputs::new(),
            })
        };
        Ok(Teacher {
            share,
            boards: boards.iter().map(on_board).collect::<Result<_, _>>()?,
        })
    }

    /// As [`encode`], with the teacher's share in the targets.
    ///
    /// # Errors
    /// Names the row that is not a position, or the reason why a network failed.
    pub(crate) fn encode<'a>(
        &mut self,
        empty: &G,
        samples: impl IntoIterator<Item = Sample<'a>>,
        spec: BatchSpec<G>,
    ) -> Result<Batch, String> {
        let mut boards = self.boards.iter_mut();
        let board = boards.find(|board| board.size == empty.size());
        let board =
            board.ok_or_else(|| format!("the teacher has no network for {}", empty.size()))?;
        let samples: Vec<Sample<'a>> = samples.into_iter().collect();
        board.questions.clear();
        for sample in &samples {
            board.ask(&sample.row.position(empty)?, &sample.row.rules);
        }
        let mut batch = encode(empty, samples.iter().copied(), spec)?;
        evaluate_finite(
            board.evaluator.as_mut(),
            &board.questions,
            &mut board.answers,
        )
        .map_err(|error| format!("the teacher failed: {error}"))?;
        for (row, sample) in samples.iter().enumerate() {
            blend_row(&mut batch, row, &board.answers, sample.symmetry, self.share);
        }
        Ok(batch)
    }
}

impl<G: Encode> OnBoard<G> {
    /// Adds a position to the questions. Its key includes the board's size and the rules, which a cache key may
    /// leave out.
    fn ask(&mut self, position: &G, rules: &str) {
        let game = fnv::hash(format!("{} {rules}", self.size).as_bytes());
        let key = self.encoding.cache_key(position) ^ u128::from(game);
        let row = self.questions.push(key);
        self.encoding.encode(position, row);
    }
}

/// Gives the answers their share in a row's targets.
fn blend_row(batch: &mut Batch, row: usize, answers: &Outputs, symmetry: Symmetry, share: f32) {
    // The answer's numbers, those of points first, in the order of the sample's points.
    let (size, inverse) = (batch.size, symmetry.inverse());
    let turned = |numbers: &[f32]| -> Vec<f32> {
        let from = |place: usize| inverse.apply(size, Move(place as u16)).index();
        (0..numbers.len())
            .map(|place| numbers[from(place)])
            .collect()
    };
    let policy = part(&mut batch.policy, row, batch.len);
    let mask = part(&mut batch.mask, row, batch.len);
    let logits = turned(answers.policy(row)).into_iter().zip(mask);
    let probabilities = probabilities(logits.map(|(logit, mask)| logit + *mask));
    // A row whose own policy is no target.
    let has_policy = policy.iter().any(|&target| target > 0.0);
    blend(policy, &probabilities, if has_policy { share } else { 1.0 });

    let value = part(&mut batch.value, row, batch.len);
    let answered = answers.value_logits(row);
    if answered.len() == value.len() {
        blend(value, &self::probabilities(answered.iter().copied()), share);
    }

    let Some((lead, owners)) = answers.points(row).split_first() else {
        return;
    };
    for target in &mut batch.aux_targets {
        match target.head {
            AuxHead::Lead => blend_known(target, row, batch.len, &[lead * LEAD_SCALE], share),
            AuxHead::Ownership if !owners.is_empty() => {
                let owners = turned(owners).into_iter();
                let owners: Vec<f32> = owners.map(|x| 1.0 / (1.0 + (-x).exp())).collect();
                blend_known(target, row, batch.len, &owners, share);
            }
            _ => {}
        }
    }
}

/// The same for an auxiliary head, where the row's own target may be unknown.
fn blend_known(target: &mut AuxTarget, row: usize, rows: usize, answer: &[f32], share: f32) {
    let weights = part(&mut target.weights, row, rows);
    let is_known = weights.iter().any(|&weight| weight > 0.0);
    weights.fill(1.0);
    let values = part(&mut target.values, row, rows);
    blend(values, answer, if is_known { share } else { 1.0 });
}

fn blend(own: &mut [f32], answer: &[f32], share: f32) {
    for (own, answer) in own.iter_mut().zip(answer) {
        *own += share * (answer - *own);
    }
}

/// Row `row` of numbers for `rows` rows.
fn part(numbers: &mut [f32], row: usize, rows: usize) -> &mut [f32] {
    let len = numbers.len() / rows;
    &mut numbers[row * len..(row + 1) * len]
}

fn probabilities(logits: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut numbers: Vec<f32> = logits.collect();
    softmax(&mut numbers, |number| number);
    numbers
}

#[cfg(test)]
mod tests;
