//! Go as a game whose players count points once both have passed.

use super::{Go, Scoring};
use crate::game::{
    Bits, CurrentScore, Game as _, Move, Outcome, OwnershipEstimate, Scored, Settled,
};

/// Share of occupied points from which on a side may pass first.
const LATE: f32 = 0.3;

impl<const CELLS: usize, const WORDS: usize> Scored<Self> for Go<CELLS, WORDS> {
    fn resumed(&self) -> Self {
        let passes = if self.passes >= 2 { 0 } else { self.passes };
        Go {
            passes,
            ..self.clone()
        }
    }

    fn disputed(&self) -> Self {
        self.settled_by_play()
    }

    fn searched(&self) -> Self {
        Go {
            judged: self.agrees_on_dead(),
            ..self.clone()
        }
    }

    /// Where the opponent has passed, and where as many points are occupied as near the end of a
    /// game.
    fn nears_end(&self) -> bool {
        let area = self.size().area();
        self.passes == 1 || (area - self.empty().count()) as f32 >= LATE * area as f32
    }

    /// Secured points where the side to move has nothing to capture.
    fn idle_moves(&self) -> Vec<Move> {
        self.idle_points().iter().collect()
    }

    fn dame_move(&self, settled: &Settled) -> Option<Move> {
        self.neutral_point(settled)
    }

    fn fills_eye(&self, mv: Move) -> bool {
        self.is_eye(self.to_move, mv)
    }

    fn settle(&self, expected: &OwnershipEstimate) -> Settled {
        self.settled(expected)
    }

    fn outcome_without(&self, dead: &[Move]) -> Outcome {
        let agreed = self.agreed_on(dead.iter().copied().collect());
        Outcome::by_points(self.score(&agreed))
    }

    fn chains_of(&self, points: &[Move]) -> Vec<Vec<Move>> {
        let stones = points.iter().filter(|point| self.stone(**point).is_some());
        let mut left: Bits<WORDS> = stones.copied().collect();
        let mut chains = Vec::new();
        while let Some(first) = left.lowest() {
            let chain = self.chain(first);
            left.remove_all(chain);
            chains.push(chain.iter().collect());
        }
        chains
    }

    /// A pass-alive stone is alive, and a stone surrounded by pass-alive stones of the opponent is
    /// dead.
    fn certainly_dead(&self, stone: Move) -> Option<bool> {
        let color = self.stone(stone)?;
        if self.pass_alive(color).stones.contains(stone) {
            return Some(false);
        }
        let lost = self.pass_alive(color.opponent()).secured;
        lost.contains(stone).then_some(true)
    }

    fn ko(&self) -> Option<Move> {
        self.ko
    }

    fn passes_for_ko(&self) -> bool {
        self.rules.scoring == Scoring::Territory
    }

    /// Under territory scoring capturing dead stones would cost points, so players always agree on
    /// them.
    fn agrees_on_dead(&self) -> bool {
        self.rules.friendly_pass || self.rules.scoring == Scoring::Territory
    }

    fn handicap(&self) -> u16 {
        self.handicap.stones()
    }

    /// Under area scoring: points secured by pass-alive stones count for their side with any
    /// stones on them; all others count as they stand.
    fn current_score(&self) -> Option<CurrentScore> {
        (self.rules.scoring == Scoring::Area).then(|| self.area_score_now())
    }
}
