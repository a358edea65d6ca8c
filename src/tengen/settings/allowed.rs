//! The values that a setting may have.

use std::fmt::Display;
use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive};
use std::path::PathBuf;
use std::str::FromStr;

/// Placeholder of a switch.
pub(super) const ON_OFF: &str = "on|off";

/// The allowed values of a setting of type `T`, and how they are read and written.
pub trait Allowed<T> {
    /// Reads a value; `None` if it is not allowed.
    fn read(&self, text: &str) -> Option<T>;

    /// All allowed values in words.
    fn describe(&self) -> String;

    /// The value as text that can be read; `None` where it has none.
    fn write(&self, value: &T) -> Option<String> {
        let _ = value;
        None
    }

    /// Whether a value is allowed that was not read from text; every one, where its type excludes all
    /// others.
    fn admits(&self, value: &T) -> bool {
        let _ = value;
        true
    }

    /// A value's placeholder in help.
    fn placeholder(&self) -> &'static str {
        "NAME"
    }
}

/// A number.
pub trait Number: FromStr + PartialOrd + Display + Sized {
    /// What it is called.
    const KIND: &str;
    /// Its placeholder in help.
    const PLACEHOLDER: &str;
    /// The greatest number of a type that has so few that a user may want more.
    const MOST: Option<Self>;
}

macro_rules! numbers {
    ($($type:ty),*: $kind:literal, $placeholder:literal, $most:expr) => {
        $(impl Number for $type {
            const KIND: &str = $kind;
            const PLACEHOLDER: &str = $placeholder;
            const MOST: Option<Self> = $most;
        })*
    };
}
numbers!(u8, u16: "a whole number", "N", Some(Self::MAX));
numbers!(u32, u64, usize: "a whole number", "N", None);
numbers!(f32, f64: "a number", "NUMBER", None);

/// Numbers in a range. A bound at infinity excludes it.
macro_rules! ranges {
    ($($range:ty),*) => {
        $(impl<T: Number> Allowed<T> for $range {
            fn read(&self, text: &str) -> Option<T> {
                text.parse().ok().filter(|number| self.contains(number))
            }

            fn admits(&self, number: &T) -> bool {
                self.contains(number)
            }

            fn write(&self, number: &T) -> Option<String> {
                Some(number.to_string())
            }

            fn describe(&self) -> String {
                describe::<T>(self)
            }

            fn placeholder(&self) -> &'static str {
                T::PLACEHOLDER
            }
        })*
    };
}
ranges!(
    RangeInclusive<T>,
    Range<T>,
    RangeFrom<T>,
    RangeFull,
    (Bound<T>, Bound<T>)
);

/// A range in words.
fn describe<T: Number>(range: &impl RangeBounds<T>) -> String {
    let from = match range.start_bound() {
        Bound::Included(low) => format!(" from {low}"),
        Bound::Excluded(low) => format!(" above {low}"),
        Bound::Unbounded => String::new(),
    };
    let to = match range.end_bound() {
        Bound::Excluded(high) if high.to_string() == "inf" => String::new(),
        Bound::Excluded(high) => format!(" to below {high}"),
        Bound::Included(high) => format!(" to {high}"),
        Bound::Unbounded => T::MOST.map_or_else(String::new, |most| format!(" to {most}")),
    };
    format!("{}{from}{to}", T::KIND)
}

/// All finite numbers above one.
pub fn above<T: From<f32>>(low: f32) -> (Bound<T>, Bound<T>) {
    let [low, high] = [low, f32::INFINITY].map(|bound| Bound::Excluded(bound.into()));
    (low, high)
}

/// What is allowed if the setting is given at all.
pub struct Maybe<A>(pub A);

impl<T, A: Allowed<T>> Allowed<Option<T>> for Maybe<A> {
    fn read(&self, text: &str) -> Option<Option<T>> {
        self.0.read(text).map(Some)
    }

    fn admits(&self, value: &Option<T>) -> bool {
        value.as_ref().is_none_or(|value| self.0.admits(value))
    }

    fn write(&self, value: &Option<T>) -> Option<String> {
        self.0.write(value.as_ref()?)
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn placeholder(&self) -> &'static str {
        self.0.placeholder()
    }
}

/// On or off, also as TOML writes it.
pub struct Switch;

impl Allowed<bool> for Switch {
    fn read(&self, text: &str) -> Option<bool> {
        match text {
            "on" | "true" => Some(true),
            "off" | "false" => Some(false),
            _ => None,
        }
    }

    fn write(&self, on: &bool) -> Option<String> {
        Some(if *on { "on" } else { "off" }.to_owned())
    }

    fn describe(&self) -> String {
        "on or off".to_owned()
    }

    fn placeholder(&self) -> &'static str {
        ON_OFF
    }
}

/// The words of an enum.
pub struct Choice;

impl<T: Choices> Allowed<T> for Choice {
    fn read(&self, text: &str) -> Option<T> {
        text.parse().ok()
    }

    fn write(&self, value: &T) -> Option<String> {
        Some(value.to_string())
    }

    fn describe(&self) -> String {
        listed(T::WORDS)
    }
}

/// What the type reads: placeholder, description.
pub struct Text(pub &'static str, pub &'static str);

impl<T: FromStr + Display> Allowed<T> for Text {
    fn read(&self, text: &str) -> Option<T> {
        text.parse().ok()
    }

    fn write(&self, value: &T) -> Option<String> {
        Some(value.to_string())
    }

    fn describe(&self) -> String {
        self.1.to_owned()
    }

    fn placeholder(&self) -> &'static str {
        self.0
    }
}

/// What a function reads: placeholder, description, function.
pub struct ValueReader<T>(
    pub &'static str,
    pub &'static str,
    pub fn(&str) -> Option<T>,
);

impl<T> Allowed<T> for ValueReader<T> {
    fn read(&self, text: &str) -> Option<T> {
        (self.2)(text)
    }

    fn describe(&self) -> String {
        self.1.to_owned()
    }

    fn placeholder(&self) -> &'static str {
        self.0
    }
}

/// A file, by its name.
pub const FILE: Maybe<ValueReader<PathBuf>> = Maybe(ValueReader("FILE", "a file name", |text| {
    (!text.is_empty()).then(|| text.into())
}));

/// What only a plan can say, such as a list or a table: description.
pub struct InPlan(pub &'static str);

impl<T> Allowed<T> for InPlan {
    fn read(&self, _: &str) -> Option<T> {
        None
    }

    fn describe(&self) -> String {
        self.0.to_owned()
    }
}

/// An enum whose values users write as words.
pub trait Choices: FromStr + Display {
    /// The words, in order.
    const WORDS: &[&str];
}

/// Words as a list for people: `a, b or c`.
pub fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

/// Defines an enum with a word for each value, which [`Choices`] lists.
#[doc(hidden)]
#[macro_export]
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $crate::settings::Choices for $name {
            const WORDS: &[&str] = &[$($word),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($name::$variant => $word,)* })
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err($crate::settings::listed(
                        <$name as $crate::settings::Choices>::WORDS,
                    )),
                }
            }
        }
    };
}
