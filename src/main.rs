//! `tengen`: the engine's command line. One file a subcommand, in `cli`.

mod cli;

use clap::Parser;

fn main() -> anyhow::Result<()> {
    cli::Cli::parse().run()
}
