//! `tengen bench`: the search's signature, speed, and agreement between backends.

mod agreement;
mod throughput;

use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::encode::{Encode, made_up};
use crate::fnv::WordHash;
use crate::game::Move;
use crate::games::{GAMES, with_game};
use crate::rollout::{Rave, RaveParams, Rollout};
use crate::search::{Limits, SearchParams, SearchRequest, Searcher, SearcherOptions};
use clap::{ArgGroup, Args};
use tengen_nn::eval::{EvaluatorFactory, ModelInfo};

use super::flags::{EngineFlags, without_play};
use super::output;
use crate::command::random_position;

/// Print the search's signature, or measure this machine.
///
/// The signature is one number computed from the trees and visits of a fixed set of searches with
/// one thread and a fake network. It changes exactly when the search, the rules or the encoding
/// change their behaviour; such a change states the new one.
#[derive(Debug, Args)]
#[command(
    mut_args(without_play),
    group = ArgGroup::new("measure").args(["throughput", "agreement"])
)]
pub(crate) struct Bench {
    /// Measure positions/s of each backend by batch size, visits/s of the search on the same
    /// network in the same run, and their ratio. With --batch N for this batch size only.
    #[arg(long)]
    throughput: bool,
    /// Compare the network's answers with --backend and --device with those of `native` in f32, or of `tract` where
    /// `native` does not know the network, on random positions from all phases of the game.
    #[arg(long)]
    agreement: bool,
    /// Compare on this many positions.
    #[arg(long, value_name = "N", requires = "agreement", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Seconds per line of the throughput table, more than 0.
    #[arg(long, default_value_t = 4.0, value_name = "SECONDS")]
    seconds: f64,
    /// Print what is measured as JSON.
    #[arg(long, requires = "measure")]
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
        print_signature()
    }
}

/// Visits of each search.
const VISITS: u64 = 800;
/// Plies after which each board is searched.
const PLIES: [u32; 5] = [0, 8, 20, 40, 60];

fn print_signature() -> anyhow::Result<()> {
    let clock = SystemClock::new();
    let mut sum = Signature::default();
    for game in GAMES {
        for &size in game.bench_boards {
            with_game!(game.name, size, |empty| search_board(&empty, &mut sum))??;
        }
    }
    let visits_per_second = sum.visits as f64 / clock.now().as_secs_f64();
    output::print(&format!(
        "{:016x}\n{} visits, {visits_per_second:.0} visits/s on one thread without a network",
        sum.hash.value(),
        sum.visits
    ))
}

/// The results as one number: a hash of root visits and tree sizes after fixed searches.
#[derive(Default)]
struct Signature {
    hash: WordHash,
    visits: u64,
}

impl Signature {
    fn add(&mut self, moves: impl Iterator<Item = (Move, u64)>) {
        moves.for_each(|(mv, visits)| self.hash.add(u64::from(mv.0) << 32 | visits));
    }
}

/// Two consecutive searches on each position, so that reuse is part of the signature, and one with
/// playouts.
fn search_board<G: Encode + Rollout>(empty: &G, sum: &mut Signature) -> anyhow::Result<()> {
    for (seed, plies) in (1..).zip(PLIES) {
        let mut position = random_position(empty, plies, seed);
        let factory = EvaluatorFactory::hash(made_up_model(&position));
        let options = SearcherOptions {
            threads: 1,
            seed,
            // Thirty small trees: their behaviour is measured, and not the time to clear a large
            // one.
            params: SearchParams {
                memory_mib: 64,
                ..SearchParams::default()
            },
        };
        let make = Arc::new(move || factory.make());
        let mut searcher = Searcher::new(make, options, Arc::new(SystemClock::new()));
        let limits = Limits::visits(VISITS);
        for _ in 0..2 {
            let request = SearchRequest::new(position.clone().into()).within(limits);
            let report = searcher.search(&request, &mut |_| {})?;
            sum.add(report.moves.iter().map(|found| (found.mv, found.visits)));
            sum.hash.add(report.nodes);
            sum.visits += report.playouts;
            let Some(best) = report.best() else { break };
            position.play(best.mv);
        }
        let mut rave = Rave::new(RaveParams::default(), seed);
        let report = rave.search(&position, |playouts| playouts < VISITS);
        sum.add(report.moves.iter().map(|found| (found.mv, found.visits)));
    }
    Ok(())
}

/// Metadata of a fake network for this position.
fn made_up_model<G: Encode>(position: &G) -> ModelInfo {
    let &encoding = G::encodings().last().expect("every game has an encoding");
    ModelInfo {
        // Also where there are draws: another number is another signature.
        outcomes: 2,
        ..made_up(position, encoding)
    }
}
