//! Where pages and engine meet: one game under one lock, what there is to show of it, and what the engine
//! is doing.
//!
//! No lock is held while anything is searched or sent. Pages take the newest of everything when they are
//! ready for it, so that a slow one misses some of it and holds up nothing.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tengen::search::StopFlag;

use super::report::Analysis;
use super::session::{Session, Task, Wish};
use super::tree::Eval;
use super::view;

/// How long a page that is loaded again may be away.
const AWAY: Duration = Duration::from_secs(2);

/// What pages are sent, each kind with a number that rises when it changes.
#[derive(Clone, Default)]
pub(super) struct Feed(pub(super) [(u64, Arc<str>); KINDS.len()]);

/// The kinds of messages.
pub(super) const KINDS: [&str; 4] = ["state", "tree", "analysis", "progress"];
const STATE: usize = 0;
const TREE: usize = 1;
const ANALYSIS: usize = 2;
const PROGRESS: usize = 3;

impl Feed {
    fn set(&mut self, kind: usize, text: String) {
        let slot = &mut self.0[kind];
        if *slot.1 != *text {
            *slot = (slot.0 + 1, text.into());
        }
    }
}

struct Inner {
    session: Session,
    feed: Feed,
    /// Pages that are open, and whether there are any or were just now.
    pages: usize,
    attended: bool,
    /// What the engine is doing, and how to end it.
    running: Option<(Wish, StopFlag)>,
}

impl Inner {
    /// Tells pages what has changed, and ends a search that is not wanted any more.
    fn publish(&mut self) {
        let state = view::state(&self.session, self.attended);
        self.feed.set(STATE, state);
        let tree = view::tree(&self.session);
        self.feed.set(TREE, tree);
        let wish = self.session.wish(self.attended);
        if let Some((running, stop)) = &self.running
            && wish != Some(*running)
        {
            stop.raise();
        }
    }
}

/// The one table in the room.
pub(super) struct Table {
    inner: Mutex<Inner>,
    changed: Condvar,
}

impl Table {
    pub(super) fn new(session: Session) -> Table {
        let mut inner = Inner {
            session,
            feed: Feed::default(),
            pages: 0,
            attended: false,
            running: None,
        };
        inner.publish();
        Table {
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        }
    }

    /// Reads or changes the game, and notifies all pages.
    pub(super) fn act<T>(&self, act: impl FnOnce(&mut Session) -> T) -> T {
        let mut inner = self.inner.lock();
        let done = act(&mut inner.session);
        inner.publish();
        self.changed.notify_all();
        done
    }

    /// Looks at the game.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(&self.inner.lock().session)
    }

    /// Ends the search for a move; what it has found so far is played.
    pub(super) fn hurry(&self) {
        if let Some((wish, stop)) = &self.inner.lock().running
            && wish.task == Task::Move
        {
            stop.raise();
        }
    }

    /// Waits until the engine has something to do, and takes it on.
    pub(super) fn take<T>(&self, take: impl FnOnce(&Session, Wish) -> T) -> (Wish, StopFlag, T) {
        let mut inner = self.inner.lock();
        inner.running = None;
        loop {
            let wish = inner.session.wish(inner.attended);
            if let Some(wish) = wish {
                let stop = StopFlag::new();
                inner.running = Some((wish, stop.clone()));
                let taken = take(&inner.session, wish);
                return (wish, stop, taken);
            }
            self.changed.wait(&mut inner);
        }
    }

    /// Ends a task: `act` has the game when the task is still wanted.
    pub(super) fn finish(&self, wish: Wish, act: impl FnOnce(&mut Session)) {
        let mut inner = self.inner.lock();
        inner.running = None;
        if inner.session.wish(inner.attended) == Some(wish) {
            act(&mut inner.session);
        }
        inner.publish();
        self.changed.notify_all();
    }

    /// Shows a search's result, and keeps it for the position.
    pub(super) fn show(&self, wish: Wish, analysis: &Analysis, eval: Eval) {
        let text = serde_json::to_string(analysis).unwrap_or_default();
        let mut inner = self.inner.lock();
        let current = inner.session.wish(inner.attended) == Some(wish);
        if current && inner.session.tree.has(wish.node) {
            inner.session.tree.node_mut(wish.node).eval = Some(eval);
            inner.feed.set(ANALYSIS, text);
            self.changed.notify_all();
        }
    }

    /// Shows how far a review is: positions that are done, and all.
    pub(super) fn progress(&self, done: usize, all: usize) {
        let mut inner = self.inner.lock();
        inner.feed.set(PROGRESS, format!("[{done},{all}]"));
        self.changed.notify_all();
    }

    /// Waits for the next clock that runs out, for ever.
    pub(super) fn watch_clocks(&self) {
        let mut inner = self.inner.lock();
        loop {
            let now = inner.session.now();
            match inner.session.clocks.deadline() {
                Some((_, deadline)) if deadline <= now => {
                    inner.session.look_at_clocks();
                    inner.publish();
                    self.changed.notify_all();
                }
                Some((_, deadline)) => {
                    self.changed.wait_for(&mut inner, deadline - now);
                }
                None => self.changed.wait(&mut inner),
            }
        }
    }

    /// A page is open as long as this lives.
    pub(super) fn open(self: &Arc<Self>) -> Page {
        let mut inner = self.inner.lock();
        inner.pages += 1;
        inner.attended = true;
        inner.publish();
        self.changed.notify_all();
        Page {
            table: Arc::clone(self),
            seen: [0; KINDS.len()],
        }
    }
}

/// A page that looks on.
pub(super) struct Page {
    table: Arc<Table>,
    seen: [u64; KINDS.len()],
}

impl Page {
    /// What is new since the last call; waits for it, but not for longer than this.
    pub(super) fn news(&mut self, patience: Duration) -> Vec<(&'static str, Arc<str>)> {
        let mut inner = self.table.inner.lock();
        let seen = self.seen;
        let is_new = |inner: &Inner| {
            let numbers = inner.feed.0.iter().map(|(number, _)| *number);
            numbers.zip(seen).any(|(number, seen)| number > seen)
        };
        if !is_new(&inner) {
            self.table
                .changed
                .wait_while_for(&mut inner, |inner| !is_new(inner), patience);
        }
        let mut news = Vec::new();
        let feed = KINDS.iter().zip(&inner.feed.0).zip(&mut self.seen);
        for ((kind, (number, text)), seen) in feed {
            if *number > *seen {
                *seen = *number;
                news.push((*kind, Arc::clone(text)));
            }
        }
        news
    }
}

impl Drop for Page {
    /// Leaves the table. When no page is left, searches end that only pages want.
    fn drop(&mut self) {
        let table = Arc::clone(&self.table);
        let last = {
            let mut inner = table.inner.lock();
            inner.pages -= 1;
            inner.pages == 0
        };
        if last {
            // The thread of a page that is gone has nothing else to do.
            std::thread::sleep(AWAY);
            let mut inner = table.inner.lock();
            if inner.pages == 0 {
                inner.attended = false;
                inner.publish();
                table.changed.notify_all();
            }
        }
    }
}
