//! Settings that are one of several words.

use std::fmt::Display;
use std::str::FromStr;

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
