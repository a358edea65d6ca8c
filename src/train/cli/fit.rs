//! `tengen-train fit`: trains a network on shards.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::cycle::Window;
use crate::fit::checkpoint::Checkpoint;
use crate::fit::teacher::{KeptAnswers, TeacherNetwork, TeacherParams};
use crate::fit::{
    Fit, FitContext, FitParams, FitReport, LossWeights, RowsParams, Schedule, find_encoding, fit,
};
use crate::network::architecture::{Architecture, GameShape};
use crate::play::runtime::Runtime;
use crate::shards::dataset::Dataset;
use crate::trainable::Trainable;
use anyhow::{Context, bail};
use clap::Parser;
use serde_json::json;
use tengen::clock::SystemClock;
use tengen::fnv;
use tengen::game::BoardSize;
use tengen::games::with_game;
use tengen::program::{FlagSet, Flags};
use tengen_nn::eval::{Device as EvalDevice, ModelSource};

use crate::command::Interrupt;
use crate::command::Reporter;

/// The settings of `[fit]` that a single fit has: how often rows are seen is `--epochs` here.
#[derive(Debug)]
struct OfOneFit;

impl FlagSet for OfOneFit {
    fn has(name: &str) -> bool {
        !matches!(name, "reuse" | "catch-up")
    }
}

/// Of `[window]`.
#[derive(Debug)]
struct HeldOut;

impl FlagSet for HeldOut {
    fn has(name: &str) -> bool {
        name == "held-out"
    }
}

/// Weight of a part of the loss.
fn weight(text: &str) -> Result<f32, String> {
    let weight: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    match weight >= 0.0 && weight.is_finite() {
        true => Ok(weight),
        false => Err("not a number from 0".to_owned()),
    }
}

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Folder of shards; may be given several times, oldest games first
    #[arg(long, required = true)]
    data: Vec<PathBuf>,
    /// Folder of checkpoints and losses.jsonl; a run of the same settings is continued
    #[arg(long)]
    out: PathBuf,
    /// Network architecture, FAMILY-<blocks>b<channels>c; families are az (with +garb, +mtl, +asf
    /// or several), nogozero+, gobang, tengen, tengen+area, which is the one for games on boards of several sizes, and
    /// mobile, a0 and golois (with +dense), Cazenave's
    #[arg(long, default_value_t)]
    net: Architecture,
    /// Start from the weights of this checkpoint (or a folder's newest) of the same network, or of
    /// a smaller one of its family, instead of random ones
    #[arg(long)]
    start_from: Option<PathBuf>,
    /// Total number of steps [default: from --epochs]
    #[arg(long, conflicts_with = "epochs", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Number of times each row is seen
    #[arg(long, default_value_t = 4.0)]
    epochs: f64,
    #[command(flatten)]
    fit: Flags<Fit, OfOneFit>,
    /// Schedule of the learning rate after the warm-up: half a cosine down to a hundredth; a step to a tenth at 60% of the
    /// steps, and to a hundredth at 90%; or constant. Not with --kl-target, which is a schedule of its own (0.003 is
    /// usual) [default: cosine]
    #[arg(long, value_parser = ["cosine", "step", "constant"])]
    schedule: Option<String>,
    /// Warm-up steps until the maximum learning rate [default: 100, or a tenth of all]
    #[arg(long)]
    warm_up: Option<u64>,
    /// Weight of the value loss; the policy's is 1
    #[arg(long, default_value_t = LossWeights::default().value, value_parser = weight)]
    value_weight: f32,
    /// Error of the value that is fitted
    #[arg(long, default_value = "cross-entropy", value_parser = ["cross-entropy", "squared"])]
    value_loss: String,
    /// Network to learn from: an ONNX file or one of KataGo's (.bin.gz); given several times, each
    /// board takes the first that is for it. Its answers are targets, beside the games' own
    #[arg(long)]
    teacher: Vec<PathBuf>,
    /// Share of the teacher's answers in the targets, 0 to 1; the rest is from the games
    #[arg(long, default_value_t = 1.0, requires = "teacher")]
    teacher_share: f32,
    /// Keep the teacher's answers in this file, so that it is asked about each position once, in this and
    /// in later fits
    #[arg(long, value_name = "FILE", requires = "teacher")]
    teacher_answers: Option<PathBuf>,
    /// Device of the teacher: cpu, cuda or cuda:N
    #[arg(long, value_name = "NAME", default_value_t = EvalDevice::Cpu, requires = "teacher")]
    teacher_device: EvalDevice,
    /// Newest rows to keep
    #[arg(long, default_value_t = 2_000_000)]
    window: usize,
    #[command(flatten)]
    rows: Flags<Window, HeldOut>,
    /// Interval in steps between validations
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..))]
    score_every: u64,
    /// Held-out positions of a validation, at most; with 0 there is none
    #[arg(long, default_value_t = 4096)]
    score_rows: usize,
    /// Minutes between checkpoints
    #[arg(long, default_value_t = 2.0)]
    checkpoint_minutes: f64,
    /// Seed of weights, order and symmetries
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Device: cpu (all cores, nothing to install), or in a build with the feature libtorch: cuda or cuda:N
    #[arg(long, default_value_t)]
    device: EvalDevice,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    anyhow::ensure!(args.window > 0, "--window 0 keeps no row to fit");
    anyhow::ensure!(
        args.epochs > 0.0 && args.epochs.is_finite(),
        "--epochs {} is not above 0",
        args.epochs
    );
    let dataset = Dataset::load(&args.data, args.window, args.rows.settings.held_out)?;
    let game = dataset.game.clone();
    let largest = dataset.boards.last().copied();
    let largest = largest.context("there are no rows to fit")?;
    with_game!(&game, largest, |empty| learn(
        args, &empty, dataset, interrupt
    ))?
}

fn learn<G: Trainable>(
    args: &Args,
    empty: &G,
    dataset: Dataset,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let sizes = dataset.boards.iter();
    let boards = sizes.map(|&size| G::with_rules(size, empty.rules()));
    let boards = boards.collect::<Result<Vec<G>, _>>()?;
    let teachers = open_teachers(args, &dataset.boards)?;
    let params = FitParams {
        teacher: teacher_params(args, &teachers)?,
        ..params::<G>(args, dataset.fit.len())?
    };
    check_steps(args, &params)?;
    describe(&boards, &params, &dataset)?;
    let start_from = args
        .start_from
        .as_deref()
        .map(Checkpoint::open)
        .transpose()?;
    let clock = SystemClock::new();
    let place = FitContext {
        folder: &args.out,
        device: args.device,
        clock: &clock,
        checkpoint_every: Duration::try_from_secs_f64(60.0 * args.checkpoint_minutes)
            .with_context(|| format!("--checkpoint-minutes {}", args.checkpoint_minutes))?,
        start_from: start_from.as_ref(),
        teachers: &teachers,
    };
    let mut reporter: Option<Reporter> = None;
    let (mut first, mut held_out) = (0, String::new());
    let done = fit(&boards, dataset, &params, &place, |report| {
        let reporter = reporter.get_or_insert_with(|| {
            first = report.step;
            // A step is short, and more can be kept than the last checkpoint.
            interrupt.leave_alone();
            Reporter::new(params.steps, first, "steps", args.json, interrupt)
        });
        let seconds = reporter.elapsed().as_secs_f64().max(0.001);
        // The time of the first step is not known.
        let samples = (report.step > first)
            .then(|| (report.step - first) as f64 * params.batch as f64 / seconds);
        if report.held_out.is_some() {
            held_out = held_out_message(report);
        }
        let message = format!(
            "{}policy {:.3} value {:.3}{}  {held_out}",
            samples.map_or(String::new(), |samples| format!("{samples:.0} samples/s  ")),
            report.policy_loss,
            report.value_loss,
            aux_losses(report),
        );
        let mut record = serde_json::to_value(report).unwrap_or_default();
        record["samples_per_second"] = json!(samples);
        reporter.update(report.step, message, &record);
        if let Some(score) = report.held_out {
            let losses = json!({ "held_out": score, "untrained": report.untrained });
            reporter.line(&format!("step {}: {held_out}", report.step), &losses);
        }
        match interrupt.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    if done.step < params.steps {
        done.save(&args.out)?;
        let (step, steps) = (done.step, params.steps);
        interrupt.end(&format!("at step {step} of {steps}; {held_out}"));
    }
    let message = format!(
        "{} after {} steps is in {}",
        params.architecture,
        done.step,
        args.out.display()
    );
    match reporter {
        Some(reporter) => reporter.finish(&message, &json!({ "step": done.step }))?,
        None => log::info!("{message}"),
    }
    Ok(())
}

/// Refuses to go on with a fit whose data has grown since its epochs were counted in steps.
fn check_steps(args: &Args, params: &FitParams) -> anyhow::Result<()> {
    let begun = Checkpoint::newest(&args.out)?.map(|begun| begun.params.steps);
    match begun.filter(|&begun| args.steps.is_none() && begun != params.steps) {
        Some(begun) => bail!(
            "{}: it was begun with {begun} steps, and --epochs {} of the rows that there are now is {}: --steps {begun} \
             goes on with it, and a longer fit is another one (another --out with --start-from {0})",
            args.out.display(),
            args.epochs,
            params.steps
        ),
        None => Ok(()),
    }
}

/// The losses of the auxiliary heads on a batch.
fn aux_losses(report: &FitReport) -> String {
    let losses = report.aux_losses.iter();
    losses
        .map(|(name, loss)| format!(" {name} {loss:.3}"))
        .collect()
}

/// For each board the first of these networks that is for it.
fn open_teachers(args: &Args, boards: &[BoardSize]) -> anyhow::Result<Vec<TeacherNetwork>> {
    if args.teacher.is_empty() {
        return Ok(Vec::new());
    }
    let answers = args.teacher_answers.as_deref().map(KeptAnswers::open);
    let answers = answers.transpose()?.map(Arc::new);
    let mut infos = Vec::new();
    for path in &args.teacher {
        let info = ModelSource::File(path.clone()).info()?;
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        infos.push((path, info, fnv::hash(&bytes)));
    }
    let runtime = Runtime {
        device: args.teacher_device,
        ..Runtime::usual(None)
    };
    let open = |&size: &BoardSize| {
        let of_size = infos.iter().find(|(_, info, _)| info.plays_on(size));
        let (path, _, hash) =
            of_size.with_context(|| format!("--teacher: no network for {size}"))?;
        Ok(TeacherNetwork {
            factory: runtime.open(path, size)?,
            hash: *hash,
            kept: answers.clone(),
        })
    };
    boards.iter().map(open).collect()
}

fn teacher_params(
    args: &Args,
    teachers: &[TeacherNetwork],
) -> anyhow::Result<Option<TeacherParams>> {
    let share = args.teacher_share;
    anyhow::ensure!(
        share > 0.0 && share <= 1.0,
        "--teacher-share {share} is not above 0 and at most 1"
    );
    let (mut networks, mut hashes) = (Vec::new(), Vec::new());
    for teacher in teachers {
        let name = teacher.factory.info().network.clone();
        let hash = format!("{:016x}", teacher.hash);
        for (known, new) in [(&mut networks, name), (&mut hashes, hash)] {
            if !known.contains(&new) {
                known.push(new);
            }
        }
    }
    Ok((!networks.is_empty()).then_some(TeacherParams {
        networks,
        hashes,
        share,
    }))
}

fn params<G: Trainable>(args: &Args, rows: usize) -> anyhow::Result<FitParams> {
    let settings = &args.fit.settings;
    let epochs = args.epochs * rows as f64 / settings.batch as f64;
    let steps = args.steps.unwrap_or((epochs.ceil() as u64).max(1));
    let base = FitParams::of::<G>(args.net, steps, settings);
    let schedule = match (args.schedule.as_deref(), settings.kl_target) {
        (None, Some(target)) => Schedule::Kl { target },
        (Some(_), Some(_)) => bail!("--kl-target is a schedule itself: leave --schedule out"),
        (Some("step"), None) => Schedule::Step,
        (Some("constant"), None) => Schedule::Constant,
        (_, None) => Schedule::Cosine,
    };
    Ok(FitParams {
        schedule,
        warm_up: args.warm_up.unwrap_or(base.warm_up),
        loss: LossWeights {
            value: args.value_weight,
            squared_value: args.value_loss == "squared",
            ..base.loss
        },
        seed: args.seed,
        score_every: args.score_every,
        score_rows: args.score_rows,
        rows: Some(RowsParams {
            held_out: args.rows.settings.held_out,
            window: args.window,
        }),
        ..base
    })
}

/// Prints what will be fitted.
fn describe<G: Trainable>(
    boards: &[G],
    params: &FitParams,
    dataset: &Dataset,
) -> anyhow::Result<()> {
    let planes = find_encoding::<G>(&params.encoding)?.planes();
    let shape = boards.first().map(GameShape::of);
    let shape = shape.context("there are no rows to fit")?;
    let (_, counts) = params.architecture.declare(planes, shape, params.seed);
    let boards: Vec<String> = dataset.boards.iter().map(BoardSize::to_string).collect();
    log::info!(
        "{} on {}, {}: {} parameters, {} multiply-adds a position ({} with the auxiliary heads); {} games, {} rows to fit, {} held out; {} steps of {}",
        params.architecture,
        params.encoding,
        boards.join(", "),
        counts.played.parameters,
        counts.played.multiply_adds,
        counts.fitted.multiply_adds,
        dataset.games,
        dataset.fit.len(),
        dataset.held_out.len(),
        params.steps,
        params.batch
    );
    Ok(())
}

/// Validation losses, with those of the untrained network in parentheses.
fn held_out_message(report: &FitReport) -> String {
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
