//! Time allocation of other engines for sudden death, for comparison (docs/methods.md#time). They
//! use our reserve for lag, so that thinking time is compared and not losses on time.

use super::allotment::OVERRUN_SHARE;
use super::budget::from_seconds;
use super::experience::Experience;
use super::params::Scheme;
use super::situation::Situation;
use super::{Budget, Overtime, StopRules, TimeLeft};

/// Own moves of an average 9x9 NoGo game (docs/methods.md#nogo).
const GAME_MOVES: f64 = 36.0;
/// No scheme plans for fewer moves than this.
const FEWEST_MOVES: f64 = 3.0;
/// Huang, Coulom and Lin's C and MaxPly are 80 and 160 on 19x19, in games of about 250 plies;
/// scaled to a NoGo game of 72 plies.
const ERICA_C: f64 = 23.0;
const ERICA_MAX_PLY: f64 = 46.0;
/// Their rules: 1.5 times the time where the most visited move does not have the best value, and
/// twice the time in bad positions (win rate under 0.4).
const ERICA_UNSTABLE: f64 = 1.5;
const ERICA_BEHIND: f64 = 2.0;
const ERICA_BAD_VALUE: f32 = -0.2;
/// lc0's smooth manager expects to use this share of its plan.
const LC0_USED: f64 = 0.7;
/// lc0's legacy estimate of remaining moves: midpoint, in moves of this game, and steepness.
const LC0_MIDPOINT: f64 = 26.0;
const LC0_STEEPNESS: f64 = 7.0;

/// The budget by another engine's scheme; `None` for our own scheme, and on any clock but sudden
/// death.
pub(super) fn budget(known: &Experience, now: &Situation) -> Option<Budget> {
    let (TimeLeft::Main(main), Overtime::None) = (now.clock.left(), now.clock.overtime()) else {
        return None;
    };
    let free = main.saturating_sub(known.lag_of(now.most_moves()));
    let (left, ply) = (free.as_secs_f64(), f64::from(now.ply));
    let made = (ply / 2.0).floor();
    let (soft, stretch, overtake) = match known.params.time_scheme {
        Scheme::Tengen => return None,
        Scheme::Even => (left / (GAME_MOVES - made).max(FEWEST_MOVES), 1.0, 0.0),
        Scheme::Constant => (left / 20.0, 1.0, 0.0),
        Scheme::FrontLoaded => (left * 0.12, 1.0, 0.0),
        Scheme::Erica => {
            let bad = known
                .last_value
                .is_some_and(|value| value < ERICA_BAD_VALUE);
            let behind = if bad { ERICA_BEHIND } else { 1.0 };
            let moves = ERICA_C + (ERICA_MAX_PLY - ply).max(0.0);
            (behind * left / moves, ERICA_UNSTABLE, 1.0)
        }
        Scheme::Katago => (left / katago_moves(now), 1.0, 1.0),
        Scheme::Lc0 => {
            let moves = lc0_moves(made);
            let planned = left / (moves * LC0_USED);
            (planned.min(left * 0.42), 1.3, 1.0)
        }
    };
    let soft = from_seconds(soft);
    let most = soft.mul_f64(stretch).min(free);
    let last = main.saturating_sub(known.lag.worst());
    Some(Budget {
        soft,
        most,
        hard: (most + free.mul_f64(OVERRUN_SHARE)).min(last),
        rules: StopRules {
            overtake,
            ..StopRules::default()
        },
    })
}

/// KataGo's estimate of its remaining moves, by board area and stones.
fn katago_moves(now: &Situation) -> f64 {
    let (area, stones) = (now.area, f64::from(now.ply));
    let plies = (0.95 * area + 20.0 - stones).max(0.15 * area + 30.0);
    (0.5 * plies).max(FEWEST_MOVES)
}

/// lc0's legacy estimate of remaining moves after `made` moves.
fn lc0_moves(made: f64) -> f64 {
    let part = (made / LC0_MIDPOINT).powf(LC0_STEEPNESS);
    let total = LC0_MIDPOINT * (1.0 + 2.0 * part).powf(1.0 / LC0_STEEPNESS);
    (total - made).max(FEWEST_MOVES)
}
