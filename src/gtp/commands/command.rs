//! One line of the command table.

use std::fmt;

use super::Arguments;
use crate::gtp::line::Stream;
use crate::gtp::{Failure, Session};

/// One GTP command.
#[derive(Clone, Copy)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, for people.
    pub arguments: &'static str,
    /// What it does, for people.
    pub help: &'static str,
    /// Where it stands in GoGui's menu.
    pub(in crate::gtp) menus: &'static [Menu],
    pub(in crate::gtp) run: Run,
}

/// A line of GoGui's menu of views.
#[derive(Clone, Copy)]
pub(in crate::gtp) struct Menu {
    /// What GoGui does with the reply, as its manual names it.
    pub(in crate::gtp) kind: &'static str,
    pub(in crate::gtp) label: &'static str,
    /// The command with its arguments.
    pub(in crate::gtp) call: &'static str,
}

/// How a command is answered.
#[derive(Clone, Copy)]
pub(in crate::gtp) enum Run {
    /// With the text of the reply.
    Answer(Handler),
    /// With a text that is made from the table of commands.
    List(ListHandler),
    /// With a stream of lines, the text being the last.
    Stream(fn(&mut Session, &Arguments<'_>, &mut Stream<'_>) -> Result<String, Failure>),
}

type Handler = fn(&mut Session, &Arguments<'_>) -> Result<String, Failure>;
type ListHandler = fn(&[Command], &Arguments<'_>) -> Result<String, Failure>;

pub(super) const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: Handler,
) -> Command {
    Command {
        name,
        arguments,
        help,
        menus: &[],
        run: Run::Answer(run),
    }
}

/// A command that tells of commands.
pub(super) const fn list(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: ListHandler,
) -> Command {
    Command {
        name,
        arguments,
        help,
        menus: &[],
        run: Run::List(run),
    }
}

/// A command that writes lines while it runs.
pub(super) const fn stream(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: fn(&mut Session, &Arguments<'_>, &mut Stream<'_>) -> Result<String, Failure>,
) -> Command {
    Command {
        name,
        arguments,
        help,
        menus: &[],
        run: Run::Stream(run),
    }
}

/// How it is called and what it does, on one line.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = format!("{} {}", self.name, self.arguments);
        write!(f, "{call:<40} {}", self.help)
    }
}

impl Command {
    /// The same command with lines in GoGui's menu.
    pub(super) const fn menu(mut self, menus: &'static [Menu]) -> Command {
        self.menus = menus;
        self
    }
}
