//! Our time allocation (docs/methods.md#time): rising gently over the moves that need thought, with
//! overtime's own pace as a minimum.

use std::time::Duration;

use super::budget::from_seconds;
use super::experience::{MIN_HARD, TimeManager, usual_proof_ply};
use super::params::Situation;
use super::stop::ANSWER;
use super::{Budget, Overtime, TimeLeft};

/// Scale, in plies, of the logistic distribution of the expected proof ply around its mean (in 300 games
/// of a minute on the simulated clock its standard deviation was 2.1 plies).
const TAKEOVER_SPREAD: f64 = 1.3;
/// Plies before the expected proof at which the additional weight of a move has fallen by a factor of e.
/// (Fitted to the loss of a move by ply, see `time-rise` in `params.rs`.)
const RISE_PLIES: f64 = 9.0;
/// The largest share of the free time that one move is planned to take, and that it may take.
const LARGEST_PLAN: f64 = 0.7;
const LARGEST_MOVE: f64 = 0.8;
/// Allowed overrun of the budget by a search that does not answer, as a share of the free time. A
/// search normally answers in a fraction of it, but a network that is still loading needs it.
const OVERRUN_SHARE: f64 = 0.15;
/// While main time lasts a move takes this many overtime periods: with strength growing with the
/// logarithm of time, e is best (KataGo; docs/methods.md#time).
const PERIODS_A_MOVE: f64 = std::f64::consts::E;
/// Canadian overtime: how far a single move may exceed its share (docs/methods.md#time).
const CANADIAN_STRETCH: f64 = 1.6;

impl TimeManager {
    /// Thinking time for the next move if the clock stands so, or `None` when it sets no limit.
    pub(crate) fn allot(&mut self, situation: &Situation) -> Option<Budget> {
        if let TimeLeft::Main(main) = situation.clock.left() {
            self.full = self.full.max(main);
            self.present = main;
        }
        match situation.usually_proven_from {
            Some(ply) => {
                let usual = usual_proof_ply(ply, situation.usual_move_time(ply, self.full));
                self.expected_proof_ply.expect(usual);
            }
            // Where games differ much, the position says more than earlier games.
            None => self
                .expected_proof_ply
                .assume(f64::from(situation.ply) + situation.plies_left),
        }
        let budget = budget(self, situation)?;
        let answer = ANSWER.min(budget.hard / 3);
        let maximum = budget.maximum.min(budget.hard.saturating_sub(answer));
        Some(Budget {
            target: budget.target.min(maximum),
            maximum,
            hard: budget.hard.max(MIN_HARD),
            ..budget
        })
    }
}

fn budget(known: &TimeManager, now: &Situation) -> Option<Budget> {
    Some(match (now.clock.left(), now.clock.overtime()) {
        (TimeLeft::Unlimited, _) => return None,
        (
            TimeLeft::Main(main),
            Overtime::Fischer {
                increment,
                most_main,
                most_move,
            },
        ) => fischer(known, now, main, increment, [most_main, most_move]),
        (TimeLeft::Main(main), Overtime::Byoyomi { period, periods }) => {
            before_byoyomi(known, now, main, period, periods)
        }
        (TimeLeft::Main(main), Overtime::Canadian { period, stones }) => {
            before_canadian(known, now, main, period, stones.max(1))
        }
        (
            TimeLeft::Byoyomi {
                period: left,
                periods,
            },
            Overtime::Byoyomi { period, .. },
        ) => byoyomi(known, left, period, periods),
        (
            TimeLeft::Canadian {
                period: left,
                stones,
            },
            Overtime::Canadian { period, .. },
        ) => canadian(known, now, left, period, stones),
        (left, _) => sudden_death(known, now, left.time()),
    })
}

/// A budget that a search may end early or extend.
fn planned(known: &TimeManager, target: Duration, maximum: Duration, hard: Duration) -> Budget {
    Budget {
        target,
        maximum,
        hard,
        rules: known.rules(),
    }
}

fn sudden_death(known: &TimeManager, now: &Situation, main: Duration) -> Budget {
    let free = main.saturating_sub(known.reserve(now.most_moves()));
    let target = share(known, now, free);
    let maximum = target
        .mul_f64(known.params.time_extend)
        .min(free.mul_f64(LARGEST_MOVE));
    // When time is short, a late answer is still better than an unsearched move.
    let moves = now.most_moves();
    let fair = main.saturating_sub(known.lag_of(moves)) / (2 * moves);
    let hard = (maximum + free.mul_f64(OVERRUN_SHARE)).max(fair);
    let hard = hard.min(main.saturating_sub(known.lag.worst()));
    planned(known, target, maximum, hard)
}

/// Sudden death with income. Lag is paid out of the increment if it suffices.
fn fischer(
    known: &TimeManager,
    now: &Situation,
    main: Duration,
    increment: Duration,
    [most_main, most_move]: [Option<Duration>; 2],
) -> Budget {
    let worst = known.lag.worst();
    let income = increment.saturating_sub(known.lag.usual());
    let usable = main.saturating_sub(worst * 2);
    let base = if income.is_zero() {
        sudden_death(known, now, main)
    } else {
        // The increment comes after the move: until then its amount must be reserved, too.
        let kept = known.reserve(4).saturating_sub(known.lag_of(4)) + worst * 2;
        let spendable = main.saturating_sub(kept);
        let income = income.min(spendable);
        let target = share(known, now, spendable - income) + income;
        let target = target.min(usable.mul_f64(LARGEST_MOVE));
        let maximum = target.mul_f64(known.params.time_extend);
        let maximum = maximum.min(spendable).max(target);
        let hard = (maximum + usable.mul_f64(OVERRUN_SHARE)).min(usable);
        planned(known, target, maximum, hard)
    };
    // Time that the cap would cut off is free.
    let overflow = (main + increment).saturating_sub(most_main.unwrap_or(Duration::MAX));
    let target = base.target.max(overflow.min(usable));
    let raised = Budget {
        target,
        maximum: base.maximum.max(target),
        hard: base.hard.max(target),
        ..base
    };
    let cap = main.min(most_move.unwrap_or(main)).saturating_sub(worst);
    raised.within(Budget::fixed(cap, cap))
}

/// Main time followed by byoyomi: all but the last period are spent like main time, a move takes
/// several periods' worth while main time lasts, and the move that leaves main time also uses up a
/// period, which comes back.
fn before_byoyomi(
    known: &TimeManager,
    now: &Situation,
    main: Duration,
    period: Duration,
    periods: u32,
) -> Budget {
    let worst = known.margin(period, periods <= 1);
    let spare = period.saturating_mul(periods.saturating_sub(1));
    let free = (main + spare).saturating_sub(known.lag_of(now.most_moves()));
    let last_of_main = (main + period).saturating_sub(worst);
    let wanted = share(known, now, free).max(period.mul_f64(PERIODS_A_MOVE));
    let target = match wanted > main {
        true => last_of_main,
        false => wanted.min(last_of_main),
    };
    let maximum = target
        .mul_f64(known.params.time_extend)
        .min(last_of_main)
        .max(target);
    let hard = (main + spare + period).saturating_sub(worst);
    planned(known, target, maximum, hard.min(maximum + period))
}

/// A byoyomi period: its unused time is lost. A search in dispute may cost a period while two are
/// left after it.
fn byoyomi(known: &TimeManager, left: Duration, period: Duration, periods: u32) -> Budget {
    let worst = known.margin(period, periods <= 1);
    let target = left.saturating_sub(worst);
    let beyond = |spare: u32| {
        (left + period.saturating_mul(periods.saturating_sub(spare))).saturating_sub(worst)
    };
    let extends = periods > 3 && known.params.time_extend > 1.0;
    let maximum = if extends { target + period } else { target };
    Budget {
        target,
        maximum,
        hard: beyond(1).min(maximum + period),
        rules: super::StopRules::default(),
    }
}

/// Main time followed by Canadian periods: their pace costs nothing, so a move gets at least that.
fn before_canadian(
    known: &TimeManager,
    now: &Situation,
    main: Duration,
    period: Duration,
    stones: u32,
) -> Budget {
    let pace = period / stones;
    let worst = known.margin(pace, stones == 1);
    let all = (main + pace).saturating_sub(worst);
    let free = main.saturating_sub(known.lag_of(now.most_moves()));
    let target = share(known, now, free)
        .max(pace.saturating_sub(known.lag.usual()))
        .min(all);
    let maximum = target.mul_f64(known.params.time_extend).min(all);
    let hard = (maximum + main.mul_f64(OVERRUN_SHARE)).min(all);
    planned(known, target, maximum, hard)
}

/// A Canadian period: equal shares; saved time goes to its later moves, and the last one uses all.
fn canadian(
    known: &TimeManager,
    now: &Situation,
    left: Duration,
    period: Duration,
    stones: u32,
) -> Budget {
    // However long the game is expected to be: it may be longer.
    let moves = stones.min(now.most_plies.div_ceil(2)).max(1);
    let worst = known.margin(period, true) + known.untold_accident(period);
    if moves == 1 {
        let all = left.saturating_sub(worst);
        return Budget::fixed(all, all);
    }
    let free = left.saturating_sub(known.lag.reserve(moves - 1) + worst);
    let each = free.as_secs_f64() / f64::from(moves);
    let largest = free.as_secs_f64() / (0.75 * f64::from(moves) + 0.25);
    let target = from_seconds((each / known.used).min(largest));
    let maximum = from_seconds(
        (each * CANADIAN_STRETCH.min(known.params.time_extend))
            .min(free.as_secs_f64() * LARGEST_MOVE),
    )
    .max(target);
    let hard = (maximum + free.mul_f64(OVERRUN_SHARE)).min(free);
    planned(known, target, maximum, hard)
}

/// The planned share of `free` time for this move: its weight over the weights of all own moves to
/// come. With a loss of `c n^-1/2` by a move of `n` visits that is reached with probability `s`, the
/// loss of a game is least for `n` in proportion to `(c s)^2/3`.
fn share(known: &TimeManager, now: &Situation, free: Duration) -> Duration {
    let ply = f64::from(now.ply);
    let own_moves = now.own_moves() as u32;
    let params = &known.params;
    let end = now.plies_left + ply;
    let usual = known.expected_proof_ply.ply().unwrap_or(end);
    let weight = |ply: f64| {
        if params.time_takeover {
            rise(params.time_rise, usual - ply) * needs_thought(usual - ply).powf(2.0 / 3.0)
        } else {
            rise(params.time_rise, end - ply)
        }
    };
    let all: f64 = (0..own_moves)
        .map(|mv| weight(ply + 2.0 * f64::from(mv)))
        .sum();
    let planned = free.as_secs_f64() * weight(ply) / (all * known.used);
    let largest = (LARGEST_PLAN / known.used).min(LARGEST_MOVE);
    from_seconds(planned.min(free.as_secs_f64() * largest))
}

/// Weight of a move relative to one of the opening, this many plies before the expected proof.
fn rise(maximum: f64, plies: f64) -> f64 {
    1.0 + maximum * (-plies.max(0.0) / RISE_PLIES).exp()
}

/// Probability that a move needs thought, this many plies before the mean expected proof.
fn needs_thought(plies: f64) -> f64 {
    1.0 / (1.0 + (-(plies - 1.0) / TAKEOVER_SPREAD).exp())
}

#[cfg(test)]
mod tests;
