//! What a search is asked for: the request with its limits, and the prober that it may call; and why it may fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::clock::Budget;
use crate::encode::Mismatch;
use crate::game::{Color, Game, GameState, Move, OwnershipEstimate, ProbeResult};
use crate::settings::SetError;
use tengen_nn::eval::EvalError;

/// One search.
#[derive(Debug, Clone)]
pub struct SearchRequest<G: Game> {
    /// The position, with the history that may forbid moves.
    pub start: GameState<G>,
    /// Where the search ends by itself. Without any limit it goes on until `stop` is raised, unless
    /// everything is proven.
    pub limits: Limits,
    /// Raised to end the search early.
    pub stop: StopFlag,
    /// What the search is for, and what is reported.
    pub analysis: AnalysisOptions,
    /// Whether it is no search but a first evaluation, beside the tree: value and priors of one visit.
    pub is_evaluation: bool,
}

impl<G: Game> SearchRequest<G> {
    /// A search for a move, without limits and reports.
    pub fn new(start: GameState<G>) -> SearchRequest<G> {
        SearchRequest {
            start,
            limits: Limits::default(),
            stop: StopFlag::new(),
            analysis: AnalysisOptions::default(),
            is_evaluation: false,
        }
    }

    /// A first evaluation of a position.
    pub fn evaluation(start: GameState<G>) -> SearchRequest<G> {
        SearchRequest {
            is_evaluation: true,
            ..SearchRequest::new(start).within(Limits::visits(1))
        }
    }

    /// The same with these limits.
    #[must_use]
    pub fn within(self, limits: Limits) -> SearchRequest<G> {
        SearchRequest { limits, ..self }
    }

    /// The same until this flag is raised.
    #[must_use]
    pub fn until(self, stop: &StopFlag) -> SearchRequest<G> {
        let stop = stop.clone();
        SearchRequest { stop, ..self }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, analysis: AnalysisOptions) -> SearchRequest<G> {
        SearchRequest { analysis, ..self }
    }

    /// Whether a search for a move has no choice here. A search without limits is for more than the
    /// move.
    pub(crate) fn is_forced(&self) -> bool {
        if self.analysis.purpose == Purpose::Position || self.limits == Limits::default() {
            return false;
        }
        let avoid = &self.analysis.avoid;
        let open = self.start.legal_moves().filter(|mv| !avoid.contains(mv));
        match open.take(2).count() {
            0 => self.start.legal_count() == 1,
            open => open == 1,
        }
    }
}

/// Limits of a search. Without any limit it runs until its [`StopFlag`] is raised, even with a
/// single legal move, unless the result is proven or a thread fails.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Stop at this many root visits, reused ones counted, but not those of moves that were pruned or are to be avoided.
    pub visits: Option<u64>,
    /// Stop by time, as the budget judges.
    pub budget: Option<Budget>,
}

impl Limits {
    /// A number of root visits.
    pub const fn visits(visits: u64) -> Limits {
        Limits {
            visits: Some(visits),
            budget: None,
        }
    }

    /// What is left after some time.
    #[must_use]
    pub fn after(self, elapsed: Duration) -> Limits {
        Limits {
            budget: self.budget.map(|budget| budget.after(elapsed)),
            ..self
        }
    }

    /// The same without the last part of the time, of this length.
    #[must_use]
    pub fn leaving(self, rest: Duration) -> Limits {
        Limits {
            budget: self.budget.map(|budget| budget.leaving(rest)),
            ..self
        }
    }
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
    /// What the opponent is taken to be like.
    pub opponent: OpponentModel,
    /// What the search is for.
    pub purpose: Purpose,
}

/// What a search assumes of the opponent, beyond that it plays as the network does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OpponentModel {
    /// Which side is the stronger one, for networks that are shown it.
    pub advantage: Option<VisitAdvantage>,
    /// Whether it answers each move by its mirror image ([`is_mirrored`](super::is_mirrored)).
    pub mirrors: bool,
}

/// One side is taken to search with more visits than the other, by a power of two: as KataGo's
/// `playoutDoublingAdvantage`, for games with handicap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisitAdvantage {
    /// The side.
    pub color: Color,
    /// It has `2^doublings` times the visits, fewer where this is negative; in [-3, 3].
    pub doublings: f32,
}

impl VisitAdvantage {
    /// That of a side, or of the one to move where none is named; `None` without doublings.
    pub fn new(side: Option<Color>, mover: Color, doublings: f32) -> Option<VisitAdvantage> {
        let color = side.unwrap_or(mover);
        (doublings != 0.0).then_some(VisitAdvantage { color, doublings })
    }

    /// The doublings of this side.
    pub fn of(self, color: Color) -> f32 {
        match color == self.color {
            true => self.doublings,
            false => -self.doublings,
        }
    }
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
    /// One that raises this one, too.
    parent: Option<Arc<StopFlag>>,
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// A flag that is raised with this one, and without it.
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

    /// Whether the search should end.
    pub fn is_raised(&self) -> bool {
        let parent = self.parent.as_ref();
        self.own.load(Ordering::Relaxed) || parent.is_some_and(|parent| parent.is_raised())
    }
}

/// A flag raised elsewhere, for instance by a signal handler.
impl From<Arc<AtomicBool>> for StopFlag {
    fn from(flag: Arc<AtomicBool>) -> StopFlag {
        StopFlag {
            own: flag,
            parent: None,
        }
    }
}

/// Returns what is proven of a position, if anything. Called for new positions, and again when they
/// are visited often.
pub type Prober<G> = Box<dyn FnMut(&G, &ProbeContext<'_>) -> Option<ProbeResult> + Send>;

/// Context of a call to a prober.
#[derive(Clone, Copy)]
pub struct ProbeContext<'a> {
    /// Previous descents by the edge that led here, those in flight counted; 0 at a new position,
    /// else a power of [`ASK_AGAIN`] unless `is_reused`.
    pub visits: u32,
    /// Moves from the root to the position.
    pub depth: usize,
    /// Whether this is a root move that comes over from an earlier search with these visits, and
    /// the first descent to it in this search.
    pub is_reused: bool,
    /// Whether the search is over and the answer no longer needed.
    pub over: &'a (dyn Fn() -> bool + Sync),
}

/// A prober without an answer is called again at this many visits, at the square of it, and so on,
/// and once for a root move that comes over from an earlier search.
pub const ASK_AGAIN: u32 = 4;

impl ProbeContext<'_> {
    /// Whether a position with these visits is asked about wherever it stands.
    pub fn is_due(&self) -> bool {
        let (visits, each) = (self.visits, ASK_AGAIN.ilog2());
        let is_power = || visits.is_power_of_two() && visits.ilog2().is_multiple_of(each);
        visits == 0 || visits >= ASK_AGAIN && is_power()
    }

    /// Whether the prober is called again.
    pub(super) fn asks_again(&self) -> bool {
        self.is_reused || self.visits > 0 && self.is_due()
    }
}

/// Why a search has no report.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The network could not be loaded, or failed on the root itself.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The network is for another game, board or encoding.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A setting of the search has a value that is not allowed.
    #[error(transparent)]
    Setting(#[from] SetError),
    /// The operating system could not create a thread.
    #[error("cannot start a search thread: {0}")]
    Thread(#[from] std::io::Error),
    /// It was stopped before it had a report.
    #[error("it was stopped before {0}")]
    Stopped(&'static str),
    /// A worker panicked or did not end before the root was evaluated.
    #[error("the search broke down: {0}")]
    Broken(String),
}

impl SearchError {
    /// Error for threads that hang in an evaluation.
    pub(super) fn did_not_answer() -> SearchError {
        SearchError::Broken("the evaluator did not answer in time".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_raises_its_children_and_not_its_parent() {
        let parent = StopFlag::new();
        let child = parent.child().child();
        child.raise();
        assert!(child.is_raised() && !parent.is_raised());
        let child = parent.child().child();
        parent.raise();
        assert!(child.is_raised());
    }

    #[test]
    fn a_prober_is_asked_again_at_powers() {
        let occasion = |visits| ProbeContext {
            visits,
            depth: 1,
            is_reused: false,
            over: &|| false,
        };
        let again = (0..300).filter(|&visits| occasion(visits).asks_again());
        let asked: Vec<u32> = again.collect();
        assert_eq!(asked, [4, 16, 64, 256]);
    }
}
