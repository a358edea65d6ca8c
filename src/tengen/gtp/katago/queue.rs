//! Queue of positions to analyse: by priority, then in the order of arrival.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::query::Query;
use crate::search::StopFlag;

/// One position of a query.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) query: Arc<Query>,
    /// Number of moves played.
    pub(super) turn: usize,
    /// Stops its search.
    pub(super) stop: StopFlag,
    /// Its place in the order of arrival.
    number: u64,
}

/// Sort key of tasks: by priority, then by number.
type Place = (Reverse<i64>, u64);

/// Waiting and running tasks.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Signalled when a task arrives or the queue is closed.
    news: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Place, Task>,
    /// Running tasks by number.
    running: BTreeMap<u64, Task>,
    /// Number of tasks so far.
    number: u64,
    /// Number of cache clears requested.
    forgotten: u64,
    closed: bool,
}

impl Queue {
    /// Adds all turns of a query.
    pub(super) fn push(&self, query: &Arc<Query>) {
        let mut state = self.state.lock();
        for (&turn, &priority) in &query.turns {
            let task = Task {
                query: Arc::clone(query),
                turn,
                stop: StopFlag::new(),
                number: state.number,
            };
            state.number += 1;
            state.waiting.insert((Reverse(priority), task.number), task);
        }
        self.news.notify_all();
    }

    /// The next task, blocking, and the number of cache clears before it: engines that have seen fewer must clear.
    /// `None` once the queue is closed and empty.
    pub(super) fn take(&self) -> Option<(Task, u64)> {
        let mut state = self.state.lock();
        loop {
            if let Some((_, task)) = state.waiting.pop_first() {
                state.running.insert(task.number, task.clone());
                return Some((task, state.forgotten));
            }
            if state.closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// Marks a task as done.
    pub(super) fn done(&self, task: &Task) {
        self.state.lock().running.remove(&task.number);
    }

    /// Stops the searches of these tasks, and returns those that have not begun.
    pub(super) fn terminate(&self, these: impl Fn(&Task) -> bool) -> Vec<Task> {
        let mut state = self.state.lock();
        for task in state.running.values().filter(|task| these(task)) {
            task.stop.raise();
        }
        let ended = state.waiting.extract_if(.., |_, task| these(task));
        ended.map(|(_, task)| task).collect()
    }

    /// Requests a cache clear.
    pub(super) fn forget(&self) {
        self.state.lock().forgotten += 1;
    }

    /// Closes the queue.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::gtp::katago::query_options::QueryOptions;
    use crate::gtp::katago::tests::options;
    use crate::record::GameRecord;

    fn query(id: &str, turns: &[(usize, i64)]) -> Arc<Query> {
        Arc::new(Query {
            id: id.to_owned(),
            record: GameRecord::new("line", BoardSize::new(5, 1)),
            rules: String::new(),
            query_options: QueryOptions::of(&options()),
            turns: turns.iter().copied().collect(),
            warned: Default::default(),
        })
    }

    fn name(task: &Task) -> (String, usize) {
        (task.query.id.clone(), task.turn)
    }

    #[test]
    fn the_urgent_comes_first_and_then_the_early() {
        let queue = Queue::default();
        queue.push(&query("a", &[(0, 0), (1, 5), (2, 0)]));
        queue.push(&query("b", &[(7, 5)]));
        queue.close();
        let mut taken = Vec::new();
        while let Some((next, _)) = queue.take() {
            taken.push(name(&next));
        }
        let order = [("a", 1), ("b", 7), ("a", 0), ("a", 2)];
        assert_eq!(taken, order.map(|(id, turn)| (id.to_owned(), turn)));
    }

    #[test]
    fn what_runs_is_stopped_and_what_waits_comes_back() {
        let queue = Queue::default();
        queue.push(&query("a", &[(0, 0), (1, 0), (2, 0)]));
        queue.push(&query("b", &[(0, 0)]));
        let (running, _) = queue.take().expect("there are four");
        let ended = queue.terminate(|task| task.query.id == "a" && task.turn < 2);
        assert_eq!(
            ended.iter().map(name).collect::<Vec<_>>(),
            [("a".to_owned(), 1)]
        );
        assert!(running.stop.is_raised());
        queue.done(&running);
        let (next, forgotten) = queue.take().expect("two are left");
        assert_eq!(name(&next), ("a".to_owned(), 2));
        queue.forget();
        assert_eq!(forgotten, 0);
        assert_eq!(queue.take().map(|(_, forgotten)| forgotten), Some(1));
    }
}
