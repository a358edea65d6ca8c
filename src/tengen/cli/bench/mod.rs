//! `tengen bench`: the search's signature, speed, agreement between backends, and play in openings
//! and endings.

mod agreement;
mod endings;
mod examinee;
mod openings;
mod signature;
mod tables;
mod throughput;

use std::path::PathBuf;

use clap::Args;

use super::flags::EngineFlags;

/// Print the search's signature, or measure this machine.
///
/// The signature is one number computed from the trees and visits of a fixed set of searches with
/// one thread and a fake network. It changes exactly when the search, the rules or the encoding
/// change their behaviour; such a change states the new one.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Measure positions/s of each backend by batch size, visits/s of the search on the same
    /// network in the same run, and their ratio. With --batch N for this batch size only.
    #[arg(long)]
    throughput: bool,
    /// Compare the network's answers with --backend and --device with those of `native` in f32, on
    /// random positions from all phases of the game.
    #[arg(long, conflicts_with = "throughput")]
    agreement: bool,
    /// Measure play on the solved positions of a set made by `tengen endings`: how often a won
    /// position stays won, and the accuracy of the values of network and search. The settings limit
    /// the search [default: 400 visits].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["throughput", "agreement"])]
    endings: Option<PathBuf>,
    /// Measure play on a book's openings that were judged by a much longer search: how often the
    /// move is the same, its loss by that search's values, and the error of the value. The settings
    /// limit the search [default: 400 visits].
    #[arg(long, value_name = "BOOK", conflicts_with_all = ["throughput", "agreement", "endings"])]
    openings: Option<PathBuf>,
    /// First judge the openings that no search with this many visits has judged, and write the
    /// results into the book, as comments; when interrupted, the next run continues. A thousand
    /// times the visits to be measured is a good number.
    #[arg(long, value_name = "N", requires = "openings", value_parser = clap::value_parser!(u64).range(2..))]
    judge_visits: Option<u64>,
    /// Use only this many positions: of the set or the book, evenly chosen [default: all], or
    /// random ones [default: 1000].
    #[arg(long, value_name = "N", conflicts_with = "throughput", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Seconds per line of the throughput table, more than 0.
    #[arg(long, default_value_t = 4.0, value_name = "SECONDS")]
    seconds: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = self.engine.resolve()?;
        if self.throughput {
            return throughput::run(&options, self.seconds, self.json);
        }
        if self.agreement {
            return agreement::run(&options, self.positions.unwrap_or(1000), self.json);
        }
        if let Some(file) = &self.endings {
            let task = endings::Task {
                file,
                positions: self.positions.map(|positions| positions as usize),
                json: self.json,
            };
            return endings::run(&options, &task);
        }
        if let Some(book) = &self.openings {
            let task = openings::Task {
                book,
                positions: self.positions.map(|positions| positions as usize),
                judge_visits: self.judge_visits,
                json: self.json,
            };
            return openings::run(&options, &task);
        }
        signature::run(self.json)
    }
}
