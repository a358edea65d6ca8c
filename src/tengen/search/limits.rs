//! Limits of a search, and the flag that stops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Budget;
use crate::game::{Move, OwnershipEstimate};

/// Limits of a search. Without any limit it runs until its [`StopFlag`] is raised, even with a
/// single legal move, unless the result is proven or a thread fails.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Stop at this many root visits, reused ones counted.
    pub visits: Option<u64>,
    /// Stop by time, as the budget judges.
    pub budget: Option<Budget>,
}

/// Options of an analysis: reports during the search, moves to avoid, and root parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnalysisOptions {
    /// Interval between reports; `None` for no reports during the search.
    pub interval: Option<Duration>,
    /// Whether to report before searching, from what is known already.
    pub at_once: bool,
    /// Root moves to avoid: they are searched only when all others are proven to lose.
    pub avoid: Vec<Move>,
    /// Points reported after each root move.
    pub points: PointsByMove,
    /// Expected ownership of the root position after both sides have passed, where a better
    /// estimate than the network's exists: it decides which stones are dead in lines that end by
    /// passes.
    pub judged: Option<Arc<OwnershipEstimate>>,
    /// Overrides the setting `root-policy-temperature` in this search.
    pub root_policy_temperature: Option<f32>,
    /// Overrides the setting `root-fpu-reduction` in this search.
    pub root_fpu_reduction: Option<f32>,
    /// What the search is for.
    pub purpose: Purpose,
}

/// Purpose of a search: how far it goes when the move is not in doubt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To play a move: one without an alternative is played at once.
    #[default]
    Move,
    /// To play a move and show its numbers: one without an alternative is searched briefly first.
    ShownMove,
    /// To analyse the position: all limits are used, unless the result is proven.
    Position,
}

impl Purpose {
    /// Whether the numbers of the search are shown, not only its move.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self != Purpose::Move
    }
}

/// Points reported after each root move ([`MoveReport::expected`](super::MoveReport)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PointsByMove {
    /// Nothing.
    #[default]
    Nothing,
    /// The expected lead.
    Lead,
    /// The lead and the owner of each point.
    Owners,
}

/// A flag that stops a running search; clones share it.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    own: Arc<AtomicBool>,
    parent: Option<Arc<StopFlag>>,
}

impl StopFlag {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// A flag that is raised whenever this one is, and can also be raised alone.
    #[must_use]
    pub fn child(&self) -> StopFlag {
        StopFlag {
            own: Arc::default(),
            parent: Some(Arc::new(self.clone())),
        }
    }

    /// Asks the search to end.
    pub fn raise(&self) {
        // The flag publishes no data: its readers only stop.
        self.own.store(true, Ordering::Relaxed);
    }

    /// Lowers the flag, before a new search.
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

/// A flag raised elsewhere, for instance by a signal handler.
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
