//! Verifies a chosen move: is the position after it lost?
//!
//! Search and solver may both have run out of time just before a proof. Their partial results are
//! in the solver's table, and the position after the one move that matters is easier than the
//! current one.

use std::time::Duration;

use crate::clock::{Budget, Clock};
use crate::game::{Move, Proof};
use crate::search::{Limits, MoveReport, SearchReport, StopFlag};
use crate::solver::{Solvable, Solve, SolveLimits};

/// Nodes of a quick check.
pub(super) const QUICK_CHECK: u64 = 2_000;

/// Maximum number of moves checked: if most of them lose, so will the rest.
const MAX_MOVES: usize = 8;

/// Reserve 1/LOOK_SHARE of the move time for verifying the chosen move.
const LOOK_SHARE: u32 = 32;
/// Minimum move time for a verification: below it the time for [`QUICK_CHECK`] would be missing
/// from the search.
const MIN_FOR_LOOK: Duration = Duration::from_millis(100);
/// If the median solve needs more than LOOK_REACH times the available nodes, do a quick check only.
const LOOK_REACH: f64 = 64.0;

/// Budget of a verification.
pub(super) struct CheckBudget<'a> {
    /// Minimum nodes per move.
    nodes: u64,
    /// Maximum nodes per move: under a clock that leaves more time than the visits take.
    most: u64,
    /// Deadline, for a clock that runs by itself.
    until: Option<Duration>,
    stop: &'a StopFlag,
    time: &'a dyn Clock,
}

impl<'a> CheckBudget<'a> {
    /// Budget of a verification that begins now, at the end of a search with these limits; `None` if
    /// there is too little time. `simulated` is the number of playouts per second of a simulated
    /// clock.
    pub(super) fn now<G: Solvable>(
        position: &G,
        limits: &Limits,
        simulated: Option<f64>,
        stop: &'a StopFlag,
        time: &'a dyn Clock,
    ) -> Option<Self> {
        let kept = match limits.budget {
            Some(budget) => Some(time_for_look(position, budget)?),
            None => None,
        };
        let (nodes, until) = match (simulated, kept) {
            // A simulated clock stands still while the solver works.
            (Some(rate), Some(kept)) => {
                let playouts = (kept.as_secs_f64() * rate) as u64;
                (playouts * NODES_PER_PLAYOUT, None)
            }
            (_, Some(kept)) => (QUICK_CHECK, Some(time.now() + kept)),
            (_, None) => (nodes_for(position, limits.visits.unwrap_or(0)), None),
        };
        let by_visits = limits.visits.filter(|_| until.is_some());
        Some(CheckBudget {
            nodes,
            most: by_visits.map_or(u64::MAX, |visits| nodes_for(position, visits)),
            until,
            stop,
            time,
        })
    }
}

/// Nodes after a search of this many visits, by the same share.
fn nodes_for<G: Solvable>(position: &G, visits: u64) -> u64 {
    let nodes = visits.saturating_mul(NODES_PER_PLAYOUT) / u64::from(LOOK_SHARE);
    match within_reach(position, nodes as f64) {
        true => nodes.max(QUICK_CHECK),
        false => QUICK_CHECK,
    }
}

/// Whether this many nodes may solve a position after one move.
fn within_reach<G: Solvable>(position: &G, nodes: f64) -> bool {
    let median = position.nodes_to_solve();
    median.is_none_or(|median| median <= LOOK_REACH * nodes)
}

/// Time to reserve for a verification: zero, for a quick check, if more would not help; `None` if
/// there is too little time.
fn time_for_look<G: Solvable>(position: &G, budget: Budget) -> Option<Duration> {
    let look = (budget.target >= MIN_FOR_LOOK).then(|| budget.target / LOOK_SHARE)?;
    let nodes = look.as_secs_f64() * NODES_PER_SECOND;
    let reached = within_reach(position, nodes);
    Some(if reached { look } else { Duration::ZERO })
}

/// The limits without the time reserved for verification.
pub(super) fn limits_before_look<G: Solvable>(position: &G, limits: &Limits) -> Limits {
    let without = |budget: Budget| {
        let look = time_for_look(position, budget).unwrap_or_default();
        Budget {
            target: budget.target.saturating_sub(look),
            maximum: budget.maximum.saturating_sub(look),
            ..budget
        }
    };
    Limits {
        budget: limits.budget.map(without),
        ..*limits
    }
}

/// Adds chosen moves that prove to lose to `losing`, until one is not refuted; moves that the
/// search has proven to lose are skipped. A move that proves to win makes the report a proven one.
/// Returns the nodes used.
pub(super) fn verify_move<G: Solvable>(
    solver: &mut dyn Solve<G>,
    position: &G,
    report: &mut SearchReport,
    look: &CheckBudget<'_>,
    losing: &mut Vec<Move>,
) -> u64 {
    let over = || look.until.is_none_or(|until| look.time.now() >= until);
    let late = |nodes| nodes >= look.most || nodes >= look.nodes && over();
    let halt = |nodes: u64| look.stop.is_raised() || late(nodes);
    let effort = SolveLimits::alone(u64::MAX, &halt);
    // Moves that are known to lose may come before open ones, because of earlier visits.
    let open = |found: &MoveReport| found.proof != Some(Proof::Loss) && !losing.contains(&found.mv);
    let open_moves = report.moves.iter().filter(|found| open(found)).count();
    let (mut refuted, mut nodes) = (Vec::new(), 0);
    let candidates = report.moves.iter_mut().filter(|found| open(found));
    for found in candidates.take(MAX_MOVES) {
        if found.proof.is_some() {
            break;
        }
        let mut next = position.clone();
        next.play(found.mv);
        let solved = solver.solve(&next, &effort);
        nodes += solved.nodes;
        let known = solved.proof();
        if known == Some(Proof::Loss) {
            found.prove(Proof::Win);
            (report.proof, report.value) = (Some(Proof::Win), Proof::Win.value());
        }
        if known != Some(Proof::Win) {
            break;
        }
        refuted.push(found.mv);
    }
    if refuted.len() < open_moves {
        log::debug!("{} chosen moves were refuted", refuted.len());
        losing.append(&mut refuted);
    }
    nodes
}

/// Nodes that cost about as much as a playout with a network: 500,000 against 5,000 per second and
/// thread (`tengen bench --throughput`).
pub(super) const NODES_PER_PLAYOUT: u64 = 100;
/// Nodes per second and thread (`tengen solve`), for positions within reach.
pub(super) const NODES_PER_SECOND: f64 = 500_000.0;

#[cfg(test)]
mod tests {
    use super::super::merge_proof::merge_losing;
    use super::super::testing::report;
    use super::*;
    use crate::clock::FakeClock;
    use crate::game::{BoardSize, Game};
    use crate::games::nogo::SmallNoGo;

    const ALL: SolveLimits<'static> = SolveLimits {
        nodes: u64::MAX,
        threads: 1,
        halt: &|_| false,
    };

    /// A small won board, its losing moves, and its winning moves.
    fn won() -> (SmallNoGo, Vec<Move>, Vec<Move>) {
        let mut solver = SmallNoGo::solver(0).expect("NoGo has one");
        let mut sorted = |width| {
            let position = SmallNoGo::new(BoardSize::new(width, 1)).ok()?;
            let (lost, won): (Vec<Move>, _) = position.legal_moves().partition(|&mv| {
                let mut next = position.clone();
                next.play(mv);
                solver.solve(&next, &ALL).proof() == Some(Proof::Win)
            });
            let both = (2..MAX_MOVES).contains(&lost.len()) && !won.is_empty();
            both.then_some((position, lost, won))
        };
        (4..14)
            .find_map(&mut sorted)
            .expect("a move that loses somewhere")
    }

    fn quick<'a>(stop: &'a StopFlag, time: &'a FakeClock) -> CheckBudget<'a> {
        CheckBudget {
            nodes: QUICK_CHECK,
            most: u64::MAX,
            until: None,
            stop,
            time,
        }
    }

    /// Verifies moves in this order; returns the losing ones and the bounds of the position.
    fn look(
        position: &SmallNoGo,
        moves: &[Move],
        look: &CheckBudget<'_>,
    ) -> (Vec<Move>, Option<Proof>) {
        let mut solver = SmallNoGo::solver(0).expect("NoGo has one");
        let moves: Vec<_> = moves.iter().map(|mv| (mv.0, 1, 0.1)).collect();
        let mut losing = Vec::new();
        let mut report = report(&moves);
        verify_move(&mut *solver, position, &mut report, look, &mut losing);
        (losing, report.proof)
    }

    #[test]
    fn chosen_moves_that_lose_are_passed_over_up_to_one_that_wins() {
        let (position, lost, won) = won();
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let quick = quick(&stop, &clock);
        let order = [&lost[..], &won[..]].concat();
        let expected = (lost.clone(), Some(Proof::Win));
        assert_eq!(look(&position, &order, &quick), expected);
        // If the first one wins no other matters, and if all lose none is better.
        let order = [&won[..1], &lost[..]].concat();
        assert_eq!(look(&position, &order, &quick), (vec![], Some(Proof::Win)));
        assert_eq!(look(&position, &lost, &quick), (vec![], None));
    }

    /// A lost move keeps its visits from before the proof, and comes before open ones.
    #[test]
    fn moves_that_the_search_knows_to_lose_are_passed_over() {
        let (position, lost, won) = won();
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let quick = quick(&stop, &clock);
        let mut solver = SmallNoGo::solver(0).expect("NoGo has one");
        let moves = [(lost[0].0, 9, 0.5), (lost[1].0, 5, 0.3), (won[0].0, 1, 0.1)];
        let mut found = report(&moves);
        found.moves[1].proof = Some(Proof::Loss);
        let mut losing = Vec::new();
        verify_move(&mut *solver, &position, &mut found, &quick, &mut losing);
        assert_eq!((&losing[..], found.proof), (&lost[..1], Some(Proof::Win)));
        assert_eq!(found.value, 1.0, "that of the win");
        let merged = merge_losing(found, &losing);
        assert_eq!(merged.moves[0].mv, won[0]);
    }

    #[test]
    fn it_ends_in_time_and_when_it_is_told_to() {
        let position = SmallNoGo::new(BoardSize::new(6, 6)).expect("a small board");
        let moves: Vec<Move> = position.legal_moves().collect();
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let late = CheckBudget {
            until: Some(Duration::ZERO),
            ..quick(&stop, &clock)
        };
        assert_eq!(look(&position, &moves, &late), (vec![], None));
        stop.raise();
        let stopped = CheckBudget {
            until: Some(Duration::MAX),
            ..late
        };
        assert_eq!(look(&position, &moves, &stopped), (vec![], None));
    }

    #[test]
    fn visits_limit_it_where_the_clock_leaves_hours() {
        let position = SmallNoGo::new(BoardSize::new(6, 6)).expect("a small board");
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let hours = Duration::from_secs(36_000);
        let limits = |visits| Limits {
            visits,
            budget: Some(Budget::fixed(hours, hours)),
        };
        let most = |visits| {
            let look = CheckBudget::now(&position, &limits(visits), None, &stop, &clock);
            look.expect("there is time").most
        };
        assert_eq!(most(None), u64::MAX);
        assert_eq!(most(Some(640_000_000)), 2_000_000_000);
        let moves: Vec<Move> = position.legal_moves().collect();
        let few = CheckBudget::now(&position, &limits(Some(1)), None, &stop, &clock);
        // It would not end: this clock stands still.
        assert_eq!(look(&position, &moves, &few.expect("time")), (vec![], None));
    }
}
