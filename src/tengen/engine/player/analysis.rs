//! The analysis of a position, without a move.

use super::super::passing::{self, AfterSearch, PassJudgement};
use super::super::timing::{self, EstimateLimits};
use super::super::{AnalysisEffort, AnalysisRequest, ThinkError};
use super::Player;
use crate::game::{Game, Symmetry, scoring};
use crate::search::{
    AnalysisOptions, Limits, Observer, Purpose, SearchReport, SearchRequest, StopFlag,
};

impl<G: Game> Player<G> {
    /// What is found, in reports to the observer and at the end.
    pub(super) fn analysed(
        &mut self,
        request: &AnalysisRequest,
        observer: &mut Observer<'_>,
    ) -> Option<SearchReport> {
        let stop = &request.stop;
        let (visits, time) = match request.kind {
            AnalysisEffort::Network(symmetry) => {
                return self.evaluated(request, symmetry);
            }
            AnalysisEffort::Endless => (None, None),
            AnalysisEffort::Bounded { visits, time } => (visits, time),
            AnalysisEffort::OneEvaluation => (Some(1), None),
        };
        let game_state = self.history.game_state_for(request.color);
        // If both have passed: what if the game went on?
        let game_state = game_state.with(scoring::resumed(game_state.position()));
        game_state.legal_moves().next()?;
        let counted = self.counted(stop);
        let mut analysis = AnalysisOptions {
            purpose: Purpose::Position,
            ..request.options.clone()
        };
        let position = game_state.position();
        let may_pass = G::INFO.scored && !analysis.avoid.contains(&position.size().pass());
        // A judgement takes longer than the analysis of a position of a whole game should: after a pass alone.
        let effort = EstimateLimits::of_controller(stop);
        let is_offered = may_pass && passing::is_offered(position);
        let mut judged = match is_offered {
            true => self.judge_pass(position, effort),
            false => PassJudgement::default(),
        };
        analysis.judged.clone_from(&judged.expected);
        // Who passes by mistake is not shown a game that the answer ends. (The root's visits are then of another node than
        // those of a search for a move.)
        let ends = is_offered && passing::is_last(position, &judged);
        let searched = match is_offered && !ends {
            true => game_state.with(passing::unanswered(position)),
            false => game_state.clone(),
        };
        let adapted = |report: &SearchReport, judged: &PassJudgement| {
            let after = may_pass.then(|| AfterSearch::of(position, report, judged));
            let passes = after.as_ref().is_some_and(|after| ends && after.ends());
            let mut changed = after.and_then(|after| after.reordered());
            let count = judged.count.as_ref().filter(|_| passes);
            if let Some(count) = counted.as_ref().or(count) {
                let changed = changed.get_or_insert_with(|| report.clone());
                changed.value = count.value_for(position.to_move());
                changed.expected = Some(count.as_estimate(|point| position.stone(point)));
            }
            changed
        };
        let budget = time.map(timing::fixed_budget);
        let mut shown = |report: &SearchReport| {
            let changed = adapted(report, &judged);
            observer(changed.as_ref().unwrap_or(report));
        };
        let search = SearchRequest::new(searched)
            .within(Limits { visits, budget })
            .until(stop)
            .with(analysis);
        self.exclude(&request.options.avoid);
        let began = self.time.now();
        let found = self.worker.search(search.clone(), &mut shown);
        let mut report = to_show(found, stop)?;
        let is_bounded = matches!(request.kind, AnalysisEffort::Bounded { .. });
        if may_pass && is_bounded && !stop.is_raised() {
            self.weigh_pass(&search, &mut report, &mut judged, (effort, began));
        }
        Some(adapted(&report, &judged).unwrap_or(report))
    }

    /// The network's evaluation of the game under a symmetry of the board, turned back.
    fn evaluated(&mut self, request: &AnalysisRequest, symmetry: Symmetry) -> Option<SearchReport> {
        let stop = &request.stop;
        let is_turned = symmetry != Symmetry::IDENTITY;
        let turned = is_turned.then(|| self.history.turned(symmetry));
        let history = match &turned {
            Some(turned) => turned.as_ref()?,
            None => &self.history,
        };
        let mut game_state = history.game_state_for(request.color);
        // Of a game that is over a count of all stones knows more than the network.
        if scoring::agrees_on_dead(game_state.position()) {
            game_state = game_state.with(scoring::resumed(game_state.position()));
        }
        game_state.legal_moves().next()?;
        let size = game_state.position().size();
        let evaluation = SearchRequest::evaluation(game_state).until(stop);
        let evaluation = evaluation.with(request.options.clone());
        let report = to_show(self.worker.search(evaluation, &mut |_| {}), stop)?;
        Some(report.turned(symmetry.inverse(), size))
    }
}

/// The report of an analysis, if there is one.
fn to_show(found: Result<SearchReport, ThinkError>, stop: &StopFlag) -> Option<SearchReport> {
    // It may have been stopped while the network was being loaded.
    let error = |error: &ThinkError| {
        if !stop.is_raised() {
            log::error!("nothing to show: {error}");
        }
    };
    found.inspect_err(error).ok()
}
