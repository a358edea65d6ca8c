//! `tengen doctor`: checks this machine for the engine, with suggested fixes.

mod backend;
mod machine;

use crate::engine::{
    Backend, EngineOptions, built_in, built_in_boards, built_in_name, none_built_in,
};
use crate::games::{GAMES, UnknownGame, with_game};
use crate::program::counted;
use anyhow::bail;
use clap::Args;
use tengen_nn::eval::{BackendKind, Candidate, Device, FETCH, LoadOptions, ModelSource};

use super::flags::EngineFlags;
use super::output::print;
use backend::{Finding, State, Tolerance, backend, try_backend};

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
            count => bail!("{} failed", counted(count, "check")),
        }
    }
}

fn examine(options: &EngineOptions) -> Vec<Finding> {
    let mut findings = vec![machine::processor(), machine::memory(options)];
    if let Some(finding) = unplayable(options) {
        findings.push(finding);
        return findings;
    }
    // In f32 everywhere, so that answers can be compared.
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
    let of_tract = tried.iter().find(|(kind, _)| *kind == BackendKind::Tract);
    let answer = of_tract.and_then(|(_, answer)| answer.as_ref().ok());
    let reference = answer.map(|answer| (answer, Tolerance::of(&model)));
    let mut computing = Vec::new();
    for (kind, answer) in &tried {
        let library = *kind == BackendKind::Ort && load.ort_library.is_named();
        let asked = options.backend == Backend::Network(*kind) || library;
        let mut finding = backend(kind.name(), answer, reference, asked);
        if library && finding.state == State::Broken {
            finding.fix = format!("leave --ort-library and ORT_DYLIB_PATH out; {FETCH}");
        }
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
            computing.push((*kind, finding.state));
        }
        findings.push(finding);
    }
    let cards = machine::gpus(&model, &load, options.device, reference);
    if options.device != Device::Cpu {
        let broken = cards.iter().find(|card| card.state != State::Ok);
        let state = broken.map_or(State::Ok, |card| card.state);
        computing = vec![(BackendKind::Ort, state)];
    }
    findings.extend(cards);
    findings.push(choice(options, &computing));
    findings
}

/// How moves are chosen with these settings, whether these backends work or not.
fn choice(options: &EngineOptions, computing: &[(BackendKind, State)]) -> Finding {
    let candidates = Candidate::all(&options.load());
    let wanted = match options.backend {
        Backend::Rollout => {
            return Finding::ok("choice", "random playouts, without a network".to_owned());
        }
        Backend::Network(kind) => Some(kind),
        Backend::Auto => None,
    };
    let available = candidates.iter().filter(|found| found.verdict.is_ok());
    let wanted = available.filter(|found| wanted.is_none_or(|wanted| wanted == found.kind));
    let state = |kind| computing.iter().find(|(computes, _)| *computes == kind);
    let chosen = wanted.map(|found| found.kind).find_map(state);
    let all: Vec<String> = candidates.iter().map(Candidate::to_string).collect();
    let all = all.join("; ");
    let works = |kind| candidates.iter().find(|found| found.kind == kind);
    let device = options.device;
    match chosen {
        Some((kind, State::Ok)) => {
            let word = works(*kind).and_then(|found| found.verdict.as_ref().ok());
            let word = word.map(|word| format!(", {word}")).unwrap_or_default();
            Finding::ok("choice", format!("{kind} on {device}{word}"))
        }
        Some((kind, _)) => {
            let works = computing.iter().find(|(_, state)| *state == State::Ok);
            let fix = match works {
                Some((other, _)) => format!("--backend {other}"),
                None if device != Device::Cpu => "--device cpu".to_owned(),
                None => "leave --model out to play with the built-in network".to_owned(),
            };
            let text = format!("{kind} on {device} would be used, but is broken; {all}");
            Finding::broken("choice", text, fix)
        }
        None => Finding::broken(
            "choice",
            format!("nothing works on {device}; {all}"),
            "leave --backend and --device out",
        ),
    }
}

/// The network of another game on its usual board, and its speed; `None` for a game without one.
fn of_game(game: &str) -> Option<Finding> {
    let options = EngineOptions::of(game).ok()?;
    let board = options.usual_board();
    let model = built_in(game, board, BackendKind::Native, Device::Cpu)?;
    let mut finding = network(&model, &options);
    let tried = try_backend(BackendKind::Native, &model, &options.load());
    let computed = backend("network", &tried, None, true);
    finding.text += &format!("; {}", computed.text);
    if computed.state == State::Broken {
        finding.state = State::Broken;
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
    fn what_is_broken_is_not_chosen() {
        let automatic = EngineOptions::default();
        let tract = EngineOptions {
            backend: Backend::Network(BackendKind::Tract),
            ..EngineOptions::default()
        };
        let (native, other) = (BackendKind::Native, BackendKind::Tract);
        let check = |options: &EngineOptions, computing: &[_], state, text: &str, fix: &str| {
            let found = choice(options, computing);
            assert_eq!((found.state, &*found.fix), (state, fix), "{}", found.text);
            assert!(found.text.starts_with(text), "{}", found.text);
        };
        let well = [(native, State::Ok), (other, State::Ok)];
        check(&automatic, &well, State::Ok, "native on cpu", "");
        check(&tract, &well, State::Ok, "tract on cpu", "");
        let wrong = [(native, State::Broken), (other, State::Ok)];
        let text = "native on cpu would be used, but is broken";
        check(&automatic, &wrong, State::Broken, text, "--backend tract");
        check(&tract, &wrong, State::Ok, "tract on cpu", "");
        // A backend that cannot compute the network is skipped in play, too.
        check(&automatic, &wrong[1..], State::Ok, "tract on cpu", "");
        let text = "nothing works on cpu";
        let fix = "leave --backend and --device out";
        check(&tract, &wrong[..1], State::Broken, text, fix);
    }
}
