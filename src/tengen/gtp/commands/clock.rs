//! Commands about time.

use std::time::Duration;

use super::Arguments;
use crate::clock::{BadTimeControl, TimeControl, count, process_cpu_time, seconds};
use crate::game::Color;
use crate::gtp::{Failure, Reply, Session};

/// The time systems of KGS, for messages.
const KGS_SYSTEMS: &str = "the systems are none, absolute MAIN, canadian MAIN PERIOD STONES, \
                           byoyomi MAIN PERIOD PERIODS";

/// Sets both clocks; `usage` says what times are taken.
fn set<E>(session: &mut Session, control: Result<TimeControl, E>, usage: &str) -> Reply {
    let wanted = |_| Failure::Syntax(format!("{usage}, in seconds"));
    session.set_time_control(control.map_err(wanted)?);
    Ok(String::new())
}

pub(super) fn time_settings(session: &mut Session, args: &Arguments<'_>) -> Reply {
    set(session, TimeControl::from_gtp(&args.all()), &args.usage())
}

/// The time control that the arguments name, in any case, as KataGo reads them.
fn named(
    args: &Arguments<'_>,
    read: fn(&[&str]) -> Result<TimeControl, BadTimeControl>,
) -> Result<TimeControl, BadTimeControl> {
    let written = args.written().to_lowercase();
    read(&written.split_whitespace().collect::<Vec<_>>())
}

pub(super) fn kgs_time_settings(session: &mut Session, args: &Arguments<'_>) -> Reply {
    set(session, named(args, TimeControl::from_kgs), KGS_SYSTEMS)
}

pub(super) fn kata_time_settings(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let more = "fischer MAIN INCREMENT or fischer-capped MAIN INCREMENT MAX_MAIN MAX_MOVE";
    let usage = format!("{KGS_SYSTEMS}, {more}");
    set(session, named(args, TimeControl::from_kata), &usage)
}

/// Both clocks, and a line for each move chosen by this engine in this game.
pub(super) fn tengen_clock(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let mut lines = Vec::new();
    for color in [Color::Black, Color::White] {
        let state = session.engine.clock_state(color);
        let (left, lag) = (state.clock.left(), state.lag.as_secs_f64());
        let mut line = format!("{color}: {left}, lag {lag:.3} s");
        if state.rate > 0.0 {
            line += &format!(", {:.0} visits/s", state.rate);
        }
        if let Some(expected_proof_ply) = state.expected_proof_ply {
            line += &format!(", proofs expected from ply {expected_proof_ply:.0}");
        }
        lines.push(line);
    }
    let times = session.engine.move_times();
    lines.extend(times.iter().map(ToString::to_string));
    Ok(lines.join("\n"))
}

/// Controllers send slightly negative times when a side has overstepped: treated as zero.
pub(super) fn time_left(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let color = args.color(0)?;
    let overstepped = args.number(1)? < 0.0;
    let time = match overstepped {
        // Without a clock zero means that there is none, as programs without one may report it.
        true if !session.has_clock() => Duration::from_nanos(1),
        true => Duration::ZERO,
        false => seconds(args.text(1)?)?,
    };
    let stones = args.optional(2).map_or(Ok(0), count)?;
    session.engine.set_time_left(color, time, stones);
    Ok(String::new())
}

pub(super) fn cputime(_: &mut Session, _: &Arguments<'_>) -> Reply {
    let used = process_cpu_time().ok_or(Failure::Refused("CPU time is not available"))?;
    Ok(format!("{:.2}", used.as_secs_f64()))
}
