//! A thinker with an exact solver of endings beside it.
//!
//! Where few enough moves are left the solver works on the same position as the search. When it
//! has the result, the search ends and the move is chosen by what is known: a win that leaves much
//! room, or in a lost position the move that is the hardest to answer. Until then every proof it
//! finds waits in its table for the next move.
//!
//! With a time to think it has threads of its own. With a number of visits, or under a simulated
//! clock, it works before the search with a number of nodes, so that equal calls stay equal; the
//! simulated clock counts both as done at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::merge_proof::{merge_losing, merge_proof, unsearched};
use super::{ThinkError, Thinker};
use crate::clock::Clock;
use crate::game::{Proof, Reached};
use crate::search::{AnalysisOptions, Limits, SearchReport, StopFlag};
use crate::solver::{Advice, Effort, Solvable, Solve};

/// Nodes that cost about as much as a playout with a network: 500,000 a second and thread against
/// 5,000 (`tengen bench --throughput`).
const NODES_PER_PLAYOUT: u64 = 100;
/// Of visits or simulated time, the solver gets this part besides.
const SHARE: u64 = 5;
/// Nodes for what can be seen at once: moves that lose to a threat.
const GLANCE: u64 = 2_000;
/// Nodes for choosing among the moves of a won position, and of a lost or drawn one. Any winning
/// move will do; a losing one has to be chosen with care.
const ADVICE_WON: u64 = 20_000;
const ADVICE_LOST: u64 = 200_000;

/// Settings of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverOptions {
    /// Threads beside the search; `None` leaves it to the backend, 0 is none.
    pub threads: Option<usize>,
    /// It starts when at most so many moves can be left ([`crate::game::Game::plies_left`]).
    pub from: u32,
    /// Memory for proven positions, in MiB.
    pub memory_mib: u32,
    /// Nodes for a new position of the search; 0 for none.
    pub probe_nodes: u64,
    /// New positions are looked at when at most so many moves can be left.
    pub probe_from: u32,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            threads: None,
            from: 36,
            memory_mib: 128,
            probe_nodes: 300,
            probe_from: 16,
        }
    }
}

/// Any thinker, with a solver beside it where the game has one.
pub struct SolverThinker<G: Solvable> {
    inner: Box<dyn Thinker<G>>,
    solver: Option<Box<dyn Solve<G>>>,
    threads: usize,
    options: SolverOptions,
    /// Playouts of a simulated second.
    simulated: Option<f64>,
    time: Arc<dyn Clock>,
}

/// What the solver did for one move.
struct Solved {
    advice: Option<Advice>,
    nodes: u64,
}

impl<G: Solvable> SolverThinker<G> {
    /// Memory and threads are taken when they are first needed. `simulated` is the number of
    /// playouts in a second of a simulated clock, where there is one.
    #[must_use]
    pub fn new(
        inner: Box<dyn Thinker<G>>,
        threads: usize,
        options: SolverOptions,
        simulated: Option<f64>,
        time: Arc<dyn Clock>,
    ) -> Self {
        SolverThinker {
            inner,
            solver: None,
            threads: threads.max(1),
            options,
            simulated,
            time,
        }
    }

    /// Nodes of a solver that works before the search, in proportion to its visits, so that moves
    /// can be repeated; `None` where it works beside it, as it does whenever a real clock runs.
    fn nodes_before(&self, limits: &Limits) -> Option<u64> {
        let seconds = limits.budget.map(|budget| budget.soft.as_secs_f64());
        let simulated = self.simulated.zip(seconds);
        let simulated = simulated.map(|(rate, seconds)| (rate * seconds) as u64);
        let playouts = match (limits.visits, simulated) {
            (Some(visits), Some(simulated)) => visits.min(simulated),
            (Some(_), None) if seconds.is_some() => return None,
            (Some(visits), None) => visits,
            (None, simulated) => simulated?,
        };
        Some(playouts.saturating_mul(NODES_PER_PLAYOUT) / SHARE)
    }
}

/// Solves the position and rates its moves.
fn solve<G>(solver: &mut dyn Solve<G>, position: &G, effort: &Effort<'_>) -> Solved {
    let found = solver.solve(position, effort);
    let advice = found.proof().map(|proof| {
        let nodes = match proof {
            Proof::Win => ADVICE_WON,
            Proof::Draw | Proof::Loss => ADVICE_LOST,
        };
        let rest = Effort {
            nodes: nodes.min(effort.nodes),
            ..*effort
        };
        solver.advise(position, proof, found.best, &rest)
    });
    let nodes = found.nodes + advice.as_ref().map_or(0, |advice| advice.nodes);
    Solved { advice, nodes }
}

/// Searches beside the solver, and ends the search when the solver is done.
fn beside<G: Solvable>(
    solver: &mut dyn Solve<G>,
    position: &G,
    (threads, deadline, time): (usize, Option<Duration>, &dyn Clock),
    stop: &StopFlag,
    search: impl FnOnce(&StopFlag) -> Result<SearchReport, ThinkError>,
) -> (Result<SearchReport, ThinkError>, Option<Solved>) {
    let search_stop = stop.child();
    let over = AtomicBool::new(false);
    let late = || deadline.is_some_and(|deadline| time.now() >= deadline);
    let halt = |_: u64| over.load(Ordering::Relaxed) || stop.is_raised() || late();
    let halt = &halt;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("solver".to_owned());
        let (solved, flag) = (position.clone(), search_stop.clone());
        let thread = thread.spawn_scoped(scope, move || {
            let effort = Effort {
                nodes: u64::MAX,
                threads,
                halt,
            };
            let found = solve(solver, &solved, &effort);
            if found.advice.is_some() {
                flag.raise();
            }
            found
        });
        let report = search(&search_stop);
        over.store(true, Ordering::Relaxed);
        let found = match thread {
            Ok(thread) => thread.join().ok(),
            Err(error) => {
                log::error!("no thread for the solver: {error}");
                None
            }
        };
        (report, found)
    })
}

impl<G: Solvable> Thinker<G> for SolverThinker<G> {
    fn watch(
        &mut self,
        start: &Reached<G>,
        limits: &Limits,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, ThinkError> {
        let position = start.position();
        // A glance is no search, and where moves are left out the best one may be among them.
        let glance = limits.visits == Some(1) || !analysis.avoid.is_empty();
        let far = !position.plies_left().at_most(self.options.from);
        if far || glance || start.legal_count() < 2 {
            return self.inner.watch(start, limits, stop, analysis, see);
        }
        let started = self.time.now();
        let before = self.nodes_before(limits);
        let bytes = (self.options.memory_mib as usize) << 20;
        self.solver = self.solver.take().or_else(|| G::solver(bytes));
        let Some(solver) = &mut self.solver else {
            return self.inner.watch(start, limits, stop, analysis, see);
        };
        let effort = Effort {
            nodes: GLANCE,
            threads: 1,
            halt: &|_| stop.is_raised(),
        };
        let losing = solver.losing(position, &effort);
        // One move is left: there is nothing to search.
        let only = losing.len() + 1 == start.legal_count() && *limits != Limits::default();
        let limits = &Limits {
            visits: if only { Some(1) } else { limits.visits },
            ..*limits
        };
        let analysis = &AnalysisOptions {
            avoid: losing.clone(),
            ..analysis.clone()
        };
        let (report, solved) = if let Some(nodes) = before {
            let effort = Effort {
                nodes,
                threads: 1,
                halt: &|_| stop.is_raised(),
            };
            let solved = solve(&mut **solver, position, &effort);
            let done = stop.child();
            if solved.advice.is_some() {
                done.raise();
            }
            let mut report = self.inner.watch(start, limits, &done, analysis, see);
            if let (Some(_), Ok(report)) = (self.simulated, &mut report) {
                // What would have gone on at the same time takes as long as the longer of the two.
                let work = solved.nodes / NODES_PER_PLAYOUT;
                let rest = work.saturating_sub(report.playouts);
                self.time.worked(rest);
                report.playouts += rest;
            }
            (report, Some(solved))
        } else {
            let deadline = limits.budget.map(|budget| started + budget.most);
            let means = (self.threads, deadline, &*self.time);
            let inner = &mut self.inner;
            beside(&mut **solver, position, means, stop, |stop| {
                inner.watch(start, limits, stop, analysis, see)
            })
        };
        let Some(Solved { advice, nodes }) = solved else {
            // It panicked: a new one, and the search's own report.
            self.solver = None;
            return report.map(|report| merge_losing(report, &losing));
        };
        let result = match advice.as_ref().map(|advice| advice.proof) {
            None => "unsolved",
            Some(Proof::Win) => "won",
            Some(Proof::Draw) => "drawn",
            Some(Proof::Loss) => "lost",
        };
        log::info!("solver: {result} after {nodes} nodes");
        let Some(advice) = advice else {
            return report.map(|report| merge_losing(report, &losing));
        };
        let elapsed = self.time.now().saturating_sub(started);
        Ok(match report {
            Ok(report) => merge_proof(report, &advice, elapsed),
            Err(error) => {
                log::error!("the search failed beside the solver: {error}");
                merge_proof(unsearched(&advice), &advice, elapsed)
            }
        })
    }

    fn evaluate(&mut self, start: &Reached<G>) -> Result<SearchReport, ThinkError> {
        self.inner.evaluate(start)
    }

    fn prepare(&mut self, start: &Reached<G>, stop: &StopFlag) {
        self.inner.prepare(start, stop);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }
}

#[cfg(test)]
mod tests;
