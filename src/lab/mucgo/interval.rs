//! The score of a move by its playouts: UCB1, on the scale of the domain score; and the interval of the best moves, of
//! which one is drawn (section III.B.3, RSHQI).

use rand::Rng;

use tengen::rollout::below;

tengen::choices! {
    /// What the interval's share is of. "The top 15% evaluation scores" can mean either.
    IntervalBy {
        /// The range of the values: `V >= max V - share (max V - min V)`.
        Value = "value",
        /// The number of moves, rounded up.
        Rank = "rank",
    }
}

/// Keeps of `moves` those in the interval of this share, in [0, 1]. `values` are by move. The order is unspecified.
pub(super) fn keep_best(moves: &mut Vec<usize>, values: &[f32], share: f32, by: IntervalBy) {
    match by {
        IntervalBy::Rank => {
            let most = ((share * moves.len() as f32).ceil() as usize).max(1);
            if most < moves.len() {
                moves.select_nth_unstable_by(most, |&one, &other| {
                    let falling = values[other].total_cmp(&values[one]);
                    falling.then(one.cmp(&other))
                });
                moves.truncate(most);
            }
        }
        IntervalBy::Value => {
            let of = |fold: fn(f32, f32) -> f32, start| {
                moves.iter().map(|&at| values[at]).fold(start, fold)
            };
            let (high, low) = (of(f32::max, f32::NEG_INFINITY), of(f32::min, f32::INFINITY));
            let least = high - share * (high - low);
            moves.retain(|&at| values[at] >= least);
        }
    }
}

/// One of the moves, all with the same probability; `None` if there are none.
pub(super) fn draw<R: Rng>(moves: &[usize], rng: &mut R) -> Option<usize> {
    match moves {
        [] | [_] => moves.first().copied(),
        _ => moves.get(below(rng, moves.len())).copied(),
    }
}

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
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    const VALUES: [f32; 6] = [0.2, 1.0, 0.95, 0.85, 0.87, 0.0];

    #[track_caller]
    fn check(share: f32, by: IntervalBy, expected: &[usize]) {
        let mut moves: Vec<usize> = (0..VALUES.len()).collect();
        keep_best(&mut moves, &VALUES, share, by);
        moves.sort_unstable();
        assert_eq!(moves, expected, "{share} {by}");
    }

    #[test]
    fn intervals_by_hand() {
        // The range is 1: from 0.95, 0.9, 0.85 and 0.8 on.
        check(0.05, IntervalBy::Value, &[1, 2]);
        check(0.1, IntervalBy::Value, &[1, 2]);
        check(0.15, IntervalBy::Value, &[1, 2, 3, 4]);
        check(0.2, IntervalBy::Value, &[1, 2, 3, 4]);
        check(0.0, IntervalBy::Value, &[1]);
        // Of six moves 0.3, 0.6, 0.9 and 1.2, rounded up.
        check(0.05, IntervalBy::Rank, &[1]);
        check(0.15, IntervalBy::Rank, &[1]);
        check(0.2, IntervalBy::Rank, &[1, 2]);
        check(0.5, IntervalBy::Rank, &[1, 2, 4]);
    }

    #[test]
    fn each_move_of_the_interval_is_drawn_as_often() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut drawn = [0; 3];
        for _ in 0..3000 {
            drawn[draw(&[0, 1, 2], &mut rng).expect("one of three")] += 1;
        }
        // Standard deviation 26.
        assert!(
            drawn.iter().all(|count| (870..1130).contains(count)),
            "{drawn:?}"
        );
        assert_eq!(draw(&[], &mut rng), None);
    }

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
