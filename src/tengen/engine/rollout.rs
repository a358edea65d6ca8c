//! The thinker without a network: a search by random rollouts, on one thread.

use std::sync::Arc;
use std::time::Duration;

use super::{ThinkError, Thinker};
use crate::clock::{Budget, Clock, StopReason};
use crate::game::{Game, Move};
use crate::rollout::{MAX_ROLLOUTS, Rave, RaveParams, Rollout, RolloutSearch};
use crate::search::{Observer, PointsByMove, Purpose, SearchReport, SearchRequest};

/// Playouts for a move without an alternative when its numbers are shown: about 10 ms.
const FORCED: u64 = 100;

/// A thinker that needs no network: a search over random rollouts.
pub struct RolloutThinker<S = Rave> {
    search: S,
    time: Arc<dyn Clock>,
}

impl RolloutThinker {
    /// A thinker with the settings that the ratings are anchored at, but for a tree of at most `max_bytes`,
    /// which it reuses between moves.
    pub fn new(seed: u64, max_bytes: usize, time: Arc<dyn Clock>) -> RolloutThinker {
        let params = RaveParams {
            reuse: true,
            max_bytes,
            ..RaveParams::default()
        };
        RolloutThinker::by(Rave::new(params, seed), time)
    }
}

impl<S> RolloutThinker<S> {
    /// A thinker by another search.
    pub fn by(search: S, time: Arc<dyn Clock>) -> RolloutThinker<S> {
        RolloutThinker { search, time }
    }
}

impl<G: Rollout, S: RolloutSearch<G>> Thinker<G> for RolloutThinker<S> {
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let (start, limits) = (&request.start, &request.limits);
        let (stop, analysis) = (&request.stop, &request.analysis);
        let started = self.time.now();
        let elapsed = || self.time.now().saturating_sub(started);
        let forced = request.is_forced();
        let enough = if analysis.purpose.is_shown() {
            FORCED
        } else {
            0
        };
        let mut reason = StopReason::OnlyMove;
        let mut done = |playouts| {
            let is_late = |budget: Budget| elapsed() >= budget.target;
            let ended_by = if forced && playouts >= enough {
                Some(StopReason::OnlyMove)
            } else if stop.is_raised() {
                Some(StopReason::Interrupted)
            } else if limits.visits.is_some_and(|visits| playouts >= visits) {
                Some(StopReason::Visits)
            } else if limits.budget.is_some_and(is_late) {
                Some(StopReason::Time)
            } else if playouts >= MAX_ROLLOUTS {
                Some(StopReason::Memory)
            } else {
                None
            };
            reason = ended_by.unwrap_or(reason);
            ended_by.is_some()
        };
        let (mut shown, mut begun) = (Duration::ZERO, false);
        let mut at_once = analysis.at_once;
        let by_move = analysis.points != PointsByMove::Nothing;
        let avoid = &analysis.avoid;
        let mut found = self
            .search
            .watch(start, avoid, by_move, &mut |playouts, found| {
                self.time.worked(u64::from(begun));
                begun = true;
                let now = elapsed();
                let due = |every| now.saturating_sub(shown) >= every;
                if std::mem::take(&mut at_once) || analysis.interval.is_some_and(due) {
                    shown = now;
                    let found = found();
                    observer(&SearchReport {
                        elapsed: now,
                        ..found
                    });
                }
                !done(playouts)
            });
        let cut_short = matches!(reason, StopReason::Time | StopReason::Interrupted);
        let untried = cut_short && found.visits < found.moves.len() as u64;
        if untried || draws_by_policy(request, &found) {
            prefer_statically(start.position(), &mut found);
        }
        (found.elapsed, found.stop) = (elapsed(), reason);
        Ok(found)
    }

    fn new_game(&mut self) {
        self.search.forget();
    }
}

/// Fewer playouts than these say less of the moves than static preferences.
const FEW: u64 = 10;

/// Whether the move is to be drawn by the policy: it is to be played, and there were only a few playouts.
pub(super) fn draws_by_policy<G: Game>(request: &SearchRequest<G>, found: &SearchReport) -> bool {
    let plays = !request.is_evaluation && request.analysis.purpose != Purpose::Position;
    plays && found.visits < FEW.min(found.moves.len() as u64)
}

/// Before every move was tried once, static preferences are more reliable: they become the policy.
fn prefer_statically<G: Rollout>(position: &G, found: &mut SearchReport) {
    let moves: Vec<Move> = found.moves.iter().map(|found| found.mv).collect();
    let appeal = position.appeal(&moves);
    let Some(best) = appeal.iter().copied().reduce(f32::max) else {
        return;
    };
    let weights = appeal.iter().map(|appeal| (appeal - best).exp());
    let total: f32 = weights.clone().sum();
    for (found, weight) in found.moves.iter_mut().zip(weights) {
        found.prior = weight / total;
    }
    // Ties go to the first.
    let first = moves
        .iter()
        .zip(&appeal)
        .find(|(_, appeal)| **appeal == best);
    if let Some((&first, _)) = first {
        found.put_first(|found| found.mv == first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;
    use crate::game::{BoardSize, Color};
    use crate::games::nogo::SmallNoGo;
    use crate::search::{Limits, StopFlag};

    /// Searches an empty board of this size and returns visits and reason.
    #[track_caller]
    fn check(size: BoardSize, limits: Limits, stop: &StopFlag, expected: (u64, StopReason)) {
        let position = SmallNoGo::new(size).expect("a small board");
        let mut thinker = RolloutThinker::new(1, 1 << 20, Arc::new(FakeClock::new()));
        let report = thinker
            .search(
                &SearchRequest::new(position.clone().into())
                    .within(limits)
                    .until(stop),
                &mut |_| {},
            )
            .expect("playouts never fail");
        assert_eq!((report.visits, report.stop), expected);
        assert_eq!(report.moves.len(), position.legal_count());
        assert_eq!(
            report.moves.iter().map(|mv| mv.visits).sum::<u64>(),
            report.visits
        );
    }

    /// The first move is not just that of the first playout.
    #[test]
    fn before_every_move_was_tried_the_best_looking_one_is_played() {
        let position = SmallNoGo::new(BoardSize::square(5)).expect("a small board");
        let size = position.size();
        let stones = [
            (size.point(3, 4), Color::White),
            (size.point(4, 3), Color::White),
        ];
        let position = position.set_up(&stones, Color::Black).expect("legal");
        let mut thinker = RolloutThinker::new(1, 1 << 20, Arc::new(FakeClock::new()));
        let request = SearchRequest::new(position.clone().into()).within(Limits::visits(3));
        let report = thinker.search(&request, &mut |_| {}).expect("no failure");
        let moves: Vec<Move> = report.moves.iter().map(|found| found.mv).collect();
        let appeal = position.appeal(&moves);
        let most = appeal.iter().copied().fold(f32::MIN, f32::max);
        assert_eq!(appeal[0], most, "{appeal:?}");
        let priors: f32 = report.moves.iter().map(|found| found.prior).sum();
        assert!((priors - 1.0).abs() < 1e-3, "{priors}");
    }

    #[test]
    fn each_limit_ends_the_search() {
        let board = BoardSize::square(5);
        let visits = Limits::visits(50);
        let no_time = Limits {
            visits: None,
            budget: Some(Budget::fixed(Duration::ZERO, Duration::ZERO)),
        };
        let down = StopFlag::new();
        check(board, visits, &down, (50, StopReason::Visits));
        check(board, no_time, &down, (0, StopReason::Time));
        check(
            BoardSize::new(2, 1),
            Limits::default(),
            &{
                let raised = StopFlag::new();
                raised.raise();
                raised
            },
            (0, StopReason::Interrupted),
        );
    }
}
