use std::time::Duration;

use proptest::prelude::*;

use super::super::{
    Budget, ClockAccount, MoveTimeUsed, SideClock, Situation, StopReason, TimeControl, TimeLeft,
    TimeManager, TimeParams,
};

const LAG: Duration = Duration::from_millis(50);

fn control(text: &str) -> TimeControl {
    let fields: Vec<&str> = text.split(' ').collect();
    TimeControl::from_kata(&fields).expect(text)
}

/// A clock under a control after successive reports: `SECONDS STONES`.
fn told(control_text: &str, reports: &str) -> ClockAccount {
    let mut clock = ClockAccount::new(control(control_text));
    for report in reports.split(", ") {
        let (time, stones) = report.split_once(' ').expect("two numbers");
        let time = Duration::from_secs_f64(time.parse().expect("seconds"));
        clock.set_left(time, stones.parse().expect("stones"));
    }
    clock
}

/// The budget for a move that must be in time by all readings of a clock.
fn allot(manager: &mut TimeManager, clock: &ClockAccount, ply: u32) -> Option<Budget> {
    let readings = clock.readings();
    let budgets = readings.filter_map(|clock| manager.allot(&situation(clock, ply)));
    budgets.reduce(Budget::within)
}

fn situation(clock: SideClock, ply: u32) -> Situation {
    Situation {
        clock,
        ply,
        plies_left: f64::from(130_u32.saturating_sub(ply).max(4)),
        reserved_plies: 2 * 130_u32.saturating_sub(ply).max(4),
        most_plies: u32::MAX,
        usually_proven_from: None,
    }
}

/// A control, reports, the interpretation of the last, and the longest move (in seconds) that is
/// safe under every fitting interpretation.
type Row = (&'static str, &'static str, &'static str, f64);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // According to GTP.
    ("absolute 300", "120 0", "120.00 s", 120.0),
    ("canadian 300 30 5", "120 0", "120.00 s", 150.0),
    ("canadian 300 30 5", "12 3", "12.00 s for 3 stones", 12.0),
    ("byoyomi 300 30 5", "120 0", "120.00 s", 270.0),
    ("byoyomi 300 30 5", "30 4", "30.00 s of 4 periods", 120.0),
    ("fischer 300 5", "120 0", "120.00 s", 120.0),
    // Main time with stones: it cannot be a period, and may be all that is left.
    ("canadian 1780 20 1", "1917 1", "1897.00 s", 1917.0),
    ("canadian 1780 20 1", "1780 1", "1760.00 s", 1780.0),
    ("canadian 300 30 5", "100 5", "70.00 s", 100.0),
    ("canadian 300 30 5", "31 5", "1.00 s", 31.0),
    ("byoyomi 1780 20 1", "1917 1", "1897.00 s", 1917.0),
    ("byoyomi 300 30 5", "200 5", "50.00 s", 200.0),
    ("byoyomi 300 30 5", "200 1", "50.00 s", 200.0),
    // Under a control without overtime stones are meaningless.
    ("absolute 300", "120 1", "120.00 s", 120.0),
    ("absolute 300", "20 25", "20.00 s", 20.0),
    ("fischer 300 5", "120 3", "120.00 s", 120.0),
    // All periods as one sum.
    ("byoyomi 0 30 5", "150 5", "30.00 s of 5 periods", 150.0),
    ("byoyomi 0 30 5", "90 3", "30.00 s of 3 periods", 90.0),
    ("byoyomi 0 30 5", "100 5", "30.00 s of 3 periods", 100.0),
    ("byoyomi 0 30 5", "100 1", "30.00 s of 1 period", 30.0),
    // Overtime included in the main time, from the first report on.
    ("byoyomi 600 30 5", "750 0", "600.00 s", 750.0),
    ("byoyomi 600 30 5", "750 0, 590 0", "440.00 s", 590.0),
    ("byoyomi 600 30 5", "750 0, 100 0", "30.00 s of 3 periods", 100.0),
    ("byoyomi 600 30 5", "750 0, 30 0", "30.00 s of 1 period", 30.0),
    ("canadian 300 30 5", "330 0, 100 0", "70.00 s", 100.0),
    ("canadian 300 30 5", "330 0, 30 0", "30.00 s for 5 stones", 30.0),
    // A little more than before is rounding.
    ("canadian 300 30 5", "301 0", "301.00 s", 331.0),
    ("byoyomi 60 30 5", "61 0, 50 0", "50.00 s", 200.0),
    // A controller that does count periods does not include them in main time.
    ("byoyomi 600 30 5", "750 0, 30 5, 30 4", "30.00 s of 4 periods", 120.0),
    ("byoyomi 600 30 5", "750 0, 30 5, 200 0, 190 0", "190.00 s", 340.0),
    // A period reported without stones.
    ("canadian 0 20 1", "20 0", "20.00 s for 1 stone", 20.0),
    ("canadian 300 30 5", "10 4, 8 0", "8.00 s for 4 stones", 8.0),
    ("canadian 300 30 5", "8 0", "8.00 s for 5 stones", 8.0),
    ("byoyomi 0 30 5", "30 0", "30.00 s of 1 period", 30.0),
    ("byoyomi 300 30 5", "30 4, 30 0", "30.00 s of 1 period", 30.0),
    ("byoyomi 300 30 5", "30 0", "30.00 s of 1 period", 30.0),
    // Eventually it is main time.
    ("byoyomi 300 30 5", "70 0, 41 0, 12 0", "12.00 s", 162.0),
    ("canadian 300 30 5", "40 0, 12 0", "12.00 s", 42.0),
    // More periods or stones than there are.
    ("byoyomi 300 30 5", "30 99", "30.00 s of 5 periods", 150.0),
    ("byoyomi 300 30 1", "30 5", "30.00 s of 1 period", 30.0),
    ("canadian 300 30 5", "30 25", "30.00 s for 25 stones", 30.0),
    // Main time is used up, and overtime is not mentioned.
    ("byoyomi 300 30 5", "70 0, 41 0, 12 0, 0 0", "0.00 s", 150.0),
    ("byoyomi 300 30 5", "30 4, 0 0", "30.00 s of 4 periods", 120.0),
    ("canadian 300 30 5", "12 3, 0 0", "12.00 s for 3 stones", 12.0),
    ("canadian 300 30 5", "0 3", "0.00 s for 3 stones", 0.0),
    ("absolute 300", "0 0", "0.00 s", 0.0),
    // A clock that was not announced.
    ("none", "120 0", "120.00 s", 120.0),
    ("none", "20 1", "20.00 s", 20.0),
    ("none", "120 0, 0 0", "0.00 s", 0.0),
    ("none", "0 0", "no limit", f64::INFINITY),
    ("none", "0 1", "no limit", f64::INFINITY),
];

#[test]
fn reports_and_how_they_are_read() {
    for &(control, reports, reading, longest) in ROWS {
        let clock = told(control, reports);
        let row = format!("{control}: {reports}");
        assert_eq!(clock.likely().left().to_string(), reading, "{row}");
        let mut manager = TimeManager::new(TimeParams::default(), Some(LAG));
        let budget = allot(&mut manager, &clock, 20);
        let hard = budget.map_or(f64::INFINITY, |budget| budget.hard.as_secs_f64());
        assert!(hard <= longest.max(0.01), "{row}: {hard}");
    }
}

/// A whole game's time is not spent on one move because it is reported with a stone.
#[test]
fn main_time_told_with_a_stone_is_shared_out() {
    for control in [
        "canadian 1780 20 1",
        "byoyomi 1780 20 1",
        "absolute 1780",
        "none",
    ] {
        let clock = told(control, "1917 1");
        let mut manager = TimeManager::new(TimeParams::default(), Some(LAG));
        let budget = allot(&mut manager, &clock, 20).expect("a clock");
        let target = budget.target.as_secs_f64();
        assert!((20.0..100.0).contains(&target), "{control}: {target}");
    }
}

/// A way to report a clock's time; `None` if nothing is reported.
type Report = fn(&SideClock) -> Option<(Duration, u32)>;

/// Main time and the time in overtime according to GTP.
fn standard(clock: &SideClock) -> Option<(Duration, u32)> {
    Some(match clock.left() {
        TimeLeft::Main(main) => (main, 0),
        TimeLeft::Canadian { period, stones } => (period, stones),
        TimeLeft::Byoyomi { period, periods } => (period, periods),
        TimeLeft::Unlimited => return None,
    })
}

/// The same, with stones in main time, too.
fn with_stones(clock: &SideClock) -> Option<(Duration, u32)> {
    standard(clock).map(|(time, stones)| (time, stones.max(1)))
}

fn without_stones(clock: &SideClock) -> Option<(Duration, u32)> {
    standard(clock).map(|(time, _)| (time, 0))
}

/// One stone in each period, as byoyomi would be in Canadian overtime.
fn one_stone(clock: &SideClock) -> Option<(Duration, u32)> {
    standard(clock).map(|(time, stones)| (time, stones.min(1)))
}

/// Nothing but main time.
fn nothing_in_overtime(clock: &SideClock) -> Option<(Duration, u32)> {
    standard(clock).map(|(time, stones)| match stones {
        0 => (time, 0),
        _ => (Duration::ZERO, 0),
    })
}

/// Total remaining time, overtime included.
fn whole(clock: &SideClock) -> Option<(Duration, u32)> {
    Some((clock.longest_move(), 0))
}

fn whole_with_stones(clock: &SideClock) -> Option<(Duration, u32)> {
    let stones = standard(clock).map_or(0, |(_, stones)| stones);
    Some((clock.longest_move(), stones.max(1)))
}

fn in_whole_seconds(clock: &SideClock) -> Option<(Duration, u32)> {
    standard(clock).map(|(time, stones)| (Duration::from_secs(time.as_secs()), stones))
}

const REPORTS: [(&str, Report); 9] = [
    ("standard", standard),
    ("with stones", with_stones),
    ("without stones", without_stones),
    ("one stone", one_stone),
    ("nothing in overtime", nothing_in_overtime),
    ("whole", whole),
    ("whole with stones", whole_with_stones),
    ("in whole seconds", in_whole_seconds),
    ("nothing at all", |_| None),
];

/// Plays a game of 65 moves whose searches end where `ends` says (0 target, 1 maximum, 2 hard), with a
/// clock reported in some way; returns the move that loses it on time, if any.
fn lost_at(control: TimeControl, report: Report, ends: &[u8]) -> Option<u32> {
    let mut truth = SideClock::new(control);
    let mut own = ClockAccount::new(control);
    let mut manager = TimeManager::new(TimeParams::default(), Some(LAG));
    for (ply, end) in (0..130).step_by(2).zip(ends.iter().cycle()) {
        if let Some((time, stones)) = report(&truth) {
            manager.told(&own.set_left(time, stones));
        }
        let budget = allot(&mut manager, &own, ply)?;
        let elapsed = match end {
            0 => budget.target,
            1 => budget.maximum,
            _ => budget.hard,
        };
        if elapsed + LAG > truth.longest_move() {
            return Some(ply);
        }
        truth.spend(elapsed + LAG);
        own.spend(elapsed, manager.next_lag());
        let spent = MoveTimeUsed {
            elapsed,
            visits: 1000,
            reused: 0,
            stop: Some(StopReason::Time),
        };
        manager.moved(ply, Some(&budget), &spent);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// No way of reporting the time loses a game.
    #[test]
    fn no_game_is_lost_on_time(
        byoyomi in any::<bool>(),
        main in prop_oneof![Just(0_u32), 1_u32..600],
        period in 5_u32..60,
        count in 1_u32..8,
        report in 0..REPORTS.len(),
        ends in proptest::collection::vec(0_u8..3, 1..40),
    ) {
        let system = if byoyomi { "byoyomi" } else { "canadian" };
        let text = format!("{system} {main} {period} {count}");
        let (name, report) = REPORTS[report];
        let lost = lost_at(control(&text), report, &ends);
        prop_assert_eq!(lost, None, "{}, told {}", text, name);
    }
}
