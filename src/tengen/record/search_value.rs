//! What a player's search thought of its position: the value in the comment of its move.

/// Evaluation that stands for a chance of 1 / (1 + 1/e) in programs of Gomocup: Rapfi's `scaling_factor`.
const EVALUATION_SCALE: f32 = 200.0;

/// The value for the side that played the move, in [-1, 1]: `value 0.25`, as Tengen's programs write it, or `Eval -72`,
/// as programs of Gomocup do, where `Eval M9` is a win in 9 plies.
#[must_use]
pub fn search_value(comment: &str) -> Option<f32> {
    let mut words = comment.split_whitespace();
    let value = loop {
        match words.next()? {
            "value" => break words.next()?.parse().ok()?,
            "Eval" => break of_evaluation(words.next()?)?,
            _ => {}
        }
    };
    (-1.0..=1.0).contains(&value).then_some(value)
}

/// The value in [-1, 1] of an evaluation: 2 / (1 + exp(-evaluation / 200)) - 1.
#[must_use]
pub fn value_of_evaluation(evaluation: f32) -> f32 {
    (evaluation / (2.0 * EVALUATION_SCALE)).tanh()
}

/// The value of `-72`, `M9` or `-M9`.
fn of_evaluation(word: &str) -> Option<f32> {
    match word.trim_start_matches(['+', '-']).strip_prefix('M') {
        Some(plies) => {
            let _plies: u32 = plies.parse().ok()?;
            Some(if word.starts_with('-') { -1.0 } else { 1.0 })
        }
        None => word.parse().ok().map(value_of_evaluation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_both_kinds_have_a_value() {
        let tengen = "1.001 s, visits 6400 playouts 6400 value -0.1075 seconds 1.0 stop visits";
        assert_eq!(search_value(tengen), Some(-0.1075));
        let rapfi = |eval: &str| {
            search_value(&format!(
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
            assert_eq!(search_value(other), None, "{other}");
        }
    }
}
