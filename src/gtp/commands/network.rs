//! Who chooses the moves.

use super::Arguments;
use crate::gtp::{Failure, Session};

/// Which network and backend choose the moves, and before that what was passed over or has failed.
pub(super) fn network(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let story = session.engine.standing();
    if story.is_empty() {
        return Ok("nothing is loaded before the first search".to_owned());
    }
    Ok(story.join("\n"))
}
