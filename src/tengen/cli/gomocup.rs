//! `tengen gomocup`: plays for a manager of Gomoku programs.

use std::io::{Read, Write as _};
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::engine::EngineOptions;
use crate::gtp::{Allowance, GomocupOptions, GomocupSession, MakeBrain, serve};
use crate::registry;
use crate::system;
use anyhow::Context as _;
use clap::{Arg, Args};

use super::flags::EngineFlags;
use super::live::LiveBoard;
use super::output;

/// Play over the Gomocup protocol, for managers such as Piskvork.
///
/// Managers start programs without arguments: `tengen` alone recognises a first line of theirs, such
/// as START or INFO, and takes its arguments from the file `tengen.args` beside it if there
/// is one, one argument per line, `gomocup` first. Piskvork requires the program's file name to
/// start with `pbrain-`.
///
/// Times, memory and rules are set by the manager (INFO); the flags are the defaults.
#[derive(Debug, Args)]
#[command(mut_args(|arg: Arg| { let other = arg.get_id() == "game"; arg.hide(other) }))]
pub(crate) struct Gomocup {
    #[command(flatten)]
    engine: EngineFlags,
    /// The program's name in ABOUT.
    #[arg(long, value_name = "TEXT", default_value = "Tengen")]
    name: String,
    #[command(flatten)]
    live_board: LiveBoard,
    /// Do not report each search in a MESSAGE.
    #[arg(long)]
    quiet: bool,
}

/// The game that managers play.
const GAME: &str = "gomoku";

/// Lines of the log as the protocol's own: Piskvork reads both streams of a program as one, and takes what begins
/// neither with MESSAGE nor with DEBUG for an answer.
pub(crate) fn prepare_log(logger: &mut env_logger::Builder) {
    logger.format(|line, record| {
        let text = record.args().to_string().replace(['\r', '\n'], " ");
        let (time, level) = (line.timestamp(), record.level());
        writeln!(line, "DEBUG [{time} {level:5} {}] {text}", record.target())
    });
}

impl Gomocup {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let options = self.engine.read_for(Some(GAME))?;
        anyhow::ensure!(
            options.game == GAME,
            "managers play {GAME}: leave --game out"
        );
        let (mut options, loaded) = options.resolve_with_backend()?;
        anyhow::ensure!(
            options.playouts_per_second.is_none(),
            "--playouts-per-second simulates the clock, and the manager's is real: leave it out"
        );
        // The protocol cannot announce it.
        options.resign_below = None;
        let session_options = GomocupOptions {
            name: self.name,
            ponder: options.ponder,
            messages: !self.quiet,
            opening_seed: options.seed.unwrap_or_else(registry::random_seed),
        };
        if output::is_attended() {
            output::tell(&output::who(&options, loaded, "Gomocup"));
            let end = output::END_OF_INPUT;
            output::tell(&format!(
                "Try `START 15`, `BEGIN`, `TURN 7,7` (column and row, from 0); `END` or {end} ends.",
            ));
        }
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let tell = |line: &str| log::warn!("{line}");
        let viewers = self.live_board.open(&session_options.name, tell)?;
        let clock = Arc::clone(&time);
        let make: MakeBrain = Box::new(move |size, allowance| {
            let engine = registry::create(&within(&options, allowance), size, &time)?;
            Ok(viewers.follow(engine))
        });
        let session = GomocupSession::new(make, session_options, clock);
        serve(session, input, std::io::stdout()).context("the session failed")
    }
}

/// Minimum memory of a tree and of the solver, in MiB.
const MIN_TREE: u32 = 16;
const MIN_SOLVER: u32 = 4;
/// What the program takes besides tree, evaluations and solver, in MiB: 105 to 110 with the built-in network on 15x15
/// and one or two threads.
const PROGRAM: u32 = 110;

/// The settings limited to a manager's threads and memory. Of what the program itself leaves half is
/// for the tree, an eighth each for evaluations and the solver.
fn within(options: &EngineOptions, allowance: Allowance) -> EngineOptions {
    let mib = |bytes: u64| u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
    let mut options = options.clone();
    if let Some(all) = allowance.memory.map(mib) {
        let rest = all.saturating_sub(PROGRAM);
        options.search.memory_mib = options.search.memory_mib.min(rest / 2).max(MIN_TREE);
        options.cache_mib = options.cache_mib.min(rest / 8);
        options.solver.solver_mib = options.solver.solver_mib.min(rest / 8).max(MIN_SOLVER);
    }
    if let Some(tree) = allowance.tree.map(mib) {
        options.search.memory_mib = options.search.memory_mib.min(tree).max(MIN_TREE);
    }
    if let Some(threads) = allowance.threads {
        let own = options.threads.unwrap_or_else(system::processors);
        options.threads = Some(own.min(threads).max(1));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_only_ever_taken_away() {
        let options = EngineOptions::of(GAME).expect("it is on the list");
        let of_memory = |bytes| Allowance {
            memory: Some(bytes),
            ..Allowance::default()
        };
        assert_eq!(within(&options, Allowance::default()), options);
        assert_eq!(within(&options, of_memory(u64::MAX)), options);
        let usual = within(&options, of_memory(350 << 20));
        assert_eq!((usual.search.memory_mib, usual.cache_mib), (120, 30));
        let none = within(&options, of_memory(1));
        assert_eq!(
            (
                none.search.memory_mib,
                none.cache_mib,
                none.solver.solver_mib
            ),
            (16, 0, 4)
        );
    }
}
