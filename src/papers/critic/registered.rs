//! What `registry` needs to know of the critic as a method of choosing moves.

use std::sync::Arc;

use super::{Critic, CriticError, CriticThinker};
use crate::clock::Clock;
use crate::engine::{EngineOptions, MakeThinker, ThinkerLog};
use crate::game::Game;

/// The options with the critic's board where they name none, if its file can play their game.
///
/// # Errors
/// [`CriticError`] when no file is named, it cannot be read, or is for another game or board.
pub fn checked(options: EngineOptions) -> Result<EngineOptions, CriticError> {
    let path = options.model.as_ref().ok_or(CriticError::NotGiven)?;
    let size = match options.size {
        Some(size) => size,
        None => Critic::load(path)?.info.size(),
    };
    Critic::load_for(path, &options.game, size)?;
    Ok(EngineOptions {
        size: Some(size),
        ..options
    })
}

/// Creates thinkers that ask the critic of these options.
pub fn thinkers<G: Game>(
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
    log: &ThinkerLog,
) -> MakeThinker<G> {
    let path = options.model.clone().unwrap_or_default();
    let (time, log) = (Arc::clone(time), log.clone());
    Arc::new(move || {
        let (path, log) = (path.clone(), log.clone());
        Box::new(CriticThinker::new(path, log, Arc::clone(&time)))
    })
}
