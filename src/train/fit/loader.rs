//! Encodes batches in the background so that the fit never waits.
//!
//! Batch `n` depends on the run's seed and on `n` only, so a run resumed at step `n` gets exactly
//! the same batches with any number of threads.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::TrainError;
use crate::fit::batch::{Batch, BatchSpec, Sample, encode};
use crate::fit::teacher::Teacher;
use crate::play::numbered_seed;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use tengen::encode::Encode;
use tengen::game::Symmetry;

/// Encoded batches waiting for the fit, at least; each thread keeps one ready.
const AHEAD: usize = 4;

/// Sampling of batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Rows in a batch, at least 1.
    pub batch: usize,
    /// The run's seed.
    pub seed: u64,
    /// Share of samples, in [0, 1], drawn in proportion to surprise; the rest is uniform (KataGo's
    /// policy surprise weighting: 0.5).
    pub surprise_share: f32,
}

/// What batches contain.
pub struct Targets<G: Encode> {
    /// Planes and the rows' own targets.
    pub spec: BatchSpec<G>,
    /// Whose answers have a share in them.
    pub teacher: Option<Teacher<G>>,
}

/// Threads that encode batches in advance; they take turns.
pub struct Loader {
    threads: Vec<LoaderThread>,
    /// Which of them has the next batch.
    turn: usize,
}

/// What a thread sends, and the thread.
type LoaderThread = (Receiver<Result<Vec<Batch>, String>>, JoinHandle<()>);

impl Loader {
    /// Starts encoding from batch number `first` on, with a thread for each of `targets`, which are
    /// all alike; `boards` are the empty ones of all sizes.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when a thread cannot be started.
    pub fn start<G: Trainable>(
        boards: &[G],
        rows: Arc<Vec<Row>>,
        targets: Vec<Targets<G>>,
        sampling: Sampling,
        first: u64,
    ) -> Result<Loader, TrainError> {
        let count = targets.len();
        let order = Arc::new(Mutex::new(SampleOrder::new(&rows, sampling)));
        let mut loader = Loader {
            threads: Vec::with_capacity(count),
            turn: 0,
        };
        for (number, mut targets) in (first..).zip(targets) {
            let (sender, batches) = sync_channel((AHEAD / count).max(1));
            let (boards, rows, order) = (boards.to_vec(), rows.clone(), order.clone());
            let work = move || {
                for number in (number..).step_by(count) {
                    let batch = draw_batch(&boards, &rows, &mut targets, sampling, number, &order);
                    if sender.send(batch).is_err() {
                        break;
                    }
                }
            };
            let name = format!("loader-{}", loader.threads.len());
            let handle = thread::Builder::new().name(name).spawn(work);
            let handle = handle
                .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
            loader.threads.push((batches, handle));
        }
        Ok(loader)
    }

    /// The next batch, with one part per board size.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names a row that is not a position.
    pub fn next_batch(&mut self) -> Result<Vec<Batch>, TrainError> {
        let received = self
            .threads
            .get(self.turn)
            .map(|(batches, _)| batches.recv());
        self.turn = (self.turn + 1) % self.threads.len().max(1);
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
        // Without a receiver a thread's next send fails, and it ends.
        let handles: Vec<_> = self.threads.drain(..).map(|(_, handle)| handle).collect();
        for handle in handles {
            // A panic of the thread was already noticed as a missing batch.
            let _ = handle.join();
        }
    }
}

fn draw_batch<G: Trainable>(
    boards: &[G],
    rows: &[Row],
    targets: &mut Targets<G>,
    sampling: Sampling,
    number: u64,
    order: &Mutex<SampleOrder>,
) -> Result<Vec<Batch>, String> {
    let parts = boards.iter().map(|empty| SizePart {
        empty,
        symmetries: Symmetry::all(empty.size()).collect(),
        samples: Vec::new(),
    });
    let mut parts: Vec<SizePart<'_, G>> = parts.collect();
    let mut rng = seeded(sampling.seed, number);
    let first = number * sampling.batch as u64;
    let indices: Vec<usize> = {
        let mut order = order.lock();
        let places = first..first + sampling.batch as u64;
        places.map(|place| order.at(place)).collect()
    };
    for index in indices {
        let size = rows[index].size;
        let part = parts.iter_mut().find(|part| part.empty.size() == size);
        let part = part.ok_or_else(|| format!("game {} is on {size}", rows[index].game))?;
        let symmetry = part.symmetries[rng.random_range(0..part.symmetries.len())];
        part.samples.push(Sample::new(rows, index, symmetry));
    }
    let parts = parts.into_iter().filter(|part| !part.samples.is_empty());
    let Targets { spec, teacher } = targets;
    let encoded = parts.map(|part| match teacher {
        Some(teacher) => teacher.encode(part.empty, part.samples, *spec),
        None => encode(part.empty, part.samples, *spec),
    });
    encoded.collect()
}

/// Samples of the boards of one size.
struct SizePart<'a, G> {
    empty: &'a G,
    symmetries: Vec<Symmetry>,
    samples: Vec<Sample<'a>>,
}

/// An endless sequence of row numbers, shuffled again each epoch. An epoch has as many samples as
/// there are rows; a row of weight w occurs w times on average, which is exactly once for all
/// without surprise.
struct SampleOrder {
    seed: u64,
    epoch: Option<u64>,
    /// Cumulative sums of the weights, whose mean is 1.
    sums: Vec<f64>,
    drawn: Vec<u32>,
}

impl SampleOrder {
    fn new(rows: &[Row], sampling: Sampling) -> SampleOrder {
        let mean = rows.iter().map(|row| f64::from(row.surprise)).sum::<f64>() / rows.len() as f64;
        let share = if mean > 0.0 {
            f64::from(sampling.surprise_share)
        } else {
            0.0
        };
        let weight = |row: &Row| 1.0 - share + share * f64::from(row.surprise) / mean.max(1e-9);
        let mut sum = 0.0;
        let sums = rows.iter().map(|row| {
            sum += weight(row);
            sum
        });
        SampleOrder {
            seed: sampling.seed,
            epoch: None,
            sums: sums.collect(),
            drawn: Vec::new(),
        }
    }

    fn at(&mut self, place: u64) -> usize {
        let len = self.sums.len() as u64;
        let epoch = place / len;
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            // The complement separates this stream from the symmetries' streams.
            let mut rng = seeded(!self.seed, epoch);
            self.draw_epoch(rng.random());
            self.drawn.shuffle(&mut rng);
        }
        self.drawn[(place % len) as usize] as usize
    }

    /// Systematic sampling: evenly spaced pointers from a random start into the concatenated
    /// weights, so that a row is drawn w times, rounded up or down.
    fn draw_epoch(&mut self, start: f64) {
        let len = self.sums.len();
        let spacing = self.sums.last().copied().unwrap_or(0.0) / len as f64;
        let mut row = 0;
        self.drawn.clear();
        for pointer in 0..len {
            let pointer = (pointer as f64 + start) * spacing;
            while row + 1 < len && self.sums[row] <= pointer {
                row += 1;
            }
            self.drawn.push(row as u32);
        }
    }
}

fn seeded(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(numbered_seed(seed, number))
}

#[cfg(test)]
mod tests;
