//! Probes positions of the search with the solver.
//!
//! A position gets nodes in proportion to its visits, and only if they may suffice: positions that
//! many descents reach are worth more, and a proof there helps all of them. Where it is not known how
//! many suffice, as for wins by threats, new positions are probed, and the root's moves again: a
//! refutation that is found during the search leaves time for another move.

use std::sync::Arc;

use super::SolverOptions;
use crate::search::{ASK_AGAIN, ProbeContext, ProberMaker};
use crate::solver::{MakeProbe, Solvable, SolveLimits};

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
            let nodes = nodes(each, occasion, median)?;
            let halt = |_: u64| (occasion.over)();
            probe(position, &SolveLimits::alone(nodes, &halt))
        })
    });
    (each > 0).then_some(makes)
}

/// Nodes for a position with a median solve of `median` nodes; `None` if a probe is not worthwhile.
fn nodes(each: u64, occasion: &ProbeContext<'_>, median: Option<f64>) -> Option<u64> {
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
mod tests {
    use super::*;

    /// The first or a repeated probe of a position this many moves below the root.
    fn probe(visits: u32, depth: usize) -> ProbeContext<'static> {
        ProbeContext {
            visits,
            depth,
            is_reused: false,
            over: &|| false,
        }
    }

    #[test]
    fn nodes_grow_with_visits_and_are_given_where_they_may_do() {
        let nodes = |visits, median| nodes(100, &probe(visits, 5), Some(median));
        assert_eq!(nodes(0, 400.0), Some(100));
        assert_eq!(nodes(0, 401.0), None);
        assert_eq!(nodes(4, 401.0), Some(400));
        assert_eq!(nodes(1 << 20, 1e5), Some(MAX_NODES));
        assert_eq!(nodes(1 << 20, 1e6), None);
    }

    #[test]
    fn where_nothing_is_known_new_positions_are_probed_and_the_roots_moves_again() {
        let asked = |each, occasion| nodes(each, &occasion, None);
        assert_eq!(asked(300, probe(0, 9)), Some(300));
        assert_eq!(asked(1_000_000, probe(0, 9)), Some(MAX_NODES));
        assert_eq!(asked(300, probe(256, 9)), None);
        let again = [4, 64, 256, 1024, 4096].map(|visits| asked(300, probe(visits, 1)));
        assert_eq!(again, [None, None, Some(12_800), Some(MAX_AGAIN), None]);
    }

    #[test]
    fn a_root_move_of_an_earlier_search_is_probed_once_if_it_has_visits() {
        let asked = |visits, median| {
            let occasion = ProbeContext {
                is_reused: true,
                ..probe(visits, 1)
            };
            nodes(100, &occasion, median)
        };
        let threats = [257, 999, 1000, 5000].map(|visits| asked(visits, None));
        assert_eq!(threats, [None, None, Some(MAX_AGAIN), Some(MAX_AGAIN)]);
        // Where nodes grow with visits it was asked as any other position.
        assert_eq!(asked(300, Some(100.0)), None);
        // At a power it is due in any case.
        assert_eq!(asked(256, None), Some(12_800));
        assert_eq!(asked(256, Some(100.0)), Some(25_600));
        assert_eq!(asked(4096, None), Some(MAX_AGAIN));
    }
}
