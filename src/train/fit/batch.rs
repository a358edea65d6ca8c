//! Converts rows to batches of planes and targets.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};

use crate::network::net::{AuxHead, Maps, transpose};
use crate::shards::row::Row;
use crate::trainable::Trainable;
use tengen::encode::{Encode, Encoding};
use tengen::game::{BoardSize, Game, Move, Symmetry};

/// Added to the logits of illegal moves: their probability becomes 0 in f32.
const ILLEGAL: f32 = -1e9;

/// Encoded rows with their targets, all on boards of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The board of all rows.
    pub size: BoardSize,
    /// Number of rows.
    pub len: usize,
    /// `[len, planes, height, width]`.
    pub planes: Vec<f32>,
    /// `[len, policy_len]`: 0 for legal moves, -1e9 for others; to be added to logits.
    pub mask: Vec<f32>,
    /// `[len, policy_len]`: probabilities times the row's policy weight.
    pub policy: Vec<f32>,
    /// `[len, outcomes]`: probability of a win, in games with draws of a draw, and of a loss for
    /// the side to move.
    pub value: Vec<f32>,
    /// Targets of auxiliary heads.
    pub aux_targets: Vec<AuxTarget>,
}

impl Batch {
    /// Some of the rows.
    #[must_use]
    pub fn rows(&self, range: Range<usize>) -> Batch {
        let part = |numbers: &[f32]| {
            let each = numbers.len() / self.len.max(1);
            numbers[range.start * each..range.end * each].to_vec()
        };
        let aux = |aux: &AuxTarget| AuxTarget {
            head: aux.head,
            values: part(&aux.values),
            weights: part(&aux.weights),
        };
        Batch {
            size: self.size,
            len: range.len(),
            planes: part(&self.planes),
            mask: part(&self.mask),
            policy: part(&self.policy),
            value: part(&self.value),
            aux_targets: self.aux_targets.iter().map(aux).collect(),
        }
    }
}

/// The target of one auxiliary head.
#[derive(Debug, Clone, PartialEq)]
pub struct AuxTarget {
    /// The head.
    pub head: AuxHead,
    /// As many numbers a row as the head has.
    pub values: Vec<f32>,
    /// The weight of each; 0 where the target is unknown.
    pub weights: Vec<f32>,
}

/// One row to encode.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The position.
    pub row: &'a Row,
    /// The row after it, whose policy is the reply.
    pub next: Option<&'a Row>,
    /// How to turn it.
    pub symmetry: Symmetry,
}

impl<'a> Sample<'a> {
    /// Row `index` of rows in the order of their games.
    pub fn new(rows: &'a [Row], index: usize, symmetry: Symmetry) -> Sample<'a> {
        let row = &rows[index];
        Sample {
            row,
            next: rows.get(index + 1).filter(|next| row.is_followed_by(next)),
            symmetry,
        }
    }
}

/// Content of a batch.
pub struct BatchSpec<G: Encode> {
    /// Encoding of the planes.
    pub encoding: &'static Encoding<G>,
    /// Auxiliary heads with targets.
    pub aux_heads: &'static [AuxHead],
    /// Share of the search's root value, in [0, 1], in the value target instead of the result. A
    /// proven result is used alone.
    pub root_value_share: f32,
}

impl<G: Encode> Clone for BatchSpec<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Encode> Copy for BatchSpec<G> {}

/// Turns rows into a batch; all of them are on boards of the size of `empty`.
///
/// # Errors
/// Names the row that is not a position.
pub fn encode<'a, G: Trainable>(
    empty: &G,
    samples: impl IntoIterator<Item = Sample<'a>>,
    spec: BatchSpec<G>,
) -> Result<Batch, String> {
    let (area, policy_len) = (empty.size().area(), empty.policy_len());
    let row_len = spec.encoding.planes() * area;
    let aux = |&head| AuxTarget {
        head,
        values: Vec::new(),
        weights: Vec::new(),
    };
    let mut batch = Batch {
        size: empty.size(),
        len: 0,
        planes: Vec::new(),
        mask: Vec::new(),
        policy: Vec::new(),
        value: Vec::new(),
        aux_targets: spec.aux_heads.iter().map(aux).collect(),
    };
    for sample in samples {
        let row = sample.row.turned(sample.symmetry);
        let next = sample.next.map(|next| next.turned(sample.symmetry));
        let position = row.position(empty)?;
        batch.planes.resize(batch.planes.len() + row_len, 0.0);
        let planes = &mut batch.planes[batch.len * row_len..];
        spec.encoding.encode(&position, planes);
        let start = batch.len * policy_len;
        batch.mask.resize(start + policy_len, ILLEGAL);
        for mv in position.legal_moves() {
            batch.mask[start + mv.index()] = 0.0;
        }
        batch.policy.extend(policy(&row, policy_len));
        let root_share = if row.exact {
            0.0
        } else {
            spec.root_value_share
        };
        let value = value(&row, root_share, G::INFO.outcomes());
        batch.value.extend(value);
        for target in &mut batch.aux_targets {
            target.add_row(&position, &row, next.as_ref());
        }
        batch.len += 1;
    }
    Ok(batch)
}

/// The planes of a batch, a part for each size of boards, on a device: the input of a network.
pub(crate) fn planes(batch: &[Batch], device: &Device) -> Maps {
    let part = |part: &Batch| -> Tensor<4> {
        let size = part.size;
        let planes = part.planes.len() / (part.len * size.area()).max(1);
        // Channels last.
        let numbers = transpose(&part.planes, planes, size.area());
        let shape = [part.len, size.height.into(), size.width.into(), planes];
        Tensor::from_data(TensorData::new(numbers, shape), device)
    };
    Maps::of(batch.iter().map(part).collect())
}

/// Probabilities of the results, with `root_share` of the search's estimate. A search gives an
/// expected result only: it is split with the most draws if the game was drawn, otherwise without
/// any, since most komi values allow none.
fn value(row: &Row, root_share: f32, outcomes: usize) -> Vec<f32> {
    let (result, thought) = (f32::from(row.result), row.root_value);
    let mixed = |of: fn(f32) -> f32| of(result) * (1.0 - root_share) + of(thought) * root_share;
    if outcomes == 2 || row.result != 0 {
        let value = mixed(|value| value);
        let (win, loss) = ((1.0 + value) / 2.0, (1.0 - value) / 2.0);
        return match outcomes {
            2 => vec![win, loss],
            _ => vec![win, 0.0, loss],
        };
    }
    let [win, draw, loss]: [fn(f32) -> f32; 3] = [
        |value| value.max(0.0),
        |value| 1.0 - value.abs(),
        |value| (-value).max(0.0),
    ];
    vec![mixed(win), mixed(draw), mixed(loss)]
}

/// The policy target times its weight.
fn policy(row: &Row, policy_len: usize) -> Vec<f32> {
    let mut policy = vec![0.0; policy_len];
    let total: f32 = row.policy.iter().map(|share| f32::from(share.share)).sum();
    // Where it is no target all shares may be 0.
    for share in row.policy.iter().filter(|share| share.share > 0) {
        policy[share.mv.index()] = row.policy_weight * f32::from(share.share) / total;
    }
    policy
}

impl AuxTarget {
    /// Adds a row's target.
    fn add_row<G: Game>(&mut self, position: &G, row: &Row, next: Option<&Row>) {
        let (area, policy_len) = (position.size().area(), position.policy_len());
        let start = self.values.len();
        let len = self.head.len(area, policy_len);
        self.values.resize(start + len, 0.0);
        self.weights.resize(start + len, 0.0);
        let (target, weight) = (&mut self.values[start..], &mut self.weights[start..]);
        if let (AuxHead::Reply, Some(next)) = (self.head, next) {
            target.copy_from_slice(&policy(next, policy_len));
        }
        let Some(ending) = &row.ending else {
            return;
        };
        // A game that can be drawn ends while there are moves, and its end forbids them all: that tells nothing of points.
        let ends_without_moves = !G::INFO.draws;
        let points = (0..area as u16).map(Move);
        match self.head {
            AuxHead::Ownership => {
                // Where no points are counted, an empty point at the end belongs to the winner if
                // the winner may still play there (Gao & Wu 2021, 3.2.2, interpreted as in
                // docs/methods.md#networks); otherwise it has no owner.
                let won = ending.margin > 0;
                let closed_to_winner = if won {
                    &ending.closed_own
                } else {
                    &ending.closed_theirs
                };
                for point in points {
                    target[point.index()] = if ending.own.contains(point) {
                        1.0
                    } else if ending.theirs.contains(point) {
                        0.0
                    } else if ending.lead.is_some() || closed_to_winner.contains(point) {
                        0.5
                    } else {
                        f32::from(u8::from(won))
                    };
                }
                weight.fill(1.0);
            }
            AuxHead::PointStatus if ends_without_moves => {
                // The fate of a stone's point before the stone is past and cannot be seen.
                let empty = |p: &Move| position.stone(*p).is_none();
                for point in points.filter(empty) {
                    let sides = [&ending.closed_own, &ending.closed_theirs];
                    for (side, closed) in sides.into_iter().enumerate() {
                        let at = side * area + point.index();
                        target[at] = f32::from(u8::from(closed.contains(point)));
                        weight[at] = 1.0;
                    }
                }
            }
            AuxHead::Margin if ends_without_moves => {
                target[0] = f32::from(ending.margin);
                weight[0] = 1.0;
            }
            AuxHead::Lead => {
                if let Some(lead) = ending.lead {
                    target[0] = lead.0 as f32 / 2.0;
                    weight[0] = 1.0;
                }
            }
            AuxHead::PointStatus | AuxHead::Margin | AuxHead::Reply => {}
        }
    }
}

#[cfg(test)]
mod tests;
