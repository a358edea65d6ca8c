//! The end of a game with passes: decision to pass, before and after a search.

use std::sync::Arc;

use super::super::judge_limits::JudgeLimits;
use super::super::passing::{self, PassJudgement};
use super::super::unjudged::Unjudged;
use super::Player;
use crate::game::{Color, Game, GameState, Move, OwnershipEstimate, Scored as _, Settled, scoring};
use crate::search::{SearchReport, StopFlag};

/// Share of a network's owners in the count of a position; the rest is from playouts. Of 36 finished games against
/// GNU Go (17 on 9x9, 16 on 13x13, 3 on 19x19) GNU Go counts all as playouts alone and as half of each do, and 33 as the
/// network alone does. 22 plies before the end the count of 13x13 is off by 11.5, 7.6 and 8.3 points, 42 plies before by
/// 17.3, 10.0 and 9.4.
const NETWORK_SHARE: f32 = 0.5;

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
        let settled = settled.as_ref();
        PassJudgement {
            decides: settled.is_some_and(|found| passing::decides(position, found, offered)),
            neutral: settled.and_then(|found| scored.neutral_move(found)),
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

    /// A position as the players may agree to count it: by playouts, and by the network's owners where it
    /// predicts them.
    ///
    /// # Errors
    /// [`Unjudged`] when it is stopped, or there is no time for it.
    pub(super) fn settle_for_controller(
        &mut self,
        position: &G,
        judge_limits: JudgeLimits<'_>,
    ) -> Result<Option<Settled>, Unjudged> {
        let settled = match judge_limits.is_timed() {
            true => self.judge.settle_within(position, judge_limits)?,
            false => self.judge.settle(position, judge_limits.stop())?,
        };
        let Some(by_playouts) = self.judge.known(position).cloned() else {
            return Ok(settled);
        };
        let Some(expected) = self.by_network(position, by_playouts, judge_limits) else {
            return Ok(settled);
        };
        Ok(scoring::settle(position, &expected))
    }

    /// Owners and lead of a game that is over as its players count them; `None` before the end, and in games without
    /// dead stones.
    pub(super) fn counted(&mut self, stop: &StopFlag) -> Option<OwnershipEstimate> {
        let position = self.history.position().clone();
        if position.outcome().is_none() || !scoring::agrees_on_dead(&position) {
            return None;
        }
        let judge_limits = JudgeLimits::of_controller(stop);
        let settled = self.settle_for_controller(&position, judge_limits);
        let settled = settled.ok().flatten()?;
        Some(OwnershipEstimate {
            owner: settled.owners(|point| position.stone(point)),
            defended: None,
            shared: vec![0.0; position.size().area()],
            black_ahead: settled.black_ahead.0 as f32 / 2.0,
            deviation: 0.0,
        })
    }

    /// An estimate with the network's owners, with either side to move, mixed in; `None` without a network that
    /// predicts them.
    fn by_network(
        &mut self,
        position: &G,
        mut expected: OwnershipEstimate,
        judge_limits: JudgeLimits<'_>,
    ) -> Option<OwnershipEstimate> {
        let [black, white] = self.owners_by_network(position, judge_limits)?;
        let mix = |owner: &mut f32, found: f32| *owner += NETWORK_SHARE * (found - *owner);
        for (owner, (black, white)) in expected.owner.iter_mut().zip(black.iter().zip(&white)) {
            mix(owner, (black + white) / 2.0);
        }
        let defended = expected.defended.iter_mut().flatten().enumerate();
        for ((at, defended), (black, white)) in defended.zip(black.iter().zip(&white)) {
            match position.stone(Move(at as u16)) {
                Some(Color::Black) => mix(defended, *black),
                Some(Color::White) => mix(defended, *white),
                None => {}
            }
        }
        Some(expected)
    }

    /// The network's owners of a position with Black and with White to move; `None` without a network that predicts
    /// them.
    fn owners_by_network(
        &mut self,
        position: &G,
        judge_limits: JudgeLimits<'_>,
    ) -> Option<[Vec<f32>; 2]> {
        let mut owners = [Vec::new(), Vec::new()];
        for (color, owners) in Color::BOTH.into_iter().zip(&mut owners) {
            let mut turned = scoring::resumed(position);
            turned.set_to_move(color);
            let start = GameState::new(turned, self.history.game_state().past().clone());
            let budget = judge_limits.budget(self.time.now());
            let evaluated = self.worker.evaluate(start, budget, judge_limits.stop());
            let report = evaluated.ok()?;
            let by_network = report.by_network();
            *owners = report.expected.filter(|_| by_network)?.owner;
        }
        Some(owners)
    }
}
