//! File name arguments as users type them: with spaces, with quotes, and followed by a number.

use super::arguments::integer;

/// Not a file name, or followed by something other than a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadFileName;

/// Interpretations of `FILE [NUMBER]`, the likeliest first. Without quotes a number at the end may
/// be part of the name.
pub(super) fn with_number(text: &str) -> Result<Vec<(&str, Option<usize>)>, BadFileName> {
    let number = |text| {
        let number = integer(text).map_err(|_| BadFileName)?;
        usize::try_from(number).map_err(|_| BadFileName)
    };
    if let Some((name, rest)) = quoted(text)? {
        let number = (!rest.is_empty()).then(|| number(rest)).transpose()?;
        return Ok(vec![(name, number)]);
    }
    if text.is_empty() {
        return Err(BadFileName);
    }
    let whole = (text, None);
    match text.rsplit_once(' ') {
        Some((name, last)) if integer(last).is_ok() => {
            Ok(vec![(name.trim_end(), Some(number(last)?)), whole])
        }
        _ => Ok(vec![whole]),
    }
}

/// Interpretation of `[FILE]`.
pub(super) fn optional(text: &str) -> Result<Option<&str>, BadFileName> {
    match quoted(text)? {
        Some((name, "")) => Ok(Some(name)),
        Some(_) => Err(BadFileName),
        None => Ok(Some(text).filter(|name| !name.is_empty())),
    }
}

/// A quoted name, and the text after it.
fn quoted(text: &str) -> Result<Option<(&str, &str)>, BadFileName> {
    let Some(mark) = text
        .chars()
        .next()
        .filter(|mark| matches!(mark, '"' | '\''))
    else {
        return Ok(None);
    };
    let inside = text.split_once(mark).map(|(_, inside)| inside);
    match inside.and_then(|inside| inside.split_once(mark)) {
        Some((name, rest)) if !name.is_empty() => Ok(Some((name, rest.trim()))),
        _ => Err(BadFileName),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_blanks_and_a_number_behind_it() {
        for (text, readings) in [
            ("a.sgf", &[("a.sgf", None)][..]),
            ("a.sgf 7", &[("a.sgf", Some(7)), ("a.sgf 7", None)]),
            ("my  game.sgf", &[("my  game.sgf", None)]),
            (
                "my game.sgf  7",
                &[("my game.sgf", Some(7)), ("my game.sgf  7", None)],
            ),
            ("棋谱 一.sgf", &[("棋谱 一.sgf", None)]),
            ("7", &[("7", None)]),
            ("\"my game.sgf\"", &[("my game.sgf", None)]),
            ("\"my game 7\" 3", &[("my game 7", Some(3))]),
            ("'a b'  0 ", &[("a b", Some(0))]),
            ("it's.sgf", &[("it's.sgf", None)]),
        ] {
            assert_eq!(with_number(text).as_deref(), Ok(readings), "{text}");
        }
        for wrong in ["", "a.sgf -1", "\"a.sgf", "\"\"", "\"a\" b", "\"a\" -1"] {
            assert_eq!(with_number(wrong), Err(BadFileName), "{wrong}");
        }
    }

    #[test]
    fn a_name_alone_ends_with_the_line() {
        assert_eq!(optional(""), Ok(None));
        assert_eq!(optional("my game 7"), Ok(Some("my game 7")));
        assert_eq!(optional("'my game 7' "), Ok(Some("my game 7")));
        for wrong in ["\"a", "\"a\" 7", "''"] {
            assert_eq!(optional(wrong), Err(BadFileName), "{wrong}");
        }
    }
}
