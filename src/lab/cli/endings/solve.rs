//! Solves a set's positions: winners, and all winning moves; and the table of a set, ply by ply.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::command::position;
use tengen::game::{Move, Proof};
use tengen::games::with_game;
use tengen::program;
use tengen::record::file;
use tengen::search::StopFlag;
use tengen::solver::{self, Solvable, SolveLimits};
use tengen::system;
use tengen_train::command::print;

use super::line::{Ending, Truth, read, text};

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
        file::check(&self.file).with_context(|| self.file.display().to_string())?;
        let open = |ending: &&Ending| !ending.is_settled() && ending.nodes < self.nodes;
        let open: Vec<(usize, Ending)> = (0..)
            .zip(endings.iter())
            .filter(|(_, ending)| open(ending))
            .map(|(index, ending)| (index, ending.clone()))
            .collect();
        let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        let stop = StopFlag::from(raised);
        let halt = |_: u64| stop.is_raised();
        let next = AtomicUsize::new(0);
        let cores = system::processors();
        let threads = self.threads.map_or(cores, usize::from);
        let bytes = usize::try_from(self.memory_mib << 20).context("--memory-mib is too large")?;
        let effort = SolveLimits::alone(self.nodes, &halt);
        std::thread::scope(|scope| {
            let (sender, solved) = mpsc::channel();
            for _ in 0..threads {
                let (sender, open, next, effort) = (sender.clone(), &open, &next, &effort);
                let work = move || {
                    while let Some((index, ending)) = open.get(next.fetch_add(1, Ordering::Relaxed))
                        && !(effort.halt)(0)
                    {
                        let found = solve(ending, bytes, effort);
                        if (effort.halt)(0) || sender.send((*index, found)).is_err() {
                            break;
                        }
                    }
                };
                let thread = std::thread::Builder::new().spawn_scoped(scope, work);
                thread.context("cannot start a thread")?;
            }
            drop(sender);
            self.collect(&mut endings, open.len(), &solved)
        })?;
        print(&table(&endings))?;
        if stop.is_raised() {
            program::end_as_interrupted().context("interrupted")?;
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
                log::info!("{done} of {open} positions, {settled} settled");
            }
        }
        save(endings)
    }
}

/// The ending after a solve from scratch with this many nodes.
fn solve(ending: &Ending, bytes: usize, effort: &SolveLimits<'_>) -> anyhow::Result<Ending> {
    let (game, rules) = (ending.game.as_str(), ending.rules.as_str());
    with_game!(game, ending.size, rules: rules, |empty| settle(empty, ending, bytes, effort))?
}

fn settle<G: Solvable>(
    empty: G,
    ending: &Ending,
    bytes: usize,
    effort: &SolveLimits<'_>,
) -> anyhow::Result<Ending> {
    let position = position(&ending.record(), empty)?;
    // A new solver: a position's nodes do not depend on earlier ones.
    let solver = G::solver(bytes);
    let mut solver = solver.with_context(|| format!("there is no solver for {}", G::INFO.title))?;
    let found = solver.solve(&position, effort);
    let mut nodes = found.nodes;
    let truth = match found.proof() {
        Some(Proof::Loss) => Truth::Lost,
        Some(Proof::Draw) => Truth::Unknown { holds: None },
        // After most moves a position is as hard to solve: but not where the solver finds threats
        // only, and a side that does not answer one loses at once.
        None if position.nodes_to_solve().is_some() => Truth::Unknown { holds: None },
        proof => {
            let best = found.best.filter(|_| proof.is_some());
            let won = proof.is_some();
            let (truth, more) = by_moves(&mut *solver, &position, won, best, effort);
            nodes += more;
            truth
        }
    };
    // So that a later run with as many nodes skips it.
    let nodes = match truth {
        Truth::Unknown { .. } => nodes.max(effort.nodes),
        _ => nodes,
    };
    Ok(Ending {
        nodes,
        truth,
        ..ending.clone()
    })
}

/// Solves the positions after all moves but `best`, which is known to win: what follows for this position, which may be
/// known to be won, and the nodes.
fn by_moves<G: Solvable>(
    solver: &mut dyn solver::Solve<G>,
    position: &G,
    won: bool,
    best: Option<Move>,
    effort: &SolveLimits<'_>,
) -> (Truth, u64) {
    let (mut win, mut unknown, mut some_lose, mut nodes) = (Vec::new(), Vec::new(), false, 0);
    let moves: Vec<Move> = position.legal_moves().collect();
    for (done, &mv) in (0..).zip(&moves) {
        let left = (MOVES * effort.nodes).saturating_sub(nodes);
        let share = left / (moves.len() - done) as u64;
        let mut next = position.clone();
        next.play(mv);
        let reply = if best == Some(mv) {
            Some(Proof::Loss)
        } else {
            let found = solver.solve(&next, &effort.within(share.max(1)));
            nodes += found.nodes;
            found.proof()
        };
        match reply {
            Some(Proof::Loss) => win.push(mv),
            Some(Proof::Win) => some_lose = true,
            Some(Proof::Draw) | None => unknown.push(mv),
        }
    }
    let truth = if won || !win.is_empty() {
        Truth::Won {
            by: win,
            perhaps: unknown,
        }
    } else if unknown.is_empty() {
        Truth::Lost
    } else {
        Truth::Unknown {
            holds: some_lose.then_some(unknown),
        }
    };
    (truth, nodes)
}

/// Positions of a ply by result.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    all: usize,
    won: usize,
    lost: usize,
    unknown: usize,
    /// Won, but not all moves are known.
    unfinished: usize,
}

impl Count {
    fn add(&mut self, ending: &Ending) {
        self.all += 1;
        match &ending.truth {
            Truth::Unknown { .. } => self.unknown += 1,
            Truth::Lost => self.lost += 1,
            Truth::Won { .. } => self.won += 1,
        }
        let unfinished = ending.wins().is_some() && !ending.is_settled();
        self.unfinished += usize::from(unfinished);
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:>4} {:>10} {:>6} {:>6} {:>8} {:>17}",
            self.all, self.won, self.lost, self.unknown, self.unfinished
        )
    }
}

/// A table of results by ply.
pub(super) fn table(endings: &[Ending]) -> String {
    let mut plies: BTreeMap<usize, Count> = BTreeMap::new();
    let mut all = Count::default();
    for ending in endings {
        plies.entry(ending.ply()).or_default().add(ending);
        all.add(ending);
    }
    let head = " ply  positions    won   lost  unknown  won, moves unknown".to_owned();
    let rows = plies.iter().map(|(ply, count)| count.row(&ply.to_string()));
    let rows: Vec<String> = std::iter::once(head).chain(rows).collect();
    format!("{}\n{}", rows.join("\n"), all.row("all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_counts_each_position_once() {
        let lines = ["x2 w 0 ?", "xx1 w 5 -", "1x1 b 7 + A1 ? C1", "x1o b 9 + B1"];
        let endings = lines.map(|line| Ending::from_line(line).expect("it is a line"));
        let table = table(&endings);
        let rows: Vec<Vec<&str>> = table
            .lines()
            .skip(1)
            .map(|row| row.split_whitespace().collect())
            .collect();
        assert_eq!(rows[0], ["1", "2", "1", "0", "1", "1"]);
        assert_eq!(rows[1], ["2", "2", "1", "1", "0", "0"]);
        assert_eq!(rows[2], ["all", "4", "2", "1", "1", "1"]);
    }
}
