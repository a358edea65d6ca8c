//! Batches for fitting, encoded in the background so that the fit never waits.
//!
//! Batch `n` of a run depends on the run's seed and on `n` only, so a run that resumes at step `n`
//! sees exactly what it would have seen.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::TrainError;
use super::augment::transform;
use super::rebuild::Rebuild;
use super::row::Row;
use crate::game::Symmetry;

/// Added to the logits of illegal moves: their probability becomes 0 in f32.
const ILLEGAL: f32 = -1e9;

/// Encoded batches waiting for the fit.
const AHEAD: usize = 4;

/// Encoded rows with their targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Number of rows.
    pub len: usize,
    /// `[len, planes, height, width]`, filled by the newest encoding of the game.
    pub planes: Vec<f32>,
    /// `[len, policy_len]`: 0 for legal moves, -1e9 for others; to be added to logits.
    pub mask: Vec<f32>,
    /// `[len, policy_len]`: probabilities times the row's policy weight.
    pub policy: Vec<f32>,
    /// `[len, 2]`: probability of a win and of a loss for the side to move.
    pub value: Vec<f32>,
}

/// Turns rows into a batch.
///
/// `root_value_share` in [0, 1] is how much of the value target is the generator's root value
/// instead of the game's result.
///
/// # Errors
/// Says which row is not a position.
pub fn encode<'a, G: Rebuild>(
    empty: &G,
    rows: impl IntoIterator<Item = (&'a Row, Symmetry)>,
    root_value_share: f32,
) -> Result<Batch, String> {
    let encoding = G::encodings().last().ok_or("this game has no encoding")?;
    let (row_len, policy_len) = (encoding.planes() * empty.size().area(), empty.policy_len());
    let mut batch = Batch {
        len: 0,
        planes: Vec::new(),
        mask: Vec::new(),
        policy: Vec::new(),
        value: Vec::new(),
    };
    for (row, symmetry) in rows {
        let row = transform(row, empty.size(), symmetry);
        let position = G::rebuild(empty, &row)?;
        batch.planes.resize(batch.planes.len() + row_len, 0.0);
        encoding.encode(&position, &mut batch.planes[batch.len * row_len..]);
        let start = batch.len * policy_len;
        batch.mask.resize(start + policy_len, ILLEGAL);
        for mv in position.legal_moves() {
            batch.mask[start + mv.index()] = 0.0;
        }
        batch.policy.resize(start + policy_len, 0.0);
        let total: f32 = row.policy.iter().map(|share| f32::from(share.share)).sum();
        for share in &row.policy {
            let probability = f32::from(share.share) / total;
            batch.policy[start + share.mv.index()] = row.policy_weight * probability;
        }
        // What is proven needs no second opinion.
        let root_share = if row.exact { 0.0 } else { root_value_share };
        let value = f32::from(row.result) * (1.0 - root_share) + root_share * row.root_value;
        batch
            .value
            .extend([(1.0 + value) / 2.0, (1.0 - value) / 2.0]);
        batch.len += 1;
    }
    Ok(batch)
}

/// How batches are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// Rows in a batch, at least 1.
    pub batch: usize,
    /// The run's seed.
    pub seed: u64,
    /// As in [`encode`].
    pub root_value_share: f32,
}

/// A thread that encodes batches ahead of their use.
pub struct Loader {
    batches: Option<Receiver<Result<Batch, String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Loader {
    /// Starts encoding from batch number `first` on.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the thread cannot be started.
    pub fn start<G: Rebuild>(
        empty: &G,
        rows: Arc<Vec<Row>>,
        draw: Draw,
        first: u64,
    ) -> Result<Loader, TrainError> {
        let (sender, receiver) = sync_channel(AHEAD);
        let empty = empty.clone();
        let work = move || {
            let mut order = Order::new(rows.len(), draw.seed);
            for number in first.. {
                if sender
                    .send(draw_batch(&empty, &rows, draw, number, &mut order))
                    .is_err()
                {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("loader".to_owned()).spawn(work);
        let thread = thread
            .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        Ok(Loader {
            batches: Some(receiver),
            thread: Some(thread),
        })
    }

    /// The next batch.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names a row that is not a position.
    pub fn next_batch(&self) -> Result<Batch, TrainError> {
        let received = self.batches.as_ref().map(Receiver::recv);
        match received {
            Some(Ok(batch)) => batch.map_err(TrainError::Setting),
            _ => Err(TrainError::Setting(
                "the loader thread has ended".to_owned(),
            )),
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        // Without a receiver the thread's next send fails, and it ends.
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been seen as a missing batch already.
            let _ = thread.join();
        }
    }
}

fn draw_batch<G: Rebuild>(
    empty: &G,
    rows: &[Row],
    draw: Draw,
    number: u64,
    order: &mut Order,
) -> Result<Batch, String> {
    let symmetries: Vec<Symmetry> = Symmetry::all(empty.size()).collect();
    let mut rng = seeded(draw.seed, number);
    let first = number * draw.batch as u64;
    let drawn = (first..first + draw.batch as u64).map(|place| {
        let symmetry = symmetries[rng.random_range(0..symmetries.len())];
        (&rows[order.at(place)], symmetry)
    });
    encode(empty, drawn, draw.root_value_share)
}

/// An endless sequence of row numbers, every row once an epoch, newly shuffled each time.
struct Order {
    seed: u64,
    epoch: Option<u64>,
    rows: Vec<u32>,
}

impl Order {
    fn new(len: usize, seed: u64) -> Order {
        Order {
            seed,
            epoch: None,
            rows: (0..len as u32).collect(),
        }
    }

    fn at(&mut self, place: u64) -> usize {
        let len = self.rows.len() as u64;
        let epoch = place / len;
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.rows.sort_unstable();
            // The complement keeps this stream apart from the symmetries' streams.
            self.rows.shuffle(&mut seeded(!self.seed, epoch));
        }
        self.rows[(place % len) as usize] as usize
    }
}

fn seeded(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game};
    use crate::train::row::Target;

    fn rows() -> (SmallNoGo, Arc<Vec<Row>>) {
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let mut position = empty.clone();
        let mut rows = Vec::new();
        while let Some(mv) = position.legal_moves().nth(1) {
            let first = position.legal_moves().next().unwrap();
            let target = Target::new(vec![(first, 1.0), (mv, 3.0)], 0.5);
            let mut row = Row::record(0, &position, &target);
            row.result = -1;
            rows.push(row);
            position.play(mv);
        }
        (empty, Arc::new(rows))
    }

    const DRAW: Draw = Draw {
        batch: 3,
        seed: 1,
        root_value_share: 0.0,
    };

    #[test]
    fn a_late_start_sees_the_same_batches() {
        let (empty, rows) = rows();
        let whole = Loader::start(&empty, rows.clone(), DRAW, 0).unwrap();
        let batches: Vec<Batch> = (0..12).map(|_| whole.next_batch().unwrap()).collect();
        let late = Loader::start(&empty, rows, DRAW, 7).unwrap();
        assert_eq!(late.next_batch().unwrap(), batches[7]);
        assert_eq!(late.next_batch().unwrap(), batches[8]);
        assert_ne!(batches[7], batches[8]);
    }

    #[test]
    fn every_epoch_sees_every_row_once() {
        let mut order = Order::new(10, 4);
        let mut epochs: Vec<Vec<usize>> = (0..3)
            .map(|epoch| (0..10).map(|i| order.at(epoch * 10 + i)).collect())
            .collect();
        assert_ne!(epochs[0], epochs[1]);
        for epoch in &mut epochs {
            epoch.sort_unstable();
            assert!(epoch.iter().copied().eq(0..10));
        }
    }

    #[test]
    fn targets_are_probabilities_of_legal_moves() {
        let (empty, rows) = rows();
        let identity = rows.iter().map(|row| (row, Symmetry::IDENTITY));
        let batch = encode(&empty, identity, 0.25).unwrap();
        assert_eq!(batch.len, rows.len());
        for (policy, mask) in batch.policy.chunks(16).zip(batch.mask.chunks(16)) {
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(policy.iter().zip(mask).all(|(p, m)| *p == 0.0 || *m == 0.0));
        }
        // Lost, but the generator thought 0.5: 0.75 * -1 + 0.25 * 0.5 = -0.625.
        assert_eq!(batch.value[..2], [0.1875, 0.8125]);
    }

    #[test]
    fn proven_rows_have_their_result_and_cheap_ones_no_policy() {
        let (empty, rows) = rows();
        let mut row = rows[0].clone();
        (row.exact, row.policy_weight) = (true, 0.0);
        let batch = encode(&empty, [(&row, Symmetry::IDENTITY)], 0.25).unwrap();
        assert_eq!(batch.value, [0.0, 1.0]);
        assert!(batch.policy.iter().all(|&p| p == 0.0));
        row.policy.clear();
        let batch = encode(&empty, [(&row, Symmetry::IDENTITY)], 0.25).unwrap();
        assert!(batch.policy.iter().all(|&p| p == 0.0));
    }

    #[test]
    fn a_row_that_is_no_position_is_named() {
        let (empty, rows) = rows();
        let mut row = rows[3].clone();
        row.theirs = row.own;
        let message = encode(&empty, [(&row, Symmetry::IDENTITY)], 0.0).unwrap_err();
        assert!(message.contains("game 0 ply 3"), "{message}");
    }
}
