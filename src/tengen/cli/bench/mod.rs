//! `tengen bench`: the search's signature, speed, and agreement between backends.

mod agreement;
mod signature;
mod throughput;

use clap::{Arg, Args};

use super::flags::{EngineFlags, OF_A_BOOK, refused};

/// Print the search's signature, or measure this machine.
///
/// The signature is one number computed from the trees and visits of a fixed set of searches with
/// one thread and a fake network. It changes exactly when the search, the rules or the encoding
/// change their behaviour; such a change states the new one.
#[derive(Debug, Args)]
#[command(mut_args(|flag: Arg| refused(&OF_A_BOOK, flag)))]
pub(crate) struct Bench {
    /// Measure positions/s of each backend by batch size, visits/s of the search on the same
    /// network in the same run, and their ratio. With --batch N for this batch size only.
    #[arg(long)]
    throughput: bool,
    /// Compare the network's answers with --backend and --device with those of `native` in f32, on
    /// random positions from all phases of the game.
    #[arg(long, conflicts_with = "throughput")]
    agreement: bool,
    /// Compare on this many positions.
    #[arg(long, value_name = "N", requires = "agreement", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
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
            return agreement::run(&options, self.positions, self.json);
        }
        signature::run(self.json)
    }
}
