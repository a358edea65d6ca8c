//! `tengen bench`: does the search still do what it did, and how fast is it here.

mod positions;
mod signature;
mod throughput;

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
    /// same network in the same run, and their ratio.
    #[arg(long)]
    throughput: bool,
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
        signature::run(self.json)
    }
}
