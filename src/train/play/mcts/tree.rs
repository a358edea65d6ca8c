//! The nodes of one search.

use std::rc::Rc;

use crate::eval::softmax;
use crate::game::{Game, Move};

/// The network's evaluation of a position that has a legal move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evaluation {
    /// The legal moves, ascending.
    pub(super) moves: Vec<Move>,
    pub(super) logits: Vec<f32>,
    /// Their probabilities.
    pub(super) priors: Vec<f32>,
    /// Expected result in [-1, 1] for the side to move.
    pub(super) value: f32,
}

impl Evaluation {
    /// Masks and normalises a network's raw policy logits.
    pub(super) fn new<G: Game>(position: &G, policy: &[f32], value: f32) -> Evaluation {
        let moves: Vec<Move> = position.legal_moves().collect();
        let logits: Vec<f32> = moves.iter().map(|mv| policy[mv.index()]).collect();
        let priors = probabilities(logits.clone());
        Evaluation {
            moves,
            logits,
            priors,
            value,
        }
    }

    /// The evaluation restricted to some of the moves.
    pub(super) fn of_moves(&self, wanted: impl Fn(Move) -> bool) -> Evaluation {
        let all = self.moves.iter().copied().zip(self.logits.iter().copied());
        let (moves, logits): (Vec<Move>, Vec<f32>) = all.filter(|(mv, _)| wanted(*mv)).unzip();
        Evaluation {
            moves,
            priors: probabilities(logits.clone()),
            logits,
            value: self.value,
        }
    }
}

/// Probabilities of logits.
pub(super) fn probabilities(mut logits: Vec<f32>) -> Vec<f32> {
    softmax(&mut logits, |logit| logit);
    logits
}

/// Index of the largest number, the first of equals; 0 if there is none.
pub(super) fn best(numbers: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (place, number) in numbers.enumerate() {
        if number > most {
            (best, most) = (place, number);
        }
    }
    best
}

/// A move of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// Playouts through it.
    pub(super) visits: u32,
    /// Sum of their results for the side to move at the node.
    sum: f32,
    /// The node behind it; `None` while unvisited, and if it ends the game.
    pub(super) child: Option<u32>,
    /// Forbidden here by a repetition rule.
    pub(super) forbidden: bool,
}

impl Edge {
    /// Mean result for the side to move at the node; unknown before the first visit.
    pub(super) fn value(&self) -> Option<f32> {
        (self.visits > 0).then(|| self.sum / self.visits as f32)
    }
}

/// A position in the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) evaluation: Rc<Evaluation>,
    /// One for each move of the evaluation.
    pub(super) edges: Vec<Edge>,
    /// Playouts through its edges.
    pub(super) visits: u32,
    sum: f32,
}

impl Node {
    pub(super) fn new(evaluation: Rc<Evaluation>) -> Node {
        Node {
            edges: vec![Edge::default(); evaluation.moves.len()],
            evaluation,
            visits: 0,
            sum: 0.0,
        }
    }

    /// Mean of its evaluation and its playouts, for the side to move.
    pub(super) fn value(&self) -> f32 {
        (self.evaluation.value + self.sum) / (1 + self.visits) as f32
    }

    /// Counts a playout through an edge with this result for the side to move.
    pub(super) fn count(&mut self, edge: usize, result: f32) {
        self.visits += 1;
        self.sum += result;
        let edge = &mut self.edges[edge];
        edge.visits += 1;
        edge.sum += result;
    }

    /// Marks an unvisited move as forbidden by a repetition rule.
    pub(super) fn forbid(&mut self, edge: usize) {
        self.edges[edge].forbidden = true;
    }

    /// Playouts of the most visited move.
    pub(super) fn most_visits(&self) -> u32 {
        self.edges.iter().map(|edge| edge.visits).max().unwrap_or(0)
    }
}
