//! The Gumbel root: sequential halving over sampled moves, and the improved policy (Danihelka,
//! Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022).

use rand::Rng;
use rand_distr::{Distribution as _, Gumbel};

use super::GumbelParams;
use super::tree::{Node, best, probabilities};

/// A root that samples its moves with the Gumbel-top-k trick.
#[derive(Debug)]
pub(super) struct GumbelRoot {
    params: GumbelParams,
    /// A Gumbel number for each move; all 0 without exploration.
    noise: Vec<f32>,
    /// For each playout, the number of visits that its move must have had before.
    schedule: Vec<u32>,
}

impl GumbelRoot {
    /// A root of `moves` moves with `playouts` playouts; without `rng` the network's order decides
    /// which moves are tried.
    pub(super) fn new(
        params: GumbelParams,
        moves: usize,
        playouts: u32,
        rng: Option<&mut impl Rng>,
    ) -> GumbelRoot {
        let noise = match (rng, Gumbel::<f64>::new(0.0, 1.0)) {
            (Some(rng), Ok(gumbel)) => {
                let numbers = gumbel.sample_iter(rng).take(moves);
                numbers.map(|number| number as f32).collect()
            }
            _ => vec![0.0; moves],
        };
        let considered = params.considered.min(moves).min(playouts as usize / 2);
        GumbelRoot {
            params,
            noise,
            schedule: schedule(considered.max(1), playouts),
        }
    }

    /// The edge for the next playout: the best of the due ones.
    pub(super) fn select(&self, node: &Node) -> usize {
        let due = self.schedule.get(node.visits as usize).copied();
        let due = due.unwrap_or_else(|| node.most_visits());
        let scores = self.improved_logits(node).into_iter().zip(&self.noise);
        let visits = node.edges.iter().map(|edge| edge.visits);
        best(scores.zip(visits).map(|((logit, noise), visits)| {
            if visits == due {
                logit + noise
            } else {
                f32::NEG_INFINITY
            }
        }))
    }

    /// The edge to play: the winner of the halving. Without `explore` the noise is ignored.
    pub(super) fn choose(&self, node: &Node, explore: bool) -> usize {
        let most = node.most_visits();
        let scores = self.improved_logits(node).into_iter().zip(&self.noise);
        let visits = node.edges.iter().map(|edge| edge.visits);
        best(scores.zip(visits).map(|((logit, noise), visits)| {
            let noise = if explore { *noise } else { 0.0 };
            if visits == most {
                logit + noise
            } else {
                f32::NEG_INFINITY
            }
        }))
    }

    /// The improved policy, which is the training target.
    pub(super) fn target(&self, node: &Node) -> Vec<f32> {
        probabilities(self.improved_logits(node))
    }

    /// Logits plus `sigma(completed Q)`, `sigma(q) = (c_visit + max N) c_scale q`, q in [0, 1].
    fn improved_logits(&self, node: &Node) -> Vec<f32> {
        let weight =
            (self.params.visit_offset + node.most_visits() as f32) * self.params.value_scale / 2.0;
        let mixed = mixed_value(node);
        let edges = node.edges.iter().zip(&node.evaluation.logits);
        edges
            .map(|(edge, logit)| logit + weight * (edge.value().unwrap_or(mixed) + 1.0))
            .collect()
    }
}

/// The value assumed for unvisited moves: the network's own, mixed with the visited moves' mean
/// under the prior, `(v + N q) / (1 + N)` (equation 33 of the paper).
pub(super) fn mixed_value(node: &Node) -> f32 {
    let visited = node.edges.iter().zip(&node.evaluation.priors);
    let visited = visited.filter_map(|(edge, prior)| Some((edge.value()?, *prior)));
    let (sum, mass) = visited.fold((0.0, 0.0), |(sum, mass), (value, prior)| {
        (sum + prior * value, mass + prior)
    });
    let own = node.evaluation.value;
    if mass <= 0.0 {
        return own;
    }
    let visits = node.visits as f32;
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
    use std::rc::Rc;

    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::tree::Evaluation;
    use super::*;
    use crate::game::Move;

    fn node(logits: &[f32], value: f32) -> Node {
        Node::new(Rc::new(Evaluation {
            moves: (0..logits.len() as u16).map(Move).collect(),
            logits: logits.to_vec(),
            priors: probabilities(logits.to_vec()),
            value,
        }))
    }

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
        let mut node = node(&[0.0; 6], 0.0);
        let root = GumbelRoot::new(
            GumbelParams::default(),
            6,
            32,
            None::<&mut Xoshiro256PlusPlus>,
        );
        for _ in 0..32 {
            let edge = root.select(&node);
            node.count(edge, values[edge]);
        }
        assert_eq!(root.choose(&node, true), 2);
        let target = root.target(&node);
        assert!(target[2] > 0.99 && (target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn unvisited_moves_count_as_the_mixed_value() {
        let mut node = node(&[0.0, 0.0, 3.0_f32.ln()], -0.2);
        assert_eq!(mixed_value(&node), -0.2);
        node.count(0, 0.6);
        node.count(2, 0.2);
        node.count(2, 0.2);
        // Visited priors 0.2 and 0.6: (0.2 * 0.6 + 0.6 * 0.2) / 0.8 = 0.3; (-0.2 + 3 * 0.3) / 4.
        assert!((mixed_value(&node) - 0.175).abs() < 1e-6);
    }

    #[test]
    fn without_playouts_to_tell_moves_are_drawn_by_the_policy() {
        let node = node(&[0.0, 3.0_f32.ln()], 0.0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn = (0..4000).filter(|_| {
            let root = GumbelRoot::new(GumbelParams::default(), 2, 2, Some(&mut rng));
            root.select(&node) == 1
        });
        let share = drawn.count() as f64 / 4000.0;
        assert!((share - 0.75).abs() < 0.03, "{share}");
    }
}
