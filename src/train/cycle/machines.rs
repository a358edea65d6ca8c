//! What a report says of the machines that play for a run.

use serde::{Deserialize, Serialize};

/// A program that plays for a run, by its last report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name: the host's, a process number and a random number.
    pub id: String,
    /// Threads that play.
    pub threads: usize,
    /// Device of its networks.
    pub device: String,
    /// GPUs that it uses, possibly a share of one.
    pub gpus: f64,
    /// Reports so far: it lives if this number grows.
    pub beats: u64,
    /// The claim that it holds, if any.
    pub holding: Option<String>,
    /// Finished tickets.
    pub tickets: u64,
    /// Those that another machine had finished before.
    pub repeated: u64,
    /// Games played.
    pub games: u64,
    /// Evaluations of networks.
    pub evaluations: u64,
    /// Seconds since it began.
    pub seconds: f64,
    /// Seconds of these in which it played.
    pub busy_seconds: f64,
    /// Whether it has ended by itself.
    pub ended: bool,
}

/// All machines of a run, as its learner saw them last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// Each with the seconds since its number of reports last grew, as the learner's clock has it.
    pub machines: Vec<(Machine, f64)>,
    /// Number of the learner.
    #[serde(rename = "epoch")]
    pub term: u32,
    /// The generation whose tickets are counted.
    pub generation: u32,
    /// Its tickets of games and matches.
    pub tickets: u64,
    /// Finished ones.
    pub done: u64,
    /// Claimed ones, finished ones included.
    pub claimed: u64,
    /// Claims that were given up and taken over by other machines.
    #[serde(rename = "taken_over")]
    pub reclaimed: u64,
    /// Requests of the learner to the store.
    pub requests: u64,
    /// Those that failed and were repeated.
    pub failures: u64,
    /// The longest time in seconds without an answer.
    pub longest_silence: f64,
}

impl Machines {
    /// Hours of processor threads that played.
    #[must_use]
    pub fn core_hours(&self) -> f64 {
        let hours = |(machine, _): &(Machine, f64)| machine.threads as f64 * machine.busy_seconds;
        self.machines.iter().map(hours).sum::<f64>() / 3600.0
    }

    /// Hours of GPUs that played.
    #[must_use]
    pub fn gpu_hours(&self) -> f64 {
        let hours = |(machine, _): &(Machine, f64)| machine.gpus * machine.busy_seconds;
        self.machines.iter().map(hours).sum::<f64>() / 3600.0
    }
}
