//! Pruning of the lowest moves, by domain knowledge and by UCB1 (Algorithm 2, PDKAUCT).

tengen::choices! {
    /// The layers of pruning.
    Pruning {
        /// No move is pruned.
        None = "none",
        /// Once and for all, when a node is added: what it lacks needs no memory.
        Domain = "domain",
        /// At each descent by the scores of that time, so that a move may come back.
        Ucb = "ucb",
        /// First by domain knowledge, then by UCB1: 0.64 of the moves stay.
        Both = "both",
    }
}

impl Pruning {
    pub(super) fn by_domain(self) -> bool {
        matches!(self, Pruning::Domain | Pruning::Both)
    }

    pub(super) fn by_ucb(self) -> bool {
        matches!(self, Pruning::Ucb | Pruning::Both)
    }
}

/// Drops the share (from 0, less than 1) of `moves` with the lowest scores, rounded down; of equal
/// ones the later. `scores` are by move. The order of the rest is unspecified.
pub(super) fn prune(moves: &mut Vec<usize>, scores: &[f32], share: f32) {
    let stay = moves.len() - (share * moves.len() as f32) as usize;
    if stay < moves.len() {
        moves.select_nth_unstable_by(stay, |&one, &other| {
            let falling = scores[other].total_cmp(&scores[one]);
            falling.then(one.cmp(&other))
        });
        moves.truncate(stay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scores: &[f32], share: f32, expected: &[usize]) {
        let mut moves: Vec<usize> = (0..scores.len()).collect();
        prune(&mut moves, scores, share);
        moves.sort_unstable();
        assert_eq!(moves, expected);
    }

    #[test]
    fn the_lowest_fifth_goes() {
        let scores = [0.5, 0.1, 0.9, 0.3, 0.7, 0.8, 0.2, 0.6, 0.4, 0.0];
        check(&scores, 0.2, &[0, 2, 3, 4, 5, 6, 7, 8]);
        check(&scores, 0.0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // Rounded down: a fifth of four is no move.
        check(&scores[..4], 0.2, &[0, 1, 2, 3]);
        check(&[0.3, 0.3, 0.3, 0.3, 0.3], 0.2, &[0, 1, 2, 3]);
        check(&[], 0.2, &[]);
    }

    #[test]
    fn two_layers_leave_sixteen_of_twenty_five() {
        // By domain the first five go, by UCB1 the last four of the other twenty.
        let domain: Vec<f32> = (0..25_u8).map(f32::from).collect();
        let ucb: Vec<f32> = (0..25_u8).map(|at| f32::from(100 - at)).collect();
        let mut moves: Vec<usize> = (0..25).collect();
        prune(&mut moves, &domain, 0.2);
        prune(&mut moves, &ucb, 0.2);
        moves.sort_unstable();
        assert_eq!(moves, (5..21).collect::<Vec<usize>>());
    }
}
