//! The command line: what is asked for, and where the log goes.

mod bench;
mod flags;
mod gtp;

use clap::{Parser, Subcommand};

/// Tengen plays NoGo: tree search over neural networks, spoken to over GTP.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Cli {
    /// What to log to the standard error stream: off, error, warn, info or debug.
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    log_level: log::LevelFilter,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Gtp(gtp::Gtp),
    Bench(bench::Bench),
}

impl Cli {
    /// Does what was asked for.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let own = env!("CARGO_PKG_NAME");
        // The libraries below log their own progress in detail; their warnings are enough.
        let others = self.log_level.min(log::LevelFilter::Warn);
        env_logger::Builder::new()
            .filter_level(others)
            .filter_module(own, self.log_level)
            .init();
        match self.command {
            Command::Gtp(command) => command.run(),
            Command::Bench(command) => command.run(),
        }
    }
}

/// Writes a line to the standard output; for subcommands that are not a conversation.
fn print(line: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    // Flushed, so that a table grows before the reader's eyes also through a pipe.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
