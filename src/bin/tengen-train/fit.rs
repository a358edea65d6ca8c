//! `tengen-train fit`: shards into checkpoints.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use burn::tensor::Device;
use clap::{Parser, ValueEnum};
use serde_json::json;
use tengen::clock::SystemClock;
use tengen::encode::Encode;
use tengen::game::Game;
use tengen::game::nogo::{LargeNoGo, SmallNoGo};
use tengen::train::dataset::{Dataset, Selection};
use tengen::train::fit::{FitParams, Report, Workplace, fit};
use tengen::train::optimizer::Rule;
use tengen::train::rebuild::Rebuild;
use tengen::train::recipe::Recipe;

use crate::progress::Reporter;

/// Where to compute.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum DeviceName {
    /// All cores, nothing to install.
    Cpu,
}

/// How to descend.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum RuleName {
    /// AdamW.
    Adamw,
    /// SGD with Nesterov momentum 0.9.
    Sgd,
}

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Folder of shards; may be given several times, oldest games first
    #[arg(long, required = true)]
    data: Vec<PathBuf>,
    /// Folder of checkpoints and losses.jsonl; a run of the same settings is continued
    #[arg(long)]
    out: PathBuf,
    /// The network: az-<blocks>b<channels>c
    #[arg(long, default_value = "az-5b32c")]
    net: Recipe,
    /// Steps in all [default: as --epochs says]
    #[arg(long, conflicts_with = "epochs")]
    steps: Option<u64>,
    /// How often each row is seen
    #[arg(long, default_value_t = 4.0)]
    epochs: f64,
    /// Rows in a step
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// The optimiser
    #[arg(long, value_enum, default_value = "adamw")]
    rule: RuleName,
    /// Highest learning rate [default: 0.002 for adamw, 0.05 for sgd]
    #[arg(long)]
    lr: Option<f32>,
    /// Weight decay [default: 0.05 for adamw, 0.0001 for sgd]
    #[arg(long)]
    weight_decay: Option<f32>,
    /// Weight of the value loss
    #[arg(long, default_value_t = 1.5)]
    value_weight: f32,
    /// Share of the generator's root value in the value target, 0 to 1
    #[arg(long, default_value_t = 0.25)]
    root_value_share: f32,
    /// Newest rows to keep
    #[arg(long, default_value_t = 2_000_000)]
    window: usize,
    /// Share of the games that are held out
    #[arg(long, default_value_t = 0.05)]
    held_out: f64,
    /// Steps between scores on held-out rows
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..))]
    score_every: u64,
    /// Minutes between checkpoints
    #[arg(long, default_value_t = 2.0)]
    checkpoint_minutes: f64,
    /// Seed of weights, order and symmetries
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to compute
    #[arg(long, value_enum, default_value = "cpu")]
    device: DeviceName,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let dataset = Dataset::load(&Selection {
        folders: args.data.clone(),
        window: args.window,
        held_out: args.held_out,
    })?;
    anyhow::ensure!(
        dataset.game == SmallNoGo::NAME,
        "no network is fitted for {}",
        dataset.game
    );
    if let Ok(empty) = SmallNoGo::new(dataset.size) {
        return learn(args, &empty, dataset);
    }
    let empty = LargeNoGo::new(dataset.size)?;
    learn(args, &empty, dataset)
}

fn learn<G: Rebuild>(args: &Args, empty: &G, dataset: Dataset) -> anyhow::Result<()> {
    let params = params(args, dataset.fit.len());
    describe::<G>(&params, &dataset);
    let DeviceName::Cpu = args.device;
    let clock = SystemClock::new();
    let place = Workplace {
        folder: &args.out,
        device: Device::flex().autodiff(),
        clock: &clock,
        checkpoint_every: Duration::from_secs_f64(60.0 * args.checkpoint_minutes.max(0.0)),
    };
    let mut reporter: Option<Reporter> = None;
    let (mut first, mut held_out) = (0, String::new());
    let done = fit(empty, dataset, &params, &place, |report| {
        let reporter = reporter.get_or_insert_with(|| {
            first = report.step;
            Reporter::new(params.steps, first, "steps", args.json)
        });
        let seconds = reporter.elapsed().as_secs_f64();
        let samples = (report.step - first) as f64 * params.batch as f64 / seconds.max(0.001);
        if let Some(score) = report.held_out {
            held_out = held_out_message(report);
            let losses = json!({ "held_out": score, "untrained": report.untrained });
            reporter.note(&format!("step {}: {held_out}", report.step), &losses);
        }
        let message = format!(
            "{samples:.0} samples/s  policy {:.3} value {:.3}  {held_out}",
            report.policy_loss, report.value_loss
        );
        let mut record = serde_json::to_value(report).unwrap_or_default();
        record["samples_per_second"] = json!(samples);
        reporter.update(report.step, message, &record);
        ControlFlow::Continue(())
    })?;
    let message = format!(
        "{} after {} steps is in {}",
        params.recipe,
        done.step,
        args.out.display()
    );
    match reporter {
        Some(reporter) => reporter.finish(&message, &json!({ "step": done.step })),
        None => log::info!("{message}"),
    }
    Ok(())
}

fn params(args: &Args, rows: usize) -> FitParams {
    let epochs = args.epochs * rows as f64 / f64::from(args.batch);
    let base = FitParams::new(
        args.net,
        args.steps.unwrap_or((epochs.ceil() as u64).max(1)),
    );
    let (rule, lr, decay) = match args.rule {
        RuleName::Adamw => (Rule::AdamW, base.learning_rate, base.weight_decay),
        RuleName::Sgd => (Rule::Sgd { momentum: 0.9 }, 0.05, 1e-4),
    };
    FitParams {
        batch: args.batch as usize,
        rule,
        learning_rate: args.lr.unwrap_or(lr),
        weight_decay: args.weight_decay.unwrap_or(decay),
        value_weight: args.value_weight,
        root_value_share: args.root_value_share,
        seed: args.seed,
        score_every: args.score_every,
        ..base
    }
}

fn describe<G: Encode>(params: &FitParams, dataset: &Dataset) {
    let planes = G::encodings()
        .last()
        .map_or(0, |encoding| encoding.planes());
    let (_, counts) = params.recipe.declare(planes, dataset.size, params.seed);
    log::info!(
        "{}: {} parameters, {} multiply-adds a position; {} games, {} rows to fit, {} held out; {} steps of {}",
        params.recipe,
        counts.parameters,
        counts.multiply_adds,
        dataset.games,
        dataset.fit.len(),
        dataset.held_out.len(),
        params.steps,
        params.batch
    );
}

/// The held-out score with the untrained one in brackets.
fn held_out_message(report: &Report) -> String {
    let (now, then) = (report.held_out.unwrap_or_default(), report.untrained);
    format!(
        "held out: policy {:.3} ({:.3}, floor {:.3}) value {:.3} ({:.3}) top-1 {:.1}% ({:.1}%) winner {:.1}% ({:.1}%)",
        now.policy_loss,
        then.policy_loss,
        now.policy_floor,
        now.value_loss,
        then.value_loss,
        100.0 * now.top_1,
        100.0 * then.top_1,
        100.0 * now.value_accuracy,
        100.0 * then.value_accuracy
    )
}
