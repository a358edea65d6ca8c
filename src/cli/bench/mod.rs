//! `tengen bench`: does the search still do what it did, how fast is it here, does the network say here
//! what it says elsewhere, and how well does the engine play openings and endings.

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
/// The signature is one number made of the trees and visits of a fixed set of searches with one
/// thread and a made-up network. It changes exactly when the search, the rules or the encoding
/// change what they do; a change that says so names the new one.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Measure instead: positions/s of each backend by batch size, visits/s of the search on the
    /// same network in the same run, and their ratio. With --set batch=N for this size of batch only.
    #[arg(long)]
    throughput: bool,
    /// Compare instead: what the network answers with --backend and --device, and what `native`
    /// answers in f32, on random positions of all phases of the game.
    #[arg(long, conflicts_with = "throughput")]
    agreement: bool,
    /// Measure play instead, on the solved positions of a set that `tengen endings` made: how often
    /// a won position stays won, and how right the values of network and search are. The search is
    /// as the settings say [default: 400 visits].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["throughput", "agreement"])]
    endings: Option<PathBuf>,
    /// Measure play instead, on a book's openings that a much longer search has judged: how often the
    /// move is the same, what it loses by that search's values, and how far the value is off. The
    /// search is as the settings say [default: 400 visits].
    #[arg(long, value_name = "BOOK", conflicts_with_all = ["throughput", "agreement", "endings"])]
    openings: Option<PathBuf>,
    /// Judge the openings first that no search of so many visits has judged, and write into the book
    /// what it says, as remarks; ended early, it goes on there the next time. A thousand times the
    /// visits of what is to be measured is a good number.
    #[arg(long, value_name = "N", requires = "openings", value_parser = clap::value_parser!(u64).range(2..))]
    judge_visits: Option<u64>,
    /// Take only so many positions: of the set or the book, evenly chosen [default: all], or random
    /// ones [default: 1000].
    #[arg(long, value_name = "N", conflicts_with = "throughput", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Seconds for each line of the throughput table, more than 0.
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
