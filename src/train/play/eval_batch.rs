//! Runs many tasks on one thread, with one evaluation batch for all of them.
//!
//! On a processor, a thread has its own evaluator; on a GPU, the evaluators are clients of one
//! batcher, and more threads than cores keep it busy.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::TrainError;
use crate::trainable::encoding_of;
use tengen::encode::{Encode, Encoding};
use tengen::game::{Game, Move, Symmetry};
use tengen_nn::eval::{Batch, EvalError, Evaluator, EvaluatorFactory, Outputs, evaluate_finite};

/// A task that needs evaluations one at a time, such as a game.
pub trait Task<G> {
    /// Continues until a position must be evaluated, and returns it with the index of its batch in
    /// [`run_tasks`]; `None` when the task is finished.
    fn wanted(&mut self) -> Option<(usize, &G)>;

    /// Takes the evaluation of that position: raw policy logits by policy index, and the expected
    /// result in [-1, 1] for its side to move.
    fn answer(&mut self, policy: &[f32], value: f32);

    /// Two tasks with different numbers may see the same position under different symmetries.
    fn salt(&self) -> u64;
}

/// The evaluator of one network, with the waiting positions of one thread.
pub struct EvalBatch<G: Game> {
    evaluator: Box<dyn Evaluator>,
    encoding: &'static dyn Encoding<G>,
    /// For each symmetry the image of each policy index.
    symmetries: Vec<Vec<usize>>,
    batch: Batch,
    out: Outputs,
    row: Vec<f32>,
    policy: Vec<f32>,
    /// For each row of the batch: its owner, and its symmetry.
    owners: Vec<(usize, usize)>,
}

impl<G: Encode> EvalBatch<G> {
    /// A batch with an evaluator of its own.
    ///
    /// # Errors
    /// [`TrainError`] when the network does not fit the game or no evaluator is available.
    pub fn new(factory: &EvaluatorFactory, start: &G) -> Result<EvalBatch<G>, TrainError> {
        let info = factory.info();
        let encoding = encoding_of(info, start)?;
        let (size, policy_len) = (info.size, info.policy_len);
        let map = |symmetry: Symmetry| {
            let image = |index| symmetry.apply(size, Move(index as u16)).index();
            (0..policy_len).map(image).collect()
        };
        Ok(EvalBatch {
            evaluator: factory.make()?,
            encoding,
            symmetries: Symmetry::all(size).map(map).collect(),
            batch: Batch::new(info.row_len()),
            out: Outputs::new(),
            row: vec![0.0; info.row_len()],
            policy: vec![0.0; policy_len],
            owners: Vec::new(),
        })
    }

    /// Adds a position to the batch.
    fn push(&mut self, owner: usize, position: &G, salt: u64) {
        let key = self.encoding.cache_key(position);
        // The key's bits are random already; the odd factor spreads neighbouring salts over them.
        let mixed = (key as u64 ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let symmetry = mixed as usize % self.symmetries.len();
        self.row.fill(0.0);
        self.encoding.encode(position, &mut self.row);
        let area = position.size().area();
        let turned = self.batch.push(key);
        let planes = self.row.chunks_exact(area);
        for (turned, plane) in turned.chunks_exact_mut(area).zip(planes) {
            for (number, &image) in plane.iter().zip(&self.symmetries[symmetry]) {
                turned[image] = *number;
            }
        }
        self.owners.push((owner, symmetry));
    }

    /// Evaluates the batch and distributes the answers.
    fn evaluate(&mut self, mut answer: impl FnMut(usize, &[f32], f32)) -> Result<(), EvalError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        evaluate_finite(self.evaluator.as_mut(), &self.batch, &mut self.out)?;
        for (row, (owner, symmetry)) in self.owners.drain(..).enumerate() {
            let turned = self.out.policy(row);
            for (logit, &image) in self.policy.iter_mut().zip(&self.symmetries[symmetry]) {
                *logit = turned[image];
            }
            answer(owner, &self.policy, self.out.value(row));
        }
        self.batch.clear();
        Ok(())
    }
}

/// What runs tasks and who waits for them tell each other while they run.
#[derive(Debug, Default)]
pub struct TaskControl {
    /// Evaluations so far.
    pub evaluations: AtomicU64,
    stopped: AtomicBool,
}

impl TaskControl {
    /// Ends the tasks after the batch in progress; what is not finished then is given up.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether they are ended.
    pub fn is_stopped(&self) -> bool {
        // Relaxed: nothing else follows from it.
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Runs up to `slots` tasks at a time until `next_task` has no more, `finished` breaks or `control` stops it. A
/// task names the batch of its positions.
///
/// # Errors
/// [`EvalError`] when an evaluator fails.
pub fn run_tasks<G: Encode, T: Task<G>>(
    batches: &mut [EvalBatch<G>],
    slots: usize,
    mut next_task: impl FnMut() -> Option<T>,
    mut finished: impl FnMut(T) -> ControlFlow<()>,
    control: &TaskControl,
) -> Result<(), EvalError> {
    let mut next_task = || match control.is_stopped() {
        true => None,
        false => next_task(),
    };
    let mut tasks: Vec<T> = Vec::new();
    loop {
        while tasks.len() < slots.max(1)
            && let Some(task) = next_task()
        {
            tasks.push(task);
        }
        if tasks.is_empty() || control.is_stopped() {
            return Ok(());
        }
        let mut place = 0;
        while place < tasks.len() {
            let salt = tasks[place].salt();
            if let Some((batch, position)) = tasks[place].wanted() {
                batches[batch].push(place, position, salt);
                place += 1;
                continue;
            }
            // The last task takes its slot and continues next; earlier slots stay.
            let task = tasks.swap_remove(place);
            if finished(task).is_break() {
                return Ok(());
            }
            tasks.extend(next_task());
        }
        for batch in &mut *batches {
            let evaluations = batch.batch.len() as u64;
            control
                .evaluations
                .fetch_add(evaluations, Ordering::Relaxed);
            batch.evaluate(|task, policy, value| tasks[task].answer(policy, value))?;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use tengen::encode::made_up;
    use tengen::game::BoardSize;
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::eval::ModelInfo;

    /// Evaluates every position of a game of first moves, and keeps the answers.
    struct FirstMoves {
        position: SmallNoGo,
        answers: Vec<(Vec<f32>, f32)>,
        salt: u64,
    }

    impl Task<SmallNoGo> for FirstMoves {
        fn wanted(&mut self) -> Option<(usize, &SmallNoGo)> {
            let open = self.position.outcome().is_none();
            open.then_some((self.position.ply() as usize % 2, &self.position))
        }

        fn answer(&mut self, policy: &[f32], value: f32) {
            self.answers.push((policy.to_vec(), value));
            let mv = self.position.legal_moves().next().unwrap();
            self.position.play(mv);
        }

        fn salt(&self) -> u64 {
            self.salt
        }
    }

    pub(crate) fn info(size: BoardSize) -> ModelInfo {
        let &encoding = SmallNoGo::encodings().last().unwrap();
        made_up(&SmallNoGo::new(size).unwrap(), encoding)
    }

    /// A game's salt and the answers it got.
    type Answers = (u64, Vec<(Vec<f32>, f32)>);

    /// Games of `salts`, `concurrent` at a time.
    fn play(salts: &[u64], slots: usize) -> Vec<Answers> {
        let size = BoardSize::square(4);
        let start = SmallNoGo::new(size).unwrap();
        let factory = EvaluatorFactory::hash(info(size));
        let mut batches = [(); 2].map(|()| EvalBatch::new(&factory, &start).unwrap());
        let mut salts = salts.iter();
        let mut games = Vec::new();
        let control = TaskControl::default();
        let next_task = || {
            salts.next().map(|&salt| FirstMoves {
                position: start.clone(),
                answers: Vec::new(),
                salt,
            })
        };
        let finished = |game: FirstMoves| {
            games.push((game.salt, game.answers));
            ControlFlow::Continue(())
        };
        run_tasks(&mut batches, slots, next_task, finished, &control).unwrap();
        let asked: usize = games.iter().map(|game| game.1.len()).sum();
        assert_eq!(control.evaluations.into_inner(), asked as u64);
        games.sort_by_key(|game| game.0);
        games
    }

    #[test]
    fn everybody_gets_their_own_answers_however_many_there_are() {
        let alone = play(&[1, 2, 3, 4, 5, 6, 7], 1);
        assert_eq!(alone.len(), 7);
        assert_eq!(play(&[1, 2, 3, 4, 5, 6, 7], 3), alone);
        assert_eq!(play(&[7, 6, 5, 4, 3, 2, 1], 64), alone);
        let first: Vec<&Vec<f32>> = alone.iter().map(|game| &game.1[1].0).collect();
        assert!(
            first.iter().any(|policy| *policy != first[0]),
            "salts turn the board"
        );
    }

    /// A network that answers with the planes themselves is evaluated under all symmetries.
    #[test]
    fn the_board_is_turned_back() {
        struct Echo(ModelInfo);
        impl Evaluator for Echo {
            fn info(&self) -> &ModelInfo {
                &self.0
            }
            fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
                out.reset_for(batch.len(), [self.0.policy_len, 2, 0, 0]);
                for row in 0..batch.len() {
                    // The second plane shows the opponent's stones.
                    let plane = &batch.row(row)[self.0.policy_len..][..self.0.policy_len];
                    out.policy_mut(row).copy_from_slice(plane);
                }
                Ok(())
            }
        }
        let size = BoardSize::square(4);
        let mut position = SmallNoGo::new(size).unwrap();
        position.play(Move(1));
        let factory = EvaluatorFactory::hash(info(size));
        let mut batch = EvalBatch::new(&factory, &position).unwrap();
        batch.evaluator = Box::new(Echo(info(size)));
        for salt in 0..64 {
            batch.push(0, &position, salt);
        }
        let turned: std::collections::HashSet<usize> = batch.owners.iter().map(|a| a.1).collect();
        assert_eq!(turned.len(), 8);
        let mut expected = vec![0.0; 16];
        expected[1] = 1.0;
        batch
            .evaluate(|_, policy, _| assert_eq!(policy, expected))
            .unwrap();
    }
}
