//! Commands about the network in use.

use super::Arguments;
use crate::gtp::{Failure, Session};

/// The network and backend in use, and those that were skipped or failed before.
pub(super) fn network(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let log = session.engine.thinker_log();
    if log.is_empty() {
        return Ok("nothing is loaded before the first search".to_owned());
    }
    Ok(log.join("\n"))
}
