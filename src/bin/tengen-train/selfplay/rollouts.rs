//! `tengen-train selfplay rollouts`.

use clap::Parser;
use tengen::game::{BoardSize, GAMES, known_name};
use tengen::rollout::{Rave, RaveParams};
use tengen::train::generator::RolloutGenerator;
use tengen::train::selfplay::RolloutSearch;
use tengen::train::trainable::Trainable;

use super::common::{Common, play};
use crate::board::OnBoard;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// The game
    #[arg(long, default_value = GAMES[0].name, value_parser = known_name)]
    game: String,
    /// The board, as 9 or 13x9
    #[arg(long, default_value_t = BoardSize::square(9))]
    size: BoardSize,
    /// Playouts a move
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
}

impl Args {
    /// Name and rules.
    pub(super) fn game(&self) -> (&str, &str) {
        (&self.game, &self.common.rules)
    }

    pub(super) fn size(&self) -> BoardSize {
        self.size
    }
}

impl OnBoard for Args {
    fn run<G: Trainable>(&self, start: &G) -> anyhow::Result<()> {
        let playouts = self.playouts;
        let plan = self.common.plan(format!("rollout playouts={playouts}"))?;
        let generator = RolloutGenerator {
            selfplay: plan.selfplay,
            search: |seed| RolloutSearch {
                rave: Rave::new(RaveParams::default(), seed),
                playouts,
            },
        };
        play(start, &plan, &self.common, &generator).map(drop)
    }
}
