//! What positions of the search are worth to the solver, which probes them.
//!
//! A position gets nodes in proportion to its visits, and only when they may well be enough: what many
//! descents come to is worth a closer look, and a proof there tells all of them. Probes share the
//! solver's table, so that nothing that was found is lost when a probe comes to no end.

use std::sync::Arc;

use super::SolverOptions;
use crate::search::ProberMaker;
use crate::solver::{MakeProbe, Solvable, SolveLimits};

/// A position is probed with a quarter of the nodes that half of its kind need, or more: with a quarter
/// one in six is solved. (Hard positions of plies 43 to 55 proven in 0.3 s: 24%; with 1 and 16 in place
/// of 4, 21 and 17%.)
const HOPE: f64 = 4.0;

/// Nodes for one probe, at most: a fifth of a second, so that the search is not taken for one that
/// hangs.
const MOST_NODES: u64 = 100_000;

/// Makes the search's probers; none where the options say so.
pub(super) fn probers<G: Solvable>(
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

/// Nodes for a position with so many visits, of whose kind half are solved with `half` nodes; `None`
/// where it is not worth a probe. Where nobody knows what it takes it is probed once, as a new one.
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
