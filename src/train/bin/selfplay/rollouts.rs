//! `tengen-train selfplay rollouts`.

use clap::Parser;
use tengen::game::BoardSize;
use tengen::games::{GAMES, known_name, usual_board};
use tengen::program::{FlagSet, Flags};
use tengen::rollout::{Rave, RaveParams};
use tengen_train::play::generator::RolloutGenerator;
use tengen_train::play::selfplay::RolloutSearch;
use tengen_train::play::settings::SelfPlay;
use tengen_train::trainable::Trainable;

use super::common::{Common, play};
use tengen_train::command::Interrupt;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// The game
    #[arg(long, default_value = GAMES[0].name, value_parser = known_name)]
    game: String,
    /// The board, as 9 or 13x9 [default: the game's usual one]
    #[arg(long)]
    size: Option<BoardSize>,
    /// Playouts per move
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    #[command(flatten)]
    play: Flags<SelfPlay, WithoutNetwork>,
}

/// The settings of self-play that need no network.
#[derive(Debug)]
struct WithoutNetwork;

impl FlagSet for WithoutNetwork {
    fn has(name: &str) -> bool {
        matches!(
            name,
            "opening-plies" | "temperature-plies" | "komi" | "games-per-shard" | "sgf-every"
        )
    }
}

impl Args {
    /// Name and rules.
    pub(super) fn game(&self) -> (&str, &str) {
        (&self.game, &self.common.rules)
    }

    pub(super) fn size(&self) -> BoardSize {
        self.size.unwrap_or_else(|| usual_board(&self.game))
    }
}

/// Plays the games.
pub(super) fn play_games<G: Trainable>(
    args: &Args,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let playouts = args.playouts;
    let plan = args
        .common
        .plan(&args.play.settings, format!("rollout playouts={playouts}"))?;
    let generator = RolloutGenerator {
        selfplay: plan.selfplay,
        search: |seed| RolloutSearch {
            rave: Rave::new(RaveParams::default(), seed),
            playouts,
        },
    };
    play(start, &plan, &args.common, &generator, interrupt).map(drop)
}
