//! The Gumbel root: sequential halving over sampled moves, and the improved policy (Danihelka,
//! Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022).

use rand::Rng;
use rand_distr::{Distribution as _, Gumbel};

use super::best;
use tengen::search::{RootMove, RootMoves};
use tengen_nn::eval::softmax;

/// Moves with playouts, at most (and at most half the playouts): the paper's for Go (docs/methods.md#self-play), as the
/// constants of the next one, whose scale is 1.
const CONSIDERED: usize = 16;

/// Added to the most visited move's visits in the weight of Q.
const VISIT_OFFSET: f32 = 50.0;

/// The least probability of a move: half the resolution of the tree's.
const MIN_POLICY: f32 = 0.5 / 65535.0;

/// A root that samples its moves with the Gumbel-top-k trick.
#[derive(Debug)]
pub(super) struct GumbelRoot {
    /// Logarithm of each move's probability.
    logits: Vec<f32>,
    /// A Gumbel number for each move; all 0 without exploration.
    noise: Vec<f32>,
    /// For each playout, the number of visits that its move must have had before.
    schedule: Vec<u32>,
}

impl GumbelRoot {
    /// A root of these moves with `playouts` playouts; without `rng` the network's order decides
    /// which moves are tried.
    pub(super) fn new(moves: &[RootMove], playouts: u32, rng: Option<&mut impl Rng>) -> GumbelRoot {
        let noise = match (rng, Gumbel::<f64>::new(0.0, 1.0)) {
            (Some(rng), Ok(gumbel)) => {
                let numbers = gumbel.sample_iter(rng).take(moves.len());
                numbers.map(|number| number as f32).collect()
            }
            _ => vec![0.0; moves.len()],
        };
        let considered = CONSIDERED.min(moves.len()).min(playouts as usize / 2);
        GumbelRoot {
            logits: moves
                .iter()
                .map(|found| found.policy.max(MIN_POLICY).ln())
                .collect(),
            noise,
            schedule: schedule(considered.max(1), playouts),
        }
    }

    /// The move for the next playout: the best of the due ones.
    pub(super) fn select(&self, root: &RootMoves<'_>) -> usize {
        let due = self.schedule.get(root.visits as usize).copied();
        self.best_visited(root, due.unwrap_or_else(|| most_visits(root)), true)
    }

    /// The move to play: the winner of the halving. Without `explore` the noise is ignored.
    pub(super) fn choose(&self, root: &RootMoves<'_>, explore: bool) -> usize {
        self.best_visited(root, most_visits(root), explore)
    }

    /// The best of the moves with this many visits.
    fn best_visited(&self, root: &RootMoves<'_>, visits: u32, explore: bool) -> usize {
        let scores = self.improved_logits(root).zip(&self.noise);
        best(scores.zip(root.moves).map(|((logit, noise), found)| {
            let noise = if explore { *noise } else { 0.0 };
            if found.visits == visits {
                logit + noise
            } else {
                f32::NEG_INFINITY
            }
        }))
    }

    /// The improved policy, which is the training target.
    pub(super) fn target(&self, root: &RootMoves<'_>) -> Vec<f32> {
        let mut target: Vec<f32> = self.improved_logits(root).collect();
        softmax(&mut target, |logit| logit);
        target
    }

    /// Logits plus `sigma(completed Q)`, `sigma(q) = (c_visit + max N) q`, q in [0, 1].
    fn improved_logits<'a>(&'a self, root: &RootMoves<'a>) -> impl Iterator<Item = f32> + 'a {
        let most = most_visits(root) as f32;
        let weight = (VISIT_OFFSET + most) / 2.0;
        let mixed = mixed_value(root);
        let moves = root.moves.iter().zip(&self.logits);
        moves.map(move |(found, logit)| logit + weight * (found.value.unwrap_or(mixed) + 1.0))
    }
}

/// Visits of the most visited move.
fn most_visits(root: &RootMoves<'_>) -> u32 {
    root.moves
        .iter()
        .map(|found| found.visits)
        .max()
        .unwrap_or(0)
}

/// The value assumed for unvisited moves: the network's own, mixed with the visited moves' mean
/// under the prior, `(v + N q) / (1 + N)` (equation 33 of the paper).
pub(super) fn mixed_value(root: &RootMoves<'_>) -> f32 {
    let visited = root.moves.iter();
    let visited = visited.filter_map(|found| Some((found.value?, found.policy)));
    let (sum, mass) = visited.fold((0.0, 0.0), |(sum, mass), (value, policy)| {
        (sum + policy * value, mass + policy)
    });
    let own = root.evaluation;
    if mass <= 0.0 {
        return own;
    }
    let visits = root.visits as f32;
    (own + visits * sum / mass) / (1.0 + visits)
}

/// For each playout, the visits of the due moves: `considered` moves get playouts in turn, the
/// better half of them again, and so on until two are left.
fn schedule(considered: usize, playouts: u32) -> Vec<u32> {
    let playouts = playouts as usize;
    if considered <= 1 {
        return (0..playouts as u32).collect();
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let (mut schedule, mut visits, mut left) = (Vec::new(), vec![0; considered], considered);
    while schedule.len() < playouts {
        for _ in 0..(playouts / (phases * left)).max(1) {
            schedule.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(playouts);
    schedule
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::play::mcts::tests::{root, visited};

    #[test]
    fn halving_shares_the_playouts_out() {
        // The paper's example: 16 moves, 200 playouts: 3 each, then 6, 12, 25 more for each of 8,
        // 4, 2. Counted here for 4 moves and 16 playouts: 2 each, then 4 each for the better two.
        assert_eq!(
            schedule(4, 16),
            [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
        );
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        for (considered, playouts) in [(16, 64), (16, 32), (3, 7), (5, 128), (2, 2)] {
            assert_eq!(schedule(considered, playouts).len(), playouts as usize);
        }
    }

    #[test]
    fn the_best_move_gets_the_most_playouts_and_is_chosen() {
        let values = [0.0, 0.2, 0.9, -0.5, 0.1, 0.3];
        let mut moves = visited(&values.map(|_| (1.0 / 6.0, 0, 0.0)));
        let rng = None::<&mut Xoshiro256PlusPlus>;
        let halving = GumbelRoot::new(&moves, 32, rng);
        for _ in 0..32 {
            let place = halving.select(&root(&moves, 0.0));
            moves[place].visits += 1;
            moves[place].value = Some(values[place]);
        }
        let root = root(&moves, 0.0);
        assert_eq!(halving.choose(&root, true), 2);
        let target = halving.target(&root);
        assert!(target[2] > 0.99 && (target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn unvisited_moves_count_as_the_mixed_value() {
        let unvisited = visited(&[(0.2, 0, 0.0), (0.2, 0, 0.0), (0.6, 0, 0.0)]);
        assert_eq!(mixed_value(&root(&unvisited, -0.2)), -0.2);
        let moves = visited(&[(0.2, 1, 0.6), (0.2, 0, 0.0), (0.6, 2, 0.2)]);
        // (0.2 * 0.6 + 0.6 * 0.2) / 0.8 = 0.3; (-0.2 + 3 * 0.3) / 4.
        assert!((mixed_value(&root(&moves, -0.2)) - 0.175).abs() < 1e-6);
    }

    #[test]
    fn without_playouts_to_tell_moves_are_drawn_by_the_policy() {
        let moves = visited(&[(0.25, 0, 0.0), (0.75, 0, 0.0)]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn = (0..4000).filter(|_| {
            let halving = GumbelRoot::new(&moves, 2, Some(&mut rng));
            halving.select(&root(&moves, 0.0)) == 1
        });
        let share = drawn.count() as f64 / 4000.0;
        assert!((share - 0.75).abs() < 0.03, "{share}");
    }

    #[test]
    fn a_move_of_rounded_probability_zero_has_a_small_one() {
        let moves = visited(&[(1.0, 1, 0.0), (0.0, 0, 0.0)]);
        let rng = None::<&mut Xoshiro256PlusPlus>;
        let halving = GumbelRoot::new(&moves, 2, rng);
        let target = halving.target(&root(&moves, 0.0));
        assert!(target[1] > 0.0 && target[1] < 1e-4, "{target:?}");
    }
}
