//! Distillation: a network's answers as targets, where a stronger one is to be learned from (Hinton et al.
//! 2015, section 2, at temperature 1).
//!
//! A result tells a network one bit about a position, and a played move names one of many good ones;
//! a teacher's answer tells all probabilities, its lead and its owners. It is asked again for each
//! sample, turned as the sample is, so that nothing has to be stored.

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::fit::batch::{AuxTarget, Batch, BatchSpec, Sample, encode_each};
use crate::network::net::AuxHead;
use crate::trainable::{Trainable, encoding_of};
use tengen::encode::{Encode, Encoding};
use tengen::game::BoardSize;
use tengen_nn::eval::{
    self, Evaluator, EvaluatorFactory, LEAD_SCALE, Outputs, evaluate_finite, softmax,
};

/// Who is learned from, as a fit's settings keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TeacherParams {
    /// The names of its networks, of which each board has one.
    pub networks: Vec<String>,
    /// The teacher's share in each target, above 0 and at most 1; the rest is the row's own.
    pub share: f32,
}

/// A teacher with an evaluator for each board.
pub struct Teacher<G: Encode> {
    share: f32,
    boards: Vec<OnBoard<G>>,
}

/// A teacher's network on boards of one size, and what it is being asked.
struct OnBoard<G: Encode> {
    size: BoardSize,
    encoding: &'static dyn Encoding<G>,
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
        networks: &[EvaluatorFactory],
        boards: &[G],
        share: f32,
    ) -> Result<Teacher<G>, TrainError> {
        let on_board = |empty: &G| {
            let size = empty.size();
            let network = networks.iter().find(|factory| factory.info().size == size);
            let factory = network.ok_or_else(|| {
                TrainError::Setting(format!("the teacher has no network for {size}"))
            })?;
            OnBoard::new(factory, empty)
        };
        Ok(Teacher {
            share,
            boards: boards.iter().map(on_board).collect::<Result<_, _>>()?,
        })
    }

    /// As [`crate::fit::batch::encode`], with the teacher's share in the targets.
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
        board.questions.clear();
        let mut batch = encode_each(empty, samples, spec, |position| board.ask(position))?;
        evaluate_finite(
            board.evaluator.as_mut(),
            &board.questions,
            &mut board.answers,
        )
        .map_err(|error| format!("the teacher failed: {error}"))?;
        for row in 0..batch.len {
            blend_row(&mut batch, row, &board.answers, self.share);
        }
        Ok(batch)
    }
}

impl<G: Encode> OnBoard<G> {
    fn new(factory: &EvaluatorFactory, empty: &G) -> Result<OnBoard<G>, TrainError> {
        let info = factory.info();
        let encoding = encoding_of(info, empty)?;
        Ok(OnBoard {
            size: empty.size(),
            encoding,
            evaluator: factory.make()?,
            questions: eval::Batch::new(info.row_len()),
            answers: Outputs::new(),
        })
    }

    fn ask(&mut self, position: &G) {
        let row = self.questions.push(self.encoding.cache_key(position));
        self.encoding.encode(position, row);
    }
}

/// Gives the answers their share in a row's targets.
fn blend_row(batch: &mut Batch, row: usize, answers: &Outputs, share: f32) {
    let policy = part(&mut batch.policy, row, batch.len);
    let mask = part(&mut batch.mask, row, batch.len);
    let logits = answers.policy(row).iter().zip(mask);
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
                let owners: Vec<f32> = owners.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
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
