//! A teacher's answers in a file, so that a large network is asked once about each position: in later epochs,
//! after a restart, and for a student of another size.

use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::f16;
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use redb::{Database, ReadableDatabase as _, TableDefinition};

use crate::{TrainError, durable};
use tengen_nn::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, evaluate_finite};

/// By the key of network and position: the logits as f16, little-endian: policy, value, lead in units of
/// [`LEAD_SCALE`](tengen_nn::eval::LEAD_SCALE) points, and owners.
const ANSWERS: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("answers");

/// The file: an embedded store ([redb](https://docs.rs/redb)) that loses nothing when a process is killed.
pub struct KeptAnswers {
    open: Box<dyn Fn() -> Result<Database, redb::Error> + Send + Sync>,
    /// `None` before the first write and after a failed one: the store has to be opened again then. It is used under
    /// the read lock, so that nothing has it open when it is replaced.
    store: RwLock<Option<Database>>,
    path: PathBuf,
}

impl KeptAnswers {
    /// Opens the file, or creates it. If the disk is full, it waits for room.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when it is another kind of file, damaged or in use, or cannot be created;
    /// [`TrainError::Io`] of its folder, or if the disk stays full.
    pub fn open(path: &Path) -> Result<KeptAnswers, TrainError> {
        path.parent().map_or(Ok(()), durable::make_folder)?;
        let file = path.to_owned();
        let open = move || {
            let is_new = !fs::metadata(&file).is_ok_and(|found| found.len() > 0);
            // The store may panic where a file's bytes were changed.
            let open = || {
                let mut builder = Database::builder();
                builder.set_check_integrity_on_open(true).create(&file)
            };
            let damaged = || Err(redb::Error::Corrupted("it is damaged".to_owned()));
            let create = || catch_unwind(open).map_or_else(|_| damaged(), |store| Ok(store?));
            let clear = || File::options().write(true).open(&file)?.set_len(0);
            create_whole(is_new, create, clear)
        };
        let answers = KeptAnswers {
            open: Box::new(open),
            store: RwLock::new(None),
            path: path.to_owned(),
        };
        answers.add(&[]).map_err(|error| match error.kind() {
            kind if durable::is_full(kind) => TrainError::io(path)(error),
            _ => TrainError::Setting(format!(
                "{}: {error}; --teacher-answers takes a new file, or one of another fit that has ended",
                path.display()
            )),
        })?;
        Ok(answers)
    }

    /// Copies the known answers into `out`, which has a row for each key; returns the rows that are unknown.
    fn find(&self, keys: &[u128], out: &mut Outputs) -> Result<Vec<usize>, redb::Error> {
        let store = self.store.read();
        let found = store.as_ref().map(|store| look_up(store, keys, out));
        match found {
            // Closed after a write of another thread has failed, or about to be.
            None | Some(Err(redb::Error::PreviousIo)) => Ok((0..keys.len()).collect()),
            Some(found) => found,
        }
    }

    /// The store, which is opened if it is closed.
    fn opened(&self) -> Result<RwLockReadGuard<'_, Option<Database>>, redb::Error> {
        let store = self.store.read();
        if store.is_some() {
            return Ok(store);
        }
        drop(store);
        let mut store = self.store.write();
        if store.is_none() {
            *store = Some((self.open)()?);
        }
        Ok(RwLockWriteGuard::downgrade(store))
    }

    /// Keeps answers. If the disk is full, it waits for room.
    fn add(&self, answers: &[(u128, Vec<u8>)]) -> io::Result<()> {
        let attempt = || -> Result<(), redb::Error> {
            loop {
                let store = self.opened()?;
                let added = store.iter().try_for_each(|store| insert(store, answers));
                drop(store);
                if added.is_err() {
                    // It takes no more writes.
                    *self.store.write() = None;
                }
                // That of another thread.
                if !matches!(added, Err(redb::Error::PreviousIo)) {
                    return added;
                }
            }
        };
        durable::until_room(&self.path, || {
            attempt().map_err(|error| match error {
                // By it a full disk is known.
                redb::Error::Io(error) => error,
                other => io::Error::other(other.to_string()),
            })
        })
    }
}

/// Opens a store or creates one. If creating it fails, its file is emptied again: half of a header would be taken for a
/// file of something else.
fn create_whole(
    is_new: bool,
    create: impl FnOnce() -> Result<Database, redb::Error>,
    clear: impl FnOnce() -> io::Result<()>,
) -> Result<Database, redb::Error> {
    let created = create();
    if is_new && matches!(created, Err(redb::Error::Io(_))) {
        // Of two errors the first one says why.
        let _ = clear();
    }
    created
}

/// Copies the known answers into `out`; returns the rows that are unknown.
fn look_up(store: &Database, keys: &[u128], out: &mut Outputs) -> Result<Vec<usize>, redb::Error> {
    let transaction = store.begin_read()?;
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

fn insert(store: &Database, answers: &[(u128, Vec<u8>)]) -> Result<(), redb::Error> {
    let transaction = store.begin_write()?;
    let mut table = transaction.open_table(ANSWERS)?;
    for (key, answer) in answers {
        table.insert(*key, &**answer)?;
    }
    drop(table);
    Ok(transaction.commit()?)
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

    fn failed(&self, error: &dyn Display) -> EvalError {
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
        let added = self.answers.add(&answers.collect::<Vec<_>>());
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
    use redb::StorageBackend;
    use redb::backends::InMemoryBackend;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use tengen::encode::{Encode, made_up};
    use tengen::game::{BoardSize, Game};
    use tengen::games::go::SmallGo;
    use tengen_nn::eval::EvaluatorFactory;
    use tengen_nn::files::scratch::Scratch;

    /// Answers by a hash of the position, and counts what it is asked.
    struct Counting {
        inner: Box<dyn Evaluator>,
        asked: Arc<AtomicUsize>,
    }

    impl Evaluator for Counting {
        fn info(&self) -> &ModelInfo {
            self.inner.info()
        }

        fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
            let asked = &self.asked;
            asked.fetch_add(batch.len(), Ordering::Relaxed);
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
        let asked = Arc::new(AtomicUsize::new(0));
        let answer = |network: u64, keys: &[u128]| {
            let answers = Arc::new(KeptAnswers::open(&path).unwrap());
            let inner = Box::new(Counting {
                inner: factory().make().unwrap(),
                asked: Arc::clone(&asked),
            });
            let mut out = Outputs::new();
            let mut kept = Kept::new(inner, answers, network);
            kept.evaluate(&batch(keys), &mut out).unwrap();
            (out, asked.swap(0, Ordering::Relaxed))
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

    /// A disk in memory, on which this many writes fail for lack of room.
    #[derive(Debug, Clone, Default)]
    struct FullDisk {
        content: Arc<InMemoryBackend>,
        failures: Arc<AtomicUsize>,
    }

    impl StorageBackend for FullDisk {
        fn len(&self) -> io::Result<u64> {
            StorageBackend::len(&*self.content)
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            StorageBackend::read(&*self.content, offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            StorageBackend::set_len(&*self.content, len)
        }

        fn sync_data(&self) -> io::Result<()> {
            StorageBackend::sync_data(&*self.content)
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            let left = self.failures.load(Ordering::Relaxed);
            if left > 0 {
                self.failures.store(left - 1, Ordering::Relaxed);
                return Err(io::ErrorKind::StorageFull.into());
            }
            StorageBackend::write(&*self.content, offset, data)
        }
    }

    /// A disk on which this many writes fail, and a new file of answers on it.
    fn answers_on_full_disk(failures: usize) -> (FullDisk, Arc<KeptAnswers>) {
        let disk = FullDisk::default();
        disk.failures.store(failures, Ordering::Relaxed);
        let opened = disk.clone();
        let answers = KeptAnswers {
            open: Box::new(move || {
                let is_new = opened.len().unwrap() == 0;
                let create = || -> Result<Database, redb::Error> {
                    Ok(Database::builder().create_with_backend(opened.clone())?)
                };
                create_whole(is_new, create, || opened.set_len(0))
            }),
            store: RwLock::new(None),
            path: "answers".into(),
        };
        answers.add(&[]).unwrap();
        (disk, Arc::new(answers))
    }

    #[test]
    fn room_is_waited_for_on_a_full_disk_and_no_answer_is_lost() {
        // The file is created on a full disk, too.
        let (disk, answers) = answers_on_full_disk(3);
        assert_eq!(disk.failures.load(Ordering::Relaxed), 0);
        let network = factory().make().unwrap();
        let mut kept = Kept::new(network, Arc::clone(&answers), 0);
        let mut out = Outputs::new();
        kept.evaluate(&batch(&[3]), &mut out).unwrap();
        disk.failures.store(3, Ordering::Relaxed);
        kept.evaluate(&batch(&[3, 4]), &mut out).unwrap();
        assert_eq!(disk.failures.load(Ordering::Relaxed), 0);
        let unknown = answers.find(&[3, 4], &mut out).unwrap();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn a_failed_write_of_one_thread_ends_no_other() {
        let (disk, answers) = answers_on_full_disk(0);
        disk.failures.store(9, Ordering::Relaxed);
        thread::scope(|scope| {
            for first in [0, 100, 200] {
                let mut kept = Kept::new(factory().make().unwrap(), Arc::clone(&answers), 0);
                scope.spawn(move || {
                    for key in first..first + 20 {
                        let mut out = Outputs::new();
                        kept.evaluate(&batch(&[key]), &mut out).unwrap();
                    }
                });
            }
        });
        let keys: Vec<u128> = [0, 100, 200]
            .into_iter()
            .flat_map(|first| first..first + 20)
            .collect();
        let mut out = Outputs::new();
        out.reset_for(keys.len(), factory().info().output_lens());
        let unknown = answers.find(&keys, &mut out).unwrap();
        assert!(unknown.is_empty(), "{unknown:?}");
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
