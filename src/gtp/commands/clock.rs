//! Commands about time.

use std::time::Duration;

use super::Arguments;
use crate::clock::{BadTimeControl, TimeControl, count, process_cpu_time, seconds};
use crate::gtp::{Failure, Session};

impl From<BadTimeControl> for Failure {
    fn from(_: BadTimeControl) -> Failure {
        Failure::Syntax
    }
}

pub(super) fn time_settings(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    session.set_time_control(TimeControl::from_gtp(&args.all())?);
    Ok(String::new())
}

pub(super) fn kgs_time_settings(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    session.set_time_control(TimeControl::from_kgs(&args.all())?);
    Ok(String::new())
}

/// Controllers send slightly negative times when a side has overstepped: nothing is left then.
pub(super) fn time_left(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let color = args.color(0)?;
    let time = if args.number(1)? < 0.0 {
        Duration::ZERO
    } else {
        seconds(args.text(1)?)?
    };
    let stones = args.optional(2).map_or(Ok(0), count)?;
    session.engine.set_time_left(color, time, stones);
    Ok(String::new())
}

pub(super) fn cputime(_: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let used = process_cpu_time().ok_or(Failure::NoCpuTime)?;
    Ok(format!("{:.2}", used.as_secs_f64()))
}
