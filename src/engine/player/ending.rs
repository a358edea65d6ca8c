//! The end of a game with passes: decision to pass, before and after a search.

use std::sync::Arc;

use super::super::judge_limits::JudgeLimits;
use super::super::passing::{self, PassJudgement};
use super::Player;
use crate::game::{Game, Scored as _, scoring};
use crate::search::SearchReport;

impl<G: Game> Player<G> {
    /// Judges a pass where one may end the game: after a pass of the opponent, and near the end where the board
    /// does not say who owns what. Under territory scoring a needless stone costs a point, and networks that were
    /// trained on area scoring do not see which stones are needless.
    pub(super) fn judge_pass(
        &mut self,
        position: &G,
        judge_limits: JudgeLimits<'_>,
    ) -> PassJudgement {
        let Some(scored) = position.scored() else {
            return PassJudgement::default();
        };
        let offered = passing::is_offered(position);
        let by_territory = scored.current_score().is_none() && scored.nears_end();
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

    /// Whether to pass after a search: [`passing::preferred`], and a side that passes first leaves nothing to be
    /// played for ([`passing::is_closed`]).
    pub(super) fn passes(
        &mut self,
        position: &G,
        report: &SearchReport,
        judged: &PassJudgement,
        judge_limits: JudgeLimits<'_>,
    ) -> bool {
        let expected = judged.expected.as_deref();
        let Some(preferred) = passing::preferred(position, report, expected) else {
            return false;
        };
        if passing::is_offered(position) {
            return true;
        }
        let settled = self.judge.settle_within(position, judge_limits);
        let seen = || scoring::settle(position, report.expected.as_ref()?);
        let settled = settled.ok().flatten().or_else(seen);
        let estimates = [expected, report.expected.as_ref()];
        settled.is_some_and(|settled| passing::is_closed(position, &settled, preferred, &estimates))
    }
}
