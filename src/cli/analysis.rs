//! `tengen analysis`: analyses games for KaTrain and other clients of KataGo's analysis engine.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{EngineOptions, Networks};
use tengen::eval::{BackendKind, ModelSource};
use tengen::gtp::{KatagoOptions, KatagoResources, MakeAnalyst, Perspective, serve_queries};
use tengen::registry;

use super::flags::EngineFlags;
use super::terminal;

/// Analyse positions for KaTrain and other clients, with the protocol of KataGo's analysis engine.
///
/// Queries are JSON objects, one per line, on the standard input, any number concurrently; answers
/// go to the standard output when they are done. Board, rules, komi and search limits are those of
/// each query; the default limits are --visits and --time-per-move.
///
/// KataGo's own arguments -model, -config, -override-config and -human-model are taken, so that KaTrain
/// can start this program in KataGo's place: its network plays, its settings are not used.
#[derive(Debug, Args)]
pub(crate) struct Analysis {
    #[command(flatten)]
    engine: EngineFlags,
    /// Positions searched concurrently, each with --threads and its share of the memory [default:
    /// 2, or one per four CPUs with more than 8].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    analysis_threads: Option<u16>,
    /// Default perspective of reported values: BLACK, WHITE or SIDETOMOVE.
    #[arg(long, value_name = "SIDE", default_value = "BLACK")]
    winrates_as: String,
    /// Quit at the end of the input without finishing open queries.
    #[arg(long)]
    quit_without_waiting: bool,
    /// A network given as KataGo's -model: where it cannot be used, the built-in one plays.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "model")]
    katago_model: Option<PathBuf>,
    /// A KataGo argument without effect here.
    #[arg(long, value_name = "TEXT", hide = true)]
    katago: Vec<String>,
}

/// The clients' game, unless a flag names another one.
const GAME: &str = "go";
/// Default visits per search, as in KataGo's usual settings.
const VISITS: u64 = 500;

impl Analysis {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let (options, loaded) = self.options()?;
        anyhow::ensure!(
            options.playouts_per_second.is_none(),
            "--playouts-per-second simulates a clock, and analysis has none: leave it out"
        );
        let perspective = self.winrates_as.parse::<Perspective>();
        let wrong = |known| anyhow::anyhow!("--winrates-as must be {known}");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let positions = self
            .analysis_threads
            .map_or((cores / 4).max(2), usize::from);
        let katago_options = KatagoOptions {
            name: "Tengen".to_owned(),
            networks: terminal::network(&options, loaded).into_iter().collect(),
            positions,
            perspective: perspective.map_err(wrong)?,
            visits: options.visits.unwrap_or(VISITS),
            time: options.time_per_move,
            finish: !self.quit_without_waiting,
        };
        for unused in &self.katago {
            terminal::tell(&format!("Ignored arguments of KataGo: {unused}"));
        }
        // KaTrain waits for the word `ready`.
        let who = terminal::who(&options, loaded, "KataGo's analysis protocol");
        terminal::tell(&format!(
            "{who} Ready for queries, one JSON object per line."
        ));
        let options = shared_out(options, positions, cores);
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let networks = Networks::default();
        let shared = networks.clone();
        let make: MakeAnalyst = Box::new(move |size, rules| {
            let mut options = options.clone();
            if !rules.is_empty() {
                rules.clone_into(&mut options.rules);
            }
            registry::create_beside(&options, size, &time, &shared)
        });
        let resources = KatagoResources {
            make,
            forget: Box::new(move || networks.forget()),
        };
        serve_queries(resources, katago_options, input, std::io::stdout())
            .context("the session failed")
    }

    /// The settings, and the backend by which a named network was loaded. KataGo's clients name networks of their own,
    /// and some of those (transformers, KaTrain's default) are of a kind that is not computed. KaTrain shows lines with
    /// the word error.
    fn options(&self) -> anyhow::Result<(EngineOptions, Option<BackendKind>)> {
        let options = self.engine.read_for(Some(GAME))?;
        let Some(model) = &self.katago_model else {
            return Ok(options.resolve_with_backend()?);
        };
        let with_model = EngineOptions {
            model: Some(model.clone()),
            ..options.clone()
        };
        match with_model.resolve_with_backend() {
            Err(error) if ModelSource::File(model.clone()).is_katago() => {
                let file = model.display();
                terminal::tell(&format!(
                    "Ignored arguments of KataGo: -model {file}: error: {error}; the built-in network plays"
                ));
                Ok(options.resolve_with_backend()?)
            }
            resolved => Ok(resolved?),
        }
    }
}

/// The settings of each of several concurrent engines: memory is divided, and so are threads, but
/// for twice the number of CPUs, because often only one position is requested.
fn shared_out(mut options: EngineOptions, positions: usize, cores: usize) -> EngineOptions {
    let part = |mib: u32, least: u32| {
        let positions = u32::try_from(positions).unwrap_or(u32::MAX);
        (mib / positions).max(least.min(mib))
    };
    let threads = (2 * cores).div_ceil(positions).min(cores);
    options.threads = options.threads.or(Some(threads));
    options.search.memory_mib = part(options.search.memory_mib, 16);
    options.solver.solver_mib = part(options.solver.solver_mib, 4);
    options
}

/// The arguments of `tengen`, with KataGo's single-dash ones converted to ours.
pub(super) fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.into_iter();
    let mut ours: Vec<OsString> = given.by_ref().take(2).collect();
    if ours
        .get(1)
        .is_none_or(|subcommand| subcommand != "analysis")
    {
        ours.extend(given);
        return ours;
    }
    while let Some(argument) = given.next() {
        let name = match argument.to_str() {
            Some("-quit-without-waiting") => {
                ours.push("--quit-without-waiting".into());
                continue;
            }
            Some("-analysis-threads") => {
                ours.push("--analysis-threads".into());
                continue;
            }
            Some(name @ ("-model" | "-config" | "-override-config" | "-human-model")) => &name[1..],
            _ => {
                ours.push(argument);
                continue;
            }
        };
        let value = given.next().unwrap_or_default();
        match ours_for(name, Path::new(&value)) {
            Some(flag) => ours.extend([flag.into(), value]),
            None => {
                let unused = format!("--katago=-{name} {}", value.to_string_lossy());
                ours.push(unused.into());
            }
        }
    }
    ours
}

/// Our flag for a file for KataGo, if it means something here: a network, or settings in our form.
fn ours_for(argument: &str, file: &Path) -> Option<&'static str> {
    let ends_with = |extension: &str| file.extension().is_some_and(|found| found == extension);
    let source = ModelSource::File(file.to_owned());
    let is_network = || ends_with("onnx") || source.is_katago() || source.info().is_ok();
    match argument {
        "model" if is_network() => Some("--katago-model"),
        "config" if ends_with("toml") => Some("--config"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn katagos_arguments_are_taken() {
        let check = |given: &[&str], expected: &[&str]| {
            let words = |words: &[&str]| -> Vec<OsString> {
                let program = ["tengen"].iter().chain(words);
                program.map(|word| OsString::from(*word)).collect()
            };
            assert_eq!(arguments(words(given)), words(expected));
        };
        check(
            &["analysis", "-model", "b18.bin.gz", "-config", "a b.cfg"],
            &[
                "analysis",
                "--katago=-model b18.bin.gz",
                "--katago=-config a b.cfg",
            ],
        );
        check(
            &[
                "analysis",
                "-override-config",
                "homeDataDir=/x",
                "--visits",
                "7",
            ],
            &[
                "analysis",
                "--katago=-override-config homeDataDir=/x",
                "--visits",
                "7",
            ],
        );
        check(
            &[
                "analysis",
                "-model",
                "go.onnx",
                "-config",
                "mine.toml",
                "-analysis-threads",
                "3",
            ],
            &[
                "analysis",
                "--katago-model",
                "go.onnx",
                "--config",
                "mine.toml",
                "--analysis-threads",
                "3",
            ],
        );
        check(&["analysis", "-model"], &["analysis", "--katago=-model "]);
        check(&["gtp", "-model", "x"], &["gtp", "-model", "x"]);
        check(&[], &[]);
    }

    #[test]
    fn engines_share_what_there_is() {
        let options = EngineOptions::of(GAME).expect("it is on the list");
        let two = shared_out(options.clone(), 2, 2);
        assert_eq!(two.threads, Some(2));
        assert_eq!(two.search.memory_mib, options.search.memory_mib / 2);
        assert_eq!(shared_out(options.clone(), 4, 16).threads, Some(8));
        assert_eq!(shared_out(options.clone(), 9, 1).threads, Some(1));
        let many = shared_out(options, 1000, 8);
        assert_eq!((many.search.memory_mib, many.solver.solver_mib), (16, 4));
    }
}
