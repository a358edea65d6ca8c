//! `tengen doctor`: checks this machine for the engine, with suggested fixes.

mod backend;
mod machine;

use anyhow::bail;
use clap::Args;
use tengen::engine::{
    Backend, EngineOptions, built_in, built_in_boards, built_in_name, none_built_in,
};
use tengen::games::{GAMES, UnknownGame, with_game};
use tengen_nn::eval::{BackendKind, Candidate, Device, LoadOptions, ModelSource};

use super::flags::EngineFlags;
use super::output::print;
use backend::{Finding, State, backend, try_backend};

/// Report which backends, libraries, devices and networks are found and work, with suggested fixes.
/// Takes the engine's settings, to check exactly these.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print the findings as JSON, one object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = self.engine.read()?;
        let mut findings = examine(&options);
        // Those of the game that was asked for suffice.
        if self.engine.given("game").is_none() && options.model.is_none() {
            let others = GAMES.iter().filter(|game| game.name != options.game);
            findings.extend(others.filter_map(|game| of_game(game.name)));
        }
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
            if !finding.fix.is_empty() {
                print(&format!("{:19}fix: {}", "", finding.fix))?;
            }
        }
        let is_broken = |finding: &&Finding| finding.state == State::Broken;
        match findings.iter().filter(is_broken).count() {
            0 => Ok(()),
            1 => bail!("1 check failed"),
            count => bail!("{count} checks failed"),
        }
    }
}

fn examine(options: &EngineOptions) -> Vec<Finding> {
    let mut findings = vec![machine::processor(), machine::memory(options)];
    if let Some(finding) = unplayable(options) {
        findings.push(finding);
        return findings;
    }
    // The form that every backend computes.
    let own = |board| built_in(&options.game, board, BackendKind::Tract, Device::Cpu);
    let asked = options.model.clone().map(ModelSource::File);
    let chosen = asked.or_else(|| own(options.board()));
    let finding = chosen
        .as_ref()
        .map_or_else(|| missing(options), |model| network(model, options));
    let works = finding.state == State::Ok;
    let is_broken = finding.state == State::Broken;
    findings.push(finding);
    if !is_broken {
        findings.extend(book(options));
    }
    // A broken network says nothing about backends, and a missing one neither: they are tried with a
    // built-in one, for the usual board if this one has none.
    let boards = [options.board(), options.usual_board()];
    let mut spare = boards
        .into_iter()
        .filter_map(|board| Some((own(board)?, Some(board))));
    let usual = options.load();
    let tried = match (chosen, spare.next()) {
        (Some(model), None) => Some((model, usual.board)),
        (Some(model), _) if works => Some((model, usual.board)),
        (_, spare) => spare,
    };
    let Some((model, board)) = tried else {
        return findings;
    };
    let load = LoadOptions {
        device: Device::Cpu,
        board,
        ..usual
    };
    let tried = BackendKind::ALL.map(|kind| (kind, try_backend(kind, &model, &load)));
    let mut computing = Vec::new();
    for (kind, answer) in &tried {
        let library = *kind == BackendKind::Ort && options.ort_library.is_some();
        let asked = options.backend == Backend::Network(*kind) || library;
        let mut finding = backend(kind.name(), answer, asked);
        let is_there = || {
            load.ort_library
                .candidates()
                .iter()
                .any(|path| path.is_file())
        };
        if *kind == BackendKind::Ort && finding.state == State::Absent && !is_there() {
            let text = "ONNX Runtime is not installed; only networks that native does not compute and GPUs need it";
            text.clone_into(&mut finding.text);
        }
        if answer.is_ok() {
            computing.push(*kind);
        }
        findings.push(finding);
    }
    let cards = machine::gpus(&model, &load, options.device);
    if options.device != Device::Cpu {
        let works = cards.iter().all(|card| card.state == State::Ok);
        computing = Vec::from_iter(works.then_some(BackendKind::Ort));
    }
    findings.extend(cards);
    findings.push(choice(options, &computing));
    findings
}

/// How moves are chosen with these settings, where these backends compute the network.
fn choice(options: &EngineOptions, computing: &[BackendKind]) -> Finding {
    let wanted = match options.backend {
        Backend::Rollout => {
            return Finding::ok("choice", "random playouts, without a network".to_owned());
        }
        Backend::Network(kind) => Some(kind),
        Backend::Auto => None,
    };
    let (device, candidates) = (options.device, Candidate::all(&options.load()));
    let chosen = candidates.iter().find(|found| {
        let is_wanted = wanted.is_none_or(|wanted| wanted == found.kind);
        is_wanted && found.verdict.is_ok() && computing.contains(&found.kind)
    });
    match chosen {
        Some(Candidate { kind, verdict }) => {
            let word = verdict.as_ref().map(|word| format!(", {word}"));
            let word = word.unwrap_or_default();
            Finding::ok("choice", format!("{kind} on {device}{word}"))
        }
        None => {
            let all: Vec<String> = candidates.iter().map(Candidate::to_string).collect();
            Finding::broken(
                "choice",
                format!("nothing works on {device}; {}", all.join("; ")),
                "leave --backend and --device out",
            )
        }
    }
}

/// The network of another game on its usual board, and its speed; `None` for a game without one.
fn of_game(game: &str) -> Option<Finding> {
    let options = EngineOptions::of(game).ok()?;
    let board = options.usual_board();
    let model = built_in(game, board, BackendKind::Native, Device::Cpu)?;
    let mut finding = network(&model, &options);
    match try_backend(BackendKind::Native, &model, &options.load()) {
        Ok(answer) => {
            let each = answer.each.as_secs_f64() * 1000.0;
            finding.text += &format!("; {each:.2} ms per evaluation on {board}");
        }
        Err(error) => {
            finding.state = State::Broken;
            finding.text += &format!("; {error}");
        }
    }
    Some(finding)
}

/// Why these settings are refused as a game, if they are.
fn unplayable(options: &EngineOptions) -> Option<Finding> {
    let (game, rules) = (&options.game, &*options.rules);
    let begun = with_game!(game, options.board(), rules: rules, |_empty| ());
    let error = begun.err()?;
    let fix = match error {
        UnknownGame::Size(_) => format!("--size {}", options.usual_board()),
        UnknownGame::Rules(_) => "leave --rules out to play by the usual ones".to_owned(),
        UnknownGame::Name(_) => "one of these names".to_owned(),
        UnknownGame::Komi(_) => "leave --komi out".to_owned(),
        UnknownGame::Setting(_) => "one of these values".to_owned(),
    };
    Some(Finding::broken("game", error.to_string(), fix))
}

/// What to do without a network for a board.
const FOR_THIS_BOARD: &str =
    "tengen gtp --model FILE, with a network for this board; without one playouts choose the moves";

/// There is no network for the game, or none for its board.
fn missing(options: &EngineOptions) -> Finding {
    let text = none_built_in(&options.game, options.board());
    match built_in_boards(&options.game) {
        None => {
            let text = format!("{text}: playouts choose the moves");
            Finding::missing("network", text, false, "")
        }
        Some(_) => Finding::broken("network", text, FOR_THIS_BOARD),
    }
}

/// Whether the book can be used, where there is one.
fn book(options: &EngineOptions) -> Option<Finding> {
    let source = options.book.as_ref()?;
    let with_book = EngineOptions {
        book: Some(source.clone()),
        ..alone(options)
    };
    Some(match with_book.resolve() {
        Ok(_) => Finding::ok("book", source.to_string()),
        Err(error) => Finding::broken("book", error.to_string(), "leave --book out"),
    })
}

/// The network alone.
fn alone(options: &EngineOptions) -> EngineOptions {
    EngineOptions {
        backend: Backend::Auto,
        device: Device::Cpu,
        ort_library: None,
        book: None,
        ..options.clone()
    }
}

fn network(model: &ModelSource, options: &EngineOptions) -> Finding {
    let alone = alone(options);
    let settled = alone.resolve().map_err(|error| error.to_string());
    let info = model.info().map_err(|error| error.to_string());
    match settled.and_then(|settled| Ok((settled, info?))) {
        Err(error) => {
            let fix = match options.human_profile {
                None => "leave --model out to play with the built-in network",
                Some(_) => {
                    "leave --model and --human-profile out to play with the built-in network"
                }
            };
            Finding::broken("network", error, fix)
        }
        Ok((settled, info)) if !info.plays_on(settled.board()) => Finding::broken(
            "network",
            format!(
                "it plays {} on {}, not {} on {}",
                info.game,
                info.boards_text(),
                settled.game,
                settled.board()
            ),
            FOR_THIS_BOARD,
        ),
        Ok((settled, info)) => Finding::ok(
            "network",
            format!(
                "{} ({}), {} {}, encoding {}, {} games",
                info.network,
                match (model, built_in_name(&settled.game, settled.board())) {
                    (ModelSource::Embedded(_), Some(name)) => format!("{name}, built in"),
                    _ => model.name(),
                },
                info.game,
                info.boards_text(),
                info.encoding,
                info.games
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_compute_is_not_chosen() {
        let automatic = EngineOptions::default();
        let tract = EngineOptions {
            backend: Backend::Network(BackendKind::Tract),
            ..EngineOptions::default()
        };
        let both = [BackendKind::Native, BackendKind::Tract];
        for (options, computing, state, text) in [
            (&automatic, &both[..], State::Ok, "native on cpu"),
            (&tract, &both[..], State::Ok, "tract on cpu"),
            // A backend that cannot compute the network is skipped in play, too.
            (&automatic, &both[1..], State::Ok, "tract on cpu"),
            (&tract, &both[..1], State::Broken, "nothing works on cpu"),
        ] {
            let found = choice(options, computing);
            assert_eq!(found.state, state, "{}", found.text);
            assert!(found.text.starts_with(text), "{}", found.text);
        }
    }
}
