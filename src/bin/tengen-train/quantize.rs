//! `tengen-train quantize`: an f32 network into one of fewer bits, and what that cost.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Parser;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use tengen::clock::{Clock, SystemClock};
use tengen::eval::{Batch, Device, Difference, Evaluator, ModelInfo};
use tengen::game::with_game;
use tengen::onnx::to_half;
use tengen::rollout::{Rave, RaveParams};
use tengen::train::dataset::{Dataset, Selection};
use tengen::train::durable;
use tengen::train::quantize::compare::{
    MAX_POLICY_KL, MAX_VALUE_DIFFERENCE, is_accepted, open_both, speeds,
};
use tengen::train::quantize::examples::Examples;
use tengen::train::quantize::to_int8;
use tengen::train::row::Row;
use tengen::train::runtime::Runtime;
use tengen::train::selfplay::{RolloutSearch, SelfPlayParams, play};
use tengen::train::trainable::Trainable;

use crate::progress::print;

/// Playouts a move of the games that are played where no data are given: enough to be games.
const PLAYOUTS: u64 = 100;

/// Positions that a game gives on average, for the number of such games.
const GAME_POSITIONS: usize = 60;

/// Batch sizes whose speed is reported.
const BATCHES: [usize; 3] = [1, 8, 64];

/// Turns of 20 ms for each speed.
const TURNS: usize = 15;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The network, an f32 ONNX file that tengen-train has exported
    #[arg(long)]
    model: PathBuf,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
    /// In what it computes: integers, for processors, or half precision, for GPUs
    #[arg(long, default_value = "int8", value_parser = ["int8", "f16"])]
    precision: String,
    /// Where both are run to compare them: only a GPU computes in half precision, a processor shows
    /// what the rounding of the weights costs
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Folder of shards whose positions the ranges are calibrated on, best held-out ones; may be
    /// given several times [default: positions of quick games by playouts]
    #[arg(long)]
    data: Vec<PathBuf>,
    /// Positions to calibrate on; as many others are compared
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..))]
    positions: u32,
    /// Write the file even if it differs too much
    #[arg(long)]
    force: bool,
    /// Seed of the games by playouts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The shared library of ONNX Runtime [default: where tengen looks for it]
    #[arg(long)]
    ort_library: Option<PathBuf>,
    /// The report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let onnx = std::fs::read(&args.model).with_context(|| args.model.display().to_string())?;
    let info = ModelInfo::read(&args.model.display().to_string(), &onnx)?;
    with_game!(&info.game, info.size, |empty| quantize(
        args, &empty, &info, &onnx
    ))?
}

fn quantize<G: Trainable>(
    args: &Args,
    empty: &G,
    info: &ModelInfo,
    onnx: &[u8],
) -> anyhow::Result<()> {
    let rows = rows(args, empty)?;
    let wanted = args.positions as usize;
    let calibration = Examples::spread(empty, info, &rows, (wanted, 0))?;
    let validation = Examples::spread(empty, info, &rows, (wanted, 1))?;
    let clock = SystemClock::new();
    let name = args.model.display().to_string();
    let smaller = if args.precision == "f16" {
        to_half(onnx).with_context(|| name.clone())?
    } else {
        to_int8(&name, onnx, calibration.batch.planes())?
    };
    log::info!(
        "{} made on {} positions in {:.1} s",
        args.precision,
        calibration.batch.len(),
        clock.now().as_secs_f64()
    );

    let runtime = Runtime {
        device: args.device,
        ..Runtime::usual(args.ort_library.clone())
    };
    let [mut first, mut second] = open_both(&runtime, &args.model, &smaller, &args.out)?;
    let found = Difference::between(
        [&mut *first, &mut *second],
        &validation.batch,
        &validation.legal,
    )?;
    let speeds = measure([&mut *first, &mut *second], &validation.batch, &clock)?;
    report(args, [onnx.len(), smaller.len()], &found, &speeds);
    if !is_accepted(&found) && !args.force {
        bail!(
            "not accepted: the policy must stay within {MAX_POLICY_KL} nats and the value within \
             {MAX_VALUE_DIFFERENCE}, on average (--force writes {} all the same)",
            args.out.display()
        );
    }
    durable::write(&args.out, &smaller)?;
    Ok(())
}

/// Recorded positions, or those of quick games.
fn rows<G: Trainable>(args: &Args, empty: &G) -> anyhow::Result<Vec<Row>> {
    if !args.data.is_empty() {
        let dataset = Dataset::load(&Selection {
            folders: args.data.clone(),
            window: usize::MAX,
            held_out: 0.0,
        })?;
        let mut rows = dataset.fit;
        rows.retain(|row| row.size == empty.size());
        anyhow::ensure!(
            dataset.game == G::NAME && !rows.is_empty(),
            "the data are of {} on other boards, the network plays {} {}",
            dataset.game,
            G::NAME,
            empty.size()
        );
        return Ok(rows);
    }
    let games = (2 * args.positions as usize)
        .div_ceil(GAME_POSITIONS)
        .max(8) as u64;
    let mut rows = Vec::new();
    for game in 0..games {
        let seed = args.seed.wrapping_mul(games) + game;
        let mut search = RolloutSearch {
            rave: Rave::new(RaveParams::default(), seed),
            playouts: PLAYOUTS,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let params = SelfPlayParams::default();
        rows.extend(play(empty, game, params, &mut search, &mut rng).rows);
    }
    Ok(rows)
}

/// Batch size, and positions a second of both.
type Speeds = Vec<(usize, [f64; 2])>;

fn measure(
    [first, second]: [&mut dyn Evaluator; 2],
    validation: &Batch,
    clock: &SystemClock,
) -> anyhow::Result<Speeds> {
    let mut table = Vec::new();
    for len in BATCHES {
        let mut batch = Batch::new(validation.row_len());
        for row in 0..len {
            let planes = validation.row(row % validation.len());
            batch.push(row as u128).copy_from_slice(planes);
        }
        let pair = speeds([&mut *first, &mut *second], &batch, clock, TURNS)?;
        table.push((len, pair));
    }
    Ok(table)
}

fn report(args: &Args, bytes: [usize; 2], found: &Difference, speeds: &Speeds) {
    let precision = &*args.precision;
    if args.json {
        let speeds: Vec<_> = speeds
            .iter()
            .map(|(batch, [f32, other])| json!({ "batch": batch, "f32": f32, precision: other }))
            .collect();
        let report = json!({
            "bytes": { "f32": bytes[0], precision: bytes[1] },
            "difference": found,
            "accepted": is_accepted(found),
            "positions_per_second_one_thread": speeds,
        });
        print(&report.to_string());
        return;
    }
    print(&format!(
        "bytes: {} f32, {} {precision}",
        bytes[0], bytes[1]
    ));
    print(&format!("positions compared: {}", found.positions));
    print(&format!(
        "policy divergence: mean {:.5} nats, greatest {:.4} (limit {MAX_POLICY_KL})",
        found.policy_kl, found.policy_kl_max
    ));
    print(&format!(
        "value difference: mean {:.4}, greatest {:.3} (limit {MAX_VALUE_DIFFERENCE})",
        found.value, found.value_max
    ));
    print(&format!("same best move: {:.1}%", 100.0 * found.same_best));
    for (batch, [f32, other]) in speeds {
        print(&format!(
            "batch {batch}, one thread: f32 {f32:.0}/s, {precision} {other:.0}/s, {:.2} times",
            other / f32
        ));
    }
}
