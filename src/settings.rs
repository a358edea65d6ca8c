//! Tables of settings: one table generates the struct, its defaults, the parser, the help and the
//! documentation. A module with settings has one table.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

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
pub struct ParamInfo {
    /// Name for `--set name=value`.
    pub name: &'static str,
    /// Rust type of the value.
    pub kind: &'static str,
    /// Default value, as text that the setting accepts.
    pub default: String,
    /// Allowed values, as text for messages and pages.
    pub range: String,
    /// Help text.
    pub help: &'static str,
    /// Source of the default.
    pub source: &'static str,
}

/// Parses a number within a range.
pub(crate) fn parse<T: FromStr + PartialOrd + Display>(
    name: &'static str,
    value: &str,
    range: &RangeInclusive<T>,
) -> Result<T, SetError> {
    let parsed = value.parse().ok().filter(|v| range.contains(v));
    parsed.ok_or_else(|| SetError::Value {
        name,
        expected: show_range(range),
        value: value.to_owned(),
    })
}

/// Parses one of several words, which `words` lists for users.
pub(crate) fn parse_choice<T: FromStr>(
    name: &'static str,
    value: &str,
    words: &&'static str,
) -> Result<T, SetError> {
    value.parse().map_err(|_| SetError::Value {
        name,
        expected: (*words).to_owned(),
        value: value.to_owned(),
    })
}

pub(crate) fn show_range<T: Display>(range: &RangeInclusive<T>) -> String {
    format!("{} to {}", range.start(), range.end())
}

pub(crate) fn show_choice(words: &&'static str) -> String {
    (*words).to_owned()
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

/// The known name with the smallest edit distance to `name`, if it is small enough for a typing
/// error or one is a prefix of the other.
pub(crate) fn nearest(
    name: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('_', "-");
    let name = plain(name);
    let distances = names.into_iter().map(|known| {
        let distance = strsim::damerau_levenshtein(&name, &plain(known));
        (distance, known)
    });
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    let is_slip = distance * LETTERS_A_SLIP <= name.chars().count();
    let begins = name.len() >= LETTERS_A_SLIP && plain(nearest).starts_with(&name);
    (is_slip || begins).then_some(nearest)
}

/// Generates the struct of a table. Each line has: name, type, default, allowed values, the
/// functions that parse and display them, help, source.
macro_rules! settings {
    ($(#[$doc:meta])* $table:ident {
        $($name:ident: $type:ty = $default:expr, $range:expr, $parse:ident, $show:ident, $help:literal, $source:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $table {
            $(#[doc = $help] #[doc = ""] #[doc = concat!("Source: ", $source, ".")] pub $name: $type,)*
        }

        impl Default for $table {
            fn default() -> Self {
                $table { $($name: $default,)* }
            }
        }

        impl $table {
            const NAMES: &[&'static str] = &[$(stringify!($name)),*];

            /// Sets one setting from text.
            ///
            /// # Errors
            /// [`SetError`](crate::settings::SetError) names the error and the allowed values.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), crate::settings::SetError> {
                match name {
                    $(stringify!($name) => {
                        self.$name = crate::settings::$parse(stringify!($name), value, &$range)?;
                        Ok(())
                    })*
                    _ => Err(crate::settings::SetError::Unknown {
                        name: name.to_owned(),
                        nearest: crate::settings::nearest(name, Self::NAMES.iter().copied()),
                    }),
                }
            }

            /// Current value of every setting, in the table's order.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.to_string()),)*]
            }

            /// The table, for help and documentation.
            #[must_use]
            pub fn table() -> Vec<crate::settings::ParamInfo> {
                vec![$(crate::settings::ParamInfo {
                    name: stringify!($name),
                    kind: stringify!($type),
                    default: { let default: $type = $default; default.to_string() },
                    range: crate::settings::$show(&$range),
                    help: $help,
                    source: $source,
                },)*]
            }
        }
    };
}
pub(crate) use settings;
