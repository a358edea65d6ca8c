//! Tables of settings: one line of a table declares a setting with its name, type, default, allowed
//! values, help and source. The struct, its defaults, the flags of command lines, the keys of files,
//! the checks, messages, help and documentation follow from it. A module with settings has one table.

mod allowed;
mod differences;

use thiserror::Error;

pub use allowed::{
    Allowed, Choice, Choices, FILE, InPlan, Maybe, Switch, Text, ValueReader, above, listed,
};
pub use differences::differences;

/// Why a setting was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetError {
    /// Unknown setting.
    #[error("unknown setting {name:?}{}", hint(.nearest))]
    Unknown {
        /// Name that was given.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// Value that cannot be parsed or is out of range.
    #[error("{name} must be {expected}, not {value:?}")]
    Value {
        /// Name of the setting.
        name: &'static str,
        /// Allowed values, for messages.
        expected: String,
        /// Value that was given.
        value: String,
    },
}

/// One line of a table, as text for help and documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Title of its table.
    pub title: &'static str,
    /// Name: a flag with `--` before it, a key of files.
    pub name: &'static str,
    /// Placeholder of the value in help.
    pub placeholder: &'static str,
    /// Default value, or what holds without one.
    pub default: String,
    /// Allowed values.
    pub allowed: String,
    /// Help text.
    pub help: &'static str,
    /// Source of the default; empty where there is none.
    pub source: &'static str,
}

impl Setting {
    /// Whether it is on or off: the flag alone means on.
    pub fn is_switch(&self) -> bool {
        self.placeholder == allowed::ON_OFF
    }
}

/// A table of settings, with a value for each.
pub trait Table: Default {
    /// The lines; those of tables within it come last.
    fn settings() -> Vec<Setting>;

    /// Sets one setting from text. `-` and `_` are equivalent in names.
    ///
    /// # Errors
    /// [`SetError`] names the most similar setting, or the allowed values.
    fn set(&mut self, name: &str, value: &str) -> Result<(), SetError>;

    /// Name and value of each setting whose value can be written as text, in the table's order.
    fn values(&self) -> Vec<(&'static str, String)>;

    /// Checks values that were not [`set`](Table::set) from text, such as those of a plan.
    ///
    /// # Errors
    /// [`SetError::Value`] for the first one that is not allowed.
    fn check(&self) -> Result<(), SetError>;
}

/// A name as users write it: with hyphens.
pub fn hyphenated(name: &str) -> String {
    name.replace('_', "-")
}

/// The same for a field's name, when the program is compiled.
pub const fn with_hyphens<const LEN: usize>(name: &str) -> [u8; LEN] {
    let mut bytes = [b'-'; LEN];
    let mut at = 0;
    while at < LEN {
        if name.as_bytes()[at] != b'_' {
            bytes[at] = name.as_bytes()[at];
        }
        at += 1;
    }
    bytes
}

/// The text of such a name.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("names of settings are ASCII"),
    }
}

/// Advice for an unknown name.
fn hint(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => ": --help lists all".to_owned(),
    }
}

/// A name is similar if at most one letter in this many differs.
const LETTERS_A_SLIP: usize = 3;

/// The known name with the smallest edit distance to `name`, if that is small enough for a typing error; else the only one
/// that begins with it.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = hyphenated(name).to_ascii_lowercase();
    let names: Vec<&str> = names.into_iter().collect();
    let distances = names
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&name, known), *known));
    let nearest = distances.min_by_key(|(distance, _)| *distance)?;
    if nearest.0 * LETTERS_A_SLIP <= name.chars().count() {
        return Some(nearest.1);
    }
    let is_begun = |known: &&str| name.len() >= LETTERS_A_SLIP && known.starts_with(&name);
    let mut begun = names.into_iter().filter(is_begun);
    begun.next().filter(|_| begun.next().is_none())
}

/// Generates the struct of a table and its [`Table`]. Each line has: attributes for the field, name,
/// type, default, its text where it has none of its own, the [`Allowed`] values, help, source. Tables
/// that are part of this one follow at the end.
#[doc(hidden)]
#[macro_export]
macro_rules! settings {
    ($(#[$attribute:meta])* $table:ident, $title:literal {
        $($(#[$field:meta])* $name:ident: $type:ty = $default:expr $(=> $shown:literal)?, $allowed:expr,
            $help:literal $(, $source:literal)?;)*
    } $(tables { $($(#[$doc:meta])* $part:ident: $part_type:ty,)* })?) => {
        $(#[$attribute])*
        pub struct $table {
            $(#[doc = $help] #[doc = ""]
                #[doc = concat!("Default: `", stringify!($default), "`; allowed: `", stringify!($allowed), "`.")]
                $(#[doc = ""] #[doc = concat!("Source: ", $source, ".")])? $(#[$field])*
                pub $name: $type,)*
            $($($(#[$doc])* pub $part: $part_type,)*)?
        }

        impl Default for $table {
            fn default() -> Self {
                $table { $($name: $default,)* $($($part: Default::default(),)*)? }
            }
        }

        impl $crate::settings::Table for $table {
            fn settings() -> Vec<$crate::settings::Setting> {
                let own = [$({
                    let (allowed, default): (_, $type) = ($allowed, $default);
                    $crate::settings::Setting {
                        title: $title,
                        name: $crate::spelled!($name),
                        placeholder: $crate::settings::Allowed::<$type>::placeholder(&allowed),
                        default: $crate::default_text!(allowed, default $(, $shown)?),
                        allowed: $crate::settings::Allowed::<$type>::describe(&allowed),
                        help: $help,
                        source: concat!($($source)?),
                    }
                },)*];
                let all = own.into_iter();
                $($(let all = all.chain(<$part_type as $crate::settings::Table>::settings());)*)?
                all.collect()
            }

            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::settings::SetError> {
                let hyphenated = $crate::settings::hyphenated(name);
                $(if hyphenated == $crate::spelled!($name) {
                    let read = $crate::settings::Allowed::<$type>::read(&$allowed, value);
                    self.$name = read.ok_or_else(|| $crate::settings::SetError::Value {
                        name: $crate::spelled!($name),
                        expected: $crate::settings::Allowed::<$type>::describe(&$allowed),
                        value: value.to_owned(),
                    })?;
                    return Ok(());
                })*
                // Among equally similar names those of this table come first.
                let similar = [$($crate::spelled!($name),)*].into_iter();
                $($(let similar = match $crate::settings::Table::set(&mut self.$part, name, value) {
                    Err($crate::settings::SetError::Unknown { nearest, .. }) => similar.chain(nearest),
                    result => return result,
                };)*)?
                Err($crate::settings::SetError::Unknown {
                    name: name.to_owned(),
                    nearest: $crate::settings::nearest(name, similar),
                })
            }

            fn values(&self) -> Vec<(&'static str, String)> {
                let own = [$((
                    $crate::spelled!($name),
                    $crate::settings::Allowed::<$type>::write(&$allowed, &self.$name),
                ),)*];
                let all = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
                $($(let all = all.chain($crate::settings::Table::values(&self.$part));)*)?
                all.collect()
            }

            fn check(&self) -> Result<(), $crate::settings::SetError> {
                $(if !$crate::settings::Allowed::<$type>::admits(&$allowed, &self.$name) {
                    let value = $crate::settings::Allowed::<$type>::write(&$allowed, &self.$name);
                    return Err($crate::settings::SetError::Value {
                        name: $crate::spelled!($name),
                        expected: $crate::settings::Allowed::<$type>::describe(&$allowed),
                        value: value.unwrap_or_default(),
                    });
                })*
                $($($crate::settings::Table::check(&self.$part)?;)*)?
                Ok(())
            }
        }
    };
}

/// A field's name as users write it.
#[doc(hidden)]
#[macro_export]
macro_rules! spelled {
    ($name:ident) => {{
        const BYTES: [u8; stringify!($name).len()] =
            $crate::settings::with_hyphens(stringify!($name));
        const NAME: &str = $crate::settings::text(&BYTES);
        NAME
    }};
}

/// The text of a default: as given, else as the value is written.
#[doc(hidden)]
#[macro_export]
macro_rules! default_text {
    ($allowed:ident, $default:ident) => {
        $crate::settings::Allowed::write(&$allowed, &$default).unwrap_or_else(|| "none".to_owned())
    };
    ($allowed:ident, $default:ident, $shown:literal) => {{
        let _ = $default;
        $shown.to_owned()
    }};
}

#[cfg(test)]
mod tests;
