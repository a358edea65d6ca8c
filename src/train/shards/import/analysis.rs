//! What a player's search said of a position: values in the comments of a match, evaluations of candidate moves.

use crate::game::Move;

/// Evaluation that stands for a chance of 1 / (1 + 1/e) in Gomoku programs: Rapfi's `scaling_factor`.
const EVALUATION_SCALE: f32 = 200.0;

/// Difference of two moves' evaluations by which one becomes e times as probable: an eighth of the logit above.
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
            value: value_of(best),
        })
    }

    /// From a move's comment: `value 0.25`, as Tengen's programs write it, or `Eval -72`, as programs of Gomocup
    /// do, where `Eval M9` is a win in 9 plies.
    pub(super) fn of_comment(comment: &str) -> Option<Analysis> {
        let mut words = comment.split_whitespace();
        let value = loop {
            match words.next()? {
                "value" => break words.next()?.parse().ok()?,
                "Eval" => break evaluation(words.next()?)?,
                _ => {}
            }
        };
        (-1.0..=1.0).contains(&value).then(|| Analysis {
            policy: Vec::new(),
            value,
        })
    }
}

/// The value of `-72`, `M9` or `-M9`.
fn evaluation(word: &str) -> Option<f32> {
    match word.trim_start_matches(['+', '-']).strip_prefix('M') {
        Some(plies) => {
            let _plies: u32 = plies.parse().ok()?;
            Some(if word.starts_with('-') { -1.0 } else { 1.0 })
        }
        None => word.parse().ok().map(value_of),
    }
}

/// 2 / (1 + exp(-evaluation / scale)) - 1.
fn value_of(evaluation: f32) -> f32 {
    (evaluation / (2.0 * EVALUATION_SCALE)).tanh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_both_kinds_have_a_value() {
        let value = |comment: &str| Analysis::of_comment(comment).map(|analysis| analysis.value);
        let tengen = "1.001 s, visits 6400 playouts 6400 value -0.1075 seconds 1.0 stop visits";
        assert_eq!(value(tengen), Some(-0.1075));
        let rapfi = |eval: &str| {
            value(&format!(
                "0.4 s, Speed 372K | Depth 15-27 | Eval {eval} | Node 150K"
            ))
        };
        assert_eq!(
            (rapfi("M28"), rapfi("-M3"), rapfi("0")),
            (Some(1.0), Some(-1.0), Some(0.0))
        );
        // A chance of 73% and one of 27%.
        assert!((rapfi("200").unwrap() - 0.462).abs() < 1e-3);
        assert_eq!(rapfi("-200"), rapfi("200").map(|value| -value));
        for other in [
            "",
            "0.413 s",
            "good value",
            "value 3.5",
            "Eval x",
            "Eval Mx",
        ] {
            assert_eq!(value(other), None, "{other}");
        }
    }

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
