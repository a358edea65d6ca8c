//! Splits an engine's command line into words, like a shell, without running one.

use thiserror::Error;

/// Why a command line is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CommandLineError {
    /// There is no program name.
    #[error("the command line is empty; it must name a program")]
    Empty,
    /// A quotation mark has no partner.
    #[error("the command line has an opening {0} without a closing one")]
    OpenQuote(char),
    /// The last character is a backslash.
    #[error("the command line ends with a backslash that quotes nothing")]
    TrailingBackslash,
}

/// The program and its arguments.
///
/// Blanks separate words; single quotes preserve everything, double quotes everything but a
/// backslash before `"` or `\`, and outside quotes a backslash preserves the next character (on
/// Windows it is an ordinary character, because of paths). Nothing is expanded.
///
/// # Errors
/// [`CommandLineError`] if a quote is open or the line is empty.
pub(super) fn split(text: &str) -> Result<Vec<String>, CommandLineError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            blank if blank.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next().ok_or(CommandLineError::OpenQuote(next))? {
                        end if end == next => break,
                        '\\' if next == '"' && matches!(rest.peek(), Some('"' | '\\')) => {
                            word.extend(rest.next());
                        }
                        kept => word.push(kept),
                    }
                }
            }
            '\\' if !cfg!(windows) => {
                let kept = rest.next().ok_or(CommandLineError::TrailingBackslash)?;
                word.get_or_insert_default().push(kept);
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    if words.is_empty() {
        return Err(CommandLineError::Empty);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        // Expected values are those of `printf '[%s]' WORDS` in bash.
        for (text, words) in [
            ("gnugo --mode gtp", vec!["gnugo", "--mode", "gtp"]),
            ("  a\t b ", vec!["a", "b"]),
            ("a 'b c' \"d e\"f", vec!["a", "b c", "d ef"]),
            (r#""c\"d\\e\f" '\'"#, vec![r#"c"d\e\f"#, r"\"]),
            ("a ''", vec!["a", ""]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
    }

    /// Windows' paths have backslashes, which quote elsewhere.
    #[test]
    fn backslashes_outside_quotes_quote_except_on_windows() {
        let path = r"C:\Games\tengen.exe gtp";
        if cfg!(windows) {
            assert_eq!(split(path).unwrap(), [r"C:\Games\tengen.exe", "gtp"]);
            assert_eq!(split(r"a\").unwrap(), [r"a\"]);
        } else {
            assert_eq!(split(path).unwrap(), ["C:Gamestengen.exe", "gtp"]);
            assert_eq!(split(r"a\ b").unwrap(), ["a b"]);
            assert_eq!(split(r"a\"), Err(CommandLineError::TrailingBackslash));
        }
    }

    #[test]
    fn unfinished_text_is_refused() {
        assert_eq!(split(" "), Err(CommandLineError::Empty));
        assert_eq!(split("a 'b"), Err(CommandLineError::OpenQuote('\'')));
        assert_eq!(split("a \"b\\\""), Err(CommandLineError::OpenQuote('"')));
    }
}
