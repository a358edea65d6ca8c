//! A thinker with an exact solver of endings beside it.
//!
//! Where few enough moves are left the solver works on the same position as the search. When it
//! has the result, the search ends and the move is chosen by what is known: a win that leaves much
//! room, or in a lost position the move that is the hardest to answer. Until then every proof it
//! finds waits in its table for the next move.
//!
//! With a time to think it has threads of its own where the search leaves processors idle; where it
//! does not, the solver takes its turn first, as long as it may well come to an end. With a number of
//! visits, or under a simulated clock, it works before the search with a number of nodes, so that equal
//! calls stay equal; the simulated clock counts both as done at the same time. Before an unproven move
//! is played there is a [second look](super::second_look) at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::merge_proof::{merge_losing, merge_proof, unsearched};
use super::second_look::{CheckBudget, QUICK_CHECK, limits_before_look, second_look};
use super::shown_proof::show_proof;
use super::solver_speed::{NODES_PER_PLAYOUT, NODES_PER_SECOND};
use super::{ThinkError, Thinker};
use crate::clock::{Budget, Clock};
use crate::game::{GameState, Proof};
use crate::search::{AnalysisOptions, Limits, Purpose, SearchReport, StopFlag};
use crate::solver::{Advice, Solvable, Solve, SolveLimits};

/// Of visits or simulated time, the solver gets this part besides.
const SHARE: u64 = 5;
/// Where search and solver share processors the solver gets this part of a move's time first. (Half of
/// the hard positions of plies 43 to 55, 0.3 s a move: 24% proven; a tenth 16%, seven tenths 25%.)
const TURN: f64 = 0.5;
/// Where nobody knows what is within reach. What it does not see soon it hardly sees at all: ten times the
/// nodes solve an eighth more of Gomoku's won positions.
const TURN_UNKNOWN: f64 = 0.1;
/// It takes its turn when half of the positions like this one need at most this many times the nodes that
/// it has time for: one in six needs only a quarter of what half of them need.
const REACH: f64 = 4.0;
/// Nodes for choosing among the moves of a won position, and of a lost or drawn one. Any winning
/// move will do; a losing one has to be chosen with care.
const ADVICE_WON: u64 = 20_000;
const ADVICE_LOST: u64 = 200_000;

/// The solver's threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverThreads {
    /// As with [`SolverThreads::Auto`] where a network chooses the moves, and none where playouts do.
    #[default]
    Backend,
    /// One beside the search, where that leaves a processor idle, and else those of the search, in turn
    /// with it.
    Auto,
    /// Threads beside the search; 0 for no solver.
    Exactly(usize),
}

/// Settings of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverOptions {
    /// Its threads.
    pub threads: SolverThreads,
    /// It starts when at most this many moves can be left ([`crate::game::Game::plies_left`]).
    pub from: u32,
    /// Memory for proven positions, in MiB.
    pub memory_mib: u32,
    /// Nodes for a new position of the search, and for each visit of one that has come to matter; 0 for
    /// none.
    pub probe_nodes: u64,
    /// Positions are looked at when at most this many moves can be left.
    pub probe_from: u32,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            threads: SolverThreads::default(),
            from: 36,
            memory_mib: 128,
            probe_nodes: 100,
            probe_from: 36,
        }
    }
}

/// Where a solver works while there is time to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverPlace {
    /// On this many threads beside the search.
    Beside(usize),
    /// On this many threads before the search, whose processors they are.
    InTurn(usize),
    /// It is there for the search's probes only.
    Nowhere,
}

/// Any thinker, with a solver beside it where the game has one.
pub struct SolverThinker<G: Solvable> {
    inner: Box<dyn Thinker<G>>,
    solver: Option<Box<dyn Solve<G>>>,
    place: SolverPlace,
    options: SolverOptions,
    /// Playouts of a simulated second.
    simulated: Option<f64>,
    time: Arc<dyn Clock>,
}

/// The result in a word.
fn verdict(advice: Option<&Advice>) -> &'static str {
    match advice.map(|advice| advice.proof) {
        None => "unsolved",
        Some(Proof::Win) => "won",
        Some(Proof::Draw) => "drawn",
        Some(Proof::Loss) => "lost",
    }
}

/// What the solver did for one move.
struct Solved {
    advice: Option<Advice>,
    nodes: u64,
}

impl<G: Solvable> SolverThinker<G> {
    /// Memory and threads are taken when they are first needed; `solver` may be shared with others, and
    /// where there is none one is made. `simulated` is the number of
    /// playouts in a second of a simulated clock, where there is one.
    #[must_use]
    pub fn new(
        inner: Box<dyn Thinker<G>>,
        solver: Option<Box<dyn Solve<G>>>,
        (place, options): (SolverPlace, SolverOptions),
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

    /// Whether it solves beside a search of this position.
    fn is_for(&self, position: &G) -> bool {
        self.place != SolverPlace::Nowhere && position.plies_left().at_most(self.options.from)
    }

    /// Makes the solver where there is none yet, in games that have one.
    fn make_solver(&mut self) {
        let bytes = (self.options.memory_mib as usize) << 20;
        self.solver = self.solver.take().or_else(|| G::solver(bytes));
    }

    /// Nodes of a solver that works before the search, in proportion to its visits, so that moves
    /// can be repeated; `None` where it works beside it, as it does whenever a real clock runs.
    fn nodes_before(&self, limits: &Limits, purpose: Purpose) -> Option<u64> {
        let seconds = limits.budget.map(|budget| budget.soft.as_secs_f64());
        let simulated = self.simulated.zip(seconds);
        let simulated = simulated.map(|(rate, seconds)| (rate * seconds) as u64);
        let playouts = match (limits.visits, simulated) {
            (Some(visits), Some(simulated)) => visits.min(simulated),
            (Some(_), None) if seconds.is_some() => return None,
            (Some(visits), None) => visits,
            (None, simulated) => simulated?,
        };
        let nodes = playouts.saturating_mul(NODES_PER_PLAYOUT) / SHARE;
        // Whoever asks what a position is worth is told what can be seen at once, with a single visit too.
        let least = match purpose {
            Purpose::Position => QUICK_CHECK,
            Purpose::Move | Purpose::ShownMove => 0,
        };
        Some(nodes.max(least))
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
        // Hundreds of positions that are solved at once: to start a thread for each takes longer.
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
            let effort = SolveLimits {
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

/// One search with what the solver does for it.
struct Turn<'a, G: Solvable> {
    start: &'a GameState<G>,
    limits: &'a Limits,
    stop: &'a StopFlag,
    analysis: &'a AnalysisOptions,
    see: &'a mut dyn FnMut(SearchReport),
    time: &'a dyn Clock,
    started: Duration,
}

/// What search and solver have found.
type Found = (Result<SearchReport, ThinkError>, Option<Solved>);

impl<G: Solvable> Turn<'_, G> {
    /// Says that the position is won before the search is asked, which may not answer in time.
    fn tell(&mut self, solved: &Solved) {
        let advice = solved.advice.as_ref().filter(|_| self.analysis.at_once);
        if let Some(advice) = advice.filter(|advice| advice.proof == Proof::Win) {
            let elapsed = self.time.now().saturating_sub(self.started);
            (self.see)(merge_proof(unsearched(advice), advice, elapsed));
        }
    }

    /// Solves with a number of nodes and then searches.
    fn after_nodes(
        mut self,
        solver: &mut dyn Solve<G>,
        inner: &mut dyn Thinker<G>,
        (nodes, simulated): (u64, bool),
    ) -> Found {
        let effort = SolveLimits {
            nodes,
            threads: 1,
            halt: &|_| self.stop.is_raised(),
        };
        let solved = solve(solver, self.start.position(), &effort);
        self.tell(&solved);
        let done = self.stop.child();
        if solved.advice.is_some() {
            done.raise();
        }
        let mut report = inner.watch(self.start, self.limits, &done, self.analysis, self.see);
        if let (true, Ok(report)) = (simulated, &mut report) {
            // What would have gone on at the same time takes as long as the longer of the two.
            let work = solved.nodes / NODES_PER_PLAYOUT;
            count(work.saturating_sub(report.playouts), report, self.time);
        }
        (report, Some(solved))
    }

    /// Searches while the solver works on threads of its own.
    fn beside(
        self,
        solver: &mut dyn Solve<G>,
        inner: &mut dyn Thinker<G>,
        threads: usize,
    ) -> Found {
        let Turn {
            start,
            limits,
            analysis,
            see,
            ..
        } = self;
        let limits = &limits_before_look(start.position(), limits);
        let deadline = limits.budget.map(|budget| self.started + budget.most);
        let means = (threads, deadline, self.time);
        beside(solver, start.position(), means, self.stop, |stop| {
            inner.watch(start, limits, stop, analysis, see)
        })
    }

    /// Solves for a part of the time, where that may be enough, and then searches.
    fn in_turn(
        mut self,
        solver: &mut dyn Solve<G>,
        inner: &mut dyn Thinker<G>,
        (threads, budget): (usize, Budget),
    ) -> Found {
        let position = self.start.position();
        let half = position.nodes_to_solve();
        let turn = budget.soft.mul_f64(half.map_or(TURN_UNKNOWN, |_| TURN));
        let nodes = turn.as_secs_f64() * NODES_PER_SECOND * threads as f64;
        let due = self.started + turn;
        let within_reach = half.is_none_or(|half| half <= REACH * nodes);
        let effort = SolveLimits {
            nodes: if within_reach { u64::MAX } else { QUICK_CHECK },
            threads,
            halt: &|_| self.stop.is_raised() || self.time.now() >= due,
        };
        let solved = solve(solver, position, &effort);
        self.tell(&solved);
        let done = self.stop.child();
        if solved.advice.is_some() {
            done.raise();
        }
        let spent = self.time.now().saturating_sub(self.started);
        let limits = limits_before_look(position, self.limits);
        let limits = Limits {
            budget: limits.budget.map(|budget| budget.after(spent)),
            ..limits
        };
        let mut report = inner.watch(self.start, &limits, &done, self.analysis, self.see);
        if let Ok(report) = &mut report {
            report.elapsed += spent;
        }
        (report, Some(solved))
    }
}

/// Tells a simulated clock, and whoever reads the report, of work that took as long as this many playouts.
fn count(playouts: u64, report: &mut SearchReport, time: &dyn Clock) {
    time.worked(playouts);
    report.playouts += playouts;
}

impl<G: Solvable> Thinker<G> for SolverThinker<G> {
    fn watch(
        &mut self,
        start: &GameState<G>,
        limits: &Limits,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, ThinkError> {
        let position = start.position();
        let for_position = analysis.purpose == Purpose::Position;
        // A glance is no search.
        let glance = limits.visits == Some(1) && !for_position;
        // Where moves are left out the best one may be among them.
        let whole = analysis.avoid.is_empty();
        if !self.is_for(position) || glance || !whole || start.legal_count() < 2 {
            return self.inner.watch(start, limits, stop, analysis, see);
        }
        let (time, started) = (Arc::clone(&self.time), self.time.now());
        let before = self.nodes_before(limits, analysis.purpose);
        self.make_solver();
        let Some(solver) = self.solver.as_deref_mut() else {
            return self.inner.watch(start, limits, stop, analysis, see);
        };
        let effort = SolveLimits {
            nodes: QUICK_CHECK,
            threads: 1,
            halt: &|_| stop.is_raised(),
        };
        let mut losing = solver.losing(position, &effort);
        let inner = &mut *self.inner;
        let analysis = &AnalysisOptions {
            avoid: losing.clone(),
            ..analysis.clone()
        };
        // One move is left: there is nothing to solve.
        if analysis.is_forced(start, limits) {
            let report = inner.watch(start, limits, stop, analysis, see);
            return report.map(|report| merge_losing(report, &losing));
        }
        let turn = Turn {
            start,
            limits,
            stop,
            analysis,
            see,
            time: &*time,
            started,
        };
        let (report, solved) = match (before, self.place, limits.budget) {
            (Some(nodes), ..) => turn.after_nodes(solver, inner, (nodes, self.simulated.is_some())),
            (None, SolverPlace::InTurn(threads), Some(budget)) => {
                turn.in_turn(solver, inner, (threads, budget))
            }
            // Without an end there are no turns.
            (None, SolverPlace::InTurn(threads) | SolverPlace::Beside(threads), _) => {
                turn.beside(solver, inner, threads)
            }
            (None, SolverPlace::Nowhere, _) => {
                return inner.watch(start, limits, stop, analysis, turn.see);
            }
        };
        let Some(Solved { advice, nodes }) = solved else {
            // It panicked: a new one, and the search's own report.
            self.solver = None;
            return report.map(|report| merge_losing(report, &losing));
        };
        log::info!("solver: {} after {nodes} nodes", verdict(advice.as_ref()));
        let Some(advice) = advice else {
            let simulated = self.simulated;
            let look = CheckBudget::now(position, limits.budget, simulated, (stop, &*time));
            return report.map(|mut report| {
                if let Some(look) = look {
                    let nodes;
                    (report, nodes) = second_look(solver, position, report, &look, &mut losing);
                    if simulated.is_some() {
                        count(nodes / NODES_PER_PLAYOUT, &mut report, &*time);
                    }
                }
                merge_losing(report, &losing)
            });
        };
        let elapsed = self.time.now().saturating_sub(started);
        let report = report.unwrap_or_else(|error| {
            log::error!("the search failed beside the solver: {error}");
            unsearched(&advice)
        });
        let mut report = merge_proof(report, &advice, elapsed);
        show_proof(&mut report, analysis.purpose, solver, (position, stop));
        Ok(report)
    }

    fn evaluate(&mut self, start: &GameState<G>) -> Result<SearchReport, ThinkError> {
        self.inner.evaluate(start)
    }

    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        self.inner.prepare(start, stop);
        if self.is_for(start.position()) {
            self.make_solver();
            if let Some(solver) = &mut self.solver {
                solver.get_ready();
            }
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
