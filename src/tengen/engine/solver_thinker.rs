//! A thinker with an exact solver of endings.
//!
//! When few enough moves are left, the solver works on the same position as the search. A result
//! ends the search, and the move is chosen by it: a win by a wide margin, or in a lost position the
//! move that is hardest to answer. Partial proofs stay in its table for the next move.
//!
//! Under a time limit it has its own threads if the search leaves processors idle; otherwise the
//! search has all the time, as its probes use it better. With a number of visits, or under a
//! simulated clock, it works before the search with a number of nodes, so that equal calls stay
//! equal; the simulated clock counts both as concurrent. An unproven move is
//! [verified](super::verify_move) before it is played.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::merge_proof::{merge_losing, merge_proof, show_proof, unsearched};
use super::verify_move::{
    CheckBudget, NODES_PER_PLAYOUT, QUICK_CHECK, limits_before_look, verify_move,
};
use super::{ThinkError, Thinker};
use crate::clock::Clock;
use crate::game::{GameState, Proof};
use crate::search::{Limits, Observer, Purpose, SearchReport, SearchRequest, StopFlag};
use crate::settings::{Allowed as _, ValueReader};
use crate::solver::{Solvable, Solve, SolveLimits, SolvedMoves};

/// 1/SHARE of visits or simulated time are added for the solver.
const SHARE: u64 = 5;
/// Nodes for choosing among the moves of a won position, and of a lost or drawn one. Any winning
/// move will do; a losing one must be chosen with care.
const ADVICE_WON: u64 = 20_000;
const ADVICE_LOST: u64 = 200_000;

/// Where the solver of endings runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverThreads {
    /// As [`SolverThreads::Auto`] with a network, none with playouts.
    #[default]
    Backend,
    /// One beside the search under a time limit if that leaves a processor idle, else none.
    Auto,
    /// Threads beside the search; 0 for no solver.
    Exactly(usize),
}

impl SolverThreads {
    /// `auto`, or a number up to 1024.
    fn named(text: &str) -> Option<SolverThreads> {
        match text {
            "auto" => Some(SolverThreads::Auto),
            _ => (0..=1024).read(text).map(SolverThreads::Exactly),
        }
    }
}

crate::settings! {
    /// Settings of the solver.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    SolverOptions, "Solver" {
        solver_threads: SolverThreads = SolverThreads::Backend => "auto with a network, 0 with playouts",
            ValueReader("N", "a whole number up to 1024, or auto", SolverThreads::named),
            "Threads that solve the position during the search; 0 for none; auto for 1, but under a time limit only \
             if the search leaves a processor idle";
        solver_from: u32 = 36, ..,
            "The solver starts when at most this many moves can be left in the game: 36 is about ply 42 of NoGo on \
             9x9";
        solver_mib: u32 = 128, 4..=1_000_000,
            "Memory in MiB for positions that the solver has proven";
        probe_nodes: u64 = 100, 0..=1_000_000,
            "Solver nodes per visit with which the search tries to solve a position, if they may suffice; 0 for none";
        probe_from: u32 = 36, ..,
            "It does so when at most this many moves can be left: 36 is about ply 42 of NoGo on 9x9";
    }
}

/// Where a solver works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolverPlace {
    /// On this many threads beside the search, or before one that counts visits.
    Beside(usize),
    /// The same on one thread, but not under a time limit, as no processor is idle.
    Untimed,
    /// For the search's probes only.
    Nowhere,
}

/// Any thinker, with a solver if the game has one.
pub(crate) struct SolverThinker<G: Solvable> {
    inner: Box<dyn Thinker<G>>,
    solver: Option<Box<dyn Solve<G>>>,
    place: SolverPlace,
    options: SolverOptions,
    /// Playouts per simulated second.
    simulated: Option<f64>,
    time: Arc<dyn Clock>,
}

/// The result as a word.
fn verdict(advice: Option<&SolvedMoves>) -> &'static str {
    match advice.map(|advice| advice.proof) {
        None => "unsolved",
        Some(Proof::Win) => "won",
        Some(Proof::Draw) => "drawn",
        Some(Proof::Loss) => "lost",
    }
}

/// Results of search and solver.
type Found = (Result<SearchReport, ThinkError>, Option<Solved>);

/// Work of the solver for one move.
struct Solved {
    advice: Option<SolvedMoves>,
    nodes: u64,
}

impl<G: Solvable> SolverThinker<G> {
    /// Memory and threads are allocated when first needed; `solver` may be shared, and is created
    /// if there is none. `simulated` is the number of playouts per second of a simulated clock, if
    /// there is one.
    pub(crate) fn new(
        inner: Box<dyn Thinker<G>>,
        solver: Option<Box<dyn Solve<G>>>,
        place: SolverPlace,
        options: SolverOptions,
        simulated: Option<f64>,
        time: Arc<dyn Clock>,
    ) -> Self {
        SolverThinker {
            inner,
            solver,
            place,
            options,
            simulated,
            time,
        }
    }

    /// Whether the solver works on this position, before the search or beside it.
    fn is_for(&self, position: &G) -> bool {
        self.place != SolverPlace::Nowhere
            && position.plies_left().at_most(self.options.solver_from)
    }

    /// Creates the solver if there is none yet, in games that have one.
    fn make_solver(&mut self) {
        let bytes = (self.options.solver_mib as usize) << 20;
        self.solver = self.solver.take().or_else(|| G::solver(bytes));
    }

    /// Nodes of a solver that works before the search, in proportion to the search's visits or
    /// simulated time, so that moves are reproducible; `None` if real time limits it, or nothing.
    fn nodes_before(&self, limits: &Limits, purpose: Purpose) -> Option<u64> {
        let seconds = limits.budget.map(|budget| budget.target.as_secs_f64());
        let simulated = self.simulated.zip(seconds);
        let simulated = simulated.map(|(rate, seconds)| (rate * seconds) as u64);
        let playouts = match (limits.visits, simulated) {
            (Some(visits), Some(simulated)) => visits.min(simulated),
            (Some(_), None) if seconds.is_some() => return None,
            (Some(visits), None) => visits,
            (None, simulated) => simulated?,
        };
        let nodes = playouts.saturating_mul(NODES_PER_PLAYOUT) / SHARE;
        // An analysis gets what can be seen at once, also with a single visit.
        let least = match purpose {
            Purpose::Position => QUICK_CHECK,
            Purpose::Move | Purpose::ShownMove => 0,
        };
        Some(nodes.max(least))
    }

    /// Solves with this many nodes, and then searches.
    fn before(
        &mut self,
        nodes: u64,
        solver: &mut dyn Solve<G>,
        mut request: SearchRequest<G>,
        observer: &mut Observer<'_>,
        started: Duration,
    ) -> Found {
        let (position, time) = (request.start.position(), &*self.time);
        let halt = |_: u64| request.stop.is_raised();
        let solved = solve(solver, position, &SolveLimits::alone(nodes, &halt));
        let elapsed = || time.now().saturating_sub(started);
        if let Some(advice) = &solved.advice {
            request.stop.raise();
            // The search may not answer in time.
            if advice.proof == Proof::Win && request.analysis.at_once {
                observer(&merge_proof(unsearched(advice), advice, elapsed()));
            }
        }
        // Zero on a simulated clock, which stands still meanwhile.
        let spent = elapsed();
        request.limits = request.limits.after(spent);
        let mut report = self.inner.search(&request, observer);
        if let Ok(report) = &mut report {
            report.elapsed += spent;
            if self.simulated.is_some() {
                // Concurrent work takes as long as the longer of the two.
                let work = solved.nodes / NODES_PER_PLAYOUT;
                count(work.saturating_sub(report.playouts), report, time);
            }
        }
        (report, Some(solved))
    }

    /// Searches while the solver works on its own threads. The search ends when the solver is done, and the solver when
    /// the time is up.
    fn beside(
        &mut self,
        solver: &mut dyn Solve<G>,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
        started: Duration,
    ) -> Found {
        let threads = match self.place {
            SolverPlace::Beside(threads) => threads,
            _ => 1,
        };
        let (position, limits) = (request.start.position(), &request.limits);
        let deadline = limits
            .budget
            .map(|budget| started.saturating_add(budget.maximum));
        let (time, over) = (&*self.time, AtomicBool::new(false));
        let late = || deadline.is_some_and(|deadline| time.now() >= deadline);
        let halt = |_: u64| over.load(Ordering::Relaxed) || request.stop.is_raised() || late();
        let effort = SolveLimits {
            nodes: u64::MAX,
            threads,
            halt: &halt,
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("solver".to_owned());
            let thread = thread.spawn_scoped(scope, || {
                let found = solve(solver, position, &effort);
                if found.advice.is_some() {
                    request.stop.raise();
                }
                found
            });
            let report = self.inner.search(request, observer);
            over.store(true, Ordering::Relaxed);
            let thread =
                thread.inspect_err(|error| log::error!("no thread for the solver: {error}"));
            (report, thread.ok().and_then(|thread| thread.join().ok()))
        })
    }
}

/// Solves the position and rates its moves.
fn solve<G>(solver: &mut dyn Solve<G>, position: &G, effort: &SolveLimits<'_>) -> Solved {
    let found = solver.solve(position, effort);
    let advice = found.proof().map(|proof| {
        let nodes = match proof {
            Proof::Win => ADVICE_WON,
            Proof::Draw | Proof::Loss => ADVICE_LOST,
        };
        // Hundreds of positions that are solved at once: starting a thread for each takes longer.
        let rest = SolveLimits {
            nodes: nodes.min(effort.nodes),
            threads: 1,
            ..*effort
        };
        solver.advise(position, proof, found.best, &rest)
    });
    let nodes = found.nodes + advice.as_ref().map_or(0, |advice| advice.nodes);
    Solved { advice, nodes }
}

/// Adds work equivalent to this many playouts to a simulated clock and to the report.
fn count(playouts: u64, report: &mut SearchReport, time: &dyn Clock) {
    time.worked(playouts);
    report.playouts += playouts;
}

impl<G: Solvable> Thinker<G> for SolverThinker<G> {
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let (limits, stop) = (&request.limits, &request.stop);
        let (position, purpose) = (request.start.position(), request.analysis.purpose);
        // A quick check is not a search.
        let one_visit = limits.visits == Some(1) && purpose != Purpose::Position;
        // If moves are avoided the best one may be among them.
        let whole = request.analysis.avoid.is_empty();
        if !self.is_for(position) || one_visit || !whole || request.start.legal_count() < 2 {
            return self.inner.search(request, observer);
        }
        let started = self.time.now();
        let nodes_before = self.nodes_before(limits, purpose);
        let timed = nodes_before.is_none() && limits.budget.is_some();
        let search_alone = timed && self.place == SolverPlace::Untimed;
        self.make_solver();
        let Some(mut solver) = self.solver.take() else {
            return self.inner.search(request, observer);
        };
        let halt = |_: u64| stop.is_raised();
        let mut losing = solver.losing(position, &SolveLimits::alone(QUICK_CHECK, &halt));
        let mut search = request.clone();
        search.analysis.avoid.clone_from(&losing);
        // A single legal move: nothing to solve.
        if search_alone || search.is_forced() {
            self.solver = Some(solver);
            let report = self.inner.search(&search, observer);
            return report.map(|report| merge_losing(report, &losing));
        }
        search.limits = limits_before_look(position, limits);
        // The solver's result ends it.
        search.stop = stop.child();
        let (report, solved) = match nodes_before {
            Some(nodes) => self.before(nodes, &mut *solver, search, observer, started),
            None => self.beside(&mut *solver, &search, observer, started),
        };
        let Some(Solved { advice, nodes }) = solved else {
            // It panicked: a new one next time, and the search's own report.
            return report.map(|report| merge_losing(report, &losing));
        };
        log::info!("solver: {} after {nodes} nodes", verdict(advice.as_ref()));
        let time = &*self.time;
        let report = match advice {
            Some(advice) => {
                let elapsed = time.now().saturating_sub(started);
                let report = report.unwrap_or_else(|error| {
                    log::error!("the search failed beside the solver: {error}");
                    unsearched(&advice)
                });
                let mut report = merge_proof(report, &advice, elapsed);
                show_proof(&mut report, purpose, &mut *solver, position, stop);
                Ok(report)
            }
            None => {
                let look = CheckBudget::now(position, limits, self.simulated, stop, time);
                report.map(|mut report| {
                    if let Some(look) = look {
                        let nodes =
                            verify_move(&mut *solver, position, &mut report, &look, &mut losing);
                        if self.simulated.is_some() {
                            count(nodes / NODES_PER_PLAYOUT, &mut report, time);
                        }
                    }
                    merge_losing(report, &losing)
                })
            }
        };
        self.solver = Some(solver);
        report
    }

    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        self.inner.prepare(start, stop);
        if self.is_for(start.position()) {
            self.make_solver();
        }
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
