//! A teacher's answers in a file, so that a large network is asked once about each position: in later epochs,
//! after a restart, and for a student of another size.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::f16;
use redb::{Database, ReadableDatabase as _, TableDefinition};

use crate::{TrainError, durable};
use tengen_nn::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, evaluate_finite};

/// By the key of network and position: the logits as f16, little-endian: policy, value, lead in units of
/// [`LEAD_SCALE`](tengen_nn::eval::LEAD_SCALE) points, and owners.
const ANSWERS: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("answers");

/// The file: an embedded store ([redb](https://docs.rs/redb)) that loses nothing when a process is killed.
pub struct KeptAnswers {
    store: Database,
    path: PathBuf,
}

impl KeptAnswers {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when it is another kind of file, damaged or in use, or cannot be created;
    /// [`TrainError::Io`] of its folder.
    pub fn open(path: &Path) -> Result<KeptAnswers, TrainError> {
        let refused = |error: redb::Error| {
            TrainError::Setting(format!(
                "{}: {error}; --teacher-answers takes a new file, or one of another fit that has ended",
                path.display()
            ))
        };
        path.parent().map_or(Ok(()), durable::make_folder)?;
        // The store may panic where a file's bytes were changed.
        let open = || {
            let mut builder = Database::builder();
            builder.set_check_integrity_on_open(true).create(path)
        };
        let damaged = || Err(redb::Error::Corrupted("it is damaged".to_owned()));
        let store = catch_unwind(open).map_or_else(|_| damaged(), |store| Ok(store?));
        let store = store.map_err(refused)?;
        let answers = KeptAnswers {
            store,
            path: path.to_owned(),
        };
        answers.add([]).map_err(refused)?;
        Ok(answers)
    }

    /// Copies the known answers into `out`, which has a row for each key; returns the rows that are unknown.
    fn find(&self, keys: &[u128], out: &mut Outputs) -> Result<Vec<usize>, redb::Error> {
        let transaction = self.store.begin_read()?;
        let table = transaction.open_table(ANSWERS)?;
        let mut unknown = Vec::new();
        for (row, &key) in keys.iter().enumerate() {
            let known = table.get(key)?;
            if !known.is_some_and(|bytes| read(bytes.value(), out, row)) {
                unknown.push(row);
            }
        }
        Ok(unknown)
    }

    fn add(&self, answers: impl IntoIterator<Item = (u128, Vec<u8>)>) -> Result<(), redb::Error> {
        let transaction = self.store.begin_write()?;
        let mut table = transaction.open_table(ANSWERS)?;
        for (key, answer) in answers {
            table.insert(key, &*answer)?;
        }
        drop(table);
        Ok(transaction.commit()?)
    }
}

/// A network whose answers are kept.
pub(super) struct Kept {
    inner: Box<dyn Evaluator>,
    answers: Arc<KeptAnswers>,
    /// Hash of the network's file.
    network: u64,
    asked: Outputs,
}

impl Kept {
    pub(super) fn new(inner: Box<dyn Evaluator>, answers: Arc<KeptAnswers>, network: u64) -> Kept {
        Kept {
            inner,
            answers,
            network,
            asked: Outputs::new(),
        }
    }

    fn failed(&self, error: &redb::Error) -> EvalError {
        EvalError::Run {
            backend: "network",
            reason: format!("{}: {error}", self.answers.path.display()),
        }
    }
}

impl Evaluator for Kept {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        let network = u128::from(self.network) << 64;
        let keys: Vec<u128> = (0..batch.len())
            .map(|row| batch.key(row) ^ network)
            .collect();
        out.reset_for(batch.len(), self.info().output_lens());
        let found = self.answers.find(&keys, out);
        let unknown = found.map_err(|error| self.failed(&error))?;
        if unknown.is_empty() {
            return Ok(());
        }
        let mut questions = Batch::new(batch.row_len());
        questions.append_rows(batch, unknown.iter().copied());
        evaluate_finite(self.inner.as_mut(), &questions, &mut self.asked)?;
        let answers = unknown.iter().enumerate().map(|(place, &row)| {
            let bytes = written(&self.asked, place);
            read(&bytes, out, row);
            (keys[row], bytes)
        });
        let added = self.answers.add(answers);
        added.map_err(|error| self.failed(&error))
    }
}

fn written(answers: &Outputs, row: usize) -> Vec<u8> {
    let parts = [
        answers.policy(row),
        answers.value_logits(row),
        answers.points(row),
    ];
    let numbers = parts.into_iter().flatten();
    let bytes = numbers.flat_map(|&number| {
        let largest = f16::MAX.to_f32();
        f16::from_f32(number.clamp(-largest, largest)).to_le_bytes()
    });
    bytes.collect()
}

/// Copies an answer into row `row` of `out`; false, without effect, if it has another length.
fn read(bytes: &[u8], out: &mut Outputs, row: usize) -> bool {
    let numbers = out.policy(row).len() + out.value_logits(row).len() + out.points(row).len();
    if bytes.len() != 2 * numbers {
        return false;
    }
    let mut words = bytes.chunks_exact(2);
    let mut fill = |part: &mut [f32]| {
        for (number, word) in part.iter_mut().zip(&mut words) {
            *number = f16::from_le_bytes([word[0], word[1]]).to_f32();
        }
    };
    fill(out.policy_mut(row));
    fill(out.value_logits_mut(row));
    fill(out.points_mut(row));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::encode::{Encode, made_up};
    use tengen::game::{BoardSize, Game};
    use tengen::games::go::SmallGo;
    use tengen_nn::eval::EvaluatorFactory;
    use tengen_nn::files::scratch::Scratch;

    /// Answers by a hash of the position, and counts what it is asked.
    struct Counting {
        inner: Box<dyn Evaluator>,
        asked: Arc<std::sync::atomic::AtomicUsize>,
    }

    impl Evaluator for Counting {
        fn info(&self) -> &ModelInfo {
            self.inner.info()
        }

        fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
            let asked = &self.asked;
            asked.fetch_add(batch.len(), std::sync::atomic::Ordering::Relaxed);
            self.inner.evaluate(batch, out)
        }
    }

    fn factory() -> EvaluatorFactory {
        let empty = SmallGo::new(BoardSize::square(5)).unwrap();
        EvaluatorFactory::hash(ModelInfo {
            points: 1 + empty.size().area(),
            ..made_up(&empty, *SmallGo::encodings().last().unwrap())
        })
    }

    /// Positions with these keys; each key is also the first number of its planes.
    fn batch(keys: &[u128]) -> Batch {
        let mut batch = Batch::new(factory().info().row_len());
        for &key in keys {
            batch.push(key)[0] = key as f32;
        }
        batch
    }

    #[test]
    fn each_position_is_asked_once_and_again_for_another_network() {
        let scratch = Scratch::new("kept-answers");
        let path = scratch.path().join("answers");
        let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let answer = |network: u64, keys: &[u128]| {
            let answers = Arc::new(KeptAnswers::open(&path).unwrap());
            let inner = Box::new(Counting {
                inner: factory().make().unwrap(),
                asked: Arc::clone(&asked),
            });
            let mut out = Outputs::new();
            let mut kept = Kept::new(inner, answers, network);
            kept.evaluate(&batch(keys), &mut out).unwrap();
            (out, asked.swap(0, std::sync::atomic::Ordering::Relaxed))
        };
        let (first, questions) = answer(1, &[3, 4]);
        assert_eq!(questions, 2);
        let (second, questions) = answer(1, &[5, 4, 3]);
        assert_eq!(questions, 1, "only the position that is new");
        assert_eq!(second.policy(1), first.policy(1));
        assert_eq!(second.value_logits(2), first.value_logits(0));
        assert_eq!(second.points(2), first.points(0));
        assert_eq!(answer(2, &[3, 4]).1, 2);

        let mut exact = Outputs::new();
        let mut network = factory().make().unwrap();
        network.evaluate(&batch(&[3, 4]), &mut exact).unwrap();
        for (kept, exact) in first.policy(1).iter().zip(exact.policy(1)) {
            assert!((kept - exact).abs() <= 0.001 * exact.abs().max(0.1));
        }
    }

    #[test]
    fn a_file_of_something_else_is_named() {
        let scratch = Scratch::new("no-answers");
        let path = scratch.path().join("notes.txt");
        std::fs::write(&path, "nothing that a store would begin with").unwrap();
        let error = KeptAnswers::open(&path).err().unwrap().to_string();
        assert!(
            error.contains("notes.txt") && error.contains("takes a new file"),
            "{error}"
        );
    }
}
