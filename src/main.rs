//! `tengen`: the engine's command line. One file a subcommand, in `cli`.

mod cli;

fn main() -> anyhow::Result<()> {
    cli::start()
}
