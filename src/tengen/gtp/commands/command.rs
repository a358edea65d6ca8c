//! An entry of the command table, and the arguments of its command. Surplus arguments are ignored, as KGS requires.

use std::fmt;
use std::time::Duration;

use crate::clock::seconds;
use crate::engine::{Engine, MoveKind};
use crate::game::Color;
use crate::gtp::numbers::Dialect;
use crate::gtp::{Failure, Reply, Request, Session, parse_color};

/// One GTP command.
#[derive(Clone, Copy)]
pub struct Command {
    /// Name as clients send it.
    pub name: &'static str,
    /// Its arguments, for help.
    pub arguments: &'static str,
    /// Its description, for help.
    pub help: &'static str,
    /// Its entry in GoGui's menu of views: a type of analyze command, as in GoGui's manual, and a label.
    pub(in crate::gtp) menu: Option<&'static str>,
    /// Whether it is listed in a game and appears in the menu; it can be called in all.
    is_for: fn(&dyn Engine) -> bool,
    pub(in crate::gtp) run: Run,
}

/// Whether the game is Go, whose rules board programs know.
pub(super) fn is_go(engine: &dyn Engine) -> bool {
    engine.rules_json().is_some()
}

pub(super) fn is_not_go(engine: &dyn Engine) -> bool {
    !is_go(engine)
}

/// Whether the players count points. Otherwise there is no handicap, and board programs have other commands for black
/// stones.
pub(super) fn counts_points(engine: &dyn Engine) -> bool {
    engine.info().scored
}

/// Kinds of command handlers.
#[derive(Clone, Copy)]
pub(in crate::gtp) enum Run {
    /// Replies with a text.
    Answer(Handler),
    /// Writes lines of analysis in this dialect.
    Stream(Dialect, Shown),
}

/// What is shown by lines of analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gtp) enum Shown {
    /// A search until there is input.
    Analysis,
    /// The choice of a move of this kind.
    Move(MoveKind),
    /// The choice of a named move, unless there is input before.
    Cancellable,
}

type Handler = fn(&mut Session, &Arguments<'_>) -> Reply;

/// A command that replies with a text.
pub(super) const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: Handler,
) -> Command {
    entry([name, arguments, help], Run::Answer(run))
}

/// A command that writes lines while it runs.
pub(super) const fn stream(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    dialect: Dialect,
    shown: Shown,
) -> Command {
    entry([name, arguments, help], Run::Stream(dialect, shown))
}

const fn entry([name, arguments, help]: [&'static str; 3], run: Run) -> Command {
    Command {
        name,
        arguments,
        help,
        menu: None,
        is_for: |_| true,
        run,
    }
}

/// Usage and description on one line.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<40} {}", self.call(), self.help)
    }
}

impl Command {
    /// The command with its arguments.
    pub fn call(&self) -> String {
        format!("{} {}", self.name, self.arguments)
            .trim_end()
            .to_owned()
    }

    /// The same command with an entry in GoGui's menu.
    pub(super) const fn menu(mut self, entry: &'static str) -> Command {
        self.menu = Some(entry);
        self
    }

    /// The same command for some games only.
    pub(super) const fn only(mut self, is_for: fn(&dyn Engine) -> bool) -> Command {
        self.is_for = is_for;
        self
    }

    /// Whether it is listed in the current game.
    pub(super) fn is_listed(&self, session: &Session) -> bool {
        (self.is_for)(&*session.engine)
    }
}

/// A command's arguments.
pub(in crate::gtp) struct Arguments<'a> {
    request: &'a Request,
    command: &'static Command,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(command: &'static Command, request: &'a Request) -> Arguments<'a> {
        Arguments { request, command }
    }

    /// The argument text as written, trimmed.
    pub(super) fn written(&self) -> &'a str {
        &self.request.text
    }

    /// An optional argument.
    pub(super) fn optional(&self, index: usize) -> Option<&str> {
        self.request.arguments.get(index).map(String::as_str)
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
        format!("{} takes {}", self.command.name, self.command.arguments)
    }

    pub(super) fn color(&self, index: usize) -> Result<Color, Failure> {
        parse_color(self.text(index)?)
    }

    /// A whole number; out-of-range values are clamped to the largest.
    pub(super) fn integer(&self, index: usize) -> Result<i64, Failure> {
        integer(self.text(index)?)
    }

    /// A whole number of at least `least`; out-of-range values are clamped to the largest.
    pub(super) fn count(&self, index: usize, least: usize) -> Result<usize, Failure> {
        let number = usize::try_from(self.integer(index)?).ok();
        let number = number.filter(|number| *number >= least);
        let text = self.text(index)?;
        number.ok_or_else(|| Failure::wrong(text, format_args!("whole number from {least}")))
    }

    /// A finite number.
    pub(super) fn number(&self, index: usize) -> Result<f64, Failure> {
        let text = self.text(index)?;
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Failure::wrong(text, "number")),
        }
    }

    /// `[COLOUR] [SECONDS]`: the side to move and ten seconds unless they are given.
    pub(super) fn color_and_time(&self, to_move: Color) -> Result<(Color, Duration), Failure> {
        let mut rest = self.all().into_iter().peekable();
        let color = match rest.next_if(|text| text.parse::<f64>().is_err()) {
            Some(named) => parse_color(named)?,
            None => to_move,
        };
        let time = match rest.next() {
            Some(text) => seconds(text).map_err(|_| Failure::wrong(text, "time in seconds"))?,
            None => Duration::from_secs(10),
        };
        Ok((color, time))
    }

    /// All arguments.
    pub(in crate::gtp) fn all(&self) -> Vec<&'a str> {
        self.request.arguments.iter().map(String::as_str).collect()
    }
}

/// A switch, as board programs write it, and as Python does.
pub(in crate::gtp) fn truth(text: &str) -> Result<bool, Failure> {
    match &*text.to_lowercase() {
        "1" | "true" | "on" => Ok(true),
        "0" | "false" | "off" => Ok(false),
        _ => Err(Failure::wrong(text, "switch: true or false")),
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
