//! `tengen-train selfplay`: games into shards.

mod common;
mod network;
mod rollouts;

use clap::{Parser, Subcommand};

use crate::board::on_board;
use crate::interrupt::Interrupt;

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
            on_board(game, rules, args.size(), &(args, interrupt))
        }
        Players::Network(args) => {
            let network = args.network()?.0;
            let size = args.size(&network)?;
            on_board(&network.game, &args.common.rules, size, &(args, interrupt))
        }
    }
}
