//! The end of a game with passes: decision to pass, before and after a search.

use std::sync::Arc;
use std::time::Duration;

use super::super::dead_stones::Settlement;
use super::super::passing::{self, AfterSearch, PassJudgement};
use super::super::timing::EstimateLimits;
use super::Player;
use crate::clock::StopReason;
use crate::game::{Color, Game, Move, OwnershipEstimate, Proof, Settled, scoring};
use crate::search::{
    AnalysisOptions, Limits, MoveReport, OpponentModel, PointsByMove, Purpose, SearchReport,
    SearchRequest, StopFlag,
};

/// Share of a network's owners in the count of a position; the rest is from playouts. Of 36 finished games against
/// GNU Go (17 on 9x9, 16 on 13x13, 3 on 19x19) GNU Go counts all as playouts alone and as half of each do, and 33 as the
/// network alone does. 22 plies before the end the count of 13x13 is off by 11.5, 7.6 and 8.3 points, 42 plies before by
/// 17.3, 10.0 and 9.4.
const NETWORK_SHARE: f32 = 0.5;

/// A pass cannot be taken back: its search, and that of the answers to it, has this many times the usual visits, up to
/// this number. Of 88 passes with 50 and 100 visits two threw a game away; 4 and 16 times as many see it.
const PASS_TIMES: u64 = 16;
const PASS_VISITS: u64 = 1000;

impl<G: Game> Player<G> {
    /// Judges a pass before a search where one may end the game: after a pass of the opponent, and near the end where
    /// the board does not say who owns what. Under territory scoring a needless stone costs a point, and networks that
    /// are off by a point do not see which stones are needless.
    pub(super) fn judge_pass(&mut self, position: &G, effort: EstimateLimits<'_>) -> PassJudgement {
        let by_territory = position
            .scored()
            .is_some_and(|scored| scored.current_score().is_none() && scored.nears_end());
        match by_territory || passing::is_offered(position) {
            true => self.count_if_both_pass(position, effort),
            false => PassJudgement::default(),
        }
    }

    /// The count if both sides pass now, by playouts and network.
    fn count_if_both_pass(&mut self, position: &G, effort: EstimateLimits<'_>) -> PassJudgement {
        let ended = passing::when_both_pass(position);
        if !scoring::agrees_on_dead(position) {
            // It counts as it stands, without estimates.
            let unknown = OwnershipEstimate::unknown(position.size().area());
            return PassJudgement {
                count: scoring::settle(&ended, &unknown),
                ..PassJudgement::default()
            };
        }
        let Ok(Some(by_playouts)) = self.dead_stones.settle_within(&ended, effort) else {
            return PassJudgement::default();
        };
        let expected = self.expected(&ended, effort);
        let count = expected
            .as_ref()
            .and_then(|expected| scoring::settle(&ended, expected));
        PassJudgement {
            count: count.or(Some(by_playouts)),
            expected: expected.map(Arc::new),
            answered: None,
        }
    }

    /// After a search that may prefer a pass: makes sure of it by a longer one, searches the opponent's answers to it,
    /// the best of which gives its value, and counts. A pass that ends the game has no answers: where it loses the game
    /// by the count, they still show what the network thinks of the position if nothing is played. That search began
    /// at `began`.
    pub(super) fn weigh_pass(
        &mut self,
        request: &SearchRequest<G>,
        report: &mut SearchReport,
        judged: &mut PassJudgement,
        (effort, began): (EstimateLimits<'_>, Duration),
    ) {
        let position = request.start.position();
        let after = AfterSearch::of(position, report, judged);
        if !after.puts_pass_first() && !after.contends() {
            // What the search has left of its time is its own.
            let rest = effort.rest(self.time.now());
            if let Some(rest) = rest.filter(|_| report.stop == StopReason::Time) {
                let budget = Some(rest);
                let limits = Limits {
                    budget,
                    ..request.limits
                };
                self.search_on(request, limits, report);
            }
            return;
        }
        if judged.count.is_none() {
            *judged = self.count_if_both_pass(position, effort);
        }
        let passes = |report: &SearchReport, judged: &PassJudgement| {
            let after = AfterSearch::of(position, report, judged);
            after.puts_pass_first() || after.passes()
        };
        let limits = self.longer(request, effort, began);
        let has_time = limits.budget.is_none_or(|left| !left.target.is_zero());
        if passes(report, judged) && has_time && limits.visits > Some(report.visits) {
            self.search_on(request, limits, report);
        }
        let (color, offered) = (position.to_move(), passing::is_offered(position));
        let matters = match offered {
            true => passing::is_lost(position, judged),
            false => passes(report, judged),
        };
        if !matters {
            return;
        }
        // In what that search has left of the time.
        let limits = self.longer(request, effort, began);
        let Some(found) = self.search_answers(request, limits, judged) else {
            return;
        };
        report.add_work(&found);
        let Some(best) = found.best().filter(|best| best.visits > 0) else {
            return;
        };
        let answered = best.expected.as_ref().filter(|_| found.by_network());
        judged.answered = answered.map(|answered| color.signed(answered.black_ahead));
        if !offered {
            give_answer(report, position.size().pass(), &found, best);
        }
    }

    /// The limits of `request` with the visits that a pass to be played has, if visits are limited, in what is left of
    /// its time. An analysis keeps to its own.
    fn longer(
        &self,
        request: &SearchRequest<G>,
        effort: EstimateLimits<'_>,
        began: Duration,
    ) -> Limits {
        let (limits, now) = (request.limits, self.time.now());
        let raised = |visits: u64| visits.max(PASS_VISITS.min(visits.saturating_mul(PASS_TIMES)));
        Limits {
            visits: match request.analysis.purpose {
                Purpose::Position => limits.visits,
                Purpose::Move | Purpose::ShownMove => limits.visits.map(raised),
            },
            budget: effort
                .budget(now)
                .or(limits.after(now.saturating_sub(began)).budget),
        }
    }

    /// Continues a search that gave `report`, within these limits.
    fn search_on(&mut self, request: &SearchRequest<G>, limits: Limits, report: &mut SearchReport) {
        let longer = request.clone().within(limits);
        if let Ok(mut found) = self.worker.search(longer, &mut |_| {}) {
            found.reused = report.reused;
            found.add_work(report);
            *report = found;
        }
    }

    /// Searches the answers to a pass, within these limits.
    fn search_answers(
        &mut self,
        request: &SearchRequest<G>,
        limits: Limits,
        judged: &PassJudgement,
    ) -> Option<SearchReport> {
        let pass = request.start.position().size().pass();
        let mut next = request.start.clone();
        next.play(pass);
        if next.position().outcome().is_some() {
            next = next.with(scoring::resumed(next.position()));
        }
        let answers = SearchRequest::new(next)
            .within(limits)
            .until(&request.stop)
            .with(AnalysisOptions {
                points: PointsByMove::Lead,
                judged: judged.expected.clone(),
                purpose: request.analysis.purpose,
                opponent: OpponentModel {
                    // A pass has no mirror image.
                    mirrors: false,
                    ..request.analysis.opponent
                },
                ..AnalysisOptions::default()
            });
        self.worker.search(answers, &mut |_| {}).ok()
    }

    /// A position as the players may agree to count it: by playouts, and by the network's owners where it
    /// predicts them.
    ///
    /// # Errors
    /// [`ScoringInterrupted`](crate::engine::ScoringInterrupted) when it is stopped, or there is no time for it.
    pub(super) fn settle_for_controller(
        &mut self,
        position: &G,
        effort: EstimateLimits<'_>,
    ) -> Settlement {
        let settled = match effort.is_timed() {
            true => self.dead_stones.settle_within(position, effort)?,
            false => self.dead_stones.settle(position, effort.stop)?,
        };
        let expected = self.expected(position, effort);
        Ok(expected.map_or(settled, |expected| scoring::settle(position, &expected)))
    }

    /// What is expected of a position that was judged last: by playouts, mixed with the network's owners where it
    /// predicts them.
    fn expected(&mut self, position: &G, effort: EstimateLimits<'_>) -> Option<OwnershipEstimate> {
        let mut expected = self.dead_stones.known(position)?.clone();
        let Some(by_network) = self.owners_by_network(position, effort) else {
            return Some(expected);
        };
        let mix = |owner: &mut f32, found: f32| *owner += NETWORK_SHARE * (found - *owner);
        let [black, white] = &by_network;
        for (owner, (black, white)) in expected.owner.iter_mut().zip(black.iter().zip(white)) {
            mix(owner, (black + white) / 2.0);
        }
        for (owners, found) in expected.by_turn.iter_mut().flatten().zip(&by_network) {
            for (owner, found) in owners.iter_mut().zip(found) {
                mix(owner, *found);
            }
        }
        Some(expected)
    }

    /// The count of a game that both have passed; `None` where it might go on.
    pub(super) fn counted(&mut self, stop: &StopFlag) -> Option<Settled> {
        let position = self.history.position().clone();
        position.outcome()?;
        let settled = match scoring::agrees_on_dead(&position) {
            true => {
                let effort = EstimateLimits::of_controller(stop);
                self.settle_for_controller(&position, effort).ok().flatten()
            }
            // It counts as it stands.
            false => scoring::settle(
                &position,
                &OwnershipEstimate::unknown(position.size().area()),
            ),
        };
        settled.filter(Settled::is_over)
    }

    /// The network's owners of a position with Black and with White to move; `None` without a network that predicts
    /// them.
    fn owners_by_network(
        &mut self,
        position: &G,
        effort: EstimateLimits<'_>,
    ) -> Option<[Vec<f32>; 2]> {
        let mut owners = [Vec::new(), Vec::new()];
        for (color, owners) in Color::BOTH.into_iter().zip(&mut owners) {
            let mut turned = scoring::resumed(position);
            turned.set_to_move(color);
            let start = self.history.game_state().with(turned);
            let mut evaluation = SearchRequest::evaluation(start).until(effort.stop);
            evaluation.limits.budget = effort.budget(self.time.now());
            let report = self.worker.search(evaluation, &mut |_| {}).ok()?;
            let by_network = report.by_network();
            *owners = report.expected.filter(|_| by_network)?.owner;
        }
        Some(owners)
    }
}

/// Gives a pass in `report` the value of `best`, the best answer that a search of the answers, `found`, came to.
fn give_answer(report: &mut SearchReport, pass: Move, found: &SearchReport, best: &MoveReport) {
    let Some(passed) = report.moves.iter_mut().find(|found| found.mv == pass) else {
        return;
    };
    (passed.value, passed.lcb) = (-best.value, -best.value);
    passed.visits = passed.visits.max(1);
    passed.proof = found.proof.map(Proof::flip);
    if let (Some(own), Some(answered)) = (&mut passed.expected, &best.expected) {
        own.black_ahead = answered.black_ahead;
    }
    passed.pv = [&[pass], &*best.pv].concat();
    passed.pv_visits = [&[passed.visits], &*best.pv_visits].concat();
}
