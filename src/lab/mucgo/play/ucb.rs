//! The score of a move by its playouts: UCB1, on the scale of the domain score.

/// UCB1 (Auer et al. 2002) of a move with these visits and wins, of `all` visits of its node:
/// `u = Q + c sqrt(ln N / n)`.
///
/// Without a visit it would be infinite, and no other score would count beside it. So each move has
/// one even playout in advance, which `visits`, `wins` and `all` do not contain; `moves` of them
/// count in N.
pub(super) fn ucb1(visits: f32, wins: f32, all: f32, moves: usize, exploration: f32) -> f32 {
    let number = visits + 1.0;
    let total = all + moves as f32;
    (wins + 0.5) / number + exploration * (total.ln() / number).sqrt()
}

/// Scales the scores of a node's moves to [0, 1]; all to 0.5 if they are equal.
pub(super) fn to_unit(scores: &mut [f32]) {
    let low = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let high = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = high - low;
    for score in scores {
        *score = if range > 0.0 {
            (*score - low) / range
        } else {
            0.5
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ucb1_by_hand() {
        // Three moves, 5 visits: N = 8, ln 8 = 2.0794. Four visits, 3 wins: 3.5 / 5 + 0.5
        // sqrt(2.0794 / 5) = 0.7 + 0.3224.
        assert!((ucb1(4.0, 3.0, 5.0, 3, 0.5) - 1.0224).abs() < 1e-4);
        // Without a visit: 0.5 + 0.5 sqrt(2.0794).
        assert!((ucb1(0.0, 0.0, 5.0, 3, 0.5) - 1.2210).abs() < 1e-4);
        assert_eq!(ucb1(3.0, 3.0, 5.0, 3, 0.0), 0.875);
    }

    #[test]
    fn the_unit_interval_is_filled() {
        let mut scores = [1.0, 3.0, 2.0];
        to_unit(&mut scores);
        assert_eq!(scores, [0.0, 1.0, 0.5]);
        let mut equal = [2.0, 2.0];
        to_unit(&mut equal);
        assert_eq!(equal, [0.5, 0.5]);
        to_unit(&mut []);
    }
}
