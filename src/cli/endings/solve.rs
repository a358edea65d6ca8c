//! Solves a set's positions: winners, and all winning moves.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::game::{Game, Move};
use tengen::games::nogo::NoGo;
use tengen::games::nogo::Solver;
use tengen::record::file;
use tengen::solver::{Solve as _, SolveLimits};

use super::line::{Ending, Truth, read, text};
use super::table::table;
use crate::cli::interrupt::{end_as_interrupted, stop_on_ctrl_c};
use crate::cli::position::position;
use crate::cli::terminal::tell;

/// Interval between writes of the file.
const SAVE: Duration = Duration::from_secs(10);
/// Multiple of a result's nodes for all moves of a won position together: most of them lose, and
/// each loss is as hard to prove as a result.
const MOVES: u64 = 5;

/// Solve the positions of a set, continuing an earlier run.
///
/// Positions on which an earlier run spent as many nodes are skipped, so that a second run with
/// more nodes works on the harder ones. The file is written every few seconds; Ctrl-C ends the run
/// without losing results.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// The set.
    file: PathBuf,
    /// Give up on a position after this many nodes for its result, and five times as many for its
    /// moves.
    #[arg(long, value_name = "N", default_value_t = 3_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Positions solved concurrently, one thread each [default: number of CPUs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory per thread for proven positions.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    memory_mib: u64,
}

impl Solve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut endings = read(&self.file)?;
        let open = |ending: &&Ending| !ending.is_settled() && ending.nodes < self.nodes;
        let open: Vec<(usize, Ending)> = (0..)
            .zip(endings.iter())
            .filter(|(_, ending)| open(ending))
            .map(|(index, ending)| (index, ending.clone()))
            .collect();
        let stop = stop_on_ctrl_c()?;
        let halt = |_: u64| stop.is_raised();
        let next = AtomicUsize::new(0);
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let threads = self.threads.map_or(cores, usize::from);
        let bytes = usize::try_from(self.memory_mib << 20).context("--memory-mib is too large")?;
        let effort = SolveLimits {
            nodes: self.nodes,
            threads: 1,
            halt: &halt,
        };
        std::thread::scope(|scope| {
            let (sender, solved) = mpsc::channel();
            for _ in 0..threads {
                let (sender, open, next, effort) = (sender.clone(), &open, &next, &effort);
                scope.spawn(move || {
                    while let Some((index, ending)) = open.get(next.fetch_add(1, Ordering::Relaxed))
                        && !(effort.halt)(0)
                    {
                        let found = solve(ending, bytes, effort);
                        if (effort.halt)(0) || sender.send((*index, found)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            self.collect(&mut endings, open.len(), &solved)
        })?;
        crate::cli::output::print(&table(&endings))?;
        if stop.is_raised() {
            return end_as_interrupted();
        }
        Ok(())
    }

    /// Collects the threads' results, and writes them every few seconds and at the end.
    fn collect(
        &self,
        endings: &mut [Ending],
        open: usize,
        solved: &mpsc::Receiver<(usize, anyhow::Result<Ending>)>,
    ) -> anyhow::Result<()> {
        let save = |endings: &[Ending]| {
            file::write(&self.file, text(endings).as_bytes())
                .with_context(|| self.file.display().to_string())
        };
        let clock = SystemClock::new();
        let (mut saved, mut settled) = (clock.now(), 0);
        for (done, (index, found)) in (1..).zip(solved) {
            let found = found.with_context(|| endings[index].to_line())?;
            settled += usize::from(found.is_settled());
            endings[index] = found;
            if clock.now() - saved >= SAVE {
                save(endings)?;
                saved = clock.now();
                tell(&format!("{done} of {open} positions, {settled} settled"));
            }
        }
        save(endings)
    }
}

/// The ending after a solve from scratch with this many nodes.
fn solve(ending: &Ending, bytes: usize, effort: &SolveLimits<'_>) -> anyhow::Result<Ending> {
    match ending.size.area() {
        0..=64 => settle::<1>(ending, bytes, effort),
        65..=128 => settle::<2>(ending, bytes, effort),
        _ => settle::<3>(ending, bytes, effort),
    }
}

fn settle<const W: usize>(
    ending: &Ending,
    bytes: usize,
    effort: &SolveLimits<'_>,
) -> anyhow::Result<Ending> {
    let record = ending.record();
    let position = position(&record, NoGo::<W>::new(record.size)?)?;
    // A new solver: a position's nodes do not depend on earlier ones.
    let mut solver: Solver<W> = Solver::new(bytes);
    let found = solver.solve(&position, effort);
    let mut nodes = found.nodes;
    let truth = match (found.wins(), found.best) {
        (None, _) => Truth::Unknown,
        (Some(false), _) => Truth::Lost,
        (Some(true), best) => {
            let (mut by, mut perhaps) = (Vec::new(), Vec::new());
            let mut left = MOVES * effort.nodes;
            let moves: Vec<Move> = position.legal_moves().collect();
            for (done, mv) in (0..).zip(&moves) {
                let share = left / (moves.len() - done) as u64;
                let mut next = position.clone();
                next.play(*mv);
                let effort = SolveLimits {
                    nodes: share.max(1),
                    ..*effort
                };
                let reply = match best {
                    Some(best) if best == *mv => Some(false),
                    _ => {
                        let found = solver.solve(&next, &effort);
                        nodes += found.nodes;
                        left = left.saturating_sub(found.nodes);
                        found.wins()
                    }
                };
                match reply {
                    Some(false) => by.push(*mv),
                    Some(true) => {}
                    None => perhaps.push(*mv),
                }
            }
            Truth::Won { by, perhaps }
        }
    };
    // So that a later run with as many nodes skips it.
    let nodes = match truth {
        Truth::Unknown => nodes.max(effort.nodes),
        _ => nodes,
    };
    Ok(Ending {
        nodes,
        truth,
        ..ending.clone()
    })
}
