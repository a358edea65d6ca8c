//! The exact solver of a game beside its search: before it, by a thinker, and in it, by probes.
//!
//! When few enough moves are left, moves that are cheaply proven to lose are left out of the search. Where
//! the search counts visits, or is shown, the solver works on the position first, with a number of nodes,
//! so that equal calls stay equal. A result ends the search, and the move is chosen by it: a win by a wide
//! margin, or in a lost position the move that is hardest to answer. Under a time limit the search has the
//! time, as its probes use it better. (One thread each on a shared processor, 8 s a game:
//! half of the move's time for the solver scored 42.5% [36.0, 49.3] of 200 games of NoGo against none, and
//! 45.4% [37.6, 53.5] of 120 of Gomoku.)
//!
//! A position of the search gets nodes in proportion to its visits, and only if they may suffice: positions that
//! many descents reach are worth more, and a proof there helps all of them. Where it is not known how many suffice, as
//! for wins by threats, new positions are probed, and the root's moves again: a refutation that is found during the
//! search leaves time for another move.

use std::sync::Arc;

use super::{ThinkError, Thinker};
use crate::clock::{Clock, StopReason};
use crate::game::{GameState, Move, Proof};
use crate::search::{
    ASK_AGAIN, Limits, MoveReport, Observer, ProbeContext, ProberMaker, Purpose, SearchReport,
    SearchRequest, StopFlag,
};
use crate::solver::{MakeProbe, RatedMove, Solvable, Solve, SolveLimits, SolvedMoves};

crate::settings! {
    /// Settings of the solver.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    SolverOptions, "Solver" {
        solver_from: u32 = 36, ..,
            "Where at most this many moves can be left in the game, the position is solved before a search that counts \
             visits or is shown, and moves that are seen to lose are left out of any search: 36 is about ply 42 of NoGo \
             on 9x9; 0 for never; with playouts in Gomoku only";
        solver_mib: u32 = 128, 4..=1_000_000,
            "Memory in MiB for positions that the solver has proven";
        probe_nodes: u64 = 100, 0..=1_000_000,
            "Solver nodes per visit with which the search tries to solve a position, if they may suffice; 0 for none";
        probe_from: u32 = 36, ..,
            "It does so when at most this many moves can be left: 36 is about ply 42 of NoGo on 9x9";
    }
}

/// Nodes that cost about as much as a playout with a network: 500,000 against 5,000 per second and
/// thread (`tengen bench --throughput`).
const NODES_PER_PLAYOUT: u64 = 100;
/// The work of 1/SHARE of the visits, or of the time, is added for the solver.
const SHARE: u32 = 5;
/// Nodes for moves that lose, and at least for a position that is analysed.
const QUICK_CHECK: u64 = 2_000;
/// Nodes before a search that is shown, if not only visits limit it: 40 ms.
const SHOWN: u64 = 20_000;
/// Nodes for choosing among the moves of a won position, and of a lost or drawn one. Any winning
/// move will do; a losing one must be chosen with care.
const ADVICE_WON: u64 = 20_000;
const ADVICE_LOST: u64 = 200_000;
/// Nodes for the line of play.
const LINE: u64 = 50_000;

/// A position is probed if its nodes are at least a quarter of the median solve of its kind: with a
/// quarter one in six is solved. (Hard positions of plies 43 to 55 proven in 0.3 s: 24%; with 1 and
/// 16 in place of 4, 21 and 17%.)
const HOPE: f64 = 4.0;

/// Maximum nodes per probe, except for those of [`MAX_AGAIN`]: a fifth of a second, so that the
/// search is not mistaken for a hanging one.
const MAX_NODES: u64 = 100_000;

/// A root move is probed for threats again from `AGAIN_FROM` visits on, with `AGAIN_NODES` nodes a
/// visit, at most `MAX_AGAIN`. One that comes over from an earlier search with enough visits for
/// `MAX_AGAIN` is probed once, at its first descent. Most of these probes end early. (Of 21 moves
/// that lost games of Gomoku to Rapfi, and that 200,000 nodes refute, 7 are still played, without
/// these probes 19, with four times the nodes of a prover that needed five times as many.)
const AGAIN_FROM: u32 = 256;
const AGAIN_NODES: u64 = 50;
const MAX_AGAIN: u64 = 50_000;

/// Any thinker, with the solver of its game.
pub(crate) struct SolverThinker<G: Solvable> {
    inner: Box<dyn Thinker<G>>,
    solver: Box<dyn Solve<G>>,
    /// Used when at most this many moves can be left.
    from: u32,
    time: Arc<dyn Clock>,
}

impl<G: Solvable> SolverThinker<G> {
    /// The solver, which allocates its memory at its first use, may share it with probes.
    pub(crate) fn new(
        inner: Box<dyn Thinker<G>>,
        solver: Box<dyn Solve<G>>,
        from: u32,
        time: Arc<dyn Clock>,
    ) -> Self {
        SolverThinker {
            inner,
            solver,
            from,
            time,
        }
    }
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
        let is_late = position.plies_left().at_most(self.from);
        if !is_late || one_visit || !whole || request.start.legal_count() < 2 {
            return self.inner.search(request, observer);
        }
        let (time, started) = (&*self.time, self.time.now());
        let share = limits.budget.map(|budget| budget.target / SHARE);
        let until = share.map(|share| started.saturating_add(share));
        let halt = |_: u64| stop.is_raised() || until.is_some_and(|until| time.now() >= until);
        let with = |nodes| SolveLimits::alone(nodes, &halt);
        let losing = self.solver.losing(position, &with(QUICK_CHECK));
        let mut search = request.clone();
        search.analysis.avoid.clone_from(&losing);
        // With a single move left there is nothing to solve.
        let nodes = nodes_before(limits, purpose).filter(|_| !search.is_forced());
        let solver = &mut *self.solver;
        let advice = nodes.and_then(|nodes| solve(solver, position, &with(nodes)));
        if advice.is_some() {
            // Only what the search knows already, and its view of the moves.
            search.stop = StopFlag::new();
            search.stop.raise();
        }
        search.limits = limits.after(time.now().saturating_sub(started));
        let report = self.inner.search(&search, observer);
        let Some(advice) = advice else {
            return report.map(|mut report| {
                report.elapsed = time.now().saturating_sub(started);
                merge_losing(report, &losing)
            });
        };
        log::info!("the solver has proven a {:?}", advice.proof);
        let mut report = report.unwrap_or_else(|error| {
            log::error!("the search failed after the solver: {error}");
            let moves = advice.moves.iter().map(|rated| rated.mv);
            SearchReport::equally_likely(moves, StopReason::Proven)
        });
        merge_proof(&mut report, &advice);
        report.elapsed = time.now().saturating_sub(started);
        if purpose.is_shown() {
            show_proof(&mut report);
        }
        if purpose == Purpose::Position {
            show_line(&mut report, &mut *self.solver, position, stop);
        }
        Ok(report)
    }

    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        self.inner.prepare(start, stop);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
        self.solver.clear();
    }

    fn drop_visits(&mut self) {
        self.inner.drop_visits();
    }
}

/// Nodes before a search with these limits, in proportion to its visits; `None` for a search for a move
/// that time limits, or nothing.
fn nodes_before(limits: &Limits, purpose: Purpose) -> Option<u64> {
    match (limits.visits, limits.budget) {
        (Some(visits), None) => {
            let nodes = visits.saturating_mul(NODES_PER_PLAYOUT) / u64::from(SHARE);
            // An analysis gets what can be seen at once, also with a single visit.
            let least = match purpose {
                Purpose::Position => QUICK_CHECK,
                Purpose::Move | Purpose::ShownMove => 0,
            };
            Some(nodes.max(least))
        }
        _ => purpose.is_shown().then_some(SHOWN),
    }
}

/// Solves the position and rates its moves; `None` if it is not known what to play.
fn solve<G>(
    solver: &mut dyn Solve<G>,
    position: &G,
    effort: &SolveLimits<'_>,
) -> Option<SolvedMoves> {
    let found = solver.solve(position, effort);
    let proof = found.proof()?;
    let nodes = match proof {
        Proof::Win => ADVICE_WON,
        Proof::Draw | Proof::Loss => ADVICE_LOST,
    };
    let rest = effort.within(nodes.min(effort.nodes));
    let advice = solver.advise(position, proof, found.best, &rest);
    let first = advice.moves.first();
    let is_known = first.is_none_or(|first| first.proof() == Some(proof));
    is_known.then_some(advice)
}

/// Gives the search's report the solver's move order; ties in the order of the search.
fn merge_proof(report: &mut SearchReport, advice: &SolvedMoves) {
    let rated = |found: &MoveReport| advice.moves.iter().find(|rated| rated.mv == found.mv);
    let merit = |rated: &RatedMove| (rated.bounds, rated.score);
    for found in &mut report.moves {
        if let Some(proof) = rated(found).and_then(RatedMove::proof) {
            found.prove(proof);
        }
    }
    let best = advice.moves.first().map(merit);
    report.put_first(|found| rated(found).map(merit) == best);
    (report.proof, report.value) = (Some(advice.proof), advice.proof.value());
    report.stop = StopReason::Proven;
}

/// The search's report with moves that are known to lose last.
pub(super) fn merge_losing(mut report: SearchReport, losing: &[Move]) -> SearchReport {
    for found in &mut report.moves {
        if losing.contains(&found.mv) {
            found.prove(Proof::Loss);
        }
    }
    // Last, like moves that the search has proven to lose, which may have more visits.
    let lost = |found: &MoveReport| found.proof == Some(Proof::Loss);
    report.moves.sort_by_key(lost);
    report
}

/// Counts the solver's proof of a move as a visit if the search had none, for the move to play and all
/// winning moves: clients list moves with visits.
fn show_proof(report: &mut SearchReport) {
    let mut looks = 0;
    for (place, found) in report.moves.iter_mut().enumerate() {
        let matters = place == 0 || found.proof == Some(Proof::Win);
        if matters && found.visits == 0 {
            found.visits = 1;
            found.pv_visits.fill(1);
            looks += 1;
        }
    }
    report.visits += looks;
}

/// Gives the move to play the line of play by the solver.
fn show_line<G: Solvable>(
    report: &mut SearchReport,
    solver: &mut dyn Solve<G>,
    position: &G,
    stop: &StopFlag,
) {
    let Some(best) = report.moves.first_mut() else {
        return;
    };
    let mut next = position.clone();
    next.play(best.mv);
    let halt = |_: u64| stop.is_raised();
    best.pv = vec![best.mv];
    best.pv
        .extend(solver.line(&next, &SolveLimits::alone(LINE, &halt)));
    // The solver has proven each of these moves, and the search may have been at the first.
    best.pv_visits.truncate(1);
    best.pv_visits.resize(best.pv.len(), 1);
}

/// Creates the search's probers; `None` if the options disable them.
pub(crate) fn probers<G: Solvable>(
    make: MakeProbe<G>,
    options: &SolverOptions,
) -> Option<ProberMaker<G>> {
    let (each, from) = (options.probe_nodes, options.probe_from);
    let makes: ProberMaker<G> = Arc::new(move || {
        let mut probe = make();
        Box::new(move |position, occasion| {
            if !position.plies_left().at_most(from) {
                return None;
            }
            let median = position.nodes_to_solve();
            let nodes = probe_nodes(each, occasion, median)?;
            let halt = |_: u64| (occasion.over)();
            probe(position, &SolveLimits::alone(nodes, &halt))
        })
    });
    (each > 0).then_some(makes)
}

/// Nodes for a position with a median solve of `median` nodes; `None` if a probe is not worthwhile.
fn probe_nodes(each: u64, occasion: &ProbeContext<'_>, median: Option<f64>) -> Option<u64> {
    let visits = occasion.visits;
    if let Some(median) = median {
        let nodes = each.saturating_mul(u64::from(visits.max(1)));
        let nodes = nodes.min(MAX_NODES);
        return (occasion.is_due() && nodes as f64 * HOPE >= median).then_some(nodes);
    }
    if visits == 0 {
        return Some(each.min(MAX_NODES));
    }
    let again = nodes_again(visits);
    // Equal probes find the same. A move that comes over with fewer visits will be asked at a power.
    let wanted = match occasion.is_reused && again == MAX_AGAIN {
        true => true,
        false => occasion.is_due() && again > nodes_again(visits / ASK_AGAIN),
    };
    (wanted && occasion.depth == 1 && visits >= AGAIN_FROM).then_some(again)
}

/// Nodes for a move of the root with this many visits.
fn nodes_again(visits: u32) -> u64 {
    (AGAIN_NODES * u64::from(visits)).min(MAX_AGAIN)
}

#[cfg(test)]
mod tests;
