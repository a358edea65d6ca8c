//! `tengen-train selfplay`: games into shards.

mod common;
mod network;
mod rollouts;

use clap::{Parser, Subcommand};
use tengen::games::with_game;

use tengen_train::command::Interrupt;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    players: Players,
}

#[derive(Debug, Subcommand)]
enum Players {
    /// RAVE search over random playouts; needs no network.
    Rollouts(rollouts::Args),
    /// A network, many games at a time.
    Network(network::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    match &args.players {
        Players::Rollouts(args) => {
            let (game, rules) = args.game();
            with_game!(game, args.size(), rules: rules, |start| {
                rollouts::play_games(args, &start, interrupt)
            })?
        }
        Players::Network(args) => {
            let model = args.network()?;
            let size = args.size(&model.0)?;
            with_game!(&model.0.game, size, rules: &args.common.rules, |start| {
                network::play_games(args, &model, &start, interrupt)
            })?
        }
    }
}
