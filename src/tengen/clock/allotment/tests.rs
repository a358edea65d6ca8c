use proptest::prelude::*;

use super::super::{Lag, MoveTimeUsed, SideClock, StopReason, TimeControl, TimeParams, Told};
use super::*;

const LAG: Duration = Duration::from_millis(50);

fn manager() -> TimeManager {
    TimeManager::new(TimeParams::default(), Some(LAG))
}

fn clock(main_ms: u64, overtime: Overtime) -> SideClock {
    SideClock::new(TimeControl::Limited {
        main: Duration::from_millis(main_ms),
        overtime,
    })
}

/// A clock in overtime: its time, and stones or periods.
fn in_overtime(terms: Overtime, period: Duration, count: u32) -> SideClock {
    let left = match terms {
        Overtime::Canadian { .. } => TimeLeft::Canadian {
            period,
            stones: count,
        },
        Overtime::Byoyomi { .. } => TimeLeft::Byoyomi {
            period,
            periods: count,
        },
        Overtime::None | Overtime::Fischer { .. } => TimeLeft::Main(period),
    };
    clock(0, terms).with_left(left)
}

/// A position of a 72-ply game that is usually proven from ply 54.
fn situation(clock: SideClock, ply: u32) -> Situation {
    Situation {
        clock,
        ply,
        plies_left: 72.0_f64.max(f64::from(ply)) - f64::from(ply),
        reserved_plies: 72_u32.saturating_sub(ply),
        most_plies: 72_u32.saturating_sub(ply),
        usually_proven_from: Some(54.0),
    }
}

fn allot(clock: SideClock, ply: u32) -> Budget {
    manager()
        .allot(&situation(clock, ply))
        .expect("a limited clock")
}

/// Plays a move whose search takes `takes` of its planned time, and returns its budget.
fn play_move(manager: &mut TimeManager, clock: &mut SideClock, ply: u32, takes: f64) -> Budget {
    let budget = manager
        .allot(&situation(*clock, ply))
        .expect("a limited clock");
    let elapsed = budget.target.mul_f64(takes);
    clock.spend(elapsed + LAG);
    let spent = MoveTimeUsed {
        elapsed,
        visits: 1000,
        reused: 0,
        stop: Some(StopReason::Time),
    };
    manager.moved(ply, Some(&budget), &spent);
    budget
}

fn spent(elapsed_seconds: f64, stop: StopReason) -> MoveTimeUsed {
    MoveTimeUsed {
        elapsed: from_seconds(elapsed_seconds),
        visits: 1500,
        reused: 500,
        stop: Some(stop),
    }
}

/// The budget of the first move of a minute.
fn of_a_minute(manager: &mut TimeManager) -> Budget {
    let situation = situation(clock(60_000, Overtime::None), 0);
    manager.allot(&situation).expect("a limited clock")
}

/// Plays a game in which every search takes `takes` of its planned time, and returns the planned
/// times and the final clock.
fn game(params: TimeParams, mut clock: SideClock, takes: f64) -> (Vec<f64>, SideClock) {
    let mut manager = TimeManager::new(params, Some(LAG));
    let mut planned = Vec::new();
    // With a minute the expected proof is at ply 51.
    for ply in (0..52).step_by(2) {
        let target = play_move(&mut manager, &mut clock, ply, takes).target;
        planned.push(target.as_secs_f64());
    }
    (planned, clock)
}

fn main_left(clock: &SideClock) -> f64 {
    match clock.left() {
        TimeLeft::Main(main) => main.as_secs_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sudden_death_is_shared_out_evenly_up_to_the_expected_proof() {
    let flat = TimeParams {
        time_rise: 0.0,
        ..TimeParams::default()
    };
    for takes in [1.0, 0.8, 0.6] {
        let (planned, clock) = game(flat.clone(), clock(60_000, Overtime::None), takes);
        let mut sorted = planned.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Learning the used share changes it a little; no move starves.
        for (number, share) in planned.iter().enumerate() {
            assert!(
                *share > 0.5 * median && *share < 1.5 * median,
                "move {number} of {planned:?}"
            );
        }
        let left = main_left(&clock) / 60.0;
        assert!(left > 0.005 && left < 0.15, "{left} left at {takes}");
    }
}

#[test]
fn each_rule_can_be_switched_off() {
    let flat = TimeParams {
        time_rise: 0.0,
        time_takeover: false,
        time_extend: 1.0,
        time_reserve: 0.0,
        ..TimeParams::default()
    };
    let mut manager = TimeManager::new(flat, Some(Duration::ZERO));
    manager.used = 1.0;
    let budget = manager
        .allot(&situation(clock(46_340, Overtime::None), 0))
        .expect("a limited clock");
    // 36 moves, of which each loses at least 5 ms and keeps 10 ms, and 2.6 seconds for accidents.
    assert_eq!(budget.target.as_millis(), 1200);
    assert_eq!(budget.maximum, budget.target);
    // The last of the 36 moves has nearly six times the weight of the first; the sum is 56.1.
    manager.params.time_rise = 5.0;
    let first = manager.allot(&situation(clock(46_340, Overtime::None), 0));
    let target = first.expect("a limited clock").target.as_millis();
    assert!((769..=773).contains(&target), "{target}");
}

#[test]
fn byoyomi_is_used_to_the_full_and_main_time_in_several_periods_a_move() {
    let terms = Overtime::Byoyomi {
        period: Duration::from_secs(10),
        periods: 3,
    };
    // e periods a move while main time lasts.
    let target = allot(clock(60_000, terms), 0).target.as_secs_f64();
    assert!((target - 27.18).abs() < 0.01, "{target}");
    // An equal share where that is more.
    assert!(allot(clock(3_600_000, terms), 0).target > Duration::from_secs(100));
    // The last move of main time uses up a period, which comes back; lag (three times the assumed
    // one) and 3% of it are reserved, and 10% of the last period.
    let last = allot(clock(5_000, terms), 20);
    assert_eq!(last.target, Duration::from_millis(14_550));
    let budget = allot(in_overtime(terms, Duration::from_secs(10), 1), 30);
    assert_eq!(
        (budget.target, budget.hard),
        (Duration::from_millis(8_805), Duration::from_millis(8_850))
    );
    assert_eq!(budget.rules.overtake, 0.0);
    let five = Overtime::Byoyomi {
        period: Duration::from_secs(10),
        periods: 5,
    };
    let overtime = in_overtime(five, Duration::from_secs(10), 5);
    assert_eq!(allot(overtime, 30).maximum, Duration::from_millis(19_550));
    // Where two periods would not be left after it, none is spent on a search in dispute.
    let last = in_overtime(five, Duration::from_secs(10), 3);
    assert_eq!(allot(last, 30).maximum, Duration::from_millis(9_550));
}

#[test]
fn a_canadian_period_is_shared_by_its_stones() {
    let terms = Overtime::Canadian {
        period: Duration::from_secs(50),
        stones: 5,
    };
    let left = |seconds, stones| in_overtime(terms, Duration::from_secs(seconds), stones);
    let target = allot(left(50, 5), 20).target.as_secs_f64();
    assert!(target > 9.0 && target < 13.0, "{target}");
    assert_eq!(allot(left(30, 1), 20).target, Duration::from_millis(27_405));
    // Only one own move can be left in the game: it need not save time for five stones.
    assert!(allot(left(30, 5), 71).target > Duration::from_secs(27));
    // A game that is expected to end may go on.
    let near_its_end = Situation {
        plies_left: 2.0,
        most_plies: u32::MAX,
        ..situation(left(30, 5), 71)
    };
    let budget = manager().allot(&near_its_end).expect("a limited clock");
    assert!(budget.maximum < Duration::from_secs(9), "{budget:?}");
}

#[test]
fn fischer_spends_its_income_and_what_a_cap_would_cut_off() {
    let terms = |most_main, most_move| Overtime::Fischer {
        increment: Duration::from_secs(5),
        most_main,
        most_move,
    };
    let plain = allot(clock(60_000, terms(None, None)), 0)
        .target
        .as_secs_f64();
    assert!(plain > 6.5 && plain < 9.0, "{plain}");
    let full = Some(Duration::from_secs(50));
    assert!(allot(clock(60_000, terms(full, None)), 0).target >= Duration::from_secs(15));
    let short = Some(Duration::from_secs(3));
    let capped = allot(clock(60_000, terms(None, short)), 0);
    assert_eq!(
        (capped.target, capped.hard),
        (Duration::from_millis(2_905), Duration::from_millis(2_950))
    );
}

/// The increment comes after the move: until then a reserve is needed.
#[test]
fn fischer_never_spends_the_last_of_its_main_time() {
    let terms = Overtime::Fischer {
        increment: Duration::from_millis(500),
        most_main: None,
        most_move: None,
    };
    let (mut side, mut manager) = (clock(10_000, terms), manager());
    let mut least = f64::INFINITY;
    for ply in (0..72).step_by(2) {
        let before = main_left(&side);
        let budget = play_move(&mut manager, &mut side, ply, 1.0);
        least = least.min(before - (budget.target + LAG).as_secs_f64());
    }
    assert!(least > 0.5, "{least}");
    // Apart from that it is spent.
    assert!(main_left(&side) < 2.0, "{side:?}");
}

/// A clock in any state that a game can reach, including nearly empty.
fn clocks() -> impl Strategy<Value = SideClock> {
    let time = prop_oneof![0_u64..300, 0_u64..60_000];
    let overtime = (0_u8..4, time.clone(), 1_u32..6).prop_map(|(kind, period, count)| {
        let period = Duration::from_millis(period);
        match kind {
            0 => Overtime::None,
            1 => Overtime::Canadian {
                period,
                stones: count,
            },
            2 => Overtime::Byoyomi {
                period,
                periods: count,
            },
            _ => Overtime::Fischer {
                increment: period,
                most_main: (count == 1).then_some(period * 3),
                most_move: (count == 2).then_some(period),
            },
        }
    });
    let told = proptest::option::of((time.clone(), 0_u32..4));
    (time, overtime, told).prop_map(|(main, overtime, told)| match told {
        Some((left, 0)) => clock(left, overtime),
        Some((left, count)) => in_overtime(overtime, Duration::from_millis(left), count),
        None => clock(main, overtime),
    })
}

fn params() -> impl Strategy<Value = TimeParams> {
    (0.0..0.5, 0.0..10.0, any::<bool>(), 1.0..10.0).prop_map(
        |(reserve, rise, expected_proof_ply, extend)| TimeParams {
            time_reserve: reserve,
            time_rise: rise,
            time_takeover: expected_proof_ply,
            time_extend: extend,
            ..TimeParams::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// For any clock and settings: limits are in order, and with the lag the hard limit never loses
    /// the game, unless there is less than the minimum time of a move.
    #[test]
    fn the_hard_limit_and_lag_fit_into_what_is_left(
        side in clocks(), ply in 0_u32..90, params in params(),
    ) {
        let now = situation(side, ply);
        let budget = TimeManager::new(params, Some(LAG)).allot(&now).expect("limited");
        prop_assert!(budget.target <= budget.maximum, "{budget:?}");
        // A search that uses all of its time must be able to answer.
        prop_assert!(budget.maximum < budget.hard, "{budget:?}");
        let usable = side.longest_move().saturating_sub(LAG);
        prop_assert!(budget.maximum <= usable, "{budget:?} of {usable:?}");
        prop_assert!(budget.hard <= usable.max(MIN_HARD), "{budget:?} of {usable:?}");
    }

    /// A side whose every search runs to its hard limit, and which also loses lag, completes the
    /// game: the hard limits of later moves shrink with the clock.
    #[test]
    fn a_game_of_stalls_is_not_lost_on_time(main_ms in 6_000_u64..60_000) {
        let mut side = clock(main_ms, Overtime::None);
        let mut manager = manager();
        manager.lag.measure(LAG.as_secs_f64(), 1, false);
        for ply in (0..72).step_by(2) {
            let budget = manager.allot(&situation(side, ply)).expect("limited");
            side.spend(budget.hard + LAG);
            prop_assert!(main_left(&side) > 0.0, "ply {ply}");
        }
    }
}

#[test]
fn the_rate_and_the_use_of_time_are_learned_from_searches() {
    let mut manager = manager();
    let given = of_a_minute(&mut manager);
    let elapsed = given.target.as_secs_f64() / 2.0;
    let before = manager.used;
    manager.moved(0, Some(&given), &spent(elapsed, StopReason::Settled));
    assert!((manager.rate - 1000.0 / elapsed).abs() < 1e-6);
    assert!(manager.used < before);
    assert!(
        of_a_minute(&mut manager).target > given.target,
        "what is saved is handed on"
    );
    let rate = manager.rate;
    manager.moved(2, Some(&given), &spent(0.0, StopReason::Proven));
    assert_eq!(manager.rate, rate, "an instant move says nothing");
}

#[test]
fn the_expected_proof_ply_is_learned_from_why_searches_ended() {
    let mut manager = manager();
    let given = of_a_minute(&mut manager);
    let mut play = |plies: &[(u32, StopReason)]| {
        for (ply, stop) in plies {
            manager.moved(*ply, Some(&given), &spent(1.0, *stop));
        }
        manager.new_game();
        manager.expected_proof_ply.ply().expect("a move was made")
    };
    let proven = play(&[
        (42, StopReason::Time),
        (44, StopReason::Proven),
        (46, StopReason::OnlyMove),
        (48, StopReason::Proven),
    ]);
    let usual = usual_proof_ply(54.0, Duration::from_secs(60) / 27);
    let learned = 0.7 * usual + 0.3 * 44.0;
    assert!((proven - learned).abs() < 1e-6, "{proven}, not {learned}");
    // A proof that was undone does not count.
    let settled = play(&[(40, StopReason::Proven), (38, StopReason::Settled)]);
    assert_eq!(settled, proven);
}

#[test]
fn lag_is_what_the_controller_charges_beyond_our_own_clock() {
    let mut manager = manager();
    let given = of_a_minute(&mut manager);
    let told = |manager: &mut TimeManager, seconds, moves| {
        for _ in 0..moves {
            manager.moved(0, Some(&given), &spent(1.0, StopReason::Time));
        }
        manager.told(&Told {
            lost_seconds: Some(seconds),
            coarse: false,
            settles: true,
        });
        manager.lag.usual().as_secs_f64()
    };
    for _ in 0..30 {
        told(&mut manager, 0.03, 1);
        // Reported again without a move: nothing to learn.
        told(&mut manager, 20.0, 0);
    }
    // A move of a book has its lag, too.
    manager.moved(0, None, &spent(0.0, StopReason::Proven));
    manager.told(&Told {
        lost_seconds: Some(0.5),
        coarse: false,
        settles: true,
    });
    let lag = manager.lag.usual().as_secs_f64();
    assert!(lag > 0.031, "{lag}");
    for _ in 0..30 {
        told(&mut manager, 0.03, 1);
    }
    // Half the clock gone at once is an operator's correction.
    let lag = told(&mut manager, 30.0, 1);
    assert!((lag - 0.03).abs() < 0.002, "{lag}");
}

#[test]
fn lag_is_charged_until_the_time_is_known() {
    let mut manager = TimeManager::new(TimeParams::default(), Some(2 * LAG));
    let given = of_a_minute(&mut manager);
    for _ in 0..4 {
        manager.moved(0, Some(&given), &spent(1.0, StopReason::Time));
    }
    let millis = |lag: Duration| lag.as_millis();
    let Lag { usual, doubt } = manager.next_lag();
    assert_eq!((millis(usual), millis(doubt)), (100, 670));
    for (settles, doubt) in [(false, 670), (true, 300)] {
        manager.told(&Told {
            lost_seconds: None,
            coarse: true,
            settles,
        });
        assert_eq!(millis(manager.next_lag().doubt), doubt);
    }
}
