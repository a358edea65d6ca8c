//! The engine's settings: one table makes the flags, the keys of configuration files, the names of
//! `--set`, and their help. Settings of the search itself have their own table in `search`.

mod table;
mod values;

pub use table::{ENGINE_OPTIONS, EngineOption, SWITCH};
pub use values::{Backend, EngineOptions};

use crate::game::info;
use crate::settings::SetError;

impl EngineOptions {
    /// The settings that a game begins with.
    ///
    /// # Errors
    /// [`SetError`] when there is no such game.
    pub fn of(game: &str) -> Result<EngineOptions, SetError> {
        let mut options = EngineOptions::default();
        options.set("game", game)?;
        Ok(options)
    }

    /// Takes the chosen game's own values of other settings: what was said of them before was said of
    /// another game. `None` when one of them is wrong.
    fn take_usual_values(&mut self) -> Option<()> {
        let game = info(&self.game)?;
        let mut settings = game.settings.iter();
        settings.try_for_each(|(name, value)| self.set(name, value).ok())
    }

    /// Sets one setting, of this table or of the search, from text. In names `-` and `_` are the
    /// same.
    ///
    /// # Errors
    /// [`SetError`] names the known setting nearest to an unknown one, or what a value has to be.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let dashed = name.replace('_', "-");
        if let Some(option) = ENGINE_OPTIONS.iter().find(|option| option.name == dashed) {
            let mut set = (option.set)(self, value);
            if option.name == "game" {
                set = set.and_then(|()| self.take_usual_values());
            }
            return set.ok_or_else(|| SetError::Value {
                name: option.name,
                expected: option.expected.to_owned(),
                value: value.to_owned(),
            });
        }
        let underscored = name.replace('-', "_");
        let mut candidates = Vec::new();
        for result in [
            self.search.set(&underscored, value),
            self.spending.time.set(&underscored, value),
        ] {
            match result {
                Err(SetError::Unknown { nearest, .. }) => candidates.push(nearest),
                result => return result,
            }
        }
        Err(SetError::Unknown {
            name: name.to_owned(),
            nearest: nearest_name(&dashed, &candidates),
        })
    }
}

/// The option most like `name`, or one of the other tables' `candidates` when that is nearer.
fn nearest_name(name: &str, candidates: &[&'static str]) -> &'static str {
    let distance = |known: &str| strsim::damerau_levenshtein(name, &known.replace('_', "-"));
    let options = ENGINE_OPTIONS.iter().map(|option| option.name);
    let by_distance = options
        .chain(candidates.iter().copied())
        .min_by_key(|known| distance(known));
    by_distance.unwrap_or_default()
}

#[cfg(test)]
mod tests;
