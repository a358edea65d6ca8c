//! The signature: a hash of root visits and tree sizes after fixed searches.

use std::sync::Arc;

use tengen::clock::{Clock, SystemClock};
use tengen::encode::{Encode, made_up};
use tengen::fnv::WordHash;
use tengen::games::{GAMES, with_game};
use tengen::rollout::{Rave, RaveParams, Rollout};
use tengen::search::{Limits, SearchParams, SearchRequest, Searcher, SearcherOptions};
use tengen_nn::eval::{EvaluatorFactory, ModelInfo};

use super::super::output;
use super::super::random_position::random_position;

/// Visits of each search.
const VISITS: u64 = 800;
/// Plies after which each board is searched.
const PLIES: [u32; 5] = [0, 8, 20, 40, 60];

pub(super) fn run(json: bool) -> anyhow::Result<()> {
    let clock = SystemClock::new();
    let mut sum = Signature::default();
    for game in GAMES {
        for &size in game.bench_boards {
            with_game!(game.name, size, |empty| search_board(&empty, &mut sum))??;
        }
    }
    let elapsed = clock.now();
    let visits_per_second = sum.visits as f64 / elapsed.as_secs_f64();
    output::print(&if json {
        serde_json::json!({
            "signature": format!("{:016x}", sum.hash.value()),
            "visits": sum.visits,
            "seconds": elapsed.as_secs_f64(),
        })
        .to_string()
    } else {
        format!(
            "{:016x}\n{} visits, {visits_per_second:.0} visits/s on one thread without a network",
            sum.hash.value(),
            sum.visits
        )
    })
}

/// The results as one number.
#[derive(Default)]
struct Signature {
    hash: WordHash,
    visits: u64,
}

impl Signature {
    fn add(&mut self, number: u64) {
        self.hash.add(number);
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
        let limits = Limits {
            visits: Some(VISITS),
            budget: None,
        };
        for _ in 0..2 {
            let request = SearchRequest::new(position.clone().into()).within(limits);
            let report = searcher.search(&request, &mut |_| {})?;
            report
                .moves
                .iter()
                .for_each(|mv| sum.add(u64::from(mv.mv.0) << 32 | mv.visits));
            sum.add(report.nodes);
            sum.visits += report.playouts;
            let Some(best) = report.best() else { break };
            position.play(best.mv);
        }
        let mut rave = Rave::new(RaveParams::default(), seed);
        let report = rave.search(&position, |playouts| playouts < VISITS);
        report
            .moves
            .iter()
            .for_each(|mv| sum.add(u64::from(mv.mv.0) << 32 | mv.visits));
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
