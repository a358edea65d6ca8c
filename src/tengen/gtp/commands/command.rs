//! An entry of the command table.

use std::fmt;

use super::Arguments;
use crate::gtp::line::Stream;
use crate::gtp::{Failure, Session};

/// One GTP command.
#[derive(Clone, Copy)]
pub struct Command {
    /// Name as clients send it.
    pub name: &'static str,
    /// Its arguments, for help.
    pub arguments: &'static str,
    /// Its description, for help.
    pub help: &'static str,
    /// Entries in GoGui's menu.
    pub(in crate::gtp) menus: &'static [Menu],
    /// Games in which it is listed and appears in the menu; it can be called in all.
    pub(in crate::gtp) games: Games,
    pub(in crate::gtp) run: Run,
}

/// A set of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gtp) enum Games {
    /// Every game.
    All,
    /// Go, whose rules board programs know.
    Go,
    /// All other games.
    NotGo,
    /// Games with a solver.
    Solved,
}

/// An entry of GoGui's menu of views.
#[derive(Clone, Copy)]
pub(in crate::gtp) struct Menu {
    /// GoGui's type of analyze command, as in its manual.
    pub(in crate::gtp) kind: &'static str,
    pub(in crate::gtp) label: &'static str,
    /// The command with its arguments.
    pub(in crate::gtp) call: &'static str,
}

/// Kinds of command handlers.
#[derive(Clone, Copy)]
pub(in crate::gtp) enum Run {
    /// Replies with a text.
    Answer(Handler),
    /// Replies with a text that is generated from the command table.
    List(ListHandler),
    /// Writes lines while it runs; the text is the last.
    Stream(StreamHandler),
}

type Handler = fn(&mut Session, &Arguments<'_>) -> Result<String, Failure>;
type StreamHandler = fn(&mut Session, &Arguments<'_>, &mut Stream<'_>) -> Result<String, Failure>;
type ListHandler = fn(&Session, &[Command], &Arguments<'_>) -> Result<String, Failure>;

/// A command that replies with a text.
pub(super) const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: Handler,
) -> Command {
    entry([name, arguments, help], Run::Answer(run))
}

/// A command about commands.
pub(super) const fn list(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: ListHandler,
) -> Command {
    entry([name, arguments, help], Run::List(run))
}

/// A command that writes lines while it runs.
pub(super) const fn stream(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: StreamHandler,
) -> Command {
    entry([name, arguments, help], Run::Stream(run))
}

const fn entry([name, arguments, help]: [&'static str; 3], run: Run) -> Command {
    Command {
        name,
        arguments,
        help,
        menus: &[],
        games: Games::All,
        run,
    }
}

/// Usage and description on one line.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = format!("{} {}", self.name, self.arguments);
        write!(f, "{call:<40} {}", self.help)
    }
}

impl Command {
    /// The same command with entries in GoGui's menu.
    pub(super) const fn menu(mut self, menus: &'static [Menu]) -> Command {
        self.menus = menus;
        self
    }

    /// The same command for some games only.
    pub(super) const fn only(mut self, games: Games) -> Command {
        self.games = games;
        self
    }

    /// Whether it is listed in the current game.
    pub(super) fn is_listed(&self, session: &Session) -> bool {
        let engine = &*session.engine;
        let is_go = || engine.rules_json().is_some();
        match self.games {
            Games::All => true,
            Games::Go => is_go(),
            Games::NotGo => !is_go(),
            Games::Solved => engine.has_solver(),
        }
    }
}
