//! The state shared by pages and engine: one game under one lock, the data to show, and the
//! engine's task.
//!
//! No lock is held during searches or sending. Pages fetch the newest data when they are ready, so
//! that a slow one skips some and delays no other.

use std::sync::Arc;
use std::time::Duration;

use crate::search::{SearchReport, StopFlag};
use crate::watch::Eval;
use crate::web::Page;
use parking_lot::{Condvar, Mutex};

use super::report::{SearchedPosition, Task, TaskRequest};
use super::session::Session;
use super::view;

/// Maximum time for reloading a page before it counts as closed.
const AWAY: Duration = Duration::from_secs(2);

/// The kinds of messages.
const KINDS: [&str; 3] = ["state", "analysis", "progress"];
const STATE: usize = 0;
const ANALYSIS: usize = 1;
const PROGRESS: usize = 2;
/// The kind that is made for each page: what has changed in the tree since it saw it last.
const TREE: &str = "tree";

struct Inner {
    session: Session,
    /// The last message of each kind; empty where there is none.
    feed: [Arc<str>; KINDS.len()],
    /// Number of open pages, and the time since there were any.
    pages: usize,
    attended: bool,
    /// The engine's task, and its stop flag.
    running: Option<(TaskRequest, StopFlag)>,
}

impl Inner {
    /// Identifies the game, and counts the changes of its tree.
    fn tree_state(&self) -> (u64, u64) {
        let session = &self.session;
        (session.games, session.game.tree.changes())
    }

    fn set(&mut self, kind: usize, text: &str) {
        if *self.feed[kind] != *text {
            self.feed[kind] = text.into();
        }
    }

    /// Notifies pages of changes, and ends a search that is no longer needed.
    fn publish(&mut self) {
        self.set(STATE, &view::state(&self.session, self.attended));
        let known = self.session.analysis().cloned();
        self.set(ANALYSIS, known.as_deref().unwrap_or("null"));
        let request = self.session.request(self.attended);
        let old = self
            .running
            .take_if(|(running, _)| request != Some(*running));
        if let Some((_, stop)) = old {
            stop.raise();
        }
    }
}

/// The shared state.
pub(super) struct BoardState {
    inner: Mutex<Inner>,
    changed: Condvar,
}

impl BoardState {
    pub(super) fn new(session: Session) -> BoardState {
        let mut inner = Inner {
            session,
            feed: Default::default(),
            pages: 0,
            attended: false,
            running: None,
        };
        inner.publish();
        BoardState {
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        }
    }

    /// Reads or changes the game, and notifies all pages.
    pub(super) fn act<T>(&self, act: impl FnOnce(&mut Session) -> T) -> T {
        self.change(|inner| act(&mut inner.session))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.inner.lock();
        let done = change(&mut inner);
        inner.publish();
        self.changed.notify_all();
        done
    }

    /// Reads the game.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(&self.inner.lock().session)
    }

    /// Waits for the next change.
    pub(super) fn wait(&self) {
        self.changed.wait(&mut self.inner.lock());
    }

    /// Ends the search for a move; the best move so far is played.
    pub(super) fn hurry(&self) {
        if let Some((request, stop)) = &self.inner.lock().running
            && request.task == Task::Move
        {
            stop.raise();
        }
    }

    /// Waits until the engine has a task, and takes it.
    pub(super) fn take<T>(&self, take: impl FnOnce(&Session, TaskRequest) -> T) -> (StopFlag, T) {
        let mut inner = self.inner.lock();
        inner.running = None;
        loop {
            let request = inner.session.request(inner.attended);
            if let Some(request) = request {
                let stop = StopFlag::new();
                inner.running = Some((request, stop.clone()));
                let taken = take(&inner.session, request);
                return (stop, taken);
            }
            self.changed.wait(&mut inner);
        }
    }

    /// Finishes a task: `act` gets the game if the task is still current. One that was stopped is not finished, even if
    /// it has become the current one again.
    pub(super) fn finish(&self, request: TaskRequest, act: impl FnOnce(&mut Session)) {
        self.change(|inner| {
            let running = inner.running.take();
            let is_whole = running.is_some_and(|(running, _)| running == request);
            if is_whole && inner.session.request(inner.attended) == Some(request) {
                act(&mut inner.session);
            }
        });
    }

    /// Finishes a task that was searched to the end, or cannot be done.
    pub(super) fn exhaust(&self, request: TaskRequest) {
        self.finish(request, |session| session.exhausted(request));
    }

    /// Finishes a review, also one that was stopped: what it found is kept if the game is the same.
    pub(super) fn end_review(&self, request: TaskRequest, act: impl FnOnce(&mut Session)) {
        self.change(|inner| {
            inner.running = None;
            if inner.session.is_of(request) {
                act(&mut inner.session);
            }
        });
    }

    /// Shows a search's result, and keeps it for the position unless there is a better one.
    pub(super) fn show(
        &self,
        request: TaskRequest,
        searched: SearchedPosition,
        report: &SearchReport,
        done: bool,
    ) {
        let (json, eval) = (searched.text(report, done), searched.eval(report));
        let mut inner = self.inner.lock();
        let current = inner.session.request(inner.attended) == Some(request);
        if current && inner.session.learn(searched.node, json, eval) {
            inner.publish();
            self.changed.notify_all();
        }
    }

    /// Keeps an evaluation of a position of which there is none.
    pub(super) fn note_value(&self, request: TaskRequest, node: usize, eval: Eval) {
        let mut inner = self.inner.lock();
        if inner.session.request(inner.attended) == Some(request) {
            inner.session.note_value(node, eval);
            self.changed.notify_all();
        }
    }

    /// Shows the progress of a review: finished positions, and all.
    pub(super) fn progress(&self, done: usize, all: usize) {
        self.change(|inner| inner.set(PROGRESS, &format!("[{done},{all}]")));
    }

    /// Waits for clocks that run out, forever.
    pub(super) fn watch_clocks(&self) {
        let mut inner = self.inner.lock();
        loop {
            let now = inner.session.now();
            match inner.session.game.clocks.deadline() {
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

    /// A page is open as long as this exists.
    pub(super) fn open(self: &Arc<Self>) -> TablePage {
        self.change(|inner| {
            inner.pages += 1;
            inner.attended = true;
        });
        TablePage {
            table: Arc::clone(self),
            seen: Default::default(),
            tree: (0, 0),
        }
    }
}

/// An open page.
pub(super) struct TablePage {
    table: Arc<BoardState>,
    /// The messages that it has seen.
    seen: [Arc<str>; KINDS.len()],
    /// The game, and the changes of its tree, that it has seen.
    tree: (u64, u64),
}

impl TablePage {
    fn is_new(&self, inner: &Inner) -> bool {
        inner.feed != self.seen || inner.tree_state() != self.tree
    }
}

impl Page for TablePage {
    fn news(&mut self, patience: Duration) -> Vec<(&'static str, Arc<str>)> {
        let mut inner = self.table.inner.lock();
        if !self.is_new(&inner) {
            self.table
                .changed
                .wait_while_for(&mut inner, |inner| !self.is_new(inner), patience);
        }
        let mut news: Vec<(&'static str, Arc<str>)> = Vec::new();
        let tree = inner.tree_state();
        if tree != self.tree {
            let (game, seen) = std::mem::replace(&mut self.tree, tree);
            let seen = if game == tree.0 { seen } else { 0 };
            news.push((TREE, view::tree(&inner.session, seen).into()));
        }
        let feed = KINDS.iter().zip(&inner.feed).zip(&mut self.seen);
        for ((kind, text), seen) in feed {
            if text != seen {
                seen.clone_from(text);
                news.push((*kind, Arc::clone(text)));
            }
        }
        news
    }
}

impl Drop for TablePage {
    /// Closes the page. Without open pages, searches for pages end.
    fn drop(&mut self) {
        let last = {
            let mut inner = self.table.inner.lock();
            inner.pages -= 1;
            inner.pages == 0
        };
        if last {
            // The thread of a closed page has nothing else to do.
            std::thread::sleep(AWAY);
            self.table.change(|inner| inner.attended &= inner.pages > 0);
        }
    }
}
