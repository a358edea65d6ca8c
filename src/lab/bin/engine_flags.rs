//! The settings of an engine as flags.

use anyhow::Context as _;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use tengen::engine::EngineOptions;
use tengen::program::{self, flag, given};
use tengen::search::StopFlag;
use tengen::settings::Table as _;

/// Name and value of each flag that was given.
#[derive(Debug, Clone, Default)]
pub(crate) struct EngineFlags(Vec<(&'static str, String)>);

impl EngineFlags {
    /// The settings, after checking that they are available here.
    pub(crate) fn resolve(&self) -> anyhow::Result<EngineOptions> {
        let mut options = EngineOptions::default();
        // The game first: its defaults give way to everything given.
        let (game, rest): (Vec<_>, Vec<_>) = self.0.iter().partition(|(name, _)| *name == "game");
        for (name, value) in game.into_iter().chain(rest) {
            options.set(name, value)?;
        }
        Ok(options.resolve()?)
    }
}

impl FromArgMatches for EngineFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(EngineFlags(given(&EngineOptions::settings(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = EngineFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for EngineFlags {
    fn augment_args(command: Command) -> Command {
        command.args(EngineOptions::settings().iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A flag that the first Ctrl-C raises, in commands that report or save what they have; the second one ends them.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(crate) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}
