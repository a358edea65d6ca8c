//! The end of a game with passes: decision to pass, before and after a search.

use std::sync::Arc;

use super::super::judge_limits::JudgeLimits;
use super::super::passing;
use super::Player;
use crate::game::{Game, OwnershipEstimate};
use crate::search::SearchReport;

/// Judgement of a pass before a search.
#[derive(Default)]
pub(super) struct PassJudgement {
    /// Only a pass is left: no search is needed.
    pub(super) decides: bool,
    /// The ownership if both sides pass now, if judged.
    pub(super) expected: Option<Arc<OwnershipEstimate>>,
}

impl<G: Game> Player<G> {
    /// Judges a pass where one may end the game: after a pass of the opponent, and near the end where the board
    /// does not say who owns what. Under territory scoring a needless stone costs a point, and networks that were
    /// trained on area scoring do not see which stones are needless.
    pub(super) fn judge_pass(
        &mut self,
        position: &G,
        judge_limits: JudgeLimits<'_>,
    ) -> PassJudgement {
        let offered = passing::is_offered(position);
        let by_territory = position.current_score().is_none() && position.nears_end();
        if !(offered || by_territory) {
            return PassJudgement::default();
        }
        let ended = passing::when_both_pass(position);
        let settled = self.judge.settle_within(&ended, judge_limits);
        let settled = settled.ok().flatten();
        PassJudgement {
            decides: settled.is_some_and(|found| passing::decides(position, &found, offered)),
            expected: self.judge.known(&ended).cloned().map(Arc::new),
        }
    }

    /// Whether to pass after a search: [`passing::is_preferred`], and a side that passes first leaves no border
    /// open that counts.
    pub(super) fn passes(
        &mut self,
        position: &G,
        report: &SearchReport,
        judged: &PassJudgement,
        judge_limits: JudgeLimits<'_>,
    ) -> bool {
        if !passing::is_preferred(position, report, judged.expected.as_deref()) {
            return false;
        }
        if passing::is_offered(position) {
            return true;
        }
        let settled = self.judge.settle_within(position, judge_limits);
        let seen = || position.settle(report.expected.as_ref()?);
        let settled = settled.ok().flatten().or_else(seen);
        settled.is_some_and(|settled| settled.open == 0)
    }
}

/// Puts the pass first in an analysis where the player would pass, so that clients that play the first move of an
/// analysis (KaTrain) end games, too. Judges by the numbers of the report alone.
pub(super) fn show_pass<G: Game>(report: &mut SearchReport, position: &G, judged: &PassJudgement) {
    let is_closed = || {
        let expected = judged.expected.as_deref().or(report.expected.as_ref());
        let settled = expected.and_then(|expected| position.settle(expected));
        settled.is_some_and(|settled| settled.open == 0)
    };
    let passes = judged.decides
        || passing::is_preferred(position, report, judged.expected.as_deref())
            && (passing::is_offered(position) || is_closed());
    let pass = position.size().pass();
    let place = report.moves.iter().position(|found| found.mv == pass);
    if let Some(place) = place.filter(|_| passes) {
        let mut found = report.moves.remove(place);
        if found.visits == 0 {
            // The search did not reach it, and the value of the root is the best estimate.
            found.value = report.value;
        }
        report.moves.insert(0, found);
    }
}
