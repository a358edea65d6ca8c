//! `tengen doctor`: what of this machine works for the engine, and what to do about the rest.

mod backend;
mod finding;
mod gpu;
mod machine;
mod sample;

use anyhow::bail;
use clap::Args;
use tengen::engine::{Backend, EngineOptions, built_in};
use tengen::eval::{BackendKind, Candidate, Device, LoadOptions, ModelSource};

use super::flags::EngineFlags;
use super::output::print;
use backend::{Tolerance, backend, try_backend};
use finding::{Finding, State};

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
    let reference = answer.map(|answer| (answer, Tolerance::of(&model)));
    for (kind, answer) in &tried {
        let library = *kind == BackendKind::Ort && options.ort_library.is_some();
        let asked = options.backend == Backend::Network(*kind) || library;
        findings.push(backend(kind.name(), answer, reference, asked));
    }
    findings.extend(gpu::examine(&model, options, reference));
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
