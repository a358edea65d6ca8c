//! The value d of domain knowledge. The paper requires `0 <= d <= 1` and does not define it: ours is
//! a game's [ranking](tengen::rollout::Playout::ranking) of the moves, scaled within the node.

tengen::choices! {
    /// How rankings become scores in [0, 1].
    DomainScale {
        /// The share of the node's other moves that are ranked lower; half of the equal ones count.
        Rank = "rank",
        /// Linearly in the ranking, from 0 for the lowest to 1 for the highest.
        Weight = "weight",
    }
}

/// Score of a pass: knowledge of points says nothing about it.
pub(super) const PASS: f32 = 0.5;

/// The scores of moves with these rankings, in any unit.
pub(super) fn scores(rankings: &[f32], scale: DomainScale) -> Vec<f32> {
    match scale {
        DomainScale::Weight => {
            let mut scores = rankings.to_vec();
            super::ucb::to_unit(&mut scores);
            scores
        }
        DomainScale::Rank => ranks(rankings),
    }
}

fn ranks(rankings: &[f32]) -> Vec<f32> {
    let mut sorted = rankings.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let others = rankings.len().saturating_sub(1) as f32;
    let rank = |ranking: &f32| {
        let lower = sorted.partition_point(|other| other.total_cmp(ranking).is_lt());
        let up_to = sorted.partition_point(|other| other.total_cmp(ranking).is_le());
        match others {
            0.0 => PASS,
            _ => (lower as f32 + (up_to - lower - 1) as f32 / 2.0) / others,
        }
    };
    rankings.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_by_hand() {
        // Five moves: one lowest, two equal ones above it, then two more.
        let found = scores(&[7.0, -3.0, 2.0, 9.0, 2.0], DomainScale::Rank);
        assert_eq!(found, [0.75, 0.0, 0.375, 1.0, 0.375]);
        assert_eq!(scores(&[4.0], DomainScale::Rank), [PASS]);
        assert!(scores(&[], DomainScale::Rank).is_empty());
    }

    #[test]
    fn weights_by_hand() {
        let found = scores(&[1.0, -3.0, 5.0], DomainScale::Weight);
        assert_eq!(found, [0.5, 0.0, 1.0]);
    }
}
