//! The command line: what is asked for, and where the log goes.

mod analysis;
mod bench;
mod board;
mod doctor;
mod endings;
mod flags;
mod games;
mod gomocup;
mod gtp;
mod interrupt;
pub(crate) mod output;
mod position;
mod random_position;
mod review;
mod sau;
mod solve;
mod start;
mod terminal;

pub(crate) use start::start;

use std::io::Read;

use clap::{Parser, Subcommand};

/// Tengen plays NoGo, Go and Gomoku: tree search over neural networks or playouts, spoken to over GTP.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Cli {
    /// What to log to the standard error stream: off, error, warn, info or debug [default: warn].
    /// `sau` logs into a file [default: info].
    #[arg(long, global = true, value_name = "LEVEL", display_order = 1000)]
    log_level: Option<log::LevelFilter>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Board(board::Board),
    Gtp(gtp::Gtp),
    Sau(sau::Sau),
    Gomocup(gomocup::Gomocup),
    Analysis(analysis::Analysis),
    Bench(bench::Bench),
    Doctor(doctor::Doctor),
    Solve(solve::Solve),
    Endings(endings::Endings),
    Review(review::Review),
}

impl Cli {
    /// Does what was asked for.
    /// A conversation is held over `input`.
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let own = env!("CARGO_PKG_NAME");
        // The libraries below log their own progress in detail; their warnings are enough.
        let level = self.log_level.unwrap_or(match self.command {
            Command::Sau(_) => log::LevelFilter::Info,
            _ => log::LevelFilter::Warn,
        });
        let others = level.min(log::LevelFilter::Warn);
        let mut logger = env_logger::Builder::new();
        logger.filter_level(others).filter_module(own, level);
        if let Command::Sau(command) = &self.command {
            command.prepare(level, &mut logger)?;
        }
        logger.init();
        match self.command {
            Command::Board(command) => command.run(),
            Command::Gtp(command) => command.run(input),
            Command::Sau(command) => command.run(input),
            Command::Gomocup(command) => command.run(input),
            Command::Analysis(command) => command.run(input),
            Command::Bench(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Solve(command) => command.run(),
            Command::Endings(command) => command.run(),
            Command::Review(command) => command.run(),
        }
    }
}
