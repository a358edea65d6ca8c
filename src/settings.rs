//! Tables of settings: one table makes the struct, its defaults, the parser, the help and the
//! documentation. A room with settings has one table.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

/// Why a setting was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetError {
    /// There is no such setting.
    #[error("unknown setting {name:?}{}", hint(.nearest))]
    Unknown {
        /// The name given.
        name: String,
        /// The known name most like it, where one is like it.
        nearest: Option<&'static str>,
    },
    /// The value does not parse or is out of range.
    #[error("{name} must be {expected}, not {value:?}")]
    Value {
        /// The setting.
        name: &'static str,
        /// What is allowed, in words.
        expected: String,
        /// The value given.
        value: String,
    },
}

/// One line of a table, as text for help and documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamInfo {
    /// The name to use with `--set name=value`.
    pub name: &'static str,
    /// Default value.
    pub default: String,
    /// Allowed values.
    pub range: String,
    /// What it does.
    pub help: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
}

/// A number of a range, from text.
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

/// One of some words, which `words` lists for people.
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

/// What to do about an unknown name.
fn hint(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => ": --help lists all".to_owned(),
    }
}

/// A name is like another one when at most one letter in this many is different.
const LETTERS_A_SLIP: usize = 3;

/// The known name with the smallest edit distance to `name`, where that is small enough for a slip or the one is
/// the beginning of the other.
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

/// Makes the struct of a table. Each line says: name, type, default, allowed values, the functions
/// that parse and show them, help, source.
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
            /// [`SetError`](crate::settings::SetError) names what is wrong and what is allowed.
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

            /// The current value of every setting, in the table's order.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.to_string()),)*]
            }

            /// The table, for help and documentation.
            #[must_use]
            pub fn table() -> Vec<crate::settings::ParamInfo> {
                vec![$(crate::settings::ParamInfo {
                    name: stringify!($name),
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
