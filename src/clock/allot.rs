//! How much of a clock one move may use: an even split over the moves still expected.

use std::time::Duration;

use super::{Budget, Overtime, SideClock, TimeLeft};

/// A move may use this many times its even share before it has to be answered.
const STRETCH: u32 = 2;

/// Thinking time for the next move, or `None` when the clock sets no limit.
///
/// `own_moves` is the number of moves this side still expects to make (0 counts as 1). `lag` is
/// kept back for what happens between this clock and the controller's: as long as the side has
/// more than `lag` left, the hard limit plus `lag` stays within what can be used without losing a
/// period or the game.
#[must_use]
pub fn even_split(clock: &SideClock, own_moves: u32, lag: Duration) -> Option<Budget> {
    let own_moves = own_moves.max(1);
    let (share, most) = match clock.left() {
        TimeLeft::Unlimited => return None,
        TimeLeft::Main(main) => in_main_time(main, clock.overtime(), own_moves, lag),
        TimeLeft::Canadian { period, stones } => {
            let usable = period.saturating_sub(lag);
            (usable / stones.max(1), usable)
        }
        TimeLeft::Byoyomi { period, .. } => {
            let usable = period.saturating_sub(lag);
            (usable, usable)
        }
    };
    Some(Budget {
        soft: share.min(most),
        hard: share.saturating_mul(STRETCH).min(most),
    })
}

/// Share of a move in main time, and the most it may use: overtime's own pace is free, so a move
/// gets at least that.
fn in_main_time(
    main: Duration,
    overtime: Overtime,
    own_moves: u32,
    lag: Duration,
) -> (Duration, Duration) {
    let free = match overtime {
        Overtime::None => Duration::ZERO,
        Overtime::Canadian { period, stones } => period / stones.max(1),
        Overtime::Byoyomi { period, .. } => period,
    };
    let most = main.saturating_add(free).saturating_sub(lag);
    let share = (main.saturating_sub(lag) / own_moves).max(free.saturating_sub(lag));
    (share, most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::TimeControl;
    use super::*;

    const LAG: Duration = Duration::from_millis(100);

    fn clock(main_ms: u64, overtime: Overtime) -> SideClock {
        SideClock::new(TimeControl::Limited {
            main: Duration::from_millis(main_ms),
            overtime,
        })
    }

    #[track_caller]
    fn check(clock: &SideClock, own_moves: u32, soft_ms: u64, hard_ms: u64) {
        let budget = even_split(clock, own_moves, LAG).expect("this clock has a limit");
        let expected = Budget {
            soft: Duration::from_millis(soft_ms),
            hard: Duration::from_millis(hard_ms),
        };
        assert_eq!(budget, expected, "{clock:?} over {own_moves} moves");
    }

    #[test]
    fn sudden_death() {
        check(&clock(40_100, Overtime::None), 40, 1_000, 2_000);
        check(&clock(1_100, Overtime::None), 1, 1_000, 1_000);
        check(&clock(1_100, Overtime::None), 0, 1_000, 1_000);
        check(&clock(50, Overtime::None), 10, 0, 0);
    }

    #[test]
    fn overtime_pace_is_the_least_a_move_gets() {
        let canadian = Overtime::Canadian {
            period: Duration::from_secs(50),
            stones: 5,
        };
        let byoyomi = Overtime::Byoyomi {
            period: Duration::from_secs(10),
            periods: 3,
        };
        check(&clock(20_100, canadian), 40, 9_900, 19_800);
        check(&clock(4_000_100, byoyomi), 40, 100_000, 200_000);
        check(&clock(1_000, byoyomi), 40, 9_900, 10_900);
        check(&clock(0, byoyomi), 40, 9_900, 9_900);
    }

    #[test]
    fn inside_a_period() {
        let canadian = Overtime::Canadian {
            period: Duration::from_secs(50),
            stones: 5,
        };
        let mut side = clock(0, canadian);
        side.set_left(Duration::from_millis(30_100), 3);
        check(&side, 40, 10_000, 20_000);
        side.set_left(Duration::from_millis(30_100), 1);
        check(&side, 40, 30_000, 30_000);
        assert_eq!(
            even_split(&SideClock::new(TimeControl::Unlimited), 5, LAG),
            None
        );
    }

    /// A clock in a state that a game can reach, near-empty ones included.
    fn clocks() -> impl Strategy<Value = SideClock> {
        let time = prop_oneof![0_u64..300, 0_u64..60_000];
        let overtime = (0_u8..3, time.clone(), 1_u32..6).prop_map(|(kind, period, count)| {
            let period = Duration::from_millis(period);
            match kind {
                0 => Overtime::None,
                1 => Overtime::Canadian {
                    period,
                    stones: count,
                },
                _ => Overtime::Byoyomi {
                    period,
                    periods: count,
                },
            }
        });
        (
            time.clone(),
            overtime,
            proptest::option::of((time, 0_u32..4)),
        )
            .prop_map(|(main, overtime, told)| {
                let mut side = clock(main, overtime);
                if let Some((left, stones)) = told {
                    side.set_left(Duration::from_millis(left), stones);
                }
                side
            })
    }

    proptest! {
        #[test]
        fn hard_limit_and_lag_fit_into_what_is_left(side in clocks(), own_moves in 0_u32..6) {
            let budget = even_split(&side, own_moves, LAG).expect("limited");
            prop_assert!(budget.soft <= budget.hard);
            let usable = match (side.left(), side.overtime()) {
                (TimeLeft::Main(main), Overtime::None) => main,
                (TimeLeft::Main(main), Overtime::Canadian { period, stones }) => {
                    main + period / stones
                }
                (TimeLeft::Main(main), Overtime::Byoyomi { period, .. }) => main + period,
                (TimeLeft::Canadian { period, .. } | TimeLeft::Byoyomi { period, .. }, _) => period,
                (TimeLeft::Unlimited, _) => Duration::MAX,
            };
            prop_assert!(budget.hard <= usable.saturating_sub(LAG));
        }

        /// A side that uses every soft limit in full, and loses the lag on every move, makes all
        /// its moves before sudden death strikes as long as the lag alone does not kill it.
        #[test]
        fn a_whole_game_is_not_lost_on_time(main_ms in 10_000_u64..60_000, moves in 1_u32..40) {
            let mut side = clock(main_ms, Overtime::None);
            for made in 0..moves {
                let budget = even_split(&side, moves - made, LAG).expect("limited");
                side.spend(budget.soft + LAG / 2);
                prop_assert!(side.left() != TimeLeft::Main(Duration::ZERO), "move {made}");
            }
        }
    }
}
