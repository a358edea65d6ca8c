//! `tengen doctor`: what of this machine works for the engine, and what to do about the rest.

mod finding;
mod machine;

use std::time::Duration;

use anyhow::bail;
use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{Backend, EngineOptions, built_in};
use tengen::eval::{
    BackendKind, Batch, Candidate, Device, EvalError, EvaluatorFactory, LoadOptions, ModelSource,
    Outputs,
};
use tengen::onnx::Header;

use super::flags::EngineFlags;
use super::output::print;
use finding::{Finding, State};

/// Evaluations that are timed.
const EVALUATIONS: usize = 20;
/// Two backends may differ by so much in a logit.
const TOLERANCE: f32 = 1e-2;
/// The same for a network in integers, of which backends round more or less.
const INTEGER_TOLERANCE: f32 = 1.0;

/// Say which backends, libraries, devices and networks are found and work, and how to mend what
/// does not. Takes the engine's settings, to check just these.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print the findings as JSON, one object a line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

/// A network's answers to one input.
type Answer = (Vec<f32>, Duration);

/// What others are compared with, and by how much they may differ.
type Reference<'a> = (&'a Answer, f32);

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = self.engine.read()?;
        let findings = examine(&options);
        for finding in &findings {
            if self.json {
                print(&serde_json::to_string(finding)?)?;
                continue;
            }
            let state = match finding.state {
                State::Ok => "ok    ",
                State::Absent => "absent",
                State::Broken => "BROKEN",
            };
            print(&format!("{state}  {:<10} {}", finding.what, finding.text))?;
            if !finding.mend.is_empty() {
                print(&format!("{:20}mend: {}", "", finding.mend))?;
            }
        }
        let broken = findings
            .iter()
            .filter(|finding| finding.state == State::Broken);
        match broken.count() {
            0 => Ok(()),
            count => bail!("{count} of the things that were asked for do not work"),
        }
    }
}

fn examine(options: &EngineOptions) -> Vec<Finding> {
    let mut findings = vec![machine::processor(), machine::memory(options)];
    // In f32 everywhere, so that answers can be compared.
    let own = built_in(
        &options.game,
        options.board(),
        BackendKind::Tract,
        Device::Cpu,
    );
    let asked = options.model.clone().map(ModelSource::File);
    let Some(model) = asked.or_else(|| own.clone()) else {
        findings.push(Finding {
            state: State::Absent,
            what: "network",
            text: format!(
                "none is built in for {}: playouts choose the moves",
                options.game
            ),
            mend: "tengen gtp --model FILE".to_owned(),
        });
        return findings;
    };
    let finding = network(&model, options);
    // A broken network says nothing of backends: they are tried with the built-in one.
    let model = match (finding.state, own) {
        (State::Ok, _) | (_, None) => model,
        (_, Some(own)) => own,
    };
    findings.push(finding);
    let load = |device| LoadOptions {
        device,
        ..options.load()
    };
    let tried = BackendKind::ALL.map(|kind| (kind, try_backend(kind, &model, &load(Device::Cpu))));
    let of_tract = tried.iter().find(|(kind, _)| *kind == BackendKind::Tract);
    let answer = of_tract.and_then(|(_, answer)| answer.as_ref().ok());
    let reference = answer.map(|answer| (answer, tolerance(&model)));
    for (kind, answer) in &tried {
        let library = *kind == BackendKind::Ort && options.ort_library.is_some();
        let asked = options.backend == Backend::Network(*kind) || library;
        findings.push(backend(kind.name(), answer, reference, asked));
    }
    findings.push(gpu(&model, options, &load, reference));
    let working = tried.iter().filter(|(_, answer)| answer.is_ok());
    let working: Vec<BackendKind> = working.map(|(kind, _)| *kind).collect();
    findings.push(choice(options, &working));
    findings
}

/// What these settings play with, when these backends work on the processor.
fn choice(options: &EngineOptions, working: &[BackendKind]) -> Finding {
    let load = options.load();
    // What files say of a GPU; it is tried above.
    let works = |kind: &BackendKind| options.device != Device::Cpu || working.contains(kind);
    let candidates = Candidate::all(&load);
    let usable = |wanted: Option<BackendKind>| {
        let mut usable = candidates.iter().filter(|candidate| {
            let wanted = wanted.is_none_or(|wanted| wanted == candidate.kind);
            wanted && candidate.verdict.is_ok() && works(&candidate.kind)
        });
        usable.next().map(|candidate| candidate.kind)
    };
    let chosen = match options.backend {
        Backend::Rollout => {
            return Finding::ok("choice", "random playouts, without a network".to_owned());
        }
        Backend::Critic => {
            return Finding::ok("choice", "a critic, without a search".to_owned());
        }
        Backend::Network(kind) => usable(Some(kind)),
        Backend::Auto => usable(None),
    };
    let all: Vec<String> = candidates.iter().map(Candidate::to_string).collect();
    match chosen {
        Some(kind) => Finding::ok(
            "choice",
            format!("{kind} on {}; {}", options.device, all.join("; ")),
        ),
        None => Finding {
            state: State::Broken,
            what: "choice",
            text: format!("nothing works on {}; {}", options.device, all.join("; ")),
            mend: "leave --backend and --device out".to_owned(),
        },
    }
}

fn tolerance(model: &ModelSource) -> f32 {
    let onnx = match model {
        ModelSource::File(path) => std::fs::read(path).unwrap_or_default(),
        ModelSource::Embedded(onnx) => onnx.to_vec(),
    };
    let header = Header::read(&onnx).ok();
    let precision = header
        .as_ref()
        .and_then(|header| header.metadata("tengen.precision"));
    if precision == Some("int8") {
        INTEGER_TOLERANCE
    } else {
        TOLERANCE
    }
}

/// Loads the network and runs it.
fn try_backend(
    kind: BackendKind,
    model: &ModelSource,
    load: &LoadOptions,
) -> Result<Answer, EvalError> {
    let factory = EvaluatorFactory::open(kind, model, load)?;
    let mut evaluator = factory.make()?;
    let mut batch = Batch::new(factory.info().row_len());
    let row = batch.push(0);
    // Any input will do, as long as it is not the same everywhere.
    row.iter_mut()
        .enumerate()
        .for_each(|(i, plane)| *plane = (i % 3) as f32 / 2.0);
    let mut out = Outputs::new();
    evaluator.evaluate(&batch, &mut out)?;
    let clock = SystemClock::new();
    for _ in 0..EVALUATIONS {
        evaluator.evaluate(&batch, &mut out)?;
    }
    let each = clock.now() / EVALUATIONS as u32;
    let logits = out.policy(0).iter().chain(out.value_logits(0));
    Ok((logits.copied().collect(), each))
}

fn network(model: &ModelSource, options: &EngineOptions) -> Finding {
    let broken = |text: String, mend: &str| Finding {
        state: State::Broken,
        what: "network",
        text,
        mend: mend.to_owned(),
    };
    // The network alone.
    let alone = EngineOptions {
        backend: Backend::Auto,
        device: Device::Cpu,
        ort_library: None,
        ..options.clone()
    };
    let settled = alone.resolve().map_err(|error| error.to_string());
    let info = model.info().map_err(|error| error.to_string());
    match settled.and_then(|settled| Ok((settled, info?))) {
        Err(error) => broken(error, "leave --model out to play with the built-in network"),
        Ok((settled, info)) if !info.plays_on(settled.board()) => broken(
            format!(
                "it plays {} on {}, not {} on {}",
                info.game,
                info.boards_text(),
                settled.game,
                settled.board()
            ),
            "tengen gtp --model FILE, with a network for this board; without one playouts choose the moves",
        ),
        Ok((_, info)) => Finding::ok(
            "network",
            format!(
                "{} ({}), {} {}, encoding {}, {} games",
                info.network,
                model.name(),
                info.game,
                info.boards_text(),
                info.encoding,
                info.games
            ),
        ),
    }
}

/// How a backend did, against `reference` where there is one.
fn backend(
    what: &'static str,
    tried: &Result<Answer, EvalError>,
    reference: Option<Reference<'_>>,
    asked: bool,
) -> Finding {
    let failed = if asked { State::Broken } else { State::Absent };
    let (state, text, mend) = match tried {
        Ok((logits, each)) => {
            let text = format!("{:.2} ms an evaluation", each.as_secs_f64() * 1000.0);
            let worst = reference.map_or(0.0, |((expected, _), _)| {
                let pairs = logits.iter().zip(expected);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            });
            if reference.is_none_or(|(_, tolerance)| worst <= tolerance) {
                (State::Ok, text, "")
            } else {
                let text = format!("{text}, but its answers differ from tract's by {worst}");
                (
                    State::Broken,
                    text,
                    "another version: scripts/fetch-onnxruntime.sh",
                )
            }
        }
        Err(error @ EvalError::Unavailable { backend, .. }) => {
            let mend = match *backend {
                "native" => "another backend",
                _ => "scripts/fetch-onnxruntime.sh",
            };
            (failed, error.to_string(), mend)
        }
        Err(error) => (State::Broken, error.to_string(), ""),
    };
    Finding {
        state,
        what,
        text,
        mend: mend.to_owned(),
    }
}

fn gpu(
    model: &ModelSource,
    options: &EngineOptions,
    load: &dyn Fn(Device) -> LoadOptions,
    reference: Option<Reference<'_>>,
) -> Finding {
    let asked = options.device != Device::Cpu;
    let driver = std::fs::read_to_string("/proc/driver/nvidia/version").ok();
    let Some(driver) = driver else {
        return Finding {
            state: if asked { State::Broken } else { State::Absent },
            what: "gpu",
            text: "no NVIDIA driver is loaded".to_owned(),
            mend: if asked { "tengen gtp --device cpu" } else { "" }.to_owned(),
        };
    };
    let device = if asked {
        options.device
    } else {
        Device::Cuda(0)
    };
    let tried = try_backend(BackendKind::Ort, model, &load(device));
    let mut finding = backend("gpu", &tried, reference, asked);
    let version = driver.lines().next().unwrap_or_default();
    match finding.state {
        State::Ok => finding.text = format!("{device}, {}; {version}", finding.text),
        State::Absent | State::Broken => {
            finding.mend = "scripts/fetch-onnxruntime.sh --gpu".to_owned();
        }
    }
    finding
}
