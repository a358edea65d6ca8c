//! A last look at the move that a search has chosen: is the position after it lost?
//!
//! Both the search and the solver may have run out of time just before they knew. What they have
//! proven is in the solver's table, and the position after the one move that matters is easier than
//! the present one.

use std::time::Duration;

use crate::clock::Clock;
use crate::game::{Move, Proof};
use crate::search::{SearchReport, StopFlag};
use crate::solver::{Effort, Solvable, Solve};

/// Nodes for what can be seen at once.
pub(super) const GLANCE: u64 = 2_000;

/// So many moves are looked at, at most: where most of them lose the rest will, too.
const MOST_MOVES: usize = 8;

/// What a second look may spend.
pub(super) struct Look<'a> {
    /// Nodes for a move in any case.
    pub(super) nodes: u64,
    /// It goes on until then, by a clock that runs by itself.
    pub(super) until: Option<Duration>,
    pub(super) stop: &'a StopFlag,
    pub(super) time: &'a dyn Clock,
}

/// Adds moves that have been chosen and turn out to lose to `losing`, until there is one of which that
/// is not known. A move that turns out to win makes the report a proven one. Answers how many nodes it
/// took, too.
pub(super) fn second_look<G: Solvable>(
    solver: &mut dyn Solve<G>,
    position: &G,
    mut report: SearchReport,
    look: &Look<'_>,
    losing: &mut Vec<Move>,
) -> (SearchReport, u64) {
    let over = || look.until.is_none_or(|until| look.time.now() >= until);
    let late = |nodes| nodes >= look.nodes && over();
    let effort = Effort {
        nodes: u64::MAX,
        threads: 1,
        halt: &|nodes| look.stop.is_raised() || late(nodes),
    };
    let (mut refuted, mut nodes) = (Vec::new(), 0);
    for found in report.moves.iter_mut().take(MOST_MOVES) {
        if found.proof.is_some() || losing.contains(&found.mv) {
            break;
        }
        let mut next = position.clone();
        next.play(found.mv);
        let solved = solver.solve(&next, &effort);
        nodes += solved.nodes;
        let known = solved.proof();
        if known == Some(Proof::Loss) {
            let win = Proof::Win;
            found.proof = Some(win);
            (found.value, found.lcb) = (win.value(), win.value());
            (report.proof, report.value) = (Some(win), win.value());
        }
        if known != Some(Proof::Win) {
            break;
        }
        refuted.push(found.mv);
    }
    if refuted.len() < report.moves.len() {
        log::debug!("{} chosen moves were refuted", refuted.len());
        losing.append(&mut refuted);
    }
    (report, nodes)
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;
    use crate::clock::FakeClock;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game};

    const ALL: Effort<'static> = Effort {
        nodes: u64::MAX,
        threads: 1,
        halt: &|_| false,
    };

    /// A small board that is won, the moves that lose there, and those that win.
    fn won() -> (SmallNoGo, Vec<Move>, Vec<Move>) {
        let mut solver = SmallNoGo::solver(0).expect("NoGo has one");
        let mut sorted = |width| {
            let position = SmallNoGo::new(BoardSize::new(width, 1)).ok()?;
            let (lost, won): (Vec<Move>, _) = position.legal_moves().partition(|&mv| {
                let mut next = position.clone();
                next.play(mv);
                solver.solve(&next, &ALL).wins() == Some(true)
            });
            let both = (1..MOST_MOVES).contains(&lost.len()) && !won.is_empty();
            both.then_some((position, lost, won))
        };
        (4..14)
            .find_map(&mut sorted)
            .expect("a move that loses somewhere")
    }

    /// Looks at moves in this order; what it finds to lose, and what it says of the position.
    fn look(position: &SmallNoGo, moves: &[Move], look: &Look<'_>) -> (Vec<Move>, Option<Proof>) {
        let mut solver = SmallNoGo::solver(0).expect("NoGo has one");
        let moves: Vec<_> = moves.iter().map(|mv| (mv.0, 1, 0.1)).collect();
        let mut losing = Vec::new();
        let report = report(&moves);
        let (found, _) = second_look(&mut *solver, position, report, look, &mut losing);
        (losing, found.proof)
    }

    #[test]
    fn chosen_moves_that_lose_are_passed_over_up_to_one_that_wins() {
        let (position, lost, won) = won();
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let glance = Look {
            nodes: GLANCE,
            until: None,
            stop: &stop,
            time: &clock,
        };
        let order = [&lost[..], &won[..]].concat();
        let expected = (lost.clone(), Some(Proof::Win));
        assert_eq!(look(&position, &order, &glance), expected);
        // Where the first one wins no other matters, and where all lose none is better.
        let order = [&won[..1], &lost[..]].concat();
        assert_eq!(look(&position, &order, &glance), (vec![], Some(Proof::Win)));
        assert_eq!(look(&position, &lost, &glance), (vec![], None));
    }

    #[test]
    fn it_ends_in_time_and_when_it_is_told_to() {
        let position = SmallNoGo::new(BoardSize::new(6, 6)).expect("a small board");
        let moves: Vec<Move> = position.legal_moves().collect();
        let (clock, stop) = (FakeClock::new(), StopFlag::new());
        let late = Look {
            nodes: GLANCE,
            until: Some(Duration::ZERO),
            stop: &stop,
            time: &clock,
        };
        assert_eq!(look(&position, &moves, &late), (vec![], None));
        stop.raise();
        let stopped = Look {
            until: Some(Duration::MAX),
            ..late
        };
        assert_eq!(look(&position, &moves, &stopped), (vec![], None));
    }
}
