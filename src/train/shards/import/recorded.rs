//! A game as it was recorded, with what the players' searches said, before its moves are tried, and why one is left
//! out.

use tengen::game::{Color, HalfPoints, Move, Outcome};
use tengen::record::{search_value, value_of_evaluation};

/// How a game was decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// One side resigned.
    Resigned(Color),
    /// By points: by how much Black was ahead, komi included, in half points.
    Counted(HalfPoints),
    /// By the rules on the board, or drawn.
    Played(Outcome),
}

/// A game as it was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    /// Moves from an empty board.
    pub(super) moves: Vec<Move>,
    /// How many of them are no choice of the players: handicap, an opening.
    pub(super) placed: usize,
    /// What the players' searches said, from the move after these on; shorter or empty where nothing is known.
    pub(super) analyses: Vec<Option<Analysis>>,
    pub(super) komi: Option<HalfPoints>,
    pub(super) end: End,
}

/// Why a game is left out: a short reason to count, and more about this game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) reason: &'static str,
    pub(super) details: String,
}

pub(super) fn left_out<T>(reason: &'static str, details: impl ToString) -> Result<T, LeftOut> {
    Err(LeftOut {
        reason,
        details: details.to_string(),
    })
}

/// Difference of two moves' evaluations by which one becomes e times as probable: an eighth of a logit ([`value_of_evaluation`]).
const POLICY_SCALE: f32 = 25.0;

/// A search's answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Analysis {
    /// Moves with their probabilities; empty for the move that was played.
    pub(super) policy: Vec<(Move, f32)>,
    /// Value for the side to move, in [-1, 1].
    pub(super) value: f32,
}

impl Analysis {
    /// From the evaluations of candidate moves, the best first; `None` without any.
    pub(super) fn of_candidates(candidates: &[(Move, f32)]) -> Option<Analysis> {
        let &(_, best) = candidates.first()?;
        let weight = |evaluation: f32| ((evaluation - best) / POLICY_SCALE).min(0.0).exp();
        let sum: f32 = candidates.iter().map(|&(_, e)| weight(e)).sum();
        let share = |&(mv, evaluation): &(Move, f32)| (mv, weight(evaluation) / sum);
        Some(Analysis {
            policy: candidates.iter().map(share).collect(),
            value: value_of_evaluation(best),
        })
    }

    /// From the comment of a move in the record of a match.
    pub(super) fn of_comment(comment: &str) -> Option<Analysis> {
        search_value(comment).map(|value| Analysis {
            policy: Vec::new(),
            value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_candidates_are_more_probable() {
        let candidates = [(Move(7), 100.0), (Move(3), 75.0), (Move(9), -900.0)];
        let analysis = Analysis::of_candidates(&candidates).unwrap();
        let share: Vec<f32> = analysis.policy.iter().map(|&(_, share)| share).collect();
        assert!((share[0] / share[1] - std::f32::consts::E).abs() < 1e-4);
        assert!(share[2] < 1e-6 && (share.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((analysis.value - 0.2449).abs() < 1e-4);
        assert_eq!(Analysis::of_candidates(&[]), None);
    }
}
