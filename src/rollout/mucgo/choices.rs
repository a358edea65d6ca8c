//! Settings that are one of several words.

/// Defines an enum whose variants users write as words, and the list of words for messages.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident, $words:ident = $text:literal {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        /// The words, for messages.
        pub(super) const $words: &str = $text;

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($name::$variant => $word,)* })
            }
        }

        impl std::str::FromStr for $name {
            type Err = &'static str;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err($words),
                }
            }
        }
    };
}
pub(super) use choices;
