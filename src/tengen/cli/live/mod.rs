//! `--live-board`: the game that an engine plays for a controller, shown in a browser. Viewers
//! change nothing.

mod engine;

use std::sync::Arc;

use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::Engine;
use tengen::watch::WatchedGames;

use engine::{Viewed, WatchedEngine};

/// The flag.
#[derive(Debug, Args)]
pub(super) struct LiveBoard {
    /// Show the game in a browser on this computer: moves, clocks, the plan for each move and what
    /// the search thinks. Viewers change nothing and slow nothing. The address, which contains a
    /// secret, is printed on the standard error stream, by `tengen sau` in its log [default port:
    /// any free one].
    #[arg(
        long,
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0"
    )]
    live_board: Option<u16>,
}

impl LiveBoard {
    /// Serves the page if that is wanted; `tell` gets a line with its address.
    pub(super) fn open(&self, name: &str, tell: impl Fn(&str)) -> anyhow::Result<Viewers> {
        let Some(port) = self.live_board else {
            return Ok(Viewers(None));
        };
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let games = WatchedGames::new(1, Arc::clone(&time));
        let address = games.serve(port)?;
        tell(&format!("The game can be watched at {address}"));
        let viewed = Viewed {
            games,
            time,
            name: name.to_owned(),
        };
        Ok(Viewers(Some(viewed)))
    }
}

/// Viewers, if there may be any.
pub(super) struct Viewers(Option<Viewed>);

impl Viewers {
    /// The engine, with its game shown to them.
    pub(super) fn follow(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        match &self.0 {
            Some(viewed) => Box::new(WatchedEngine::new(engine, viewed.clone())),
            None => engine,
        }
    }
}
