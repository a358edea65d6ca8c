//! The takeover ply: the ply from which a game's positions are usually proven, so that moves need
//! no thought. Learned from game to game, where one ply is usual.

use std::time::Duration;

/// Weak opponents are beaten early and loaded endings are proven at once: learned takeover plies
/// stay within this many plies of the usual one.
const RANGE: f64 = 8.0;
/// Weight of a new game in the running mean.
const GAME_WEIGHT: f64 = 0.3;

/// Plies by which ten times the time moves it forward: half of the games between RAVE engines are
/// solved at ply 58, 56, 53 and 51 with 10^3, 10^4, 10^5 and 10^6 nodes
/// (docs/results/measures.toml).
const PLIES_BY_TENFOLD_TIME: f64 = 2.0;
/// The time per move of a game's usual takeover ply.
const USUAL_MOVE_TIME: Duration = Duration::from_millis(100);

/// The usual takeover ply at this time per move, given the one at a tenth of a second.
pub(super) fn usual(at_a_tenth: f64, move_time: Duration) -> f64 {
    let times = move_time.as_secs_f64() / USUAL_MOVE_TIME.as_secs_f64();
    let earlier = PLIES_BY_TENFOLD_TIME * times.max(f64::MIN_POSITIVE).log10();
    at_a_tenth - earlier.clamp(-RANGE, RANGE)
}

/// A running mean over games, and observations of the current game.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Takeover {
    mean: Option<f64>,
    /// The first ply of this game whose result was proven.
    proven_at: Option<u32>,
    /// The last ply of this game that was searched.
    last_ply: Option<u32>,
}

impl Takeover {
    /// The ply; `None` before [`Takeover::expect`] has set the usual one.
    pub(super) fn ply(&self) -> Option<f64> {
        self.mean
    }

    /// Sets the usual ply of this game and board, unless a similar one was learned.
    pub(super) fn expect(&mut self, usual: f64) {
        let mean = self.mean.get_or_insert(usual);
        *mean = mean.clamp(usual - RANGE, usual + RANGE);
    }

    /// Sets the ply of this game, regardless of what was learned.
    pub(super) fn assume(&mut self, ply: f64) {
        self.mean = Some(ply);
    }

    /// The result was proven when a move at `ply` was searched.
    pub(super) fn proven(&mut self, ply: u32) {
        self.last_ply = Some(ply);
        self.proven_at.get_or_insert(ply);
    }

    /// A move at `ply` needed a search: an earlier proof was of another position, before an undo.
    pub(super) fn thought(&mut self, ply: u32) {
        self.last_ply = Some(ply);
        self.proven_at = None;
    }

    /// A move at `ply` was played without looking for a proof.
    pub(super) fn passed_by(&mut self, ply: u32) {
        self.last_ply = Some(ply);
    }

    /// A game has ended or was given up.
    pub(super) fn new_game(&mut self) {
        // A game without a proof was not proven before its last search.
        let seen = match (self.proven_at, self.last_ply, self.mean) {
            (Some(proven), _, _) => Some(f64::from(proven)),
            (None, Some(last), Some(mean)) if f64::from(last) > mean => Some(f64::from(last)),
            _ => None,
        };
        if let (Some(seen), Some(mean)) = (seen, &mut self.mean) {
            *mean += GAME_WEIGHT * (seen - *mean);
        }
        (self.proven_at, self.last_ply) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_towards_what_games_show() {
        let mut takeover = Takeover::default();
        takeover.expect(54.0);
        takeover.thought(42);
        takeover.proven(44);
        takeover.passed_by(46);
        takeover.proven(48);
        takeover.new_game();
        assert_eq!(takeover.ply(), Some(51.0));
        // Never proven, and searched beyond: later than expected.
        takeover.thought(61);
        takeover.new_game();
        assert_eq!(takeover.ply(), Some(54.0));
        // Given up early: nothing is known.
        takeover.thought(20);
        takeover.new_game();
        assert_eq!(takeover.ply(), Some(54.0));
        // A proof that was undone does not count.
        takeover.proven(40);
        takeover.thought(38);
        takeover.new_game();
        assert_eq!(takeover.ply(), Some(54.0));
    }

    #[test]
    fn it_comes_earlier_where_moves_take_longer() {
        let at = |millis| usual(54.0, Duration::from_millis(millis));
        let close = |millis, ply: f64| assert!((at(millis) - ply).abs() < 1e-9, "{}", at(millis));
        close(10, 56.0);
        close(100, 54.0);
        close(1_000, 52.0);
        close(100_000, 48.0);
        close(0, 54.0 + RANGE);
    }

    #[test]
    fn where_games_differ_nothing_is_learned() {
        let mut takeover = Takeover::default();
        for (ply, assumed) in [(6, 35.0), (60, 80.0), (8, 36.5)] {
            takeover.assume(assumed);
            assert_eq!(takeover.ply(), Some(assumed));
            takeover.proven(ply);
            takeover.new_game();
        }
    }

    #[test]
    fn it_stays_near_the_usual() {
        let mut takeover = Takeover::default();
        takeover.new_game();
        assert_eq!(takeover.ply(), None);
        takeover.expect(54.0);
        for _ in 0..20 {
            takeover.proven(0);
            takeover.new_game();
        }
        takeover.expect(54.0);
        assert_eq!(takeover.ply(), Some(46.0));
    }
}
