//! Parsing of command arguments. Surplus arguments are ignored, as KGS requires.

use std::time::Duration;

use crate::clock::seconds;
use crate::game::Color;
use crate::gtp::{Failure, Request};

/// A command's arguments.
pub(in crate::gtp) struct Arguments<'a> {
    words: &'a [String],
    text: &'a str,
    /// The command's name and its arguments.
    usage: [&'static str; 2],
}

impl<'a> Arguments<'a> {
    pub(in crate::gtp) fn of(usage: [&'static str; 2], request: &'a Request) -> Arguments<'a> {
        Arguments {
            words: &request.arguments,
            text: &request.text,
            usage,
        }
    }

    /// The argument text as written, trimmed.
    pub(super) fn written(&self) -> &'a str {
        self.text
    }

    /// An optional argument.
    pub(super) fn optional(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(String::as_str)
    }

    pub(super) fn text(&self, index: usize) -> Result<&str, Failure> {
        self.optional(index).ok_or_else(|| self.missing())
    }

    /// Error for missing arguments.
    pub(in crate::gtp) fn missing(&self) -> Failure {
        Failure::Syntax(self.usage())
    }

    /// The expected arguments.
    pub(super) fn usage(&self) -> String {
        let [name, wanted] = self.usage;
        format!("{name} takes {wanted}")
    }

    pub(super) fn color(&self, index: usize) -> Result<Color, Failure> {
        color(self.text(index)?)
    }

    /// A whole number; out-of-range values are clamped to the largest.
    pub(super) fn integer(&self, index: usize) -> Result<i64, Failure> {
        integer(self.text(index)?)
    }

    /// A whole number that is not negative; out-of-range values are clamped to the largest.
    pub(super) fn count(&self, index: usize) -> Result<usize, Failure> {
        let number = self.integer(index)?;
        let text = self.text(index)?;
        usize::try_from(number).map_err(|_| Failure::wrong(text, "whole number from 0"))
    }

    /// A finite number.
    pub(super) fn number(&self, index: usize) -> Result<f64, Failure> {
        let text = self.text(index)?;
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Failure::wrong(text, "number")),
        }
    }

    /// `[COLOUR] [SECONDS]`; the default colour is the side to move.
    pub(super) fn color_and_time(
        &self,
        to_move: Color,
        usual: Duration,
    ) -> Result<(Color, Duration), Failure> {
        let mut rest = self.all().into_iter().peekable();
        let color = match rest.next_if(|text| text.parse::<f64>().is_err()) {
            Some(named) => color(named)?,
            None => to_move,
        };
        let time = match rest.next() {
            Some(text) => seconds(text).map_err(|_| Failure::wrong(text, SECONDS))?,
            None => usual,
        };
        Ok((color, time))
    }

    /// All arguments.
    pub(in crate::gtp) fn all(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

/// A whole number; out-of-range values are clamped to the largest.
pub(super) fn integer(text: &str) -> Result<i64, Failure> {
    match text.parse() {
        Ok(number) => Ok(number),
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => Ok(i64::MAX),
        Err(error) if *error.kind() == std::num::IntErrorKind::NegOverflow => Ok(i64::MIN),
        Err(_) => Err(Failure::wrong(text, "whole number")),
    }
}

/// A colour in any of GTP's spellings.
pub(in crate::gtp) fn color(text: &str) -> Result<Color, Failure> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(Failure::wrong(text, "colour: b or w")),
    }
}

/// Description of a time argument.
pub(super) const SECONDS: &str = "time in seconds";
