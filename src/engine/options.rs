//! The engine's settings: one table defines the flags, the keys of configuration files, the names
//! of `--set`, and their help. Settings of searches have their own tables in `search` and `rollout`.

mod level;
mod table;
mod values;

pub use table::{ENGINE_OPTIONS, EngineOption, SWITCH};
pub use values::{Backend, EngineOptions, PlayoutScheme};

use crate::games::{game_names, info};
use crate::settings::{SetError, nearest};

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

    /// Applies the chosen game's own defaults of other settings, which replace earlier values.
    /// `None` when one of them is invalid.
    fn take_usual_values(&mut self) -> Option<()> {
        let game = info(&self.game)?;
        let mut settings = game.settings.iter();
        settings.try_for_each(|(name, value)| self.set(name, value).ok())
    }

    /// Sets one setting, of this table or of the search, from text. `-` and `_` are equivalent in
    /// names.
    ///
    /// # Errors
    /// [`SetError`] names the most similar setting, or the allowed values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let dashed = name.replace('_', "-");
        if let Some(option) = ENGINE_OPTIONS.iter().find(|option| option.name == dashed) {
            let is_game = option.name == "game";
            let mut set = (option.set)(self, value);
            if is_game {
                set = set.and_then(|()| self.take_usual_values());
            }
            return set.ok_or_else(|| SetError::Value {
                name: option.name,
                expected: match is_game {
                    true => format!("{} {}", option.expected, game_names()),
                    false => option.expected.to_owned(),
                },
                value: value.to_owned(),
            });
        }
        let underscored = name.replace('-', "_");
        // Among equally similar names those of this table come first.
        let mut candidates: Vec<&str> = ENGINE_OPTIONS.iter().map(|option| option.name).collect();
        for result in [
            self.search.set(&underscored, value),
            self.thinking_limits.time.set(&underscored, value),
            self.mucgo.set(&underscored, value),
        ] {
            match result {
                Err(SetError::Unknown { nearest, .. }) => candidates.extend(nearest),
                result => return result,
            }
        }
        Err(SetError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, candidates),
        })
    }
}

#[cfg(test)]
mod tests;
