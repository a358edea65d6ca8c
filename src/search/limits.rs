//! When a search ends: plain limits, and the flag by which others end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Budget;
use crate::game::{Expected, Game, Move, Reached};

/// What a search may spend. With no limit at all it runs until its [`StopFlag`] is raised, also
/// when there is only one move, unless the result is proven or a thread fails.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Stop when the root has this many visits, reused ones counted.
    pub visits: Option<u64>,
    /// Stop by time.
    pub budget: Option<Budget>,
}

/// How a search is shown while it runs, what it leaves out, and how wide it begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnalysisOptions {
    /// Time between two reports; none while it runs when there is none.
    pub interval: Option<Duration>,
    /// Whether the first report comes before anything is searched, of what is known already.
    pub at_once: bool,
    /// Root moves to leave out: they are searched only when all others are proven to lose.
    pub avoid: Vec<Move>,
    /// What reports say of the points after each root move.
    pub points: PointsByMove,
    /// What is expected of the root's stones when both sides have passed, where somebody has judged it
    /// better than a network does: it decides which of them are dead where a line ends by passes.
    pub judged: Option<Arc<Expected>>,
    /// In place of the setting `root_policy_temperature`, in this search.
    pub root_policy_temperature: Option<f32>,
    /// In place of the setting `root_fpu_reduction`, in this search.
    pub root_fpu_reduction: Option<f32>,
    /// What the search is for.
    pub purpose: Purpose,
}

/// What a search is for: how far it goes where the move is not in doubt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A move: one that has no alternative is played at once.
    #[default]
    Move,
    /// A move whose numbers somebody reads: one without an alternative is searched a little first.
    ShownMove,
    /// To know the position: all that the limits allow is spent on it, unless its result is proven.
    Position,
}

impl Purpose {
    /// Whether somebody reads the numbers of the search, and not only its move.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self != Purpose::Move
    }
}

impl AnalysisOptions {
    /// Whether a search for a move has only one to choose from here. A search without limits wants to know
    /// more than the move.
    #[must_use]
    pub(crate) fn is_forced<G: Game>(&self, start: &Reached<G>, limits: &Limits) -> bool {
        if self.purpose == Purpose::Position || *limits == Limits::default() {
            return false;
        }
        let open = start.legal_moves().filter(|mv| !self.avoid.contains(mv));
        match open.take(2).count() {
            0 => start.legal_count() == 1,
            open => open == 1,
        }
    }
}

/// What is told of the points after each root move ([`MoveReport::expected`](super::MoveReport)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PointsByMove {
    /// Nothing.
    #[default]
    Nothing,
    /// By how many somebody is ahead.
    Lead,
    /// Whose each will be, besides.
    Owners,
}

/// A flag that ends a running search; clones share it.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    own: Arc<AtomicBool>,
    parent: Option<Arc<StopFlag>>,
}

impl StopFlag {
    /// A flag that is down.
    #[must_use]
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// A flag that is up whenever this one is, and can be raised without raising this one.
    #[must_use]
    pub fn child(&self) -> StopFlag {
        StopFlag {
            own: Arc::default(),
            parent: Some(Arc::new(self.clone())),
        }
    }

    /// Asks the search to end.
    pub fn raise(&self) {
        // Nothing is published with the flag: whoever sees it only stops.
        self.own.store(true, Ordering::Relaxed);
    }

    /// Takes the request back, before a new search.
    pub fn lower(&self) {
        self.own.store(false, Ordering::Relaxed);
    }

    /// Whether the search should end.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        let above = || self.parent.as_deref().is_some_and(StopFlag::is_raised);
        self.own.load(Ordering::Relaxed) || above()
    }
}

/// A flag that others raise by themselves, such as the handler of a signal.
impl From<Arc<AtomicBool>> for StopFlag {
    fn from(own: Arc<AtomicBool>) -> StopFlag {
        StopFlag { own, parent: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_raised_with_its_parent_and_alone() {
        let parent = StopFlag::new();
        let (one, other) = (parent.child(), parent.child());
        one.raise();
        assert!(one.is_raised() && !parent.is_raised() && !other.is_raised());
        let grandchild = other.child();
        assert!(!grandchild.is_raised());
        parent.raise();
        assert!(grandchild.is_raised());
        assert!(other.is_raised() && other.clone().is_raised());
    }
}
