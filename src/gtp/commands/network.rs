//! Who chooses the moves.

use super::Arguments;
use crate::gtp::{Failure, Session};

/// Which network and backend choose the moves, and before that what was passed over or has failed.
pub(super) fn network(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let log = session.engine.thinker_log();
    if log.is_empty() {
        return Ok("nothing is loaded before the first search".to_owned());
    }
    Ok(log.join("\n"))
}
