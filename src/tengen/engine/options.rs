//! The engine's settings: one table defines the flags, the keys of configuration files, the names
//! of `--set`, and their help. The tables of the solver, the time manager and the searches are parts
//! of it.

mod level;
mod table;
mod values;

pub use table::EngineOptions;
pub use values::Backend;

use super::ThinkingLimits;
use crate::game::BoardSize;
use crate::games::{info, usual_board};
use crate::settings::{SetError, Table, hyphenated};
use tengen_nn::eval::{LibraryPlaces, LoadOptions};

impl EngineOptions {
    /// Default settings of a game.
    ///
    /// # Errors
    /// [`SetError`] when there is no such game.
    pub fn of(game: &str) -> Result<EngineOptions, SetError> {
        let mut options = EngineOptions::default();
        options.set("game", game)?;
        Ok(options)
    }

    /// Sets one setting, of any part of the table, from text. A game brings its own defaults, and a
    /// level the settings that it consists of; both replace earlier values. `-` and `_` are equivalent
    /// in names.
    ///
    /// # Errors
    /// [`SetError`] names the most similar setting, or the allowed values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        Table::set(self, name, value)?;
        match &*hyphenated(name) {
            "game" => self.take_game(),
            "level" => self.take_level(),
            _ => Ok(()),
        }
    }

    /// The board at the start.
    #[must_use]
    pub fn board(&self) -> BoardSize {
        self.size.unwrap_or_else(|| self.usual_board())
    }

    /// The game's usual board.
    #[must_use]
    pub fn usual_board(&self) -> BoardSize {
        usual_board(&self.game)
    }

    /// Options for loading a network. Built-in networks play on many boards: without a size they
    /// are opened for the usual one, and a named network for its own.
    #[must_use]
    pub fn load(&self) -> LoadOptions {
        let usual = || self.model.is_none().then(|| self.usual_board());
        LoadOptions {
            device: self.device,
            ort_library: LibraryPlaces::usual(self.ort_library.clone()),
            board: self.size.or_else(usual),
            profile: self.human_profile,
        }
    }

    /// Limits per move.
    #[must_use]
    pub fn thinking_limits(&self) -> ThinkingLimits {
        ThinkingLimits {
            visits: self.visits,
            time_per_move: self.time_per_move,
            late_after: None,
            lag: self.lag,
            time: self.time.clone(),
        }
    }

    /// The default board and rules of the game, and its own defaults of other settings.
    fn take_game(&mut self) -> Result<(), SetError> {
        self.size = None;
        self.rules.clear();
        let usual = info(&self.game).map_or(&[][..], |game| game.settings);
        usual
            .iter()
            .try_for_each(|(name, value)| self.set(name, value))
    }
}

#[cfg(test)]
mod tests;
