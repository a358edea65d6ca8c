//! Probes positions of the search with the solver.
//!
//! A position gets nodes in proportion to its visits, and only if they may suffice: positions that
//! many descents reach are worth more, and a proof there helps all of them. Probes share the
//! solver's table, so an unfinished probe is not lost.

use std::sync::Arc;

use super::SolverOptions;
use crate::search::ProberMaker;
use crate::solver::{MakeProbe, Solvable, SolveLimits};

/// A position is probed if its nodes are at least a quarter of the median solve of its kind: with a
/// quarter one in six is solved. (Hard positions of plies 43 to 55 proven in 0.3 s: 24%; with 1 and
/// 16 in place of 4, 21 and 17%.)
const HOPE: f64 = 4.0;

/// Maximum nodes per probe: a fifth of a second, so that the search is not mistaken for a hanging
/// one.
const MOST_NODES: u64 = 100_000;

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
            let nodes = nodes(each, occasion.visits, position.nodes_to_solve())?;
            let effort = SolveLimits {
                nodes,
                threads: 1,
                halt: &|_| (occasion.over)(),
            };
            probe(position, &effort)
        })
    });
    (each > 0).then_some(makes)
}

/// Nodes for a position with this many visits and a median solve of `half` nodes; `None` if a probe
/// is not worthwhile. If the median is unknown it is probed once, when it is new.
fn nodes(each: u64, visits: u32, half: Option<f64>) -> Option<u64> {
    let nodes = each
        .saturating_mul(u64::from(visits.max(1)))
        .min(MOST_NODES);
    let worth = match half {
        Some(half) => nodes as f64 * HOPE >= half,
        None => visits == 0,
    };
    worth.then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_grow_with_visits_and_are_given_where_they_may_do() {
        assert_eq!(nodes(100, 0, Some(400.0)), Some(100));
        assert_eq!(nodes(100, 0, Some(401.0)), None);
        assert_eq!(nodes(100, 4, Some(401.0)), Some(400));
        assert_eq!(nodes(100, 1 << 20, Some(1e5)), Some(MOST_NODES));
        assert_eq!(nodes(100, 1 << 20, Some(1e6)), None);
        assert_eq!(nodes(300, 0, None), Some(300));
        assert_eq!(nodes(300, 4, None), None);
    }
}
