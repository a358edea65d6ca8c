//! The command line, and the destination of the log.

mod analysis;
mod bench;
mod board;
mod book;
mod doctor;
mod flags;
mod gomocup;
mod gtp;
mod katago_arguments;
mod live;
pub(crate) mod output;
mod random_position;
mod review;
mod sau;
mod solve;
mod start;
mod terminal;

pub(crate) use start::start;

use std::io::Read;

use clap::{CommandFactory as _, Parser, Subcommand};

/// Tengen plays NoGo, Go and Gomoku: tree search with neural networks or playouts, over GTP and
/// other protocols.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Cli {
    /// Level of the log on the standard error stream: off, error, warn, info or debug. `sau` logs
    /// into a file, at level info unless this is given [default: warn].
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
    Book(book::Book),
    Bench(bench::Bench),
    Doctor(doctor::Doctor),
    Solve(solve::Solve),
    Review(review::Review),
    /// Write manual pages into a folder, for a release.
    #[command(hide = true)]
    Man {
        /// Where the pages go
        folder: std::path::PathBuf,
    },
}

impl Cli {
    /// Runs the subcommand, with its session over `input`.
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let own = env!("CARGO_PKG_NAME");
        // The libraries log their own progress in detail; their warnings suffice.
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
            Command::Book(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Solve(command) => command.run(),
            Command::Review(command) => command.run(),
            Command::Man { folder } => Ok(tengen::program::man_pages(Cli::command(), &folder)?),
        }
    }
}
