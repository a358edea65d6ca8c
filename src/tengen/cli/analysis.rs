//! `tengen analysis`: analyses games for KaTrain and other clients of KataGo's analysis engine.

use std::io::Read;
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::engine::{EngineOptions, Networks};
use crate::gtp::{KatagoOptions, KatagoResources, MakeAnalyst, MakeImitator, serve_queries};
use crate::registry;
use crate::system;
use anyhow::Context as _;
use clap::{Arg, Args};

use super::flags::{EngineFlags, of_go, without_play};
use super::katago_arguments::{KatagoArguments, OF_SEARCHES};
use super::output;

/// Analyse positions for KaTrain and other clients, with the protocol of KataGo's analysis engine.
///
/// Queries are JSON objects, one per line, on the standard input, any number concurrently; answers
/// go to the standard output when they are done. Board, rules, komi and search limits are those of
/// each query; the default limits are --visits and --time-per-move.
///
/// KataGo's own arguments -model, -config, -override-config and -human-model are taken, so that KaTrain
/// can start this program in KataGo's place: its network plays, and the second one imitates people of a rank
/// where a query asks for it (humanSLProfile). Of -override-config the settings are used that
/// Tengen has, too; those in the file of -config are not.
#[derive(Debug, Args)]
#[command(mut_args(|flag: Arg| of_go(without_play(flag))))]
pub(crate) struct Analysis {
    #[command(flatten)]
    engine: EngineFlags,
    /// Positions searched concurrently, each with --threads and its share of the memory [default:
    /// 2, or one per four CPUs with more than 8].
    #[arg(long, value_name = "N", value_parser = analysis_threads)]
    analysis_threads: Option<u16>,
    /// Default perspective of reported values: BLACK, WHITE or SIDETOMOVE.
    #[arg(long, value_name = "SIDE", default_value = "BLACK")]
    winrates_as: String,
    /// Quit at the end of the input without finishing open queries.
    #[arg(long)]
    quit_without_waiting: bool,
    #[command(flatten)]
    katago: KatagoArguments,
}

/// A number of positions at once.
fn analysis_threads(text: &str) -> anyhow::Result<u16> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=1024).contains(number))
        .with_context(|| format!("{text} is not a number from 1 to 1024"))
}

/// Default visits per search, as in KataGo's usual settings.
const VISITS: u64 = 500;

impl Analysis {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let of_queries = [&OF_SEARCHES[..], &["analysisPVLen", "antiMirror"]].concat();
        let known = [&of_queries[..], &["numAnalysisThreads"]].concat();
        let engine = self.engine.for_judging();
        let (options, loaded) = self.katago.options(&engine, &known)?;
        let threads = self
            .katago
            .setting("numAnalysisThreads")
            .map(analysis_threads);
        let threads = threads.transpose().context("numAnalysisThreads")?;
        let cores = system::processors();
        let positions = threads
            .or(self.analysis_threads)
            .map_or((cores / 4).max(2), usize::from);
        let imitator = self.katago.imitator(&options);
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.into());
        let katago_options = KatagoOptions {
            network: output::network(&options, loaded),
            imitator: imitator.as_ref().map(|(_, name)| name.clone()),
            positions,
            perspective: self.katago.perspective(&self.winrates_as)?,
            visits: options.visits.unwrap_or(VISITS),
            time: options.time_per_move,
            settings: self.katago.settings(&of_queries).map(owned).collect(),
            finish: !self.quit_without_waiting,
        };
        let who = output::who(&options, loaded, "KataGo's analysis protocol");
        output::tell(&format!("{who} Queries are JSON objects, one per line."));
        // As KataGo says it: clients wait for this line, and KaTrain for the word `ready`.
        output::tell("Started, ready to begin handling requests");
        let options = shared_out(options, positions, cores);
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let networks = Networks::default();
        let shared = networks.clone();
        let make: MakeAnalyst = Box::new(move |size, rules| {
            let mut options = options.clone();
            if !rules.is_empty() {
                rules.clone_into(&mut options.rules);
            }
            registry::create_by(&shared, &options, size, &time)
        });
        let resources = KatagoResources {
            make,
            imitate: imitator.map(|(options, _)| imitate(shared_out(options, positions, cores))),
            forget: Box::new(move || networks.forget()),
        };
        serve_queries(resources, katago_options, input, std::io::stdout())
            .context("the session failed")
    }
}

/// Creates engines whose network imitates people. Those of the same board and people share it.
fn imitate(options: EngineOptions) -> MakeImitator {
    let networks = Networks::default();
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    Box::new(move |size, profile| {
        let options = EngineOptions {
            human_profile: Some(profile),
            ..options.clone()
        };
        registry::create_by(&networks, &options, size, &time)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_says_that_the_game_is_go() {
        let command = Analysis::augment_args(clap::Command::new("analysis"));
        let help = command.term_width(0).render_long_help().to_string();
        assert!(help.contains("[default: go]"), "{help}");
        assert!(help.contains("for go 9"), "{help}");
        assert!(
            !help.contains("nogo]") && !help.contains("for nogo"),
            "{help}"
        );
    }

    #[test]
    fn engines_share_what_there_is() {
        let options = EngineOptions::of("go").expect("it is on the list");
        let two = shared_out(options.clone(), 2, 2);
        assert_eq!(two.threads, Some(2));
        assert_eq!(two.search.memory_mib, options.search.memory_mib / 2);
        assert_eq!(shared_out(options.clone(), 4, 16).threads, Some(8));
        assert_eq!(shared_out(options.clone(), 9, 1).threads, Some(1));
        let many = shared_out(options, 1000, 8);
        assert_eq!((many.search.memory_mib, many.solver.solver_mib), (16, 4));
    }
}
